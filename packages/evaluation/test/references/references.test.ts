/** The extractors by which survival is measured, and what a session uses again. */
import { describe, expect, it } from "vitest";
import { findPlainWords } from "#references/plain-words.ts";
import { keyOf, kindOfKey, referencesOf, textOfKey } from "#references/references.ts";
import { editedLines, linesIn } from "#references/verbatim-lines.ts";
import { assistant, aTrajectory, result, user } from "../../../../test/helpers/made-up-trajectories.ts";
import { filesBelow } from "../../../../test/tidy/source.ts";

const call = (input: object | string) => ({
  content: [{ type: "tool_use", id: "1", name: "Edit", input: input as never }] as const,
});

describe("editedLines", () => {
  const patch = [
    "apply_patch <<'PATCH'",
    "*** Begin Patch",
    "*** Update File: src/a.ts",
    "@@ function total() {",
    "   const kept = first + 1;",
    "-  const removed = second + 2;",
    "+  const added = third + 3;",
    "*** End Patch",
    "PATCH",
    ' echo "nothing of the patch"',
  ].join("\n");

  it.each([
    {
      input: {
        file_path: "a",
        old_string: "  const one = two(3);\n}\n  const two = one(3);",
        new_string: "x",
      },
      lines: ["const one = two(3);", "const two = one(3);"],
      why: "the old text, without lines below 16 characters",
    },
    {
      input: { edits: [{ oldText: "const one = two(3);", newText: "const four = 4;" }] },
      lines: ["const one = two(3);"],
      why: "a list of edits",
    },
    {
      input: { command: patch },
      lines: ["const kept = first + 1;", "const removed = second + 2;"],
      why: "context and removed lines of a patch, wherever it stands",
    },
    {
      input: `const patch = ${JSON.stringify(patch.slice(patch.indexOf("*** Begin")))};\ntext(await tools.apply_patch(patch));`,
      lines: ["const kept = first + 1;", "const removed = second + 2;"],
      why: "a patch that a script holds as a string",
    },
    { input: { content: "const written = 1 + 2 + 3;" }, lines: [], why: "a written file copies nothing" },
    { input: { command: "sed -i s/one/two/ src/a.ts" }, lines: [], why: "a command does not say" },
  ])("$why", ({ input, lines }) => {
    expect([...editedLines(call(input))]).toEqual(lines);
  });
});

describe("linesIn", () => {
  const line = "const one = two(3);";
  it.each([
    { text: `  ${line}`, why: "indented" },
    { text: `    12→  ${line}`, why: "behind a number and an arrow" },
    { text: `12\t${line}`, why: "behind a number and a tab" },
    { text: `src/a.ts:12:  ${line}`, why: "as a search prints it" },
    { text: `+  ${line}`, why: "added in a difference" },
    { text: `>   ${line}`, why: "quoted in a summary" },
    { text: `  > 12\t${line}`, why: "quoted with its number" },
  ])("finds a line $why", ({ text }) => {
    expect([...new Set(linesIn(`first\n${text}\nlast`, new Set([line])))]).toEqual([line]);
  });

  it("does not find a line that is longer or cut", () => {
    const text = `${line} // more\n${line.slice(0, -1)}`;
    expect(linesIn(text, new Set([line]))).toEqual([]);
  });
});

describe("findPlainWords", () => {
  it.each([
    { text: "Compaction keeps everything readable.", words: ["compaction", "everything", "readable"] },
    { text: "short and seventh", words: [] },
    { text: "parseArguments and parse_arguments and Arguments9", words: [] },
    { text: "src/simulator/transport.ts and simulator.ts and --quietly", words: [] },
    { text: "function compute(), const settings: number", words: ["function", "settings"] },
    { text: "Nothing EVERYTHING (something)", words: ["something"] },
  ])("of $text", ({ text, words }) => {
    expect([...findPlainWords(text)]).toEqual(words);
  });
});

describe("referencesOf", () => {
  const edit = (old: string) => ({ type: "tool_use", id: "1", name: "Edit", input: { old_string: old } });

  it("finds what an answer uses again, by kind, with where it was last", () => {
    const line = "const one = two(3);";
    const recording = aTrajectory([
      user(100, "please simplify this"),
      result(9_000, `7→${line}`),
      result(200, "nothing here"),
      assistant(100, "I simplify it to simplify reading"),
    ]);
    const messages = recording.messages.map((message, index) =>
      index < 3 ? message : { ...message, message: { role: "assistant", content: [edit(line)] } as never },
    );
    const references = referencesOf({ ...recording, messages });
    expect(references.of[3]).toEqual([
      { kind: "line", key: keyOf("line", line), source: 1, distanceTokens: 200 },
      { kind: "word", key: keyOf("word", "simplify"), source: 0, distanceTokens: 9_200 },
    ]);
    expect(references.keysInText(`+ ${line}`)).toEqual(references.keysOf(1));
  });

  it("tells keys of different kinds apart", () => {
    const keys = [keyOf("name", "a/b.ts"), keyOf("word", "simplify"), keyOf("line", "one = two")];
    expect(keys.map(kindOfKey)).toEqual(["name", "word", "line"]);
    expect(keys.map(textOfKey)).toEqual(["a/b.ts", "simplify", "one = two"]);
  });
});

it("The extractors of the measurement use nothing of the library but its types.", () => {
  const sources = filesBelow("packages/evaluation/src/references", ".ts");
  expect(sources).toHaveLength(3);
  const values = sources.flatMap(
    ({ text }) => text.match(/^import (?!type )[^;]*from "palimpsest[^;]*;/gm) ?? [],
  );
  expect(values).toEqual([
    'import { findMetricStrings, readableIn, type Trajectory } from "palimpsest-testing/internal";',
  ]);
  const [names] = filesBelow("packages/palimpsest-testing/src/metering", "metric-strings.ts");
  expect(names!.text.match(/^import .*/gm)).toBeNull();
});
