/** Tasks whose files, kinds or agents misbehave, and what an agent still knows of its tasks after a compaction and a fork. */
import { createPalimpsest, functionModel, InMemorySessionStore } from "palimpsest";
import { describe, expect, it } from "vitest";
import { dreamTasks } from "#agent/tasks/dream/dream-task.ts";
import { TaskInProgress } from "#agent/tasks/task-run.ts";
import { TASK_DEFAULTS } from "#base/defaults/tasks.ts";
import type { SessionLog } from "#ports/session-store.ts";
import type { SessionEvent } from "#session/events/events.ts";
import { forkSession } from "#session/lifecycle/fork-session.ts";
import { InMemoryTaskFiles } from "#stores/in-memory/in-memory-task-files.ts";
import { nodeHasher, randomIds, systemClock, systemTimer } from "#stores/platform/node-ports.ts";
import { engineTexts } from "./notices.ts";

const model = functionModel(async () => "Fine.", { model: "claude-opus-4-5" });
const agents = { worker: { description: "works", model } };

describe("tasks", () => {
  it("whose files cannot be read do not fail a turn, and are one event", async () => {
    const store = new InMemorySessionStore();
    const broken = new Proxy(store, {
      get: (target, name) => {
        if (name === "create")
          return async (id: string) =>
            new Proxy(await target.create(id), {
              get: (log, field) => {
                if (field === "tasks")
                  return {
                    hasJournal: () => true,
                    totalBytes: () => 0,
                    readJournal: () => {
                      throw new RangeError("damaged");
                    },
                  };
                const value = log[field as keyof SessionLog] as unknown;
                return typeof value === "function" ? value.bind(log) : value;
              },
            });
        const value = target[name as keyof InMemorySessionStore] as unknown;
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const events: SessionEvent[] = [];
    const observer = { onEvent: (event: SessionEvent) => void events.push(event) };
    const session = await createPalimpsest({ model, store: broken, notes: "off", observer }).session("a");
    expect((await session.turn("Hello.")).text).toBe("Fine.");
    await session.turn("Again.");
    expect(events.filter(({ type }) => type === "tasks-failed")).toEqual([
      { type: "tasks-failed", reason: "damaged" },
    ]);
    expect(() => session.tasks).toThrow("damaged");
    await session.close();
  });

  it("that do not end when they are stopped are given up", async () => {
    const due: (() => void)[] = [];
    const after = (ms: number, work: () => void) => {
      if (ms === 40_000) due.push(work);
      return () => undefined;
    };
    const never = new Promise<never>(() => undefined);
    const run = dreamTasks(() => never);
    const files = new InMemoryTaskFiles();
    const ends: unknown[] = [];
    const task = new TaskInProgress("t1", {
      files,
      limits: TASK_DEFAULTS,
      written: { bytes: 0 },
      deadline: { after },
      now: () => 0,
      record: () => undefined,
      notify: () => undefined,
      waits: () => undefined,
      ended: (end) => void ends.push(end),
    });
    task.start(run, { place: "project", force: true }, { earlier: [], timeoutMs: undefined });
    const stopped = task.stop("enough");
    expect(ends).toEqual([]);
    for (const work of due) work();
    await stopped;
    await task.ended;
    expect(ends).toEqual([{ outcome: "stopped", reason: "enough; it had not ended 40000 ms later" }]);
  });

  it("of a workflow are chained from a shell through an agent to a shell", async () => {
    const reader = functionModel(
      async ({ messages }) =>
        `b\na\n${JSON.stringify(messages.at(-1)).includes("from the shell") ? "c" : "?"}\n`,
      { model: "claude-opus-4-5" },
    );
    const palimpsest = createPalimpsest({
      model,
      store: new InMemorySessionStore(),
      notes: "off",
      tasks: { agents: { worker: { description: "works", model: reader } } },
    });
    const { tasks } = await palimpsest.session();
    const { id } = await tasks.start("local_workflow", {
      steps: [
        { kind: "local_bash", input: { command: "echo from the shell" } },
        { kind: "local_agent", input: { agent: "worker", prompt: "Go on." } },
        { kind: "local_bash", input: { command: "sort" } },
      ],
    });
    expect(await tasks.wait(id)).toMatchObject({ status: "done", result: "a\nb\nc\n" });
    await palimpsest.close();
  });

  it("are named after a compaction with their states, and a fork has none of them", async () => {
    const store = new InMemorySessionStore();
    const palimpsest = createPalimpsest({ model, store, notes: "off", tasks: { agents } });
    const session = await palimpsest.session("a");
    for (let turn = 0; turn < 30; turn++) await session.turn(`${turn} ${"word ".repeat(400)}`);
    const ended = await session.tasks.start("local_agent", { agent: "worker", prompt: "One." });
    await session.tasks.wait(ended.id);
    await session.tasks.start("in_process_teammate", { name: "two", agent: "worker", prompt: "Two." });
    await session.compact();
    const window = JSON.stringify(session.session.visible);
    expect(window).toContain('local_agent \\"One.\\": ended well');
    expect(window).toContain('in_process_teammate \\"two: Two.\\": running for ');
    const wired = { store, clock: systemClock, ids: randomIds, hasher: nodeHasher, timer: systemTimer };
    const fork = await forkSession("a", { ...wired, sessionId: "b" });
    await fork.close();
    const other = await palimpsest.session("b");
    await other.turn("Well?");
    expect(engineTexts(other.session).filter((text) => text.startsWith("Task t"))).toEqual([]);
    expect(other.tasks.list()).toEqual([]);
    await palimpsest.close();
  });
});
