/**
 * Asks an embedding model for the vectors of some texts, within a time limit, and checks what it returns.
 *
 * A provider of embeddings is another reader than the one that the conversation is held with: no text leaves with a
 * secret in it.
 */
import { ModelError } from "../../base/errors.ts";
import { redactBroken } from "../../base/redaction/broken-secrets.ts";
import { readVectors } from "../../memory/recall/vector-search.ts";
import type { EmbeddedSide, EmbeddingClient } from "../../ports/model-client.ts";
import { type AskLimits, askWithin } from "./ask-within.ts";

/** Texts of one call. Our choice: what common providers take. */
const EMBEDDED_TEXTS_COUNT = 96;
/** Longest time that one call that embeds texts in the background may take, in milliseconds. Our choice: a call that takes longer will hardly succeed. */
const INDEX_TIMEOUT_MS = 20_000;

/**
 * One vector for each text, absent where the model has none for it.
 * @throws `MODEL_FAILED` if they cannot be used or take too long; errors of the client
 */
export async function embedTexts(
  client: EmbeddingClient,
  texts: readonly string[],
  { side, ...limits }: AskLimits & { readonly side?: EmbeddedSide },
): Promise<readonly (Float32Array | undefined)[]> {
  const safe = texts.map((text) => redactBroken(text).text);
  const answer: unknown = await askWithin(
    (signal) => client.embed(safe, { signal, ...(side && { side }) }),
    limits,
  );
  const read = readVectors(answer, texts.length);
  if (!read.ok) throw unusableVectors(client, read.problem);
  return read.vectors;
}

/** The vectors of one call, and the place of its first text among all. */
interface EmbeddedBatch {
  readonly from: number;
  readonly vectors: readonly (Float32Array | undefined)[];
}

/**
 * The vectors of many texts, call by call, for work in the background.
 * @throws `MODEL_FAILED` if they cannot be used or a call takes too long; errors of the client
 */
export async function* embedInBatches(
  client: EmbeddingClient,
  texts: readonly string[],
  limits: Omit<AskLimits, "timeoutMs"> & { readonly side?: EmbeddedSide },
): AsyncIterable<EmbeddedBatch> {
  const { mostTexts = EMBEDDED_TEXTS_COUNT } = client;
  const most = Math.max(1, mostTexts);
  for (let from = 0; from < texts.length; from += most) {
    const batch = texts.slice(from, from + most);
    yield { from, vectors: await embedTexts(client, batch, { ...limits, timeoutMs: INDEX_TIMEOUT_MS }) };
  }
}

export function unusableVectors({ model }: EmbeddingClient, problem: string): ModelError {
  return new ModelError(
    { kind: "unreadable-answer" },
    {
      message: `The vectors of ${model} cannot be used. ${problem}`,
      hint: "The search went by words. See whether this model embeds texts, and whether its limit of texts for one call is right.",
    },
  );
}
