/** A program is killed in each state of a shell task; the next one finds out, cleans up, and tells the agent once. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { createPalimpsest, functionModel } from "palimpsest";
import { describe, expect, it, vi } from "vitest";
import { folderStore } from "#host/folder-store.ts";
import { findMarked } from "#runtime/processes/process-table.ts";
import { foldTasks } from "#tasks/fold-tasks.ts";
import { processMarks } from "#tasks/task-request.ts";
import { testFolder } from "../../../../../test/helpers/recordings.ts";
import { usualFew } from "../../../../../test/helpers/size-of-run.ts";
import { inNode } from "../../../../../vitest.shared.ts";

const HOST = fileURLToPath(new URL("task-host.ts", import.meta.url));
const model = functionModel(async () => "Done.", { model: "claude-opus-4-5" });

/** Runs the program until it dies. */
async function kill(state: string, folder: string): Promise<void> {
  const child = spawn(process.execPath, [...inNode.execArgv, HOST, state, folder], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  expect(await new Promise((resolve) => child.once("exit", (_, signal) => resolve(signal)))).toBe("SIGKILL");
}

/** The notices of the task for the agent, in this session as it is opened now. */
async function noticesAfterTurn(folder: string): Promise<readonly string[]> {
  const palimpsest = createPalimpsest({ model, folder });
  const session = await palimpsest.session("work");
  await session.turn("Well?");
  await session.turn("And?");
  const notices = session.session.visible
    .filter(({ origin }) => origin === "engine")
    .flatMap(({ blocks }) => blocks.map(({ block }) => JSON.stringify(block)));
  await palimpsest.close();
  return notices;
}

/** States of a task in which its program is killed, and what it is afterwards. */
const STATES = [
  { state: "starting", status: "interrupted", words: "was interrupted (the process that ran it ended)" },
  { state: "running", status: "interrupted", words: "was interrupted (the process that ran it ended)" },
  { state: "waiting", status: "interrupted", words: "was interrupted (the process that ran it ended)" },
  { state: "stopping", status: "interrupted", words: "was interrupted (the process that ran it ended)" },
  { state: "ended", status: "failed", words: "failed with exit code 3" },
];

describe.skipIf(process.platform !== "linux")("a program that is killed", () => {
  it.each(usualFew(STATES, 2, 1))("while its task is $state leaves it $status", async ({
    state,
    status,
    words,
  }) => {
    const folder = testFolder();
    await kill(state, folder);
    const files = folderStore(folder).tasksOf("work")!;
    const [task] = [...foldTasks(files.readJournal().lines).tasks.values()];
    // A reader that was in the middle of the output.
    const offset = Math.min(2, files.outputBytes("t1"));
    const begun = Buffer.from(files.readOutput("t1", 0, offset)).toString();

    const palimpsest = createPalimpsest({ model, folder });
    const session = await palimpsest.session("work");
    expect(session.tasks.get("t1").status).toBe(status);
    for (const { token } of processMarks(task!))
      await vi.waitUntil(async () => (await findMarked(token)).length === 0, {
        timeout: 250_000,
        interval: 20,
      });
    const rest = session.tasks.read("t1", { offset });
    expect(rest.isEnd).toBe(true);
    const whole = { starting: "", running: "one\ntwo\n", waiting: "one\nContinue? [y/N] " }[state] ?? "one\n";
    // A program that was killed at once may have had a first line; one that wrote two may have read the first alone.
    expect([whole, "", "one\n"]).toContain(begun + rest.text);
    if (state === "waiting" || state === "ended") expect(begun + rest.text).toBe(whole);
    await palimpsest.close();

    const notices = (await noticesAfterTurn(folder)).filter((text) => text.includes(words));
    expect(notices).toHaveLength(1);
    // Also after another start of the program.
    expect((await noticesAfterTurn(folder)).filter((text) => text.includes(words))).toEqual(notices);
  });
});
