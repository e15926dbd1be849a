import { describe, expect, it } from "vitest";
import type { SessionStore } from "#ports/session-store.ts";
import { cleanUp } from "#session/lifecycle/clean-up.ts";
import { parseClockNotes } from "#session/lifecycle/observed-clock.ts";
import { checkRetention, planCleanUp } from "#session/lifecycle/plan-clean-up.ts";
import { CleanUpWorld, DAY_MS, WORLD_ROOT } from "#test/helpers/clean-up-world.ts";

const NOW_MS = Date.UTC(2026, 5, 1);
const SETTINGS = { cleanupPeriodDays: 30, trashGraceDays: 30 };
const ago = (days: number) => NOW_MS - days * DAY_MS;

describe("the plan", () => {
  const aSession = (lastActivityAt: number, isInUse = false) => ({
    sessionId: "s",
    lastActivityAt,
    bytes: 9,
    isInUse,
  });
  const plan = (facts: Partial<Parameters<typeof planCleanUp>[0]>) =>
    planCleanUp({
      sessions: [],
      trashed: [],
      settings: SETTINGS,
      nowMs: NOW_MS,
      notes: [{ atMs: ago(1), observedMs: 0 }],
      limit: Infinity,
      ...facts,
    });

  it.each([
    { session: aSession(ago(30)), reason: "recent", why: "exactly as old as the limit" },
    { session: aSession(ago(31), true), reason: "in-use", why: "somebody is its writer" },
    { session: aSession(0), reason: "date-damaged", why: "1970" },
    { session: aSession(Number.NaN), reason: "date-damaged", why: "no number" },
    { session: aSession(Date.UTC(2019, 11, 31)), reason: "date-damaged", why: "before there were sessions" },
    { session: aSession(NOW_MS + 2 * DAY_MS), reason: "date-ahead", why: "in the future" },
    { session: aSession(Infinity), reason: "date-damaged", why: "no time at all" },
  ])("keeps a session: $why", ({ session, reason }) => {
    expect(plan({ sessions: [session] })).toMatchObject({
      actions: [],
      kept: [{ sessionId: "s", where: "store", reason }],
    });
  });

  it("moves what is older, with the reason in words", () => {
    expect(plan({ sessions: [aSession(ago(30) - 1)] }).actions).toEqual([
      {
        kind: "trash",
        sessionId: "s",
        reason: "no activity for 30 days",
        bytes: 9,
        lastActivityAt: ago(30) - 1,
      },
    ]);
  });

  it.each([
    { trashedAt: ago(29), reason: "in-grace" },
    { trashedAt: undefined, reason: "date-damaged" },
    { trashedAt: NOW_MS + 2 * DAY_MS, reason: "date-ahead" },
    { trashedAt: ago(100), reason: "not-observed" },
  ])("keeps what is in the trash since $trashedAt: $reason", ({ trashedAt, reason }) => {
    const trashed = [{ sessionId: "s", ...(trashedAt !== undefined && { trashedAt }) }];
    expect(plan({ trashed })).toMatchObject({ actions: [], kept: [{ where: "trash", reason }] });
  });

  it("keeps a session whose id is in the trash already", () => {
    const facts = { sessions: [aSession(ago(50))], trashed: [{ sessionId: "s", trashedAt: ago(3) }] };
    expect(plan(facts).kept).toContainEqual({ sessionId: "s", where: "store", reason: "already-in-trash" });
  });

  it("does the oldest first where it may not do all, and those of one date by their ids", () => {
    const sessions = [
      ["d", 40],
      ["b", 50],
      ["c", 50],
      ["a", 45],
    ].map(([sessionId, days]) => ({ ...aSession(ago(days as number)), sessionId: sessionId as string }));
    const { actions, kept } = plan({ sessions, limit: 3 });
    expect(actions.map(({ sessionId }) => sessionId)).toEqual(["b", "c", "a"]);
    expect(kept).toEqual([{ sessionId: "d", where: "store", reason: "over-limit" }]);
  });

  it.each([
    { nowMs: 0, notes: [], doubt: "not-a-date", why: "an unset clock" },
    { nowMs: Number.NaN, notes: [], doubt: "not-a-date", why: "no clock" },
    {
      nowMs: NOW_MS + 75 * 365 * DAY_MS,
      notes: [NOW_MS],
      doubt: "ahead",
      why: "75 years after the last run",
    },
    { nowMs: NOW_MS + 75 * 365 * DAY_MS, notes: [], doubt: "ahead", why: "75 years after everything" },
    { nowMs: ago(2), notes: [NOW_MS], doubt: "behind", why: "two days before the last run" },
    { nowMs: ago(72), notes: [], doubt: "behind", why: "before a session's last activity" },
  ])("does nothing and says why: $why", ({ nowMs, notes, doubt }) => {
    const facts = { nowMs, notes: notes.map((atMs) => ({ atMs, observedMs: 0 })) };
    const { actions, clock } = plan({
      ...facts,
      sessions: [aSession(ago(70))],
      trashed: [{ sessionId: "t", trashedAt: ago(70) }],
    });
    expect(actions).toEqual([]);
    expect(clock).toMatchObject({ isTrusted: false, doubt });
  });
});

describe("the settings", () => {
  it("have defaults", () => {
    expect(checkRetention()).toEqual(SETTINGS);
    expect(checkRetention({ cleanupPeriodDays: 0 })).toEqual({ cleanupPeriodDays: 0, trashGraceDays: 30 });
  });

  it.each(["1Y", "30", -1, 1.5, Number.NaN, Infinity, 36_501, null, {}, 10n])("refuse %s", (value) => {
    const settings = { cleanupPeriodDays: value as number };
    expect(() => checkRetention(settings)).toThrow(
      expect.objectContaining({
        code: "OPTION_INVALID",
        message: expect.stringContaining("cleanupPeriodDays"),
      }),
    );
  });
});

describe("notes that a ledger holds", () => {
  it.each([
    [{ notes: "none" }],
    [[{ atMs: NOW_MS }]],
    [[{ atMs: 0, observedMs: 0 }]],
    [
      [
        { atMs: ago(2), observedMs: DAY_MS },
        { atMs: ago(1), observedMs: 0 },
      ],
    ],
    [
      [
        { atMs: ago(2), observedMs: 0 },
        { atMs: ago(1), observedMs: 90 * DAY_MS },
      ],
    ],
  ])("count for nothing where they cannot be: %j", (value) => {
    expect(parseClockNotes(value)).toEqual([]);
  });
});

/** A world with one old session, one of today, and one that is in the trash. */
async function aWorld(): Promise<CleanUpWorld> {
  const world = new CleanUpWorld();
  await world.stamp("trashed", 3 * DAY_MS);
  await world.stamp("old", 31 * DAY_MS);
  await world.stamp("new", 0);
  await world.store.trash("trashed", { at: world.nowMs, reason: "by hand" });
  return world;
}

describe("a run", () => {
  it("moves what is old, and tells what it did", async () => {
    const world = await aWorld();
    const progress: unknown[] = [];
    const report = await world.cleanUp({ onProgress: (each) => progress.push(each) });
    expect(report).toMatchObject({
      outcome: "done",
      seen: 2,
      seenInTrash: 1,
      trashed: 1,
      purged: 0,
      kept: { recent: 1, "in-grace": 1 },
      failures: [],
    });
    expect(report.trashedBytes).toBe(report.actions[0]?.kind === "trash" ? report.actions[0].bytes : 0);
    expect(progress).toEqual([{ done: 1, total: 1 }]);
    expect(await world.store.listTrash()).toContainEqual({
      sessionId: "old",
      trashedAt: world.nowMs,
      reason: "no activity for 31 days",
    });
    expect(await world.store.cleanUpLedger().read()).toMatchObject({
      v: 1,
      lastRun: { outcome: "done", trashed: 1, kept: { recent: 1 }, failures: 0 },
    });
  });

  it("writes and deletes nothing where the period is 0", async () => {
    const world = await aWorld();
    const before = world.tree();
    const report = await world.cleanUp({ settings: { cleanupPeriodDays: 0 } });
    expect(report).toMatchObject({ outcome: "off", actions: [] });
    expect(world.tree()).toEqual(before);
  });

  it("leaves no trace in a folder without sessions", async () => {
    const world = new CleanUpWorld();
    const before = world.tree();
    expect(await world.cleanUp()).toMatchObject({ outcome: "done", seen: 0 });
    expect(world.tree()).toEqual(before);
  });

  it("is made once a day at start-up", async () => {
    const world = await aWorld();
    expect(await world.cleanUp({ onlyIfDue: true })).toMatchObject({ outcome: "done" });
    // It began at noon.
    world.advance(DAY_MS / 2 - 1);
    expect(await world.cleanUp({ onlyIfDue: true })).toMatchObject({ outcome: "not-due", seen: 0 });
    expect(await world.cleanUp()).toMatchObject({ outcome: "done" });
    world.advance(1);
    expect(await world.cleanUp({ onlyIfDue: true })).toMatchObject({ outcome: "done" });
    world.advance(DAY_MS - 1);
    expect(await world.cleanUp({ onlyIfDue: true })).toMatchObject({ outcome: "not-due", seen: 0 });
    // A start a little earlier than the day before.
    world.advance(23 * 3_600_000);
    expect(await world.cleanUp({ onlyIfDue: true })).toMatchObject({ outcome: "done" });
  });

  it("is made by one process at a time", async () => {
    const world = await aWorld();
    const end = await world.store.cleanUpLedger().begin();
    expect(await world.cleanUp()).toMatchObject({ outcome: "busy", actions: [] });
    await end?.();
    expect(await world.cleanUp()).toMatchObject({ outcome: "done", trashed: 1 });
    const both = await Promise.all([world.cleanUp(), world.cleanUp()]);
    expect(both.map(({ outcome }) => outcome).sort()).toEqual(["busy", "done"]);
  });

  it("stops at a signal between two sessions", async () => {
    const world = await aWorld();
    const report = await world.cleanUp({ signal: AbortSignal.abort() });
    expect(report).toMatchObject({ outcome: "stopped", actions: [] });
    expect(await world.store.list()).toEqual(["new", "old"]);
  });

  it("does not take away again what was brought back", async () => {
    const world = await aWorld();
    await world.cleanUp();
    world.advance(DAY_MS);
    await world.store.restore("old");
    world.advance(29 * DAY_MS);
    await world.use("new");
    expect((await world.cleanUp()).actions.map(({ sessionId }) => sessionId)).not.toContain("old");
  });

  it("begins anew to observe where a machine was not used for years", async () => {
    const world = await aWorld();
    world.advance(800 * DAY_MS);
    expect(await world.cleanUp()).toMatchObject({ outcome: "clock-in-doubt", clock: { doubt: "ahead" } });
    for (let day = 1; day < 30; day++) {
      world.advance(DAY_MS);
      expect(await world.cleanUp(), `day ${day}`).toMatchObject({ outcome: "done", actions: [] });
    }
    world.advance(DAY_MS);
    expect(await world.cleanUp()).toMatchObject({ trashed: 0, purged: 1 });
    world.advance(DAY_MS);
    expect(await world.cleanUp()).toMatchObject({ trashed: 2, purged: 0 });
  });

  it("goes on where dates in the future are what is wrong, after a week", async () => {
    const world = await aWorld();
    await world.damage("future", Date.UTC(2099, 0, 1));
    for (let day = 0; day < 7; day++) {
      expect(await world.cleanUp(), `day ${day}`).toMatchObject({ clock: { doubt: "behind" }, actions: [] });
      world.advance(DAY_MS);
    }
    expect(await world.cleanUp()).toMatchObject({ outcome: "done", trashed: 1, kept: { "date-ahead": 1 } });
  });

  it("sees that the clock leapt before the first run also where a session was used since", async () => {
    const world = await aWorld();
    world.jump(75 * 365 * DAY_MS);
    await world.use("other");
    expect(await world.cleanUp()).toMatchObject({ clock: { doubt: "ahead" }, actions: [] });
    world.advance(10 * DAY_MS);
    expect(await world.cleanUp()).toMatchObject({ outcome: "done", actions: [], kept: { recent: 3 } });
    await world.close("other");
  });

  it("sees that the clock leapt also where a date is damaged and far in the future", async () => {
    const world = await aWorld();
    await world.damage("future", 8.64e15);
    world.jump(75 * 365 * DAY_MS);
    expect(await world.cleanUp()).toMatchObject({ clock: { doubt: "ahead" }, actions: [] });
    world.advance(10 * DAY_MS);
    expect(await world.cleanUp()).toMatchObject({ outcome: "done", actions: [], kept: { recent: 2 } });
  });

  it.each([
    "",
    "{",
    "[]",
    '{"notes":7,"lastRun":"x"}',
    "\0".repeat(100),
  ])("takes a damaged ledger for none: %j", async (text) => {
    const world = await aWorld();
    world.disk.writeFile(`${WORLD_ROOT}/.clean-up.json`, Buffer.from(text));
    expect(await world.cleanUp({ onlyIfDue: true })).toMatchObject({ outcome: "done", trashed: 1 });
  });
});

/** A store of which one method does something else for the session `bad`. */
function storeWith(
  store: SessionStore,
  method: "find" | "trash" | "trashUnchanged",
  instead: (...args: unknown[]) => Promise<unknown>,
): SessionStore {
  return new Proxy(store, {
    get: (target, name) => {
      const value = Reflect.get(target, name, target) as unknown;
      if (typeof value !== "function") return value;
      const bound = value.bind(target) as (...args: unknown[]) => Promise<unknown>;
      // As a store that knows no short ways.
      if (name === "trashUnchanged" && method !== "trashUnchanged") return undefined;
      if (name === "overview" && method !== "trashUnchanged") return () => target.overview?.();
      if (name !== method) return bound;
      const isBad = (id: unknown) => id === "bad" || (id as { sessionId?: string }).sessionId === "bad";
      return async (...args: unknown[]) => (isBad(args[0]) ? instead(bound, ...args) : bound(...args));
    },
  });
}

describe("one session that cannot be moved", () => {
  it.each([
    { method: "find", kind: "look" },
    { method: "trash", kind: "trash" },
    { method: "trashUnchanged", kind: "trash" },
  ] as const)("does not keep the others: $method fails", async ({ method, kind }) => {
    const world = await aWorld();
    await world.stamp("bad", 50 * DAY_MS);
    const clock = { nowMs: () => world.nowMs };
    const fail = () => Promise.reject(Object.assign(new Error("EIO: the disk"), { code: "EIO" }));
    const store = storeWith(world.store, method, fail);
    const report = await cleanUp(store, { clock, ledger: world.store.cleanUpLedger() });
    expect(report).toMatchObject({ outcome: "done", trashed: 1 });
    expect(report.failures).toEqual([{ kind, sessionId: "bad", message: "EIO: the disk" }]);
    expect(await world.store.list()).toEqual(["bad", "new"]);
  });

  it.each([
    { method: "find", why: "looked at again before it is moved" },
    { method: "trashUnchanged", why: "moved only as it was seen" },
  ] as const)("is one that was written since it was planned: $why", async ({ method }) => {
    const world = await aWorld();
    await world.stamp("bad", 50 * DAY_MS);
    let looks = 0;
    const store = storeWith(world.store, method, async (original, ...args) => {
      // Where there are no short ways, the first look is that of the plan.
      if (method === "trashUnchanged" || ++looks === 2) {
        await world.use("bad");
        await world.close("bad");
      }
      return (original as (...args: unknown[]) => unknown)(...args);
    });
    const clock = { nowMs: () => world.nowMs };
    const report = await cleanUp(store, { clock, ledger: world.store.cleanUpLedger() });
    expect(report).toMatchObject({ outcome: "done", trashed: 1, kept: { changed: 1 }, failures: [] });
    expect(await world.isWhole("bad")).toBe(true);
  });
});
