/** `palimpsest chat` without a terminal: lines in, plain text out. */

import { Readable } from "node:stream";
import { callTool } from "palimpsest-testing";
import { expect, it } from "vitest";
import { runCli } from "#program/program.ts";
import { cliDouble } from "../../../../../test/helpers/cli-double.ts";
import { chatPlace, modelOptions } from "../chat-double.ts";

it("takes messages and commands as lines, denies what needs a person, and says so in plain text", async () => {
  const place = await chatPlace([
    callTool("shell", { command: "touch made" }),
    "I may not \u001b[31mrun\u001b[0m commands.",
  ]);
  const context = cliDouble({ folder: place.folder, env: place.env });
  const stdin = Object.assign(Readable.from(["Make a file.\n", "/contxt\n/context\n", "/quit\nnever\n"]), {
    isTTY: false,
  });
  const args = ["chat", ...modelOptions("compatible", place)];
  expect(await runCli(args, { ...context, stdin }, "1.2.3")).toBe(0);
  const { out } = context.written;
  expect(out).toMatch(/failed: shell touch made\n {2}not allowed: it needs permission/);
  expect(out).toContain("I may not run commands.");
  expect(out).toContain("There is no command /contxt.");
  expect(out).toMatch(/█ system prompt +\d/);
  expect(out).not.toContain("\u001b");
  expect(out).not.toContain("never");
  expect(place.provider.violations).toEqual([]);
  await place.provider.close();
});
