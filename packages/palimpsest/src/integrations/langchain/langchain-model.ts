/**
 * A chat model of LangChain as the model of a session: it writes summaries and notes, and takes turns.
 */

import { checkClient } from "../../models/shared/check-client.ts";
import type { ModelClient } from "../../ports/model-client.ts";
import { LASTING_FIELDS, langchainMessage } from "../../wire/langchain/from-langchain.ts";
import type { LangChainMessage } from "../../wire/langchain/langchain-fields.ts";
import { toLangChain } from "../../wire/langchain/to-langchain.ts";
import { answerOf, asFunctionTool, modelOf } from "./model-call.ts";

/** A model that answers messages, and that tools can be bound to. */
interface LangChainChatModel extends AnsweringModel {
  bindTools?(tools: never[]): AnsweringModel;
}

/** What a model takes has other types in each version of LangChain. */
interface AnsweringModel {
  invoke(messages: never, options?: never): Promise<LangChainMessage>;
}

/**
 * Makes the model of a session of a chat model of LangChain, so that no second SDK is needed beside it.
 *
 * @example
 * ```ts
 * const model = new ChatAnthropic({ model: "claude-opus-5-5" });
 * const palimpsest = createPalimpsest({ model: langchainModel(model) });
 * ```
 */
export function langchainModel(chatModel: LangChainChatModel): ModelClient {
  checkClient("langchainModel", chatModel, "langchain");
  const model = modelOf(chatModel);
  return {
    provider: "langchain",
    ...(model === undefined ? {} : { model }),
    formatTool: asFunctionTool,
    generate: async ({ system, messages, tools = [] }, { signal } = {}) => {
      const asked =
        tools.length > 0 ? (chatModel.bindTools?.([...tools] as never[]) ?? chatModel) : chatModel;
      const head = system === undefined || system === "" ? [] : [{ role: "system", content: system }];
      const answer = await asked.invoke([...head, ...toLangChain(messages)] as never, { signal } as never);
      return answerOf(answer, (message) => langchainMessage(message, LASTING_FIELDS));
    },
  };
}
