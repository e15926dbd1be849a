/** A home kills what dead programs left of their tasks, also where the session is never opened again. */
import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createPalimpsest, functionModel, nodeProcess, openHome, type SessionEvent } from "palimpsest";
import { describe, expect, it, vi } from "vitest";
import { folderStore } from "#host/folder-store.ts";
import { testFolder } from "../../../../test/helpers/recordings.ts";

const model = functionModel(async () => "Done.", { model: "claude-opus-4-5" });

/** A process of a task, whose program has the id and the start time. */
function leave(root: string, sessionId: string, program: { pid: number; startedAt?: string; space: string }) {
  const token = randomUUID();
  const child = spawn("sleep", ["600"], { stdio: "ignore", env: { ...process.env, PALIMPSEST_TASK: token } });
  const files = folderStore(root).tasksOf(sessionId)!;
  const owner = { ...program, host: "h" };
  const start = { type: "start", id: "t1", at: 1, kind: "local_bash", title: "sleep", input: {}, owner };
  files.appendJournal(JSON.stringify(start));
  const mark = { pid: 0, startedAt: "1", space: program.space, token };
  files.appendJournal(JSON.stringify({ type: "facts", id: "t1", at: 2, facts: { process: mark } }));
  return { child, files };
}

const ended = ({ signalCode }: ChildProcess) => signalCode;

describe.skipIf(process.platform !== "linux")("a home that is opened", () => {
  it("kills the processes of tasks whose program died, and no others", async () => {
    const folder = testFolder();
    const home = openHome({ home: folder, workingCopy: folder, env: {}, persistence: true });
    const first = createPalimpsest({ model, home, background: "off" });
    for (const id of ["dead", "alive", "elsewhere", "damaged"])
      await (await first.session(id)).turn("Hello.");
    await first.close();
    const { folder: root } = home.project;
    const { space, pid, startedAt } = nodeProcess;
    const dead = leave(root, "dead", { pid: 4_000_000, startedAt: "1", space });
    const alive = leave(root, "alive", { pid, startedAt, space });
    const elsewhere = leave(root, "elsewhere", { pid: 4_000_000, startedAt: "1", space: "another machine" });
    folderStore(root).tasksOf("damaged")!.appendJournal('{"type":"start"}');
    const before = dead.files.readJournal().lines;

    const events: SessionEvent[] = [];
    const observer = { onEvent: (event: SessionEvent) => void events.push(event) };
    const background = { cleanUp: false, dreams: false, startContext: false, closeOnExit: false };
    const palimpsest = createPalimpsest({ model, home, observer, background });
    await vi.waitUntil(() => ended(dead.child) === "SIGKILL", { timeout: 250_000, interval: 5 });
    await palimpsest.close();
    expect(events).toEqual([
      {
        type: "background",
        job: "sweep",
        outcome: "done",
        detail: "1 processes of tasks whose program had died were killed",
      },
    ]);
    expect([ended(alive.child), ended(elsewhere.child)]).toEqual([null, null]);
    // The journal is for the session's writer.
    expect(dead.files.readJournal().lines).toEqual(before);
    alive.child.kill("SIGKILL");
    elsewhere.child.kill("SIGKILL");
  });
});
