/**
 * The clean-up, whatever sessions there are and whatever the clock does: never an open session, never memory,
 * never one that is younger than the limit, nothing without a line in the audit, and everything can be
 * brought back within the grace. A dry run changes nothing and tells exactly what a run then does.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { CleanUpReport } from "#session/lifecycle/clean-up-run.ts";
import { CleanUpWorld, DAY_MS, FOREIGN_FILES, WORLD_ROOT } from "#test/helpers/clean-up-world.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";

const RUNS = bySize({ usual: 25, long: 250, soak: 4_000 });
const LIMIT_MS = 30 * DAY_MS;
const YEARS_75_MS = 75 * 365 * DAY_MS;

type Step =
  | { readonly do: "use" | "close" | "restore"; readonly session: number }
  | { readonly do: "wait"; readonly days: number }
  | { readonly do: "jump"; readonly offsetMs: number }
  | { readonly do: "clean"; readonly limit: number };

const session = fc.nat(7);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom("use", "close", "restore"), session }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("wait"),
      days: fc.constantFrom(0, 0.5, 1, 1, 1, 6, 7, 10, 29, 31, 45, 800),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("jump"),
      // A day back, daylight saving, 75 years ahead or back, and right again.
      offsetMs: fc.constantFrom(0, 0, -DAY_MS, 3_600_000, -3_600_000, YEARS_75_MS, -YEARS_75_MS),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("clean"), limit: fc.constantFrom(1, 2, Infinity) }) },
);
/** A session at the beginning: its age in days, or an impossible date. */
const begin = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ days: fc.constantFrom<number>(0, 1, 20, 29.99, 30, 30.01, 31, 60, 400, 400) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      dateMs: fc.constantFrom(
        0,
        1,
        Date.UTC(1980, 0, 1),
        Date.UTC(2019, 11, 31),
        Date.UTC(2099, 0, 1),
        8.64e15,
      ),
    }),
  },
);

/** Runs one clean-up and checks its report against the real times. */
async function cleanAndCheck(world: CleanUpWorld, limit: number): Promise<CleanUpReport> {
  const before = world.tree();
  const dry = await world.cleanUp({ dryRun: true, limit });
  expect(world.tree(), "a dry run").toEqual(before);
  const report = await world.cleanUp({ limit });
  expect(report.actions, "what the dry run said").toEqual(dry.actions);
  expect({ ...report, isDryRun: true }).toEqual(dry);
  expect(report.failures).toEqual([]);
  for (const action of report.actions) {
    const { sessionId, kind } = action;
    const truth = world.sessions.get(sessionId)!;
    expect(world.openIds).not.toContain(sessionId);
    expect(truth.isDamaged).toBe(false);
    if (kind === "trash") {
      expect(world.trueMs - truth.lastUsedMs).toBeGreaterThan(LIMIT_MS - world.slackMs);
      truth.trashedMs = world.trueMs;
    } else {
      expect(world.trueMs - truth.trashedMs!).toBeGreaterThanOrEqual(LIMIT_MS - world.slackMs);
      truth.isGone = true;
    }
    expect(world.auditOf(sessionId).at(-1)).toBe(kind);
  }
  expect(report.actions.length).toBeLessThanOrEqual(limit);
  return report;
}

async function expectAllThere(world: CleanUpWorld): Promise<void> {
  const stored = [...world.sessions].filter(([, { isGone }]) => !isGone);
  const listed = stored.filter(([, { trashedMs }]) => trashedMs === undefined).map(([id]) => id);
  expect(await world.store.list()).toEqual(listed.sort());
  const trashed = stored.filter(([, { trashedMs }]) => trashedMs !== undefined).map(([id]) => id);
  expect((await world.store.listTrash()).map(({ sessionId }) => sessionId)).toEqual(trashed.sort());
  for (const id of listed) expect(await world.isWhole(id), id).toBe(true);
  for (const name of FOREIGN_FILES)
    expect(Buffer.from(world.disk.readFile(`${WORLD_ROOT}/${name}`)).toString()).toBe(name);
}

async function doStep(world: CleanUpWorld, step: Step): Promise<void> {
  if (step.do === "wait") world.advance(step.days * DAY_MS);
  else if (step.do === "jump") world.jump(step.offsetMs);
  else if (step.do === "clean") await cleanAndCheck(world, step.limit);
  else if (step.do === "restore") await world.restore(`s${step.session}`);
  else await world[step.do](`s${step.session}`);
}

/** A session that is brought back while the clock is 75 years behind is not an old one when it is right again. */
const RESTORED_IN_THE_PAST: [{ days: 31 }[], Step[]] = [
  [{ days: 31 }],
  [
    { do: "clean", limit: 1 },
    { do: "jump", offsetMs: -YEARS_75_MS },
    { do: "restore", session: 0 },
    { do: "jump", offsetMs: 0 },
    { do: "clean", limit: 1 },
  ],
];

it("takes nothing that is open, young, memory or of no sound date, and loses nothing", async () => {
  let trashed = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(begin, { maxLength: 6 }),
      fc.array(step, { minLength: 1, maxLength: 30 }),
      async (beginnings, steps) => {
        const world = new CleanUpWorld();
        for (const [index, beginning] of beginnings.entries())
          if ("days" in beginning) await world.stamp(`s${index}`, beginning.days * DAY_MS);
          else await world.damage(`s${index}`, beginning.dateMs);
        for (const step of steps) await doStep(world, step);
        await expectAllThere(world);
        for (const [id, { trashedMs, isGone }] of [...world.sessions])
          if (trashedMs !== undefined && !isGone) {
            trashed++;
            expect(await world.restore(id)).toBe(true);
            expect(await world.isWhole(id)).toBe(true);
          }
        for (const id of world.openIds) await world.close(id);
      },
    ),
    { numRuns: RUNS, examples: [RESTORED_IN_THE_PAST] },
  );
  expect(trashed).toBeGreaterThan(RUNS / 20);
});

it("deletes what was in the trash for its grace, and only after runs that observed it", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(1, 3, 7, 10, 90), { minLength: 1, maxLength: 40 }),
      async (gaps) => {
        const world = new CleanUpWorld();
        await world.stamp("old", 40 * DAY_MS);
        await world.stamp("new", 0);
        await cleanAndCheck(world, Infinity);
        let [daysByClock, daysObserved] = [0, 0];
        for (const gap of gaps) {
          world.advance(gap * DAY_MS);
          daysByClock += gap;
          daysObserved += Math.min(gap, 7);
          await world.use("new");
          await cleanAndCheck(world, Infinity);
          expect(world.sessions.get("old")!.isGone).toBe(daysByClock >= 30 && daysObserved >= 30);
        }
        await world.close("new");
      },
    ),
    { numRuns: RUNS / 5 },
  );
});
