/**
 * Opens a session and makes its first request, as often as asked, and cuts its log back to where it was
 * each time; prints what each run took, and the most memory the process had.
 *
 * The recorded end of the log is taken back too: a log that is shorter than it was is read as a whole, to
 * report what it lost.
 */
import { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [library, folder, sessionId, count] = process.argv.slice(2);
const { nodeSessions } = await import(library);
const MODEL = { model: "claude-sonnet-4-5", system: "You are a coding agent.", tools: [] };
const path = join(folder, `${sessionId}.jsonl`);
const { size } = statSync(path);
const endPath = join(folder, ".log-ends", sessionId);
const end = existsSync(endPath) ? readFileSync(endPath) : undefined;

const runs = [];
for (let index = 0; index < Number(count); index++) runs.push(await resume());
console.log(JSON.stringify({ runs, rssMegabytes: process.resourceUsage().maxRSS / 1_000 }));

async function resume() {
  const sessions = nodeSessions({ folder });
  const from = performance.now();
  const session = await sessions.open(sessionId);
  const openMs = performance.now() - from;
  const { messages } = await session.prepare(MODEL);
  const totalMs = performance.now() - from;
  await session.close();
  truncateSync(path, size);
  if (end === undefined) rmSync(endPath, { force: true });
  else writeFileSync(endPath, end);
  return { openMs, totalMs, messages: messages.length };
}
