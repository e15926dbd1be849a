/** `palimpsest/langchain`: a session's window in the agents of LangChain, long-term memory as LangGraph's store, chat history. */
export { chatHistory } from "../integrations/langchain/chat-history.ts";
export { langchainModel } from "../integrations/langchain/langchain-model.ts";
export { type LangGraphStore, memoryStore } from "../integrations/langchain/memory-store.ts";
export {
  type LangChainMiddleware,
  type LangChainMiddlewareOptions,
  type LangChainRuntime,
  type LangChainSession,
  palimpsestMiddleware,
} from "../integrations/langchain/middleware.ts";
export { fromLangChain } from "../wire/langchain/from-langchain.ts";
export type { LangChainFields, LangChainMessage } from "../wire/langchain/langchain-fields.ts";
export { toLangChain } from "../wire/langchain/to-langchain.ts";
