/**
 * Embedding vectors of memories, for finding memories by meaning.
 *
 * A vector is requested when it is first needed and kept in memory, with the version of its file, so an unchanged
 * memory is never sent again. The vectors of a provider are checked: their number, lengths and values, and that they
 * are not all equal. If they are unusable, or the provider fails, this throws and the caller searches by words. Many
 * missing vectors are requested in the background: a recall waits for them no longer than for the vector of its
 * query, and the next recall finds those that are there by then.
 */
import { MEMORY_VECTOR_DEFAULTS } from "../../../base/defaults/memory/vectors.ts";
import { ModelError } from "../../../base/errors.ts";
import { cutHead } from "../../../base/text/text.ts";
import type { KnownMemory } from "../../../memory/files/memory.ts";
import { areAllEqual, closest, readVectors } from "../../../memory/recall/vector-search.ts";
import type { EmbeddingClient } from "../../../ports/model-client.ts";
import type { Deadline } from "../../../ports/runtime.ts";
import { askWithin } from "../../../session/model/ask-within.ts";

/** Longest time that one call that embeds new memories may take, in milliseconds. Our choice: it goes on beside the recalls, and a call that takes longer will hardly succeed. */
const INDEX_TIMEOUT_MS = 20_000;
/** Texts of one call. Our choice: what common providers take. */
const EMBEDDED_TEXTS_COUNT = 96;
/** Characters of a memory that are embedded. Our choice: within 2,000 tokens, which every common model takes. */
const EMBEDDED_CHARACTERS = 6_000;

interface ClosestMemories {
  /** The closest first. */
  readonly paths: readonly string[];
  /** The number of memories without a comparable vector; absent if all have one. */
  readonly withoutCount?: number;
}

export class MemoryVectors {
  readonly #client: EmbeddingClient;
  readonly #deadline: Deadline;
  /** By path: the version of the file and its vector, absent if the provider returned none. */
  readonly #vectors = new Map<
    string,
    { readonly version: string; readonly vector: Float32Array | undefined }
  >();

  /** The vectors being made now, for the first recall that asked. */
  #indexing: Promise<void> | undefined;

  constructor(client: EmbeddingClient, deadline: Deadline) {
    this.#client = client;
    this.#deadline = deadline;
  }

  /**
   * Finds the memories that are closest in meaning to a text, the closest first.
   * @throws `MODEL_FAILED` if the vectors are unusable or take too long; errors of the client
   */
  async closest(
    text: string,
    memories: readonly KnownMemory[],
    signal: AbortSignal | undefined,
  ): Promise<ClosestMemories> {
    const { embedTimeoutMs: timeoutMs } = MEMORY_VECTOR_DEFAULTS;
    const embedded = async (inner: AbortSignal) => {
      await this.#indexed(memories);
      return this.#embed([text], timeoutMs, inner);
    };
    const [query] = await askWithin(embedded, { deadline: this.#deadline, timeoutMs, signal });
    if (query === undefined) throw unusable(this.#client, "It returned no vector for the message.");
    const vectors = new Map<string, Float32Array>();
    for (const { memory } of memories) {
      const vector = this.#vectors.get(memory.path)?.vector;
      if (vector !== undefined) vectors.set(memory.path, vector);
    }
    this.#assertUsable(query, [...vectors.values()]);
    const withoutCount = memories.length - vectors.size;
    return { paths: closest(query, vectors), ...(withoutCount === 0 ? {} : { withoutCount }) };
  }

  /** @throws `MODEL_FAILED` if these vectors are unusable; the next recall asks for all of them again */
  #assertUsable(query: Float32Array, vectors: readonly Float32Array[]): void {
    const unequal = vectors.find(({ length }) => length !== query.length);
    const problem =
      unequal !== undefined
        ? `It returned vectors of ${query.length} and ${unequal.length} numbers.`
        : areAllEqual([query, ...vectors])
          ? "It returned the same vector for every text."
          : undefined;
    if (problem === undefined) return;
    this.#vectors.clear();
    throw unusable(this.#client, problem);
  }

  /** Resolves when all memories have been embedded. It continues after callers stop waiting. */
  async #indexed(memories: readonly KnownMemory[]): Promise<void> {
    // A run that another recall began may not include all of these memories.
    while (this.#indexing !== undefined) await this.#indexing;
    this.#indexing = this.#index(memories).finally(() => {
      this.#indexing = undefined;
    });
    this.#indexing.catch(() => undefined);
    await this.#indexing;
  }

  async #index(memories: readonly KnownMemory[]): Promise<void> {
    const fresh = memories.filter(
      ({ memory, version }) => this.#vectors.get(memory.path)?.version !== version,
    );
    const most = Math.max(1, this.#client.mostTexts ?? EMBEDDED_TEXTS_COUNT);
    for (let from = 0; from < fresh.length; from += most) {
      const batch = fresh.slice(from, from + most);
      const vectors = await this.#embed(
        batch.map(({ memory }) => textOf(memory)),
        INDEX_TIMEOUT_MS,
        undefined,
      );
      batch.forEach(({ memory, version }, index) => {
        this.#vectors.set(memory.path, { version, vector: vectors[index] });
      });
    }
    const here = new Set(memories.map(({ memory }) => memory.path));
    for (const path of this.#vectors.keys()) if (!here.has(path)) this.#vectors.delete(path);
  }

  async #embed(
    texts: readonly string[],
    timeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<readonly (Float32Array | undefined)[]> {
    const asked = (inner: AbortSignal) => this.#client.embed(texts, { signal: inner });
    const answer: unknown = await askWithin(asked, { deadline: this.#deadline, timeoutMs, signal });
    const read = readVectors(answer, texts.length);
    if (!read.ok) throw unusable(this.#client, read.problem);
    return read.vectors;
  }
}

function unusable({ model }: EmbeddingClient, problem: string): ModelError {
  return new ModelError(
    { kind: "unreadable-answer" },
    {
      message: `The vectors of ${model} cannot be used. ${problem}`,
      hint: "Memories were searched by their words. See whether this model embeds texts, and whether its limit of texts for one call is right.",
    },
  );
}

function textOf({ name, description, body }: KnownMemory["memory"]): string {
  return cutHead([name, description, body].join("\n"), EMBEDDED_CHARACTERS);
}
