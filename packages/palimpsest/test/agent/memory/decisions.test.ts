/** A person's decision about one memory, and its effect on others. */
import { describe, expect, it } from "vitest";
import type { PersistentMemory } from "#agent/memory/persistent-memory.ts";
import { inMemoryMemoryStore } from "#stores/in-memory/in-memory-memory-store.ts";
import { aPersistentMemory, DAY_MS, put, START_MS, type StagedMemory } from "./a-persistent-memory.ts";

const TUESDAYS = "we-deploy-on-tuesdays.md";
const THURSDAYS = "we-deploy-on-thursdays.md";
const FRIDAYS = "we-deploy-on-fridays.md";

const states = async (memory: PersistentMemory): Promise<readonly string[]> =>
  (await memory.list()).memories.map(
    ({ path, state, supersededBy }) => `${path}: ${state}${supersededBy ? ` by ${supersededBy}` : ""}`,
  );

/** Remembers each; every one is of the user, and corrects the one before it. */
async function corrected(...texts: readonly string[]) {
  const staged = aPersistentMemory();
  for (const text of texts) {
    await staged.memory.remember(text, { source: "user" });
    staged.clock.nowMs += DAY_MS;
  }
  return staged;
}

describe("what only the web said", () => {
  it("takes nobody's place before a person stands by it, and then it does", async () => {
    const { memory, clock } = await corrected("We deploy on Tuesdays.");
    const receipt = await memory.supersede(TUESDAYS, "Deploys happen at noon.", { source: "web" });
    expect(receipt).toEqual({
      ...{ status: "quarantined", path: "deploys-happen-at-noon.md", superseded: [] },
      reason: "Only the web said so: it is kept, and shown to no model until a person confirms it.",
      ...{ cleaned: [], warnings: [] },
    });
    expect((await memory.recall("when do we deploy?")).memories.map(({ path }) => path)).toEqual([TUESDAYS]);
    expect((await memory.index()).text).toContain(`(${TUESDAYS})`);

    clock.nowMs += DAY_MS;
    expect(await memory.confirm(receipt.path!)).toMatchObject({
      ...{ status: "confirmed", superseded: [TUESDAYS] },
      reason: `A person stands by it. It takes the place of ${TUESDAYS}.`,
    });
    expect(await states(memory)).toEqual([
      "deploys-happen-at-noon.md: active",
      `${TUESDAYS}: superseded by deploys-happen-at-noon.md`,
    ]);
    const { text } = await memory.index();
    expect([text.includes(`(${TUESDAYS})`), text.includes("(deploys-happen-at-noon.md)")]).toEqual([
      false,
      true,
    ]);
  });

  it("takes it, too, when the user says the same", async () => {
    const { memory } = await corrected("We deploy on Tuesdays.");
    await memory.remember("We deploy on Thursdays.", { source: "web" });
    expect(await states(memory)).toEqual([`${THURSDAYS}: quarantined`, `${TUESDAYS}: active`]);
    expect(await memory.remember("We deploy on Thursdays.", { source: "user" })).toMatchObject({
      ...{ status: "merged", superseded: [TUESDAYS] },
    });
    expect(await states(memory)).toEqual([`${THURSDAYS}: active`, `${TUESDAYS}: superseded by ${THURSDAYS}`]);
    expect((await memory.index()).text).not.toContain(`(${TUESDAYS})`);
  });

  it("does not hide a fact that is corrected by somebody else meanwhile", async () => {
    const { memory } = await corrected("We deploy on Tuesdays.");
    await memory.remember("We deploy on Thursdays.", { source: "web" });
    await memory.supersede(TUESDAYS, "We deploy on Fridays.", { source: "user" });
    expect(await memory.confirm(THURSDAYS)).toMatchObject({ status: "confirmed", superseded: [] });
    expect(await states(memory)).toContain(`${TUESDAYS}: superseded by ${FRIDAYS}`);
  });
});

describe("forgetting a correction", () => {
  it("brings back what it had corrected, with its line, and says so", async () => {
    const { memory } = await corrected("We deploy on Tuesdays.", "We deploy on Thursdays.");
    expect(await states(memory)).toEqual([`${THURSDAYS}: active`, `${TUESDAYS}: superseded by ${THURSDAYS}`]);
    expect(await memory.forget(THURSDAYS)).toMatchObject({
      status: "archived",
      reason: `It is in the archive, and no longer recalled. What it took the place of is recalled again: ${TUESDAYS}.`,
    });
    expect(await states(memory)).toEqual([`${TUESDAYS}: active`]);
    expect((await memory.recall("when do we deploy?")).memories.map(({ path }) => path)).toEqual([TUESDAYS]);
    expect((await memory.index()).text).toContain(`(${TUESDAYS})`);
    expect(await memory.restore(THURSDAYS)).toMatchObject({
      ...{ status: "restored", superseded: [TUESDAYS] },
      reason: `It is as it was when it was put away. It takes the place of ${TUESDAYS} again.`,
    });
    expect(await states(memory)).toEqual([`${THURSDAYS}: active`, `${TUESDAYS}: superseded by ${THURSDAYS}`]);
    expect((await memory.index()).text).not.toContain(`(${TUESDAYS})`);
  });

  it("leaves what it had corrected in the past where it was corrected itself", async () => {
    const texts = ["We deploy on Tuesdays.", "We deploy on Thursdays.", "We deploy on Fridays."];
    const { memory } = await corrected(...texts);
    await memory.forget(THURSDAYS);
    expect(await states(memory)).toEqual([`${FRIDAYS}: active`, `${TUESDAYS}: superseded by ${FRIDAYS}`]);
    await memory.forget(FRIDAYS);
    expect(await states(memory)).toEqual([`${TUESDAYS}: active`]);
  });

  it("does so for a team's, and leaves the project's alone", async () => {
    const { memory, store } = aPersistentMemory({ team: inMemoryMemoryStore() });
    await memory.remember("We deploy on Tuesdays.", { source: "user", isTeam: true });
    await memory.remember("We deploy on Thursdays.", { source: "user", isTeam: true });
    await put(store, "odd.md", `---\nsupersededBy: team/${THURSDAYS}\n---\n\nWe deploy on Sundays.\n`);
    expect((await memory.forget(`team/${THURSDAYS}`)).status).toBe("archived");
    expect(await states(memory)).toContain(`team/${TUESDAYS}: active`);
  });
});

describe("confirming", () => {
  it("what another memory took the place of changes nothing, and says why", async () => {
    const { memory, store } = await corrected("We deploy on Tuesdays.", "We deploy on Thursdays.");
    const before = await store.read(TUESDAYS);
    expect(await memory.confirm(TUESDAYS)).toMatchObject({
      ...{ status: "rejected", path: TUESDAYS },
      reason: `${THURSDAYS} took its place, so it is history, and nothing was changed. Forget ${THURSDAYS}, and it is recalled again.`,
    });
    expect(await store.read(TUESDAYS)).toEqual(before);
  });

  it.each([
    { successor: undefined, why: "no longer exists" },
    { successor: "---\nquarantined: true\n---\n\nDeploy at night.\n", why: "is quarantined" },
  ])("brings back what gave way to something that $why", async ({ successor }) => {
    const { memory, store } = await corrected("We deploy on Tuesdays.");
    const { text } = (await store.read(TUESDAYS))!;
    await put(store, TUESDAYS, text.replace("source:", "supersededBy: other.md\nsource:"));
    if (successor !== undefined) await put(store, "other.md", successor);
    expect((await memory.confirm(TUESDAYS)).status).toBe("confirmed");
    expect(await states(memory)).toContain(`${TUESDAYS}: active`);
  });

  it("what stands renews it", async () => {
    const { memory } = await corrected("We deploy on Tuesdays.");
    await memory.confirm(TUESDAYS);
    expect((await memory.show(TUESDAYS)).updatedAtMs).toBe(START_MS + DAY_MS);
  });
});

describe("what fades", () => {
  const relevanceIn200Days = async ({ memory, clock }: StagedMemory): Promise<number> => {
    clock.nowMs += 200 * DAY_MS;
    return (await memory.recall("when do we deploy?")).memories[0]!.relevanceScore;
  };

  it.each([
    { options: { source: "user" }, relevanceScore: 1, why: "a user asked for it" },
    { options: { source: "user", decays: true }, relevanceScore: 0.0098, why: "it is said to fade" },
    { options: { source: "agent" }, relevanceScore: 0.0098, why: "a model concluded it" },
    { options: { source: "agent", decays: false }, relevanceScore: 1, why: "it is said to stay" },
  ] as const)("is worth $relevanceScore after 200 days: $why", async ({ options, relevanceScore }) => {
    const staged = aPersistentMemory();
    await staged.memory.remember("We deploy on Tuesdays.", options);
    expect(await relevanceIn200Days(staged)).toBeCloseTo(relevanceScore, 4);
  });

  it.each([
    { how: "confirmed", renew: (memory: PersistentMemory) => memory.confirm(TUESDAYS) },
    {
      how: "said again",
      renew: (memory: PersistentMemory) => memory.remember("we deploy on tuesdays", { source: "agent" }),
    },
  ])("counts its age from when it was $how", async ({ renew }) => {
    const staged = aPersistentMemory();
    await staged.memory.remember("We deploy on Tuesdays.", { source: "agent" });
    staged.clock.nowMs += 170 * DAY_MS;
    await renew(staged.memory);
    staged.clock.nowMs -= 170 * DAY_MS;
    expect(await relevanceIn200Days(staged)).toBeCloseTo(0.5, 4);
    expect((await staged.memory.audit()).counts.worthless).toBe(0);
  });
});
