import type { SessionLog, StoredEntry } from "#ports/session-store.ts";

/**
 * The numbers at which single entries or earlier tails of a log are other than reading all of it says; none may be. Each
 * `step`-th is looked at.
 */
export async function misread(log: SessionLog, step = 3): Promise<readonly string[]> {
  const texts = (entries: Awaited<ReturnType<SessionLog["readTail"]>>["entries"]) =>
    entries.map(({ entry }) => JSON.stringify(entry));
  const near: { seq: number; one: string | undefined; tail: readonly string[] }[] = [];
  for (let seq = 0; seq <= 260; seq += step) {
    const one = await log.find!(seq);
    near.push({ seq, one: one && JSON.stringify(one.entry), tail: texts((await log.readTail(seq)).entries) });
  }
  const all: StoredEntry[] = [];
  for await (const { entries } of log.readAll()) all.push(...entries);
  return near.flatMap(({ seq, one, tail }) => {
    const until = all.filter(({ entry }) => entry.seq <= seq);
    const isSame = one === undefined || one === texts(until).at(-1);
    const from = until.findLastIndex(({ entry }) => entry.type === "checkpoint");
    const isTail = tail.length === 0 || tail.join() === texts(until.slice(from)).join();
    return [...(isSame ? [] : [`entry ${seq}`]), ...(isTail ? [] : [`tail at ${seq}`])];
  });
}
