/**
 * Goes on with a session as an agent would, for a few megabytes, and is killed some way behind the last
 * checkpoint, where no compaction is due.
 */
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { join } from "node:path";
import { conversation } from "../prepare-call/conversation.mjs";

const [library, folder, sessionId] = process.argv.slice(2);
const { nodeSessions } = await import(library);
const MODEL = { model: "claude-sonnet-4-5", system: "You are a coding agent.", tools: [] };
const BYTES = 5_000_000;
const BYTES_BEHIND_CHECKPOINT = 60_000;
const STEPS_BETWEEN_LOOKS = 20;
const path = join(folder, `${sessionId}.jsonl`);

const session = await nodeSessions({ folder }).open(sessionId, { durability: "process" });
let steps = 0;
for (const { answer, arrived } of conversation(7)) {
  if (answer !== undefined) {
    await session.prepare(MODEL);
    await session.record({ messages: [answer] });
  }
  await session.append(arrived);
  const isLong = session.bytesWritten() > BYTES && ++steps % STEPS_BETWEEN_LOOKS === 0;
  if (isLong && !hasCheckpointNear()) break;
}
process.kill(process.pid, "SIGKILL");

function hasCheckpointNear() {
  const bytes = Buffer.alloc(BYTES_BEHIND_CHECKPOINT);
  const file = openSync(path, "r");
  readSync(file, bytes, 0, bytes.length, statSync(path).size - bytes.length);
  closeSync(file);
  return bytes.includes('"type":"checkpoint",');
}
