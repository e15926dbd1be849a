/** The command as a process whose output cannot be written: a full disk, or a reader that has exited. */
import { spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openaiChat, writeTestFile } from "../../../../test/helpers/recordings.ts";
import { storedHome, storeSession } from "../../../../test/helpers/stored.ts";
import { BuiltPackage } from "../../../../test/tidy/built-package.ts";
import { chatPlace, modelOptions } from "../chat/chat-double.ts";

let installed: BuiltPackage;
let main: string;
beforeAll(() => {
  installed = new BuiltPackage();
  main = join(installed.folderOf("palimpsest-cli"), "dist/program/main.js");
});
afterAll(() => installed?.remove());

interface Place {
  readonly folder: string;
  readonly home: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the command in a shell, with its output sent to `target`. Returns its exit code and its messages. */
async function sent(
  { folder, home, env = {} }: Place,
  args: readonly string[],
  target: "> /dev/full" | "| head -n 1" | "| true",
  input = "",
): Promise<{ readonly code: number; readonly err: string }> {
  const command = ["sh", "-c", `("$0" "$@"; echo "code $?" >&2) ${target}`, process.execPath, main, ...args];
  const child = spawn(command[0]!, command.slice(1), {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", NODE_ENV: "production", ...env, PALIMPSEST_HOME: home },
    stdio: ["pipe", "ignore", "pipe"],
  });
  child.stdin.end(input);
  let err = "";
  child.stderr.on("data", (text: Buffer) => {
    err += text.toString();
  });
  await new Promise((resolve) => child.on("close", resolve));
  const [, before = "", code] = /^(.*)code (\d+)\n$/s.exec(err) ?? [];
  return { code: Number(code), err: before };
}

const FULL =
  "STORE_FAILED The output could not be written: ENOSPC: no space left on device, write. " +
  "Write it to another place, or free some space on its disk.\n";

/** Files of a home that only an open session has. */
function leasesOf(home: string): readonly string[] {
  return readdirSync(home, { recursive: true, encoding: "utf8" }).filter((name) => /lease|\.tmp$/.test(name));
}

describe.skipIf(!existsSync("/dev/full"))("output that cannot be written", () => {
  it.each([
    { format: "text", target: "> /dev/full", expected: { code: 1, err: FULL } },
    { format: "json", target: "> /dev/full", expected: { code: 1, err: FULL } },
    { format: "stream-json", target: "> /dev/full", expected: { code: 1, err: FULL } },
    { format: "stream-json", target: "| head -n 1", expected: { code: 141, err: "" } },
    { format: "json", target: "| true", expected: { code: 141, err: "" } },
  ] as const)("ends a run with $format $target, and closes its session", async ({
    format,
    target,
    expected,
  }) => {
    const place = await chatPlace(() => "An answer.");
    const args = ["run", "-p", "hi", ...modelOptions("compatible", place), "--output-format", format];
    expect(await sent(place, args, target)).toEqual(expected);
    expect(leasesOf(place.home)).toEqual([]);
    await place.provider.close();
  });

  it("ends a chat without a terminal, and closes its session", async () => {
    const place = await chatPlace(() => "An answer.");
    const args = ["chat", ...modelOptions("compatible", place)];
    expect(await sent(place, args, "> /dev/full", "hi\nand more\n")).toEqual({ code: 1, err: FULL });
    expect(leasesOf(place.home)).toEqual([]);
    await place.provider.close();
  });

  it("ends a list, an export, a replay and a help with the same words", async () => {
    const place = storedHome();
    const id = await storeSession(place, { title: "Ledgers", resultLines: 2_000 });
    const recording = writeTestFile("recording.json", openaiChat(20));
    for (const args of [
      ["sessions", "list"],
      ["sessions", "list", "--json"],
      ["sessions", "export", id],
      ["sessions", "export", id, "-f", "jsonl"],
      ["replay", recording, "--window", "32k"],
      ["--help"],
    ]) {
      expect(await sent(place, args, "> /dev/full"), args.join(" ")).toEqual({ code: 1, err: FULL });
    }
    expect(await sent(place, ["sessions", "export", id, "-f", "jsonl"], "| true")).toEqual({
      code: 141,
      err: "",
    });
    expect(leasesOf(place.home)).toEqual([]);
  });
});
