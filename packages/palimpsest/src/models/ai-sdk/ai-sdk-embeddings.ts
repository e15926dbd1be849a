/**
 * An embedding client over any embedding model of the AI SDK (Vercel), in version 3 or 4 of its interface. The model is
 * called directly and not through `embedMany`.
 */
import { addAll } from "../../base/lists.ts";
import type { EmbeddingClient } from "../../ports/model-client.ts";
import { checkClient } from "../shared/check-client.ts";

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
  checkClient("aiSdkEmbeddings", embeddingModel, "ai-sdk-embeddings");
  const { provider, modelId } = embeddingModel;
  return {
    model: `${provider}/${modelId}`,
    embed: async (texts, { signal }) => {
      const batchSize = Math.max(1, (await embeddingModel.maxEmbeddingsPerCall) ?? texts.length);
      const vectors: number[][] = [];
      for (let from = 0; from < texts.length; from += batchSize) {
        const values = texts.slice(from, from + batchSize);
        const { embeddings } = await embeddingModel.doEmbed({ values, abortSignal: signal });
        addAll(vectors, embeddings);
      }
      return vectors;
    },
  };
}
