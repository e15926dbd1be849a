/**
 * Any embedding model of the AI SDK, in version 3 or 4: called directly, below `embedMany`.
 */
import type { EmbeddingClient } from "../../ports/model-client.ts";

/** The part of the SDK's `EmbeddingModel` that is used. */
export interface AiSdkEmbeddingModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  readonly maxEmbeddingsPerCall: PromiseLike<number | undefined> | number | undefined;
  doEmbed(options: { values: string[]; abortSignal?: AbortSignal }): PromiseLike<{ embeddings: number[][] }>;
}

/** An embedding client over an embedding model of the AI SDK, for `createMemory({ embeddings })`. */
export function aiSdkEmbeddings(embeddingModel: AiSdkEmbeddingModel): EmbeddingClient {
  const { provider, modelId } = embeddingModel;
  return {
    model: `${provider}/${modelId}`,
    embed: async (texts, { signal }) => {
      const most = (await embeddingModel.maxEmbeddingsPerCall) ?? texts.length;
      const vectors: number[][] = [];
      for (let from = 0; from < texts.length; from += Math.max(1, most)) {
        const values = texts.slice(from, from + Math.max(1, most));
        const { embeddings } = await embeddingModel.doEmbed({ values, abortSignal: signal });
        vectors.push(...embeddings);
      }
      return vectors;
    },
  };
}
