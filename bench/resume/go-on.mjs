/**
 * Goes on with a session as an agent would, for a few megabytes, and is killed where the last checkpoint
 * lies as far from the end as it can.
 */
import { conversation } from "../prepare-call/conversation.mjs";

const [library, folder, sessionId] = process.argv.slice(2);
const { nodeSessions } = await import(library);
const MODEL = { model: "claude-sonnet-4-5", system: "You are a coding agent.", tools: [] };
const BYTES = 6_000_000;
/** Just before the engine would write the next one. */
const BYTES_BEHIND_CHECKPOINT = 900_000;

const session = await nodeSessions({ folder }).open(sessionId, { durability: "process" });
let checkpointAt = 0;
let seenEdits = 0;
for (const { answer, arrived } of conversation(7)) {
  if (answer !== undefined) {
    await session.prepare(MODEL);
    await session.record({ messages: [answer], usage: undefined });
  }
  await session.append(arrived);
  const written = session.bytesWritten();
  if (Math.floor(written / 1_048_576) > seenEdits) {
    seenEdits = Math.floor(written / 1_048_576);
    checkpointAt = written;
  }
  if (written > BYTES && written - checkpointAt > BYTES_BEHIND_CHECKPOINT) break;
}
process.kill(process.pid, "SIGKILL");
