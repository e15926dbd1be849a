/**
 * A process that ends in the middle of a compaction, killed for real and at every operation of a disk in memory:
 * afterwards the window is unchanged, or the summary replaces all that it covers. Nothing is in between.
 */

import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { faultyFileSystem, InMemoryFileSystem } from "palimpsest-testing";
import { beforeAll, describe, expect, it } from "vitest";
import { createPalimpsest, type Palimpsest } from "#host/create-palimpsest.ts";
import type { FileSystem } from "#ports/file-system.ts";
import { internalsOf } from "#session/session.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeFileSystem } from "#stores/platform/node-file-system.ts";
import { nodeHasher, randomIds } from "#stores/platform/node-ports.ts";
import { asksForSummary, fakeModel, SUMMARY } from "#test/agent/fake-model.ts";
import { wordsOf } from "#test/agent/stage.ts";
import { assistant, user } from "#test/helpers/histories.ts";
import { blockText } from "#transcript/blocks.ts";
import type { VisibleMessage } from "#transcript/window.ts";
import { compiledLibrary, testFolder } from "../../../../test/helpers/compiled-once.ts";

const isLong = process.env["PALIMPSEST_LONG"] === "1";
const child = join(dirname(fileURLToPath(import.meta.url)), "fixtures/compacting-child.mjs");
const WINDOW = {
  windowTokens: 16_000,
  policy: "faithful",
  disabledLayers: ["offload", "microcompact"],
} as const;
const QUESTIONS = 12;

const model = fakeModel((request) => (asksForSummary(request) ? SUMMARY : "I went on."));

function sessionsOn(root: string, fs: FileSystem): Palimpsest {
  const store = new FileSessionStore({ root, fs, hasher: nodeHasher, ids: randomIds });
  return createPalimpsest({ model, store, window: WINDOW });
}

/** A session that the next turn has to compact. */
async function fill(root: string, fs: FileSystem): Promise<readonly VisibleMessage[]> {
  const sessions = sessionsOn(root, fs);
  const { session } = await sessions.create({ sessionId: "s" });
  for (let index = 0; index < QUESTIONS; index++) {
    await session.append(user(`Question ${index}. ${wordsOf(600)}`));
    await session.append(assistant(`r${index}`, `Answer ${index}. ${wordsOf(600)}`));
  }
  const visible = [...session.visible];
  await sessions.close();
  return visible;
}

const textOf = (message: VisibleMessage | undefined): string =>
  (message?.blocks ?? []).map(({ block }) => blockText(block)).join("\n");

interface Ended {
  readonly root: string;
  readonly fs: FileSystem;
  readonly before: readonly VisibleMessage[];
  /** True if the prompt of the turn was certainly in the log. */
  readonly isAcknowledged: boolean;
}

/** Judges the window after the end; throws if it is neither of the two. */
async function judge({ root, fs, before, isAcknowledged }: Ended, why: string): Promise<"old" | "new"> {
  const sessions = sessionsOn(root, fs);
  const agent = await sessions.open("s");
  const { visible, history } = agent.session;
  for (const { seq, blocks } of before)
    for (const { index, block } of blocks)
      expect(blockText((await history.block(`m${seq}.${index}`))!), why).toBe(blockText(block));
  const isNew = visible[0]?.origin === "summary";
  const shown = visible.map(textOf);
  if (isNew) {
    expect(shown[0], why).toContain("Question 0.");
    expect(
      shown.filter((text) => text.startsWith("Answer 0.")),
      why,
    ).toEqual([]);
  } else expect(visible.slice(0, before.length), why).toEqual(before);
  if (isAcknowledged) expect(shown.join("\n"), why).toContain("Go on.");
  const { writer } = internalsOf(agent.session);
  const folded = await writer.readProjection(writer.nextSeq - 1);
  expect(folded.visible, why).toEqual(visible);
  const next = await agent.turn("And then?");
  expect(next.endedBy, why).toBe("done");
  expect(agent.session.visible[0]?.origin, why).toBe("summary");
  await sessions.close();
  return isNew ? "new" : "old";
}

describe("a process that is killed in the middle of a compaction", () => {
  let build: string;
  let count = 0;
  beforeAll(() => {
    build = compiledLibrary();
  });

  async function killed(when: string): Promise<{ lastLine: string; window: "old" | "new" }> {
    const root = join(testFolder(), `sessions-${count++}`);
    mkdirSync(root);
    const before = await fill(root, nodeFileSystem);
    const { stdout } = spawnSync(process.execPath, [child, build, root, when], { encoding: "utf8" });
    return {
      lastLine: stdout,
      window: await judge({ root, fs: nodeFileSystem, before, isAcknowledged: true }, `killed at ${when}`),
    };
  }

  it("while the summary is being written finds everything as it was", async () => {
    expect(await killed("summary")).toEqual({ lastLine: "asked\n", window: "old" });
  });

  it("at a write of the boundary finds the old window or the new one", async () => {
    const windows: string[] = [];
    for (let write = 1; ; write += isLong ? 1 : 37) {
      const { lastLine, window } = await killed(String(write));
      windows.push(window);
      if (lastLine === "asked\ndone\n") break;
      expect(write).toBeLessThan(60);
    }
    expect(windows[0]).toBe("old");
    expect(windows.at(-1)).toBe("new");
    expect(windows.join(" ")).toMatch(/^(old )+(new ?)+$/);
  });
});

describe("the end of a process at every operation of the disk", () => {
  it.each(["kill", "torn"] as const)("by %s leaves the old window or the new one", async (error) => {
    const windows: string[] = [];
    for (let failAtCall = 1; ; failAtCall += isLong ? 1 : 101) {
      const disk = new InMemoryFileSystem();
      const before = await fill("/sessions", disk);
      const fs = faultyFileSystem(disk, { failAtCall, error });
      await sessionsOn("/sessions", fs)
        .open("s")
        .then((agent) => agent.turn("Go on."))
        .catch((problem: unknown) => expect(problem).toMatchObject({ code: expect.any(String) }));
      const given = { root: "/sessions", fs: disk, before, isAcknowledged: false };
      windows.push(await judge(given, `${error} at operation ${failAtCall}`));
      if (!fs.didFail()) break;
      expect(failAtCall).toBeLessThan(400);
    }
    expect(windows[0]).toBe("old");
    expect(windows.join(" ")).toMatch(/^(old )+(new ?)+$/);
  });
});
