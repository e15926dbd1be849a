/** The worker as a process: killed in the middle of a task, started again, and stopped by a signal. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, it } from "vitest";
import { compiledLibrary, testFolder } from "../../../../test/helpers/compiled-once.ts";
import { storedHome } from "../../../../test/helpers/stored.ts";

const TOKEN = "0123456789abcdef-token";

/** Makes the file `asked` when it is asked, and answers once the file `go` is there. */
const AGENT = `
import { existsSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
const model = {
  provider: "test",
  model: "claude-opus-4-5",
  generate: async (_, { signal } = {}) => {
    writeFileSync("asked", "");
    while (!existsSync("go")) await setTimeout(10, undefined, { signal });
    return { messages: [{ role: "assistant", content: [{ type: "text", text: "Built." }] }], stopReason: "end" };
  },
};
export default { model, folder: "sessions", system: "Build." };
`;

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** Starts the command; resolves once it listens. */
async function startWorker(folder: string) {
  const main = join(compiledLibrary(), "palimpsest-cli/dist/program/main.js");
  const args = [main, "worker", "--port", "0", "--token-file", "token", "--agent", "agent.mjs"];
  const { home } = storedHome();
  const env = { PATH: process.env["PATH"] ?? "", PALIMPSEST_HOME: home, NODE_ENV: "production" };
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  const ended = once(child, "exit");
  const [line] = (await once(createInterface({ input: child.stderr }), "line")) as [string];
  const url = /^Listening on (\S+)$/.exec(line)?.[1];
  if (url === undefined) throw new Error(line);
  const ask = async (path: string, body?: object) => {
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const answer = await fetch(`${url}/v1/tasks${path}`, {
      ...init,
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    return (await answer.json()) as { readonly status: string };
  };
  return { child, ended, ask };
}

describe("palimpsest worker as a process", () => {
  it("knows its task as interrupted after a kill, repeats nothing, resumes it, and ends on SIGTERM", async () => {
    const folder = testFolder();
    writeFileSync(join(folder, "token"), TOKEN, { mode: 0o600 });
    writeFileSync(join(folder, "agent.mjs"), AGENT);
    const asked = async (): Promise<void> => {
      while (!existsSync(join(folder, "asked"))) await new Promise((resolve) => setTimeout(resolve, 10));
      rmSync(join(folder, "asked"));
    };
    const first = await startWorker(folder);
    expect(await first.ask("", { key: "k", prompt: "Build it." })).toMatchObject({
      id: "t1",
      status: "running",
    });
    await asked();
    const mail = { key: "i", text: "And the tests?" };
    expect(await first.ask("/t1/input", mail)).toMatchObject({ status: "running" });
    first.child.kill("SIGKILL");
    await first.ended;
    const second = await startWorker(folder);
    expect(await second.ask("/t1?offset=0")).toMatchObject({ status: "interrupted" });
    // Sent again, because the answers were lost.
    expect(await second.ask("", { key: "k", prompt: "Build it." })).toMatchObject({
      id: "t1",
      status: "interrupted",
    });
    expect(await second.ask("/t1/input", mail)).toMatchObject({ status: "interrupted" });
    expect(await second.ask("/t1/resume", {})).toMatchObject({ status: "running" });
    await asked();
    second.child.kill("SIGTERM");
    expect(await second.ended).toEqual([143, null]);
    const third = await startWorker(folder);
    expect(await third.ask("/t1?offset=0")).toMatchObject({
      status: "stopped",
      reason: "the session was closed",
    });
    writeFileSync(join(folder, "go"), "");
    await third.ask("/t1/resume", {});
    for (let status = "running"; status === "running"; ) ({ status } = await third.ask("/t1?offset=0"));
    expect(await third.ask("/t1?offset=0")).toMatchObject({
      status: "done",
      // Resumed, and the text in its mailbox.
      text: "Built.\nBuilt.\n",
      isEnd: true,
      result: "Built.",
    });
  });
});
