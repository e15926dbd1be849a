/**
 * Letta's core memory update set: ten facts, one that contradicts some of them, and a question about it. All are
 * remembered through the library, the contradiction a day later; then the question is recalled. The new fact
 * wins where it is recalled before every fact that it contradicts. Both halves of the sets are shown, and all of
 * them once more where the ten facts are known to be of one session and the new one of another.
 */
const DAY_MS = 86_400_000;

export async function measureCorrections(corrections, library) {
  const halves = await measureHalves(corrections, library, () => ({}));
  const { all } = await measureHalves(corrections, library, (sessionId) => ({ sessionId }));
  return { ...halves, "all, with sessions": all };
}

async function measureHalves(corrections, { PersistentMemory, inMemoryMemoryStore }, reported) {
  const halves = [0, 1].map(() => ({
    count: 0,
    won: 0,
    superseded: 0,
    unrelated: 0,
    unrelatedSuperseded: 0,
  }));
  const sets = new Map();
  for (const { input, agent_args } of corrections) {
    const { facts, contradicting_fact, supporting_fact_indices } = agent_args.extra;
    const set = facts.join("\n");
    if (!sets.has(set)) sets.set(set, sets.size);
    const half = halves[sets.get(set) % 2];
    const clock = { nowMs: 1_772_409_600_000 };
    const deadline = { after: () => () => undefined };
    const memory = new PersistentMemory({ store: inMemoryMemoryStore(), deadline, now: () => clock.nowMs });
    const paths = [];
    for (const fact of facts)
      paths.push((await memory.remember(fact, { source: "user", ...reported("old") })).path);
    clock.nowMs += DAY_MS;
    const old = new Set(supporting_fact_indices.map((index) => paths[index]));
    const receipt = await memory.remember(contradicting_fact, { source: "user", ...reported("new") });
    const order = (await memory.recall(input)).memories.map(({ path }) => path);
    const at = order.indexOf(receipt.path);
    const firstOld = order.findIndex((path) => old.has(path));
    half.count++;
    half.won += at !== -1 && (firstOld === -1 || at < firstOld) ? 1 : 0;
    half.superseded += receipt.superseded.filter((path) => old.has(path)).length > 0 ? 1 : 0;
    half.unrelated += facts.length - old.size;
    half.unrelatedSuperseded += receipt.superseded.filter((path) => !old.has(path)).length;
  }
  const all = Object.fromEntries(Object.keys(halves[0]).map((key) => [key, halves[0][key] + halves[1][key]]));
  return { all, even: halves[0], odd: halves[1] };
}
