/** Opens a session and makes its first request, once, and again while the process is warm; prints what it took. */
const [library, folder, sessionId, bare] = process.argv.slice(2);
const { nodeSessions } = await import(library);
const MODEL = { model: "claude-sonnet-4-5", system: "You are a coding agent.", tools: [] };

const figures = bare === undefined ? await resume() : {};
const { maxRSS } = process.resourceUsage();
console.log(JSON.stringify({ ...figures, rssMegabytes: maxRSS / 1_000 }));

async function resume() {
  const sessions = nodeSessions({ folder });
  const from = performance.now();
  const session = await sessions.open(sessionId);
  const opened = performance.now();
  const { messages } = await session.prepare(MODEL);
  const prepared = performance.now();
  await session.close();

  const again = performance.now();
  const reopened = await sessions.open(sessionId);
  await reopened.prepare(MODEL);
  const againMs = performance.now() - again;
  await reopened.close();
  return {
    openMs: opened - from,
    prepareMs: prepared - opened,
    totalMs: prepared - from,
    againMs,
    messages: messages.length,
  };
}
