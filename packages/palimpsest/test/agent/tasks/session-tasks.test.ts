import { rmSync, writeFileSync } from "node:fs";
import { createPalimpsest, functionModel, InMemorySessionStore } from "palimpsest";
import { describe, expect, it } from "vitest";
import type { PalimpsestOptions } from "#host/create-palimpsest.ts";
import type { TaskFiles } from "#ports/tasks.ts";
import type { Session } from "#session/session.ts";

/** Sessions in memory, with a model that says the same again and again. */
function open(options: Partial<PalimpsestOptions> = {}) {
  const store = new InMemorySessionStore();
  const model = functionModel(async () => "Done.", { model: "claude-opus-4-5" });
  return { store, palimpsest: createPalimpsest({ model, store, ...options }) };
}

/** What the engine has told the agent. */
function notices(session: Session): readonly string[] {
  return session.visible
    .filter(({ origin }) => origin === "engine")
    .flatMap(({ blocks }) => blocks.map(({ block }) => (block as { readonly text: string }).text));
}

/** Leaves session `a` with tasks of a process that died. */
async function leaveTasks(
  { store, palimpsest }: ReturnType<typeof open>,
  command: string,
  ids: readonly string[],
): Promise<void> {
  const session = await palimpsest.session("a");
  await session.turn("Hello.");
  await session.close();
  const log = await store.open("a");
  const owner = { pid: 4_000_000, startedAt: "1", space: "elsewhere", host: "h" };
  const input = { command };
  for (const id of ids)
    log.tasks!.appendJournal(
      JSON.stringify({ type: "start", id, at: 1, kind: "local_bash", title: "echo", input, owner }),
    );
  await log.close();
}

describe("the tasks of a session", () => {
  it("runs a command, keeps its output and its end, and tells the agent once", async () => {
    const { palimpsest } = open();
    const session = await palimpsest.session();
    const { id } = await session.tasks.start("local_bash", { command: "echo one; echo two >&2; exit 3" });
    expect(id).toBe("t1");
    expect(await session.tasks.wait(id)).toMatchObject({ status: "failed", exitCode: 3, outputBytes: 8 });
    expect(session.tasks.read(id)).toEqual({ text: "one\ntwo\n", pending: "", nextOffset: 8, isEnd: true });
    expect(session.tasks.pendingCount).toBe(1);
    await session.turn("Go on.");
    await session.turn("And on.");
    expect(notices(session.session)).toHaveLength(1);
    expect(notices(session.session)[0]).toContain(
      'Task t1 (local_bash: "echo one; echo two >&2; exit 3") failed with exit code 3',
    );
    expect(notices(session.session)[0]).toContain("```\none\ntwo\n```");
    await palimpsest.close();
  });

  it("asks the disk once about tasks that a session never had", async () => {
    const { store, palimpsest } = open();
    let asked = 0;
    const withCount = new Proxy(store, {
      get: (target, name) => {
        const value = target[name as keyof InMemorySessionStore] as unknown;
        if (name !== "create") return typeof value === "function" ? value.bind(target) : value;
        return async (...given: Parameters<InMemorySessionStore["create"]>) => {
          const log = await target.create(...given);
          const files = log.tasks as TaskFiles;
          const hasJournal = files.hasJournal.bind(files);
          files.hasJournal = () => {
            asked++;
            return hasJournal();
          };
          return log;
        };
      },
    });
    const session = await createPalimpsest({
      model: functionModel(async () => "Done.", { model: "claude-opus-4-5" }),
      store: withCount,
    }).session();
    for (let turn = 0; turn < 5; turn++) await session.turn("Go on.");
    expect(asked).toBe(1);
    await palimpsest.close();
  });

  it("leaves the end of a task that is awaited to its caller, and tells the agent once it is let go", async () => {
    const { palimpsest } = open();
    const session = await palimpsest.session();
    const awaited = await session.tasks.start("local_bash", { command: "echo one" }, { isAwaited: true });
    await session.tasks.wait(awaited.id);
    expect(session.tasks.pendingCount).toBe(0);
    const long = await session.tasks.start("local_bash", { command: "sleep 600" }, { isAwaited: true });
    session.tasks.background(long.id);
    await session.tasks.stop(long.id, "enough");
    await session.turn("Go on.");
    expect(notices(session.session)).toHaveLength(1);
    expect(notices(session.session)[0]).toContain("Task t2");
    await palimpsest.close();
  });

  it("sends input to a command that asks for it, and refuses where its standard input is closed", async () => {
    const { palimpsest } = open();
    const { tasks } = await palimpsest.session();
    const asks = await tasks.start("local_bash", {
      command: 'read -r name; echo "Hello $name"',
      stdin: "open",
    });
    await tasks.input(asks.id, "Ada\n");
    expect(await tasks.wait(asks.id)).toMatchObject({ status: "done" });
    expect(tasks.read(asks.id).text).toBe("Hello Ada\n");
    const closed = await tasks.start("local_bash", { command: 'read -r name || echo "nobody"; sleep 60' });
    await expect(tasks.input(closed.id, "Ada\n")).rejects.toMatchObject({ code: "TASK_REFUSED" });
    expect(await tasks.stop(closed.id, "enough")).toMatchObject({ status: "stopped", reason: "enough" });
    await expect(tasks.input(closed.id, "Ada\n")).rejects.toMatchObject({ code: "TASK_ENDED" });
    await palimpsest.close();
  });

  it("stops a command at the limit of its output", async () => {
    const { palimpsest } = open({ tasks: { limits: { outputBytes: 100_000 } } });
    const { tasks } = await palimpsest.session();
    const { id } = await tasks.start("local_bash", { command: "yes" });
    expect(await tasks.wait(id)).toMatchObject({
      status: "failed",
      outputBytes: 100_000,
      reason: "its output reached the limit of 100000 bytes",
    });
    await palimpsest.close();
  });

  it("chains the steps of a workflow, stops at the first failure, and goes on behind what was done", async () => {
    const { palimpsest } = open();
    const { tasks } = await palimpsest.session();
    const marks = `${process.env["TMPDIR"] ?? "/tmp"}/palimpsest-workflow-${process.pid}`;
    const step = (command: string) => ({ kind: "local_bash", input: { command } });
    const { id } = await tasks.start("local_workflow", {
      steps: [step("printf '3\\n1\\n2\\n'"), step(`sort; test -e ${marks} || exit 9`), step("head -n 1")],
    });
    expect(await tasks.wait(id)).toMatchObject({ status: "failed", exitCode: 9 });
    writeFileSync(marks, "");
    await tasks.resume(id);
    expect(await tasks.wait(id)).toMatchObject({ status: "done", result: "1\n" });
    // The first step ran once.
    expect(tasks.read(id).text.match(/^== 1\/3/gm)).toHaveLength(1);
    rmSync(marks);
    await palimpsest.close();
  });

  it("has its time limit also when it is resumed", async () => {
    const due: (() => void)[] = [];
    const after = (ms: number, work: () => void): (() => void) => {
      if (ms === 5_000) due.push(work);
      return () => undefined;
    };
    const { palimpsest } = open({ deadline: { after } });
    const { tasks } = await palimpsest.session();
    const { id } = await tasks.start("local_bash", { command: "sleep 600" }, { timeoutMs: 5_000 });
    for (const count of [1, 2]) {
      expect(due).toHaveLength(count);
      due.at(-1)!();
      const reason = "its time of 5000 ms was up";
      expect(await tasks.wait(id)).toMatchObject({ status: "failed", reason });
      if (count === 1) await tasks.resume(id);
    }
    await palimpsest.close();
  });

  it("ends with the session, and says so when it is opened again", async () => {
    const { palimpsest } = open();
    const session = await palimpsest.session("a");
    await session.turn("Hello.");
    const { id } = await session.tasks.start("local_bash", { command: "sleep 600" });
    await session.close();
    const again = await palimpsest.session("a");
    expect(again.tasks.get(id)).toMatchObject({ status: "stopped", reason: "the session was closed" });
    await again.turn("Well?");
    expect(notices(again.session)[0]).toContain("was stopped (the session was closed)");
    await palimpsest.close();
  });

  it("finds a task whose process died, and says that it was interrupted", async () => {
    const { store, palimpsest } = open();
    await leaveTasks({ store, palimpsest }, "sleep 600", ["t1"]);
    const session = await palimpsest.session("a");
    await session.turn("Well?");
    expect(session.tasks.get("t1")).toMatchObject({ status: "interrupted" });
    expect(notices(session.session)).toHaveLength(1);
    expect(notices(session.session)[0]).toContain("was interrupted (the process that ran it ended)");
    await palimpsest.close();
  });

  it("resumes, stops and answers for a task of a process that died, before any turn has found it", async () => {
    const { store, palimpsest } = open();
    await leaveTasks({ store, palimpsest }, "echo one", ["t1", "t2"]);
    const session = await palimpsest.session("a");
    const { tasks } = session;
    expect(tasks.list().map(({ status }) => status)).toEqual(["interrupted", "interrupted"]);
    await expect(tasks.input("t1", "x")).rejects.toMatchObject({
      code: "TASK_ENDED",
      message: "Task t1 is not running here: it is interrupted.",
    });
    const [resumed] = await Promise.all([tasks.resume("t1"), session.turn("Well?")]);
    expect(resumed).toMatchObject({ status: "running" });
    expect(await tasks.wait("t1")).toMatchObject({ status: "done", exitCode: 0 });
    expect(await tasks.stop("t2")).toMatchObject({ status: "interrupted", reason: expect.any(String) });
    await palimpsest.close();
  });

  it("leaves what a crash left alone once the session is closed: another process may have resumed it", async () => {
    const { store, palimpsest } = open();
    await leaveTasks({ store, palimpsest }, "echo one", ["t1"]);
    const session = await palimpsest.session("a");
    const { tasks } = session;
    await session.close();
    const reader = await store.open("a");
    const { lines } = reader.tasks!.readJournal();
    await tasks.stop("t1");
    await expect(tasks.resume("t1")).rejects.toThrow("The session is closed.");
    expect(reader.tasks!.readJournal().lines).toEqual(lines);
    await reader.close();
    await palimpsest.close();
  });

  it("refuses what does not fit, in words that say what to do", async () => {
    const { palimpsest } = open();
    const { tasks } = await palimpsest.session();
    await expect(tasks.start("local_bash", { cmd: "ls" })).rejects.toMatchObject({ code: "TASK_INVALID" });
    await expect(tasks.start("nothing" as "dream", {})).rejects.toMatchObject({ code: "TASK_INVALID" });
    await expect(tasks.start("monitor_mcp", {})).rejects.toMatchObject({ code: "TASK_REFUSED" });
    expect(() => tasks.get("t9")).toThrow(expect.objectContaining({ code: "TASK_NOT_FOUND" }));
    await palimpsest.close();
  });
});
