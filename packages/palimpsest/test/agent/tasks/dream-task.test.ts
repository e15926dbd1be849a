/** The `dream` task on a folder of files: its diff is its output, and one that is stopped leaves all files or none changed. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createPalimpsest, functionModel, InMemorySessionStore } from "palimpsest";
import { describe, expect, it } from "vitest";
import { createMemory, memoryFolder } from "#host/create-memory.ts";
import { formatMemoryFile } from "#memory/files/memory-file.ts";
import type { MemoryStore } from "#ports/memory-store.ts";
import type { ModelClient } from "#ports/model-client.ts";
import { dreamer, merge } from "#test/agent/memory/dreaming.ts";
import { testFolder } from "../../../../../test/helpers/recordings.ts";
import { usualFew } from "../../../../../test/helpers/size-of-run.ts";
import { engineTexts } from "./notices.ts";

const DAY_MS = 86_400_000;
const NOW_MS = 1_767_225_600_000;
const fact = (body: string, days: number): string =>
  formatMemoryFile({ name: body.slice(0, 12), body, source: "user", createdAtMs: NOW_MS - days * DAY_MS });

/** Something for each kind of action, and something that only a model sees. */
const BEFORE: Readonly<Record<string, string>> = {
  "MEMORY.md": "# Ours\n\n- [Gone](gone.md) — leads nowhere\n",
  "port.md": fact("The API listens on port 8080.", 20),
  "moved.md": fact("The API listens on port 9090.", 2),
  "stale.md": fact("A rumour of Ghent.", 400),
  "kept.md": fact("Ada likes tea.", 1),
  "again.md": fact("Tea is what Ada would rather drink.", 5),
};

function filesIn(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder).filter((name) => name.endsWith(".md"));
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

/** Calls `onCall` before each operation. */
function watched(store: MemoryStore, onCall: () => void): MemoryStore {
  return new Proxy(store, {
    get: (target, name) => {
      const value = target[name as keyof MemoryStore] as unknown;
      if (typeof value !== "function") return value;
      return (...given: readonly unknown[]) => {
        onCall();
        return value.apply(target, given);
      };
    },
  });
}

/** A session over a folder with these memories, and the number of operations on it so far. */
async function host({ lightModel = dreamer([merge(["kept.md", "again.md"])]) as ModelClient } = {}) {
  const folder = testFolder();
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(BEFORE)) writeFileSync(join(folder, name), text);
  let calls = 0;
  let onCall = (_call: number): void => undefined;
  const clock = { nowMs: () => NOW_MS };
  const store = watched(memoryFolder(folder), () => onCall(++calls));
  const memory = createMemory({ store, lightModel, clock });
  const sessions = new InMemorySessionStore();
  const model = functionModel(async () => "Fine.", { model: "claude-opus-4-5" });
  const open = () =>
    createPalimpsest({
      model,
      memory,
      memoryExtraction: "off",
      notes: "off",
      store: sessions,
      clock,
    }).session("parent");
  const session = await open();
  return {
    folder,
    session,
    open,
    memory,
    callCount: () => calls,
    /** Stops the task before the n-th operation from here on. */
    stopAt: (at: number): void => {
      calls = 0;
      onCall = (call) => {
        if (call === at) void session.tasks.stop("t1", "enough");
      };
    },
  };
}

type Host = Awaited<ReturnType<typeof host>>;

/** All ends of task 1 that the agent hears of, also after the session was opened again. */
async function endsHeard({ session, open }: Host): Promise<readonly string[]> {
  await session.turn("Well?");
  await session.turn("And?");
  await session.close();
  const again = await open();
  await again.turn("Anything new?");
  const ends = engineTexts(again.session).filter((text) => text.startsWith("Task t1 (dream: "));
  await again.close();
  return ends;
}

describe("a dream as a task", () => {
  it("changes the files, has its diff as output, and its result is reported once", async () => {
    const staged = await host();
    const { session, folder, memory } = staged;
    const { id } = await session.tasks.start("dream", { force: true });
    const end = await session.tasks.wait(id);
    expect(end).toMatchObject({ status: "done", title: "dream of the project's memories" });
    expect(end.result).toMatch(/^applied: Revert it with its id, /);
    const output = session.tasks.read(id).text;
    expect(output).toContain("Tea is what Ada would rather drink.");
    expect(output).toContain("stale.md");
    const files = filesIn(folder);
    expect(files["stale.md"]).toBeUndefined();
    expect(files["port.md"]).toContain("moved.md");
    const ends = await endsHeard(staged);
    expect(ends).toHaveLength(1);
    expect(ends[0]).toContain(`ended well after 0 s.`);
    await memory.revertDream();
    expect(filesIn(folder)).toEqual(BEFORE);
  });

  it("is in the cost of its session, at the price of the model that it asked", async () => {
    const answer = {
      messages: [{ role: "assistant" as const, content: [merge(["kept.md", "again.md"])] }],
      stopReason: "tool-use" as const,
      usage: { inputTokens: 1_000, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 100 },
    };
    const { session } = await host({ lightModel: dreamer(answer) });
    const { id } = await session.tasks.start("dream", { force: true });
    await session.tasks.wait(id);
    const { tasks } = await session.spending();
    expect(tasks).toMatchObject({ calls: 1, unmeteredCalls: 0, usage: answer.usage });
    expect(tasks.costUsd).toBeCloseTo(0.0045, 10);
    await session.close();
  });

  it("is not started again by a task where none is due", async () => {
    const { session, folder } = await host();
    const { id } = await session.tasks.start("dream", {});
    expect((await session.tasks.wait(id)).result).toMatch(/^not-due: /);
    expect(filesIn(folder)).toEqual(BEFORE);
    await session.close();
  });

  it("that is stopped while its model answers leaves everything as it was, and the next one dreams", async () => {
    let asked = (): void => undefined;
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    let isHanging = true;
    const script = dreamer([merge(["kept.md", "again.md"])]);
    const lightModel: ModelClient = {
      ...script,
      generate: (request, options) => {
        if (!isHanging) return script.generate(request, options);
        asked();
        return new Promise(() => undefined);
      },
    };
    const staged = await host({ lightModel });
    const { session, folder } = staged;
    const { id } = await session.tasks.start("dream", { force: true });
    await isAsked;
    expect(await session.tasks.stop(id, "enough")).toMatchObject({ status: "stopped", reason: "enough" });
    expect(filesIn(folder)).toEqual(BEFORE);
    isHanging = false;
    const next = await session.tasks.start("dream", { force: true });
    expect((await session.tasks.wait(next.id)).result).toMatch(/^applied: /);
    expect(await endsHeard(staged)).toHaveLength(1);
  });

  it("that is stopped at any operation changes all files or none, and the next one dreams to the end", async () => {
    const whole = await host();
    const before = whole.callCount();
    await whole.session.tasks.wait((await whole.session.tasks.start("dream", { force: true })).id);
    const operations = whole.callCount() - before;
    const after = filesIn(whole.folder);
    await whole.session.close();
    const seen = { old: 0, new: 0 };
    const places = Array.from({ length: operations }, (_, index) => index + 1);
    for (const at of usualFew(places, 3, operations - 1)) {
      const staged = await host();
      const { session, folder, memory } = staged;
      staged.stopAt(at);
      await session.tasks.wait((await session.tasks.start("dream", { force: true })).id);
      const isOld = readdirSync(folder).includes("stale.md");
      seen[isOld ? "old" : "new"]++;
      expect(filesIn(folder), `stopped at operation ${at}`).toEqual(isOld ? BEFORE : after);
      const { status, reason } = session.tasks.get("t1");
      expect({ status, reason }, `stopped at operation ${at}`).toEqual({
        status: "stopped",
        reason: "enough",
      });
      expect(await endsHeard(staged)).toHaveLength(1);
      const next = await memory.dream({ force: true });
      expect(next.status, `stopped at operation ${at}`).toBe(isOld ? "applied" : "nothing-to-do");
      expect(filesIn(folder), `stopped at operation ${at}`).toEqual(after);
      await memory.close();
    }
    expect(Math.min(seen.old, seen.new)).toBeGreaterThan(0);
  });
});
