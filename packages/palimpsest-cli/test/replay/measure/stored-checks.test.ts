/** The checks after a replay must notice what they are there for. */
import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Message } from "palimpsest";
import {
  createSession,
  FileSessionStore,
  nodeFileSystem,
  nodeHasher,
  openSession,
  randomIds,
  systemClock,
} from "palimpsest";
import { EventLoopYielder } from "palimpsest/internal";
import { tokenWarningState } from "palimpsest/tokens";
import { describe, expect, it } from "vitest";
import { SessionTrack } from "#replay/measure/session-track.ts";
import { checkLossless, checkRebuild } from "#replay/measure/stored-checks.ts";
import { WireJudge } from "#replay/measure/wire-judge.ts";
import { testFolder } from "../../../../../test/helpers/recordings.ts";

const text = (role: "user" | "assistant", words: string): Message => ({
  role,
  content: [{ type: "text", text: words }],
});
const yielder = () => new EventLoopYielder(new AbortController().signal);

/** A stored session of two calls; its first message is so large that it lies beside the log. */
async function storedSession() {
  const root = testFolder();
  const options = {
    store: new FileSessionStore({ root, fs: nodeFileSystem, hasher: nodeHasher, ids: randomIds }),
    clock: systemClock,
    ids: randomIds,
    hasher: nodeHasher,
  };
  const track = new SessionTrack(new WireJudge({ hasAnthropicTools: true }));
  const session = await createSession({ ...options, observer: track, window: { windowTokens: 32_000 } });
  for (const words of [
    `Keep this:\n${"a line of some length, again and again\n".repeat(2_000)}`,
    "And this.",
  ]) {
    const message = text("user", words);
    track.keep(await session.append(message), [message]);
    track.take(await session.prepare({ model: "claude-sonnet-4-5" }), 0.1);
    const answer = text("assistant", "Kept.");
    track.keep(await session.record({ messages: [answer] }), [answer]);
  }
  await session.close();
  return { root, track, open: () => openSession(session.id, options) };
}

describe("checks of a stored session", () => {
  it("find everything in place in a session that nobody touched", async () => {
    const { track, open } = await storedSession();
    const session = await open();
    expect(await checkLossless(session, track.originals, yielder())).toEqual({
      blocks: 4,
      recovered: 4,
      lost: [],
    });
    expect(await checkRebuild(session, track.calls, yielder())).toEqual({
      checked: 2,
      different: 0,
      differentCalls: [],
    });
  });

  it("miss a block whose blob is gone", async () => {
    const { root, track, open } = await storedSession();
    const folder = readdirSync(root, { recursive: true, withFileTypes: true });
    const blobs = folder.filter((entry) => entry.isFile() && basename(entry.parentPath) === "blobs");
    expect(blobs).toHaveLength(1);
    for (const blob of blobs) rmSync(join(blob.parentPath, blob.name));
    const { blocks, recovered, lost } = await checkLossless(await open(), track.originals, yielder());
    expect({ blocks, recovered, lost: lost.length }).toEqual({ blocks: 4, recovered: 3, lost: 1 });
  });

  it("miss a block that reads back otherwise than it was said", async () => {
    const { track, open } = await storedSession();
    const [seq] = [...track.originals.keys()].slice(-2);
    track.originals.set(seq!, text("user", "And that."));
    const { lost } = await checkLossless(await open(), track.originals, yielder());
    expect(lost).toEqual([`m${seq}.0`]);
  });

  it("tell a window that comes out different", async () => {
    const { track, open } = await storedSession();
    const calls = track.calls.map((call, index) => (index === 1 ? { ...call, windowHash: "another" } : call));
    expect(await checkRebuild(await open(), calls, yielder())).toMatchObject({
      different: 1,
      differentCalls: [2],
    });
  });

  it("tell when the log lost a message", async () => {
    const { root, track, open } = await storedSession();
    const [name] = readdirSync(root).filter((file) => file.endsWith(".jsonl"));
    const file = join(root, name!);
    const kept = readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => !line.includes("And this."));
    writeFileSync(file, "");
    appendFileSync(file, kept.join("\n"));
    const session = await open();
    expect((await checkLossless(session, track.originals, yielder())).recovered).toBe(3);
    expect((await checkRebuild(session, track.calls, yielder())).different).toBe(1);
  });

  it("stop when the user does", async () => {
    const { track, open } = await storedSession();
    const stop = new AbortController();
    stop.abort();
    await expect(
      checkLossless(await open(), track.originals, new EventLoopYielder(stop.signal)),
    ).rejects.toThrow(expect.objectContaining({ code: "ABORTED" }));
  });
});

describe("WireJudge", () => {
  const call = {
    callSeq: 1,
    model: "m",
    tokens: { total: 1, padded: 1, fixed: 0, thinking: 0, thinkingBudget: 32_000, source: "estimate" },
    warning: tokenWarningState(1, { windowTokens: 200_000 }),
    edits: [],
    cacheMarks: [],
  };

  it("finds what either provider would refuse, and says which", () => {
    const judge = new WireJudge({ hasAnthropicTools: true });
    const orphan = { type: "tool_result", tool_use_id: "t1", content: "x" } as const;
    const broken = judge.judge({ ...call, messages: [{ role: "user", content: [orphan] }] });
    expect([...new Set(broken.map(({ vendor }) => vendor))]).toEqual(["Anthropic", "OpenAI"]);
  });

  it("accepts a plain question", () => {
    const judge = new WireJudge({ hasAnthropicTools: true });
    const messages = [{ role: "user", content: [{ type: "text", text: "Hello" }] }] as const;
    expect(judge.judge({ ...call, system: "Be kind.", messages })).toEqual([]);
    expect(judge.requests({ ...call, system: "Be kind.", messages })).toEqual({
      Anthropic: {
        model: "m",
        max_tokens: 1_024,
        system: "Be kind.",
        messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }],
      },
      OpenAI: {
        model: "m",
        messages: [
          { role: "system", content: "Be kind." },
          { role: "user", content: "Hello" },
        ],
      },
    });
  });
});
