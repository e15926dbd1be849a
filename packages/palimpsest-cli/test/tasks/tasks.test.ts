/** `palimpsest tasks`: commands beside a program that runs tasks, and after one that died. */
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { createPalimpsest, functionModel, nodeProcess, openHome, systemTimer } from "palimpsest";
import { folderStore } from "palimpsest/internal";
import { afterEach, describe, expect, it, vi } from "vitest";
import { StoredTasks } from "#tasks/stored-tasks.ts";
import { cliDouble } from "../../../../test/helpers/cli-double.ts";
import { json, type StoredHome, storedHome } from "../../../../test/helpers/stored.ts";

/** Looks at once for what comes every second. */
const timer = {
  every: (ms: number, work: () => void) => systemTimer.every(ms === 1_000 ? 5 : ms, work),
};
const until = (condition: () => boolean) => vi.waitUntil(condition, { timeout: 250_000, interval: 10 });
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A program with a session in the home, whose tasks are used from the command line. */
async function program(place: StoredHome) {
  const home = openHome({ home: place.home, workingCopy: place.folder, env: {}, persistence: true });
  const model = functionModel(async () => "Done.", { model: "claude-opus-4-5" });
  const palimpsest = createPalimpsest({ model, home, timer, background: "off" });
  closing.push(() => palimpsest.close());
  const session = await palimpsest.session("work");
  await session.turn("Hello.");
  return { session, folder: home.project.folder };
}

/** A task that a process which is dead by now left in the journal. */
function leave(folder: string, { token = "", pid = 0, startedAt = "1" } = {}): void {
  const files = folderStore(folder).tasksOf("work")!;
  const owner = { pid: 4_000_000, startedAt: "1", space: nodeProcess.space, host: "h" };
  const input = { command: "make" };
  const start = { type: "start", id: "t1", at: 1, kind: "local_bash", title: "make", input, owner };
  files.appendJournal(JSON.stringify(start));
  const process = { pid, startedAt, space: nodeProcess.space, token };
  files.appendJournal(JSON.stringify({ type: "facts", id: "t1", at: 2, facts: { process } }));
  const output = files.openOutput("t1");
  output.write(Buffer.from("compiling\nlinking"));
  output.close();
}

describe("palimpsest tasks", () => {
  it("says so where there are none", async () => {
    const place = storedHome();
    expect(await place.run(["tasks", "list"])).toMatchObject({ code: 0, out: "No background tasks.\n" });
    await program(place);
    expect(await place.run(["tasks", "list", "work"])).toMatchObject({
      code: 0,
      out: "No background tasks.\n",
    });
    const missing = await place.run(["tasks", "show", "work", "t1"]);
    expect(missing).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^TASK_NOT_FOUND There is no task "t1"/),
    });
  });

  it("shows tasks beside the program that runs them, without what could control the terminal", async () => {
    const place = storedHome();
    const { session } = await program(place);
    const command = "printf '\\033]0;owned\\007\\033[31mred\\033[0m\\ntwo\\n'; exit 3";
    const { id } = await session.tasks.start(
      "local_bash",
      { command },
      { title: "evil \u001b]0;owned\u0007" },
    );
    await session.tasks.wait(id);
    await session.tasks.start("local_bash", { command: "sleep 600" });
    const listed = await place.run(["tasks", "list"]);
    expect(listed.out).toMatch(
      /^work\n {2}t1 +failed +local_bash .* evil .*\n {2}t2 +running +local_bash .* sleep 600\n$/,
    );
    const shown = await place.run(["tasks", "show", "work", "t1"]);
    expect(shown.out).toMatch(/^task +t1 \(local_bash\)$/m);
    expect(shown.out).toMatch(/^status +failed: exit code 3$/m);
    expect(await place.run(["tasks", "tail", "work", "t1"])).toEqual({ code: 0, out: "red\ntwo\n", err: "" });
    expect(listed.out + shown.out).not.toContain("\u001b");
    expect(json(await place.run(["tasks", "tail", "work", "t1", "--offset", "23", "--json"]))).toEqual({
      version: 1,
      sessionId: "work",
      task: "t1",
      status: "failed",
      offset: 23,
      text: "two\n",
      pending: "",
      nextOffset: 27,
    });
    const { sessions } = json<{ sessions: { tasks: { status: string; exitCode?: number }[] }[] }>(
      await place.run(["tasks", "list", "--json"]),
    );
    expect(sessions[0]?.tasks).toMatchObject([{ status: "failed", exitCode: 3 }, { status: "running" }]);
  });

  it("answers a prompt, follows the output until the task ends, and continues at a byte", async () => {
    const place = storedHome();
    const { session } = await program(place);
    const command = 'printf "Go on? [y/N] "; read -r answer; echo "got $answer"; read -r more; echo $more';
    await session.tasks.start("local_bash", { command, stdin: "open" });
    const context = cliDouble({ folder: place.folder, env: { PALIMPSEST_HOME: place.home } });
    const following = place.run(["tasks", "tail", "-f", "work", "t1"], { context });
    await until(() => context.written.out === "Go on? [y/N] ");
    expect(await place.run(["tasks", "input", "work", "t1", "y"])).toMatchObject({
      code: 0,
      out: "Task t1 got it.\n",
    });
    await until(() => context.written.out === "Go on? [y/N] got y\n");
    await place.run(["tasks", "input", "work", "t1", "bye"]);
    expect(await following).toEqual({
      code: 0,
      out: "Go on? [y/N] got y\nbye\n",
      err: "t1 is done: exit code 0. Read on with --offset 23.\n",
    });
    expect((await place.run(["tasks", "tail", "work", "t1", "--offset", "19"])).out).toBe("bye\n");
    const late = await place.run(["tasks", "input", "work", "t1", "y"]);
    expect(late).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^TASK_ENDED Task t1 does not run: it is done/),
    });
  });

  it("stops following with Ctrl-C, and the task goes on", async () => {
    const place = storedHome();
    const { session } = await program(place);
    await session.tasks.start("local_bash", { command: "echo one; sleep 600" });
    const context = cliDouble({ folder: place.folder, env: { PALIMPSEST_HOME: place.home } });
    const following = place.run(["tasks", "tail", "-f", "work", "t1"], { context });
    await until(() => context.written.out === "one\n");
    context.stop.abort();
    expect(await following).toMatchObject({ err: "t1 is running. Read on with --offset 4.\n" });
    expect(session.tasks.get("t1").status).toBe("running");
  });

  it("kills a task through its program, which tells the agent", async () => {
    const place = storedHome();
    const { session } = await program(place);
    await session.tasks.start("local_bash", { command: "sleep 600" });
    const refused = await place.run(["tasks", "input", "work", "t1", "y"]);
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^TASK_REFUSED Task t1 takes no input/),
    });
    expect(await place.run(["tasks", "kill", "work", "t1"])).toMatchObject({
      code: 0,
      out: "Task t1 is stopped: SIGTERM, it was killed with palimpsest tasks kill.\n",
    });
    expect(session.tasks.get("t1")).toMatchObject({ status: "stopped" });
    // The refusal is for who asked, and not for the agent.
    expect(session.tasks.pendingCount).toBe(1);
  });

  it("does not do to a task that is started again what was asked before", async () => {
    const place = storedHome();
    const { session } = await program(place);
    const { id } = await session.tasks.start("local_bash", { command: "exit 1" });
    await session.tasks.wait(id);
    const { folder } = openHome({
      home: place.home,
      workingCopy: place.folder,
      env: {},
      persistence: true,
    }).project;
    folderStore(folder)
      .tasksOf("work")!
      .appendInbox(JSON.stringify({ id, stop: "too late" }));
    await session.tasks.resume(id);
    expect(await session.tasks.wait(id)).toMatchObject({ status: "failed", exitCode: 1, reason: undefined });
  });

  it.skipIf(process.platform !== "linux")("sweeps what a dead program left of a task", async () => {
    const place = storedHome();
    const { session, folder } = await program(place);
    await session.close();
    const token = randomUUID();
    const left = spawn("sleep", ["600"], {
      stdio: "ignore",
      env: { ...process.env, PALIMPSEST_TASK: token },
    });
    const dead = new Promise((resolve) => left.once("exit", (_, signal) => resolve(signal)));
    leave(folder, { token });
    expect((await place.run(["tasks", "show", "work", "t1"])).out).toMatch(
      /^status +interrupted: the process that ran it died$/m,
    );
    const { out } = await place.run(["tasks", "tail", "-f", "work", "t1"]);
    expect(out).toBe("compiling\nlinking\n");
    const killed = await place.run(["tasks", "kill", "work", "t1"]);
    expect(killed.out).toBe("Task t1 was interrupted; killed 1 process that was left of it.\n");
    expect(await dead).toBe("SIGKILL");
    expect((await place.run(["tasks", "kill", "work", "t1"])).out).toBe(
      "Task t1 was interrupted; nothing was left of it.\n",
    );
  });

  it("moves outputs of ended tasks to the trash, where a clean-up deletes them after 30 days", async () => {
    const place = storedHome();
    const { session } = await program(place);
    const { id } = await session.tasks.start("local_bash", { command: "echo one" });
    await session.tasks.wait(id);
    await session.tasks.start("local_bash", { command: "echo two; sleep 600" });
    await until(() => session.tasks.get("t2").outputBytes === 4);
    const { moved } = json<{ moved: { task: string; bytes: number; path: string }[] }>(
      await place.run(["tasks", "clean", "--json"]),
    );
    expect(moved).toEqual([
      { sessionId: "work", task: "t1", bytes: 4, path: expect.stringContaining("/trash/") },
    ]);
    expect(readFileSync(moved[0]!.path, "utf8")).toBe("one\n");
    expect(session.tasks.read("t1").text).toBe("");
    expect(session.tasks.read("t2").text).toBe("two\n");
    expect(await place.run(["tasks", "clean"])).toMatchObject({
      out: "0 outputs (0 B) went to the trash.\n",
    });
    await place.run(["sessions", "clean"]);
    expect(existsSync(moved[0]!.path)).toBe(true);
    const old = moved[0]!.path.replace(/\d+\.log$/, `${Date.now() - 30 * 86_400_000 - 1}.log`);
    renameSync(moved[0]!.path, old);
    await place.run(["sessions", "clean", "--dry-run"]);
    expect(existsSync(old)).toBe(true);
    await place.run(["sessions", "clean"]);
    expect(existsSync(old)).toBe(false);
  });

  it("are deleted with their session, and an export goes without them", async () => {
    const place = storedHome();
    const { session, folder } = await program(place);
    await session.close();
    leave(folder);
    expect(await place.run(["sessions", "export", "work"])).toMatchObject({ code: 0 });
    const store = folderStore(folder);
    await store.trash("work", { at: Date.now(), reason: "test" });
    expect(readdirSync(`${folder}/.trash/work/files/tasks`).sort()).toEqual(["journal.jsonl", "t1.log"]);
    await store.purge("work");
    expect([existsSync(`${folder}/work`), existsSync(`${folder}/.trash/work`)]).toEqual([false, false]);
  });

  it("are checked by the doctor, which reports lines that cannot be read", async () => {
    const place = storedHome();
    const { session, folder } = await program(place);
    await session.close();
    leave(folder);
    expect((await place.run(["doctor"])).out).not.toContain("background tasks");
    folderStore(folder).tasksOf("work")!.appendJournal('{"type":"end","id":"t9"}');
    const { code, out } = await place.run(["doctor"]);
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining("1 lines of the journal") });
  });

  it("says so where the program that runs the task does not answer", async () => {
    const place = storedHome();
    const { session, folder } = await program(place);
    await session.close();
    leave(folder);
    const files = folderStore(folder).tasksOf("work")!;
    const { pid, startedAt, space, host } = nodeProcess;
    const start = { kind: "local_bash", title: "x", input: {}, owner: { pid, startedAt, space, host } };
    files.appendJournal(JSON.stringify({ type: "start", id: "t2", at: 3, ...start }));
    let waitedMs = 0;
    const stored = new StoredTasks(
      "work",
      files,
      async () => true,
      async (ms) => {
        waitedMs += ms;
      },
    );
    await expect(
      stored.ask({ id: "t2", stop: "enough" }, new AbortController().signal),
    ).rejects.toMatchObject({
      code: "TASK_REFUSED",
      message: expect.stringContaining("has not answered"),
    });
    expect(waitedMs).toBe(15_000);
  });
});
