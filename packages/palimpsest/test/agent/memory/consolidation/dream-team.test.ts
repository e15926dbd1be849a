/** Dreams of a team's memories: a separate directory, with its lock, its journal and its index. */
import { describe, expect, it } from "vitest";
import { inMemoryMemoryStore } from "#stores/in-memory/in-memory-memory-store.ts";
import { aPersistentMemory } from "#test/agent/memory/a-persistent-memory.ts";
import { call, dreamer, fact, filesOf, merge, supersede } from "#test/agent/memory/dreaming.ts";

/** Two projects of one team. */
async function staged() {
  const team = inMemoryMemoryStore();
  const one = aPersistentMemory({ team });
  const other = aPersistentMemory({ team });
  for (const store of [one.store, other.store]) {
    await fact(store, "port.md", "The API listens on port 8080.", { days: 9 });
    await fact(store, "moved.md", "The API listens on port 9090.");
  }
  await fact(team, "day.md", "Releases start on Monday.", { days: 9 });
  await fact(team, "new-day.md", "Releases start on Thursday.");
  await fact(team, "tea.md", "The team prefers tea in the morning.");
  await fact(team, "again.md", "In the morning, the team would rather drink tea.", { days: 5 });
  return { team, one, other };
}

describe("a dream of a team's memories", () => {
  it("puts them right, and touches nothing of the project's", async () => {
    const { team, one } = await staged();
    const before = await filesOf(one.store);
    const report = await one.memory.dream({ place: "team", force: true });
    expect(report.actions.map(({ kind, paths }) => [kind, ...paths])).toEqual([
      ["supersede", "team/new-day.md", "team/day.md"],
      ["index", "team/MEMORY.md"],
    ]);
    expect(report.diff).toContain("team/day.md");
    expect(await filesOf(one.store)).toEqual(before);
    const after = await filesOf(team);
    expect(after["day.md"]).toContain("supersededBy: team/new-day.md");
    expect(after["MEMORY.md"]).toContain("](new-day.md)");
    expect((await one.memory.index()).text).toContain("](team/new-day.md)");
    expect(await one.memory.dream({ place: "team", force: true })).toMatchObject({ status: "nothing-to-do" });
  });

  it("is not what a dream of the project is, nor the other way round", async () => {
    const { team, one } = await staged();
    const before = await filesOf(team);
    await one.memory.dream({ force: true });
    expect(await filesOf(team)).toEqual(before);
    expect(await one.memory.dreams({ place: "team" })).toEqual([]);
    expect(await one.memory.dreams()).toHaveLength(1);
  });

  it("is taken back to the byte, by another project of the team as well", async () => {
    const { team, one, other } = await staged();
    const before = await filesOf(team);
    const { id } = await one.memory.dream({ place: "team", force: true });
    await expect(other.memory.revertDream(id)).rejects.toMatchObject({ code: "MEMORY_NOT_FOUND" });
    expect((await other.memory.dreams({ place: "team" }))[0]!.changes.map(({ path }) => path)).toContain(
      "team/day.md",
    );
    await other.memory.revertDream(undefined, { place: "team" });
    expect(await filesOf(team)).toEqual(before);
  });

  it("is taken back where the directory is looked at by itself", async () => {
    const { team, one } = await staged();
    const before = await filesOf(team);
    await one.memory.dream({ place: "team", force: true });
    const { memory } = aPersistentMemory({ store: team });
    await memory.revertDream();
    expect(await filesOf(team)).toEqual(before);
  });

  it("is one's at a time, whichever project dreams, and keeps no project from its own", async () => {
    const { team, one, other } = await staged();
    const lock = await team.tryLock("dream");
    expect(await other.memory.dream({ place: "team", force: true })).toMatchObject({ status: "busy" });
    expect(await one.memory.dream({ force: true })).toMatchObject({ status: "applied" });
    await lock!.release();
    expect(await other.memory.dream({ place: "team", force: true })).toMatchObject({ status: "applied" });
  });

  it("asks a model, which may name a team's memories only", async () => {
    const { team, one } = await staged();
    const model = dreamer([
      merge(["team/tea.md", "team/again.md"]),
      merge(["team/tea.md", "moved.md"]),
      merge(["tea.md", "again.md"]),
      supersede("moved.md", "port.md"),
    ]);
    const report = await one.memory.dream({ place: "team", force: true, model });
    expect(report.actions.filter(({ by }) => by === "model").map(({ paths }) => paths)).toEqual([
      ["team/tea.md", "team/again.md"],
    ]);
    expect(Object.keys(await filesOf(team)).sort()).toEqual(["MEMORY.md", "day.md", "new-day.md", "tea.md"]);
  });

  it("takes nothing out of a project's sessions, and is due by their number", async () => {
    const { team, one } = await staged();
    const facts = [
      call("memory_write", {
        ...{ name: "x", description: "", type: "project", messages: [] },
        text: "The team drinks oolong.",
      }),
    ];
    const sessions = (count: number) => ({
      count: async () => count,
      gather: async () => {
        throw new RangeError("conversations belong to the project");
      },
      conversations: () => {
        throw new RangeError("conversations belong to the project");
      },
    });
    const model = dreamer("Nothing.", facts);
    expect(await one.memory.dream({ place: "team", sessions: sessions(4), model })).toMatchObject({
      status: "not-due",
    });
    expect(await one.memory.dream({ place: "team", sessions: sessions(5), model })).toMatchObject({
      status: "applied",
    });
    expect(JSON.stringify(await filesOf(team))).not.toContain("oolong");
  });

  it.each([
    { place: "team" as const, why: "there is no team" },
    { place: "elsewhere" as never, why: "there is no such place" },
  ])("is refused where $why", async ({ place }) => {
    const { memory } = aPersistentMemory();
    await expect(memory.dream({ place, force: true })).rejects.toMatchObject({ code: "OPTION_INVALID" });
    await expect(memory.revertDream(undefined, { place })).rejects.toMatchObject({ code: "OPTION_INVALID" });
    await expect(memory.dreams({ place })).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });
});
