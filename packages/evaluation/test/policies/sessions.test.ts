/** The list of long recorded sessions that `bench:policies` and `bench:notes` replay. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { importFile } from "palimpsest/formats";
import { tokenizerRatio } from "palimpsest/tokens";
import { trajectoryOf } from "palimpsest-testing/internal";
import { expect, it, vi } from "vitest";
import { testFolder } from "../../../../test/helpers/compiled-once.ts";
import { listSessions } from "../../bench/policies/sessions.mjs";

const tools = {
  importFile,
  trajectoryOf,
  tokenizerRatio,
  mainModel: () => "claude-opus-4-5",
};

it("lists the long sessions with their requests, by group and name, and either half of them", async () => {
  const corpus = testFolder();
  mkdirSync(join(corpus, "trajectories"));
  const record = (name: string, pages: number) => {
    const page = { role: "user", content: "Read this page. ".repeat(10_000) };
    const answer = { role: "assistant", content: "I read it." };
    const messages = Array.from({ length: pages }, () => [page, answer]).flat();
    writeFileSync(join(corpus, "trajectories", `${name}.json`), JSON.stringify(messages));
  };
  record("b-long", 3);
  record("c-short", 1);
  record("a-longer", 5);

  const listed = await listSessions(corpus, "all", tools);
  expect(listed.map(({ name, group, requests }) => ({ name, group, requests }))).toEqual([
    { name: "a-longer", group: "other", requests: 5 },
    { name: "b-long", group: "other", requests: 3 },
  ]);
  const even = await listSessions(corpus, "even", tools);
  expect(even.map(({ name }) => name)).toEqual(["a-longer"]);
  const odd = await listSessions(corpus, "odd", tools);
  expect(odd.map(({ name }) => name)).toEqual(["b-long"]);
});

it("leaves out a file that is not a recording", async () => {
  const corpus = testFolder();
  mkdirSync(join(corpus, "trajectories"));
  for (const [name, text] of [
    ["a.json", "{}"],
    ["b.jsonl", "no record\n"],
    ["c.json", ""],
  ] as const)
    writeFileSync(join(corpus, "trajectories", name), text);
  const words = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  expect(await listSessions(corpus, "all", tools)).toEqual([]);
  expect(words.mock.calls.map(([line]) => String(line).slice(0, 10))).toEqual(Array(3).fill("Left out: "));
  words.mockRestore();
});
