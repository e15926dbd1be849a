/** Inputs that the arrow keys find, across programs. */
import { appendFileSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { InputHistory } from "#chat/terminal/input-history.ts";
import { testFolder } from "../../../../../test/helpers/compiled-once.ts";

const FILE = ".input-history.jsonl";

async function chatWith(folder: string | undefined, inputs: readonly string[]): Promise<readonly string[]> {
  const history = new InputHistory();
  const [early, ...others] = inputs;
  if (early !== undefined) history.add(early);
  const offered = await history.open(folder);
  for (const input of others) history.add(input);
  await history.settled();
  return offered;
}

it("The next program has the inputs of the one before, also of before it was open, each repeated one once", async () => {
  const folder = join(testFolder(), "project");
  expect(await chatWith(folder, ["one", "two\nlines", "two\nlines", "three"])).toEqual(["one"]);
  expect(await chatWith(folder, [])).toEqual(["one", "two\nlines", "three"]);
  expect(statSync(join(folder, FILE)).mode & 0o777).toBe(0o600);
});

it("A damaged file offers what can be read, and no terminal escapes", async () => {
  const folder = testFolder();
  await chatWith(folder, ["one"]);
  appendFileSync(join(folder, FILE), '"tw\n7\nnull\n"\\u001b[2Jthree"\n');
  expect(await chatWith(folder, [])).toEqual(["one", "three"]);
});

it("The file keeps the newest inputs, and no large ones", async () => {
  const folder = testFolder();
  const inputs = Array.from({ length: 250 }, (_, index) => `input ${index}`);
  await chatWith(folder, [...inputs, "x".repeat(5_000)]);
  const offered = await chatWith(folder, []);
  expect([offered.length, offered[0], offered.at(-1)]).toEqual([100, "input 150", "input 249"]);
  expect(readFileSync(join(folder, FILE), "utf8").trim().split("\n").length).toBe(100);
});

it("Nothing is written where nothing is stored", async () => {
  expect(await chatWith(undefined, ["one"])).toEqual(["one"]);
});
