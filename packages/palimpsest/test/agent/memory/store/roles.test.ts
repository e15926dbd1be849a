/** Memories of several roles: each has its folder, and is never merged with those of another role. */
import { describe, expect, it } from "vitest";
import { aPersistentMemory } from "#test/agent/memory/a-persistent-memory.ts";
import { dreamer, fact, merge, supersede } from "#test/agent/memory/dreaming.ts";

const PREAMBLE = "# Memory of this agent\n\nKeep facts short. Read this file at the start of each session.\n";
const roleFile = (role: string) => ({
  path: `${role}/MEMORY.md`,
  text: `${PREAMBLE}\n## Lessons\n\n- check the ${role} board first\n`,
});

describe("a folder with one sub-folder a role", () => {
  const files = [roleFile("art-director"), roleFile("Sound Engineer"), roleFile("team")];
  const PATHS = [
    "art-director/lessons.md",
    "art-director/memory-of-this-agent.md",
    "sound-engineer/lessons.md",
    "sound-engineer/memory-of-this-agent.md",
    "team-2/lessons.md",
    "team-2/memory-of-this-agent.md",
  ];

  it("comes over with each role apart, and the same a second time", async () => {
    const { memory } = aPersistentMemory();
    const first = await memory.import(files);
    expect(first.receipts.map(({ status }) => status)).toEqual(Array(6).fill("written"));
    expect(first.notCarriedCount).toBe(0);
    const second = await memory.import(files);
    expect(second.receipts.map(({ status }) => status)).toEqual(Array(6).fill("merged"));
    const { memories } = await memory.list();
    expect(memories.map(({ path }) => path)).toEqual(PATHS);
    expect(memories[0]!.body).toBe("- check the art-director board first");
    expect((await memory.index()).text).toContain("(sound-engineer/lessons.md)");
  });

  it("stays apart in a dream, and no audit takes one role's for another one's", async () => {
    const model = dreamer([
      merge(["art-director/memory-of-this-agent.md", "team-2/memory-of-this-agent.md"]),
      supersede("team-2/lessons.md", "art-director/lessons.md"),
    ]);
    const { memory, clock } = aPersistentMemory({ lightModel: model });
    for (const file of files) {
      clock.nowMs += 1_000;
      await memory.import([file]);
    }
    expect((await memory.audit()).findings).toEqual([]);
    const dream = await memory.dream({ force: true });
    expect(dream.actions).toEqual([]);
    expect(dream.refused).toEqual([
      "They are in separate folders. (team-2/memory-of-this-agent.md, art-director/memory-of-this-agent.md)",
      "They are in separate folders. (team-2/lessons.md, art-director/lessons.md)",
    ]);
  });

  it("does not correct another role, and is corrected within its own", async () => {
    const { memory } = aPersistentMemory();
    const say = (port: number, folder: string) =>
      memory.remember(`The preview is on port ${port}.`, { source: "user", folder });
    await say(8080, "producer");
    expect(await say(9090, "artist")).toMatchObject({ status: "written" });
    expect(await say(7070, "artist")).toMatchObject({
      status: "superseded",
      superseded: ["artist/the-preview-is-on-port-9090.md"],
    });
  });
});

describe("memories in topic folders of a person", () => {
  it("are corrected by what is said without a folder, as before", async () => {
    const { memory, store } = aPersistentMemory();
    await fact(store, "deploy/day.md", "We deploy on Tuesdays.");
    const receipt = await memory.remember("We deploy on Thursdays.", { source: "user" });
    expect(receipt).toMatchObject({ status: "superseded", superseded: ["deploy/day.md"] });
  });
});
