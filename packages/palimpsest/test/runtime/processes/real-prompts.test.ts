/**
 * Programs as they really are: the last bytes that they write before they wait, judged after 45 s of a clock that a test
 * moves. `script` gives those a terminal that ask only there.
 */
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NodeTaskProcesses } from "#runtime/processes/node-task-processes.ts";
import { judgeSilence, type Silence } from "#tasks/silence.ts";
import { usualFew } from "../../../../../test/helpers/size-of-run.ts";
import { until } from "./until.ts";

const processes = new NodeTaskProcesses({ space: "this machine" });
const hasTool = (name: string): boolean =>
  process.platform === "linux" && spawnSync("sh", ["-c", `command -v ${name}`]).status === 0;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "palimpsest-prompts-"));
  writeFileSync(
    join(folder, "long.txt"),
    Array.from({ length: 500 }, (_, line) => `line ${line}\n`).join(""),
  );
  writeFileSync(join(folder, "short.txt"), "short\n");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs it until its output is as expected, and judges it as if 45 s had passed since. */
async function judge(command: string, isThere: (text: string, cpuMs: number) => boolean): Promise<Silence> {
  let output = Buffer.alloc(0);
  const task = processes.start({
    command: `cd ${folder}; export LC_ALL=C LINES=24 COLUMNS=80; ${command}`,
    stdin: "open",
    token: randomUUID(),
    onOutput: (bytes) => {
      output = Buffer.concat([output, bytes]);
    },
  });
  try {
    await until(() => isThere(output.toString("utf8"), task.cpuMs() ?? 0));
    return judgeSilence({ silentMs: 45_000, lastBytes: output.subarray(-500), cpuMs: task.cpuMs() });
  } finally {
    await task.stop(0);
  }
}

const inTerminal = (command: string, term = "xterm") => `TERM=${term} script -qec '${command}' /dev/null`;

const WAITING = [
  {
    tool: "script",
    command: inTerminal('bash -c "read -p \\"Continue? [y/N] \\" a"'),
    end: /N\] $/,
    pattern: "yes or no",
  },
  {
    tool: "bash",
    command:
      "echo 'After this operation, 1,024 kB will be used.'; printf 'Do you want to continue? [Y/n] '; read a",
    end: /n\] $/,
    pattern: "yes or no",
  },
  {
    tool: "ssh-keygen",
    command: inTerminal("ssh-keygen -t ed25519 -f key"),
    end: /passphrase.*: $/,
    pattern: "password",
  },
  { tool: "rm", command: "rm -i short.txt", end: /\? $/, pattern: "question" },
  { tool: "cp", command: "cp -i short.txt long.txt", end: /\? $/, pattern: "question" },
  { tool: "less", command: inTerminal("less long.txt"), end: /long\.txt|:/, pattern: "pager" },
  { tool: "less", command: inTerminal("less long.txt", "dumb"), end: /RETURN/, pattern: /pager|press a key/ },
  { tool: "less", command: inTerminal("seq 500 | less"), end: /22.*\n.*:/s, pattern: "pager" },
  { tool: "more", command: inTerminal("more long.txt"), end: /More/, pattern: "pager" },
  { tool: "python3", command: "python3 -i -q", end: />>> $/, pattern: "interpreter" },
  { tool: "node", command: "node -i", end: /> $/, pattern: "interpreter" },
  { tool: "bash", command: "PS1='$ ' bash --norc -i 2>&1", end: /\$ $/, pattern: "shell" },
  { tool: "sqlite3", command: "sqlite3 -interactive", end: /sqlite> $/, pattern: "interpreter" },
  { tool: "gdb", command: "gdb -q", end: /\(gdb\) $/, pattern: "interpreter" },
  { tool: "npm", command: "npm init", end: /: \([^)]*\) $/, pattern: "field with a default" },
  {
    tool: "openssl",
    command: inTerminal("openssl genrsa -aes256 -out k.pem 2048"),
    end: /phrase:$/,
    pattern: "password",
  },
];

const QUIET = [
  {
    what: "a silent compiler",
    command: "echo 'cc -O2 -c main.c'; while :; do :; done",
    isThere: (_: string, cpuMs: number) => cpuMs > 300,
  },
  {
    what: "a job that sleeps",
    command: "echo 'Waiting for the deployment ...'; sleep 600",
    isThere: (text: string) => text !== "",
  },
  {
    what: "a step without an end of line",
    command: "printf 'Compiling main.c: '; sleep 600",
    isThere: (text: string) => text !== "",
  },
  {
    what: "a script that asked before",
    command: "printf 'Continue? [y/N] '; echo y; echo Installing; sleep 600",
    isThere: (text: string) => text.includes("Inst"),
  },
];

describe("a real program that waits", () => {
  it.each(
    usualFew(
      WAITING.filter(({ tool }) => hasTool(tool) && hasTool("script")),
      3,
    ),
  )("is waiting: $command", async ({ command, end, pattern }) => {
    const silence = await judge(command, (text) => end.test(text.replace(/\x1b\[[\d;?]*[A-Za-z]/g, "")));
    expect(silence).toMatchObject({ state: "waiting", pattern: expect.stringMatching(pattern) });
  });

  it("is found here at all", () => {
    expect(WAITING.filter(({ tool }) => hasTool(tool)).length).toBeGreaterThan(
      process.platform === "linux" ? 5 : -1,
    );
  });
});

describe.skipIf(process.platform !== "linux")("a real program that does not wait", () => {
  it.each(usualFew(QUIET, 2))("is quiet: $what", async ({ command, isThere }) => {
    expect(await judge(command, isThere)).toMatchObject({ state: "quiet", silentMs: 45_000 });
  });
});
