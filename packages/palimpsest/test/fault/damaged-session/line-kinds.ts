/** Damage of whole lines: lost, doubled, moved, foreign. Each line is as it was written. */
import { frame, type Kind, linesKind } from "./kind.ts";
import { ALL_MARKS } from "./sound-session.ts";

const indexOf = (lines: readonly string[], word: string): number =>
  lines.findIndex((line) => line.includes(word));

function inserted(lines: readonly string[], word: string, ...others: readonly string[]): readonly string[] {
  return lines.toSpliced(indexOf(lines, word), 0, ...others);
}

const MOVED = { quiet: "the numbers decide the order, and nothing is lost" };

const FOREIGN_LINES: Readonly<Record<string, readonly [string, string]>> = {
  "line-of-claude-code": [
    "a line of Claude Code's transcript stands in it",
    '{"type":"user","uuid":"0b1c","parentUuid":null,"sessionId":"s","message":{"role":"user","content":"stray"}}',
  ],
  "line-of-codex": [
    "a line of a Codex rollout stands in it",
    '{"timestamp":"2026-01-01T00:00:00Z","type":"response_item","payload":{"type":"message","role":"user","content":[]}}',
  ],
  "line-of-a-log": ["a line of a program's log stands in it", "2026-01-01T00:00:00Z WARN disk is slow"],
  "json-null": ["a line is `null`", "null"],
  "json-number": ["a line is a number", "5"],
  "json-list": ["a line is an empty list", "[]"],
  "json-string": ["a line is a string", '"entry"'],
  "empty-object": ["a line is an empty object", "{}"],
  "merge-conflict": ["marks of a merge conflict stand in it", "<<<<<<< HEAD"],
  "prototype-line": ["a line names `__proto__`", '{"__proto__":{"type":"message"},"seq":3}'],
  "deep-brackets": ["a line is 100,000 opening brackets", "[".repeat(100_000)],
};

const foreignKinds = Object.entries(FOREIGN_LINES).map(([name, [what, line]]) =>
  linesKind(name, what, (lines) => inserted(lines, "markfound", line)),
);

export const LINE_KINDS: readonly Kind[] = [
  ...foreignKinds,
  linesKind("duplicate-line", "a line is there twice, one after the other", (lines) =>
    inserted(lines, "markfound", lines[indexOf(lines, "markfound")]!),
  ),
  linesKind("duplicate-line-later", "an old line is there again at the end", (lines) => [
    ...lines,
    lines[indexOf(lines, "markplan")]!,
  ]),
  linesKind("duplicate-file", "the file holds itself twice", (lines) => [...lines, ...lines]),
  linesKind("duplicate-tail", "the last ten lines are there twice", (lines) => [
    ...lines,
    ...lines.slice(-10),
  ]),
  linesKind(
    "missing-line",
    "a line in the middle is gone without a trace",
    (lines) => lines.toSpliced(indexOf(lines, "markfile"), 1),
    {
      costs: ["markfile"],
    },
  ),
  linesKind(
    "missing-call",
    "the line with a tool call is gone",
    (lines) => lines.toSpliced(indexOf(lines, "markplan"), 1),
    {
      costs: ["markthought", "markplan", "markpath"],
    },
  ),
  linesKind(
    "missing-half-of-a-batch",
    "of two lines that were written together the second is gone",
    (lines) => {
      const answer = lines.findIndex(
        (line, index) => index > indexOf(lines, "markfound") && line.includes('"type":"answer"'),
      );
      return lines.toSpliced(answer, 1);
    },
  ),
  linesKind(
    "missing-first-of-a-batch",
    "of two lines that were written together the first is gone",
    (lines) => lines.toSpliced(indexOf(lines, "markfound"), 1),
    { costs: ["markfound"] },
  ),
  linesKind("missing-header", "the first line is gone", (lines) => lines.slice(1)),
  linesKind(
    "missing-first-half",
    "the first half of the lines is gone",
    (lines) => lines.slice(indexOf(lines, "markpicture")),
    {
      costs: ALL_MARKS.slice(0, ALL_MARKS.indexOf("markpicture")),
    },
  ),
  linesKind(
    "missing-ten-lines",
    "ten lines in the middle are gone",
    (lines) => lines.toSpliced(indexOf(lines, "markfile"), 10),
    {
      costs: [
        "markfile",
        "markboth",
        "markpattern",
        "markgrep",
        "marktests",
        "markreminder",
        "markfound",
        "markpicture",
      ],
    },
  ),
  linesKind(
    "swapped-neighbours",
    "two lines stand in the wrong order",
    (lines) => {
      const at = indexOf(lines, "markreminder");
      return lines.toSpliced(at - 1, 2, lines[at]!, lines[at - 1]!);
    },
    MOVED,
  ),
  linesKind(
    "line-moved-to-the-end",
    "a line stands at the end instead of in the middle",
    (lines) => {
      const at = indexOf(lines, "markreminder");
      return [...lines.toSpliced(at, 1), lines[at]!];
    },
    MOVED,
  ),
  linesKind(
    "line-moved-to-the-start",
    "a line stands before the first instead of in the middle",
    (lines) => {
      const at = indexOf(lines, "markreminder");
      return [lines[at]!, ...lines.toSpliced(at, 1)];
    },
    MOVED,
  ),
  linesKind(
    "halves-swapped",
    "the second half stands before the first",
    (lines) => {
      const at = indexOf(lines, "markfound");
      return [...lines.slice(at), ...lines.slice(0, at)];
    },
    MOVED,
  ),
  linesKind("reversed", "the lines stand in reverse order", (lines) => lines.toReversed(), MOVED),
  linesKind(
    "wrong-checksum",
    "a checksum is that of another line",
    (lines) => {
      const at = indexOf(lines, "markfound");
      return lines.with(at, lines[at + 1]!.slice(0, 16) + lines[at]!.slice(16));
    },
    { costs: ["markfound"] },
  ),
  linesKind(
    "no-checksum",
    "a line has no checksum",
    (lines) => {
      const at = indexOf(lines, "markfound");
      return lines.with(at, `{${lines[at]!.slice(18)}`);
    },
    { costs: ["markfound"] },
  ),
  linesKind(
    "no-checksums-at-all",
    "a tool that knows no checksums wrote every line anew",
    (lines) => lines.map((line) => `{${line.slice(18)}`),
    { costs: ALL_MARKS, isEmpty: true },
  ),
  linesKind(
    "upper-case-checksum",
    "a checksum is written in capitals",
    (lines) => {
      const at = indexOf(lines, "markfound");
      return lines.with(at, `${lines[at]!.slice(0, 8)}ABCDEF12${lines[at]!.slice(16)}`);
    },
    { costs: ["markfound"] },
  ),
  linesKind(
    "rewritten-json",
    "a line was parsed and written anew, with spaces",
    (lines) => {
      const at = indexOf(lines, "markfound");
      return lines.with(at, JSON.stringify(JSON.parse(lines[at]!), undefined, 1).replaceAll("\n", " "));
    },
    { costs: ["markfound"] },
  ),
  linesKind(
    "void-mark-on-a-whole-line",
    "a whole line was declared void",
    (lines) => {
      const at = indexOf(lines, "markfound");
      return lines.with(at, `${lines[at]!}#torn`);
    },
    { costs: ["markfound"] },
  ),
  linesKind("impossible-batch-mark", "a line says that it is the ninth of two", (lines) =>
    inserted(
      lines,
      "markfound",
      frame('{"batch":"9/2","type":"metadata","seq":9,"id":"x","v":1,"at":1,"key":"a","value":1}'),
    ),
  ),
  linesKind("open-batch-at-the-end", "of three lines that were written together two arrived", (lines) => {
    const seq = lines.length + 1;
    const part = (place: number): string =>
      frame(
        `{"batch":"${place}/3","type":"metadata","seq":${seq + place},"id":"x${place}","v":1,"at":1,"key":"a","value":1}`,
      );
    return [...lines, part(1), part(2)];
  }),
];
