/**
 * Counts the contents of a recorded session: the figures by which an import is compared with its file.
 *
 * It counts the *recorded* messages, left-out ones included. User
 * messages are those a person wrote: neither tool results, nor attachments, nor what the tool
 * around the agent put in. An assistant message is one response, however many lines it took.
 */
import type { ImportedMessage, RecordedSession } from "./shared/imported-session.ts";

/** Contents of a recorded session, left-out messages included. {@link countSession} makes it. */
export interface SessionCounts {
  readonly userMessages: number;
  readonly assistantMessages: number;
  readonly toolCalls: number;
  readonly toolResults: number;
  /** Calls that no result answers. */
  readonly danglingToolUse: number;
  /** Results whose call is not in the file. */
  readonly orphanToolResult: number;
  readonly boundaries: number;
  readonly microcompacts: number;
}

/** Counts one session, messages that were left out included. */
export function countSession(session: RecordedSession): SessionCounts {
  const messages = [
    ...session.items.filter((item) => item.type === "message"),
    ...session.leftOut.map(({ item }) => item),
  ];
  const called = new Set<string>();
  const answered = new Set<string>();
  let toolCalls = 0;
  let toolResults = 0;
  for (const { message } of messages) {
    for (const block of message.content) {
      if (block.type === "tool_use") {
        toolCalls++;
        called.add(block.id);
      } else if (block.type === "tool_result") {
        toolResults++;
        answered.add(block.tool_use_id);
      }
    }
  }
  return {
    userMessages: messages.filter(isWrittenByUser).length,
    assistantMessages: messages.filter(({ message }) => message.role === "assistant").length,
    toolCalls,
    toolResults,
    danglingToolUse: [...called].filter((id) => !answered.has(id)).length,
    orphanToolResult: [...answered].filter((id) => !called.has(id)).length,
    boundaries: session.items.filter((item) => item.type === "boundary" && item.trigger !== "clear").length,
    microcompacts: session.items.filter((item) => item.type === "microcompact").length,
  };
}

function isWrittenByUser({ message, isAttachment }: ImportedMessage): boolean {
  return message.origin === "user" && isAttachment !== true;
}
