/** Very many tasks, and tasks that harm: what they do stays with them. */
import { readFileSync } from "node:fs";
import { createPalimpsest, functionModel } from "palimpsest";
import { describe, expect, it } from "vitest";
import type { TaskLimits } from "#agent/tasks/task-run.ts";
import { testFolder } from "../../../../../test/helpers/recordings.ts";
import { bySize } from "../../../../../test/helpers/size-of-run.ts";

const model = functionModel(async () => "Done.", { model: "claude-opus-4-5" });
const COUNT = bySize({ usual: 8, long: 250, soak: 1_000 });
const LIMIT_BYTES = bySize({ usual: 1_048_576, long: 16 * 1_024 * 1_024, soak: 64 * 1_024 * 1_024 });

async function open(limits: Partial<TaskLimits> = {}) {
  const folder = testFolder();
  const palimpsest = createPalimpsest({ model, folder, tasks: { limits } });
  const session = await palimpsest.session("many");
  await session.turn("Hello.");
  return { palimpsest, session, tasks: session.tasks, at: `${folder}/many/tasks` };
}

describe("the tasks of a session", () => {
  it(`are ${COUNT}, thirty at a time, and each has its output and its end`, async () => {
    const { palimpsest, tasks, session } = await open();
    const waiting = Array.from({ length: COUNT }, (_, index) => index + 1);
    const one = async (): Promise<void> => {
      for (let number = waiting.shift(); number !== undefined; number = waiting.shift()) {
        const { id } = await tasks.start("local_bash", { command: `echo ${number}; exit ${number % 7}` });
        await tasks.wait(id);
        expect({ ...tasks.get(id), ...tasks.read(id) }).toMatchObject({ text: `${number}\n`, isEnd: true });
      }
    };
    await Promise.all(Array.from({ length: 30 }, one));
    const list = tasks.list();
    expect(list.map(({ id }) => id)).toEqual(list.map((_, index) => `t${index + 1}`));
    const done = list.filter(({ status, exitCode }) => status === "done" && exitCode === 0);
    expect([list.length, done.length]).toEqual([COUNT, Math.floor(COUNT / 7)]);
    expect(tasks.pendingCount).toBe(COUNT);
    await session.turn("Go on.");
    expect(tasks.pendingCount).toBe(0);
    await palimpsest.close();
  });
});

describe.skipIf(process.platform === "win32")("a task that harms", () => {
  it.each([
    ["writes 10 GB", () => "head -c 10G /dev/zero"],
    ["reads the folder that it writes to", (at: string) => `echo seed; while :; do cat ${at}/*.log; done`],
  ])("is stopped at its limit: it %s", async (_, commandOf) => {
    const { palimpsest, tasks, at } = await open({ outputBytes: LIMIT_BYTES });
    const other = await tasks.start("local_bash", { command: "read -r line; echo $line", stdin: "open" });
    const { id } = await tasks.start("local_bash", { command: commandOf(at) });
    expect(await tasks.wait(id)).toMatchObject({
      status: "failed",
      outputBytes: LIMIT_BYTES,
      reason: `its output reached the limit of ${LIMIT_BYTES} bytes`,
    });
    await tasks.input(other.id, "unharmed\n");
    expect(await tasks.wait(other.id)).toMatchObject({ status: "done" });
    expect(tasks.read(other.id).text).toBe("unharmed\n");
    await palimpsest.close();
  });

  it("shows no file of the machine by a link in the place of its output, its inbox or its journal", async () => {
    const { palimpsest, session, tasks, at } = await open();
    const files = ["t1.log", "inbox.jsonl"].map((name) => `${at}/${name}`);
    const command = files.map((path) => `ln -sf /etc/passwd ${path}`).join("; ");
    const { id } = await tasks.start("local_bash", { command });
    expect(await tasks.wait(id)).toMatchObject({ status: "done" });
    await session.turn("Go on.");
    const secret = readFileSync("/etc/passwd", "utf8").split("\n")[0]!;
    expect(JSON.stringify(session.session.visible)).not.toContain(secret);
    expect(() => tasks.read(id)).toThrow();
    const { id: next } = await tasks.start("local_bash", { command: "echo fine" });
    await tasks.wait(next);
    expect(tasks.read(next).text).toBe("fine\n");
    await palimpsest.close();
  });
});
