/**
 * The memory of conversations on a file system that fails at every call in turn: acknowledged changes are stored,
 * refused ones can be repeated, and no call is half done.
 */

import { faultyFileSystem, InMemoryFileSystem, seededIds } from "palimpsest-testing";
import type { FileFault } from "palimpsest-testing/internal";
import { describe, expect, it } from "vitest";
import type { ConversationMemory } from "#conversation/conversation-manager.ts";
import type { FileSystem } from "#ports/file-system.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { aMemory, conversation, sentence } from "#test/helpers/conversation-memory.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";

/** Every call fails in the long suite; in the default one every seventh. */
const STEP = bySize({ usual: 7, long: 3, soak: 1 });

type Step = (memory: ConversationMemory) => Promise<unknown>;

const say =
  (number: number): Step =>
  (memory) =>
    memory.addUserMessage("s1", sentence(number));

const another = aMemory({ ids: seededIds(5) });
await conversation(another.memory, 4);
const IMPORTED = another.memory.exportSession("s1");

const STEPS: readonly Step[] = [
  ...[0, 1, 2, 3].map(say),
  (memory) => memory.addToolCall("s1", "ls", { path: "." }),
  (memory) => memory.addToolResult("s1", "ls", "a.ts"),
  (memory) => memory.compress("s1"),
  say(4),
  async (memory) => {
    memory.importSession(IMPORTED);
    await memory.flush();
  },
  say(5),
  async (memory) => {
    memory.clearSession("s1");
    await memory.flush();
  },
  say(6),
  (memory) => memory.close(),
];

function memoryOn(fs: FileSystem): ConversationMemory {
  const store = new FileSessionStore({ root: "/sessions", fs, hasher: nodeHasher, ids: seededIds(7) });
  return aMemory({ store, recentWindow: 2, minEntriesToCompress: 2, autoCompress: false }).memory;
}

async function contextIn(fs: FileSystem): Promise<string> {
  const memory = memoryOn(fs);
  await memory.loadSession("s1");
  return memory.getContextForLLM("s1");
}

/** The context after no step, after the first, after the second … */
async function contextsOfAllSteps(): Promise<readonly string[]> {
  const fs = new InMemoryFileSystem();
  const memory = memoryOn(fs);
  const contexts = [""];
  for (const step of STEPS) {
    await step(memory);
    contexts.push(await contextIn(fs));
  }
  return contexts;
}

const contexts = await contextsOfAllSteps();

describe("a memory in files", () => {
  it("tells something else after every step but the last", () => {
    expect(contexts.filter((context, index) => context !== contexts[index - 1])).toHaveLength(STEPS.length);
  });

  it.each<FileFault>([
    "ENOSPC",
    "EDQUOT",
    "EIO",
    "short",
  ])("says so where a call fails with %s, and does it when it is asked again", async (error) => {
    let failures = 0;
    for (let failAtCall = 1; ; failAtCall += STEP) {
      const disk = new InMemoryFileSystem();
      const fs = faultyFileSystem(disk, { failAtCall, error });
      const memory = memoryOn(fs);
      for (const [index, step] of STEPS.entries()) {
        const isDone = await step(memory).then(
          () => true,
          () => false,
        );
        if (isDone) continue;
        failures++;
        expect(contexts.slice(index, index + 2), `call ${failAtCall}`).toContain(await contextIn(disk));
        // An import or a clearing that failed is still owed: asking for it again asks for it twice.
        await step(memory);
      }
      expect(await contextIn(disk), `call ${failAtCall}`).toBe(contexts.at(-1));
      if (!fs.didFail()) break;
    }
    if (error !== "short") expect(failures).toBeGreaterThan(bySize({ usual: 2, long: 7, soak: 20 }));
  });

  it.each<FileFault>([
    "kill",
    "torn",
  ])("has what was acknowledged after a %s at any call, and no call by half", async (error) => {
    for (let failAtCall = 1; ; failAtCall += STEP) {
      const disk = new InMemoryFileSystem();
      const fs = faultyFileSystem(disk, { failAtCall, error });
      const memory = memoryOn(fs);
      let done = 0;
      try {
        for (const step of STEPS) {
          await step(memory);
          done++;
        }
      } catch {
        // The process has ended.
      }
      expect(contexts.slice(done, done + 2), `call ${failAtCall}`).toContain(await contextIn(disk));
      const later = memoryOn(disk);
      await later.addUserMessage("s1", "And on it goes.");
      expect(await contextIn(disk)).toContain("User: And on it goes.");
      if (!fs.didFail()) return;
    }
  });
});

describe("a store that lets two write", () => {
  it("has what both have added: who was overtaken reads, and adds again", async () => {
    const fs = new InMemoryFileSystem();
    const [one, other] = [memoryOn(fs), memoryOn(fs)];
    for (let number = 0; number < 6; number += 2) {
      await one.addUserMessage("s1", sentence(number));
      await other.addUserMessage("s1", sentence(number + 1));
    }
    await one.compress("s1");
    await other.addUserMessage("s1", sentence(6));
    expect(await contextIn(fs)).toBe(other.getContextForLLM("s1"));
    expect(other.getStats("s1")).toMatchObject({ totalEntries: 7, compressedEntries: 3, summaries: 1 });
  });
});
