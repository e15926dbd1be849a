/**
 * A session as the history of chat messages that chains of LangChain read and add to.
 */
import type { AgentSession } from "../../agent/agent-session.ts";
import { fromLangChain } from "../../wire/langchain/from-langchain.ts";
import type { LangChainMessage } from "../../wire/langchain/langchain-fields.ts";
import { toLangChain } from "../../wire/langchain/to-langchain.ts";
import { givenSession } from "../shared/given-session.ts";
import { readLine } from "../shared/read-line.ts";

/**
 * The history of a session for `RunnableWithMessageHistory` and other chains: `getMessages` returns what was said, in
 * full; `addMessages` appends; `clear` leaves the log as it is and begins again.
 *
 * @param history - an empty `InMemoryChatMessageHistory` of `@langchain/core/chat_history`; it becomes the session's
 * @param asInstances - `mapStoredMessagesToChatMessages` of `@langchain/core/messages`
 *
 * @example
 * ```ts
 * const history = chatHistory(session, new InMemoryChatMessageHistory(), mapStoredMessagesToChatMessages);
 * ```
 * @throws `OptionError` for anything but a session of `createPalimpsest`
 */
export function chatHistory<History extends object, Native, Stored>(
  session: AgentSession,
  history: History,
  asInstances: (stored: Stored[]) => Native[],
): History {
  givenSession(session, { of: "chatHistory", call: "$, history, mapStoredMessagesToChatMessages" });
  const addMessages = async (messages: readonly LangChainMessage[]): Promise<void> => {
    await session.append(fromLangChain(messages));
  };
  return Object.assign(history, {
    getMessages: async () => toLangChain(await readLine(session), asInstances),
    addMessages,
    addMessage: (message: LangChainMessage) => addMessages([message]),
    clear: async () => {
      await session.reconcile([]);
    },
  });
}
