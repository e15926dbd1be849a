/**
 * `palimpsest run` in a process that is killed at a random moment, again and again: every `--continue` begins with a request
 * that the vendor accepts, and holds everything that was acknowledged before.
 */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { callTool, type ScriptStep } from "palimpsest-testing";
import { expect, it } from "vitest";
import { bySize } from "../../../../test/helpers/size-of-run.ts";
import { BuiltPackage } from "../../../../test/tidy/built-package.ts";
import { type ChatPlace, chatPlace, modelOptions } from "./chat-double.ts";

/** The command as it is published, which starts with a third of the work of one file for each source. */
const COMMAND = join(new BuiltPackage().folderOf("palimpsest-cli"), "dist/program/main.js");
const MOMENTS = bySize({ usual: 3, long: 30, soak: 100 });

interface Started {
  readonly child: ReturnType<typeof spawn>;
  /** Resolves with what was printed. */
  readonly ended: Promise<string>;
}

function start({ folder, env }: ChatPlace, args: readonly string[]): Started {
  const child = spawn(process.execPath, [COMMAND, "run", ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (text: Buffer) => {
      printed += text.toString();
    });
  return { child, ended: new Promise((resolve) => child.on("close", () => resolve(printed))) };
}

/** A number from 0 to `most`, the same for the same index. */
const pick = (index: number, most: number): number => ((index * 2_654_435_761) % 4_294_967_296) % (most + 1);

it(`continues after ${MOMENTS} kills, and loses nothing that the vendor has seen`, async () => {
  let asked = 0;
  let killAt = Number.POSITIVE_INFINITY;
  let running: Started | undefined;
  const place = await chatPlace(
    ({ lastUserText }): ScriptStep => {
      asked += 1;
      // While the request waits for its answer; else while the answer arrives, or a tool runs.
      if (asked === killAt) running?.child.kill("SIGKILL");
      return asked % 3 === 0
        ? `Done with ${lastUserText}`
        : callTool(
            asked % 3 === 1 ? "read" : "shell",
            asked % 3 === 1 ? { path: "a.txt" } : { command: `echo step ${asked}` },
          );
    },
    { files: { "a.txt": "some text\n" } },
  );
  // The SDK of this wire is the one that loads fastest.
  const model = [...modelOptions("compatible", place), "--allowed-tools", "shell"];
  const seen = new Set<string>();
  for (let moment = 0; moment < MOMENTS; moment++) {
    const prompt = `message ${moment}`;
    killAt = asked + 1 + pick(moment, 2);
    running = start(place, ["-p", prompt, ...model, ...(moment === 0 ? [] : ["--continue"])]);
    // A process that is not killed by its vendor is killed with what it prints.
    running.child.stdout?.once("data", () => running?.child.kill("SIGKILL"));
    await running.ended;
    const bodies = JSON.stringify(place.provider.requests.at(-1)?.body ?? "");
    // The prompt was in a request: it was durable before.
    if (bodies.includes(prompt)) seen.add(prompt);
  }
  killAt = Number.POSITIVE_INFINITY;
  const printed = await start(place, [
    "-p",
    "the last message",
    ...model,
    "--continue",
    "--output-format",
    "json",
  ]).ended;
  expect(JSON.parse(printed)).toMatchObject({ subtype: "success" });
  const last = JSON.stringify(place.provider.requests.at(-1)?.body);
  expect([...seen].filter((prompt) => !last.includes(prompt))).toEqual([]);
  expect(seen.size).toBeGreaterThan(MOMENTS / 2);
  expect(place.provider.violations).toEqual([]);
  await place.provider.close();
});
