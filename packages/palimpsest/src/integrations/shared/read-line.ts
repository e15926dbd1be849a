/**
 * The messages of a session as its host said them, whole, whatever the window shows of them.
 */
import type { AgentSession } from "../../agent/agent-session.ts";
import { isOwnMessage } from "../../session/append/host-list.ts";
import { internalsOf } from "../../session/session.ts";
import type { Message } from "../../transcript/blocks.ts";

/** Reads the messages of the line, oldest first, without those that the library inserted. */
export function readLine({ session }: AgentSession): Promise<readonly Message[]> {
  const { inTurn, reader, isHostVisible } = internalsOf(session);
  return inTurn(async () => {
    const messages: Message[] = [];
    for await (const { entry, content } of reader.messages())
      if (isHostVisible(entry.seq) && !isOwnMessage(entry)) messages.push({ ...entry, content });
    return messages;
  });
}
