/**
 * The index: lines of memories are found in every form, changed alone, and taken out by value only. Its laws have
 * five times as many runs with PALIMPSEST_LONG.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isWellFormed } from "#base/text/text.ts";
import { fitIndex, indexSize, showIndex } from "#memory/files/fit-index.ts";
import { parseIndex } from "#memory/files/index-entries.ts";
import { isIndexName, removeIndexLine, setIndexLine } from "#memory/files/memory-index.ts";
import { anyValue, runs } from "./frontmatter-arbitraries.ts";

describe("a line of an index", () => {
  it.each([
    { line: "- [Deploy days](deploy.md) — Tuesdays", found: ["deploy.md", "Deploy days", "Tuesdays"] },
    { line: "* [Deploy days](deploy.md) - Tuesdays", found: ["deploy.md", "Deploy days", "Tuesdays"] },
    { line: "- [Deploy days](deploy.md): Tuesdays", found: ["deploy.md", "Deploy days", "Tuesdays"] },
    { line: "- [deploy.md](deploy.md) -- Tuesdays", found: ["deploy.md", "deploy.md", "Tuesdays"] },
    { line: "1. [Deploy](deploy.md)\n   — on\n     Tuesdays", found: ["deploy.md", "Deploy", "on Tuesdays"] },
    { line: "- **[Deploy](deploy.md)** — Tuesdays", found: ["deploy.md", "Deploy", "Tuesdays"] },
    { line: "  - [Deploy](./team/deploy.md#when)", found: ["team/deploy.md", "Deploy", ""] },
    { line: "- [[deploy-days]] — Tuesdays", found: ["deploy-days.md", "deploy-days", "Tuesdays"] },
    { line: '- [t.Setenv("K","") [x]](a.md) — b', found: ["a.md", 't.Setenv("K","") [x]', "b"] },
    { line: "- [a \\] b](a.md) — b", found: ["a.md", "a ] b", "b"] },
    { line: "- [部署日](部署.md) — 每周二", found: ["部署.md", "部署日", "每周二"] },
    { line: "- [a](<my file.md> ) - b", found: undefined },
    { line: "- [a](<my file.md>) — b", found: ["my file.md", "a", "b"] },
    { line: '- [a](my%20file.md "title") — b', found: ["my file.md", "a", "b"] },
    { line: "- [site](https://a.example/b.md)", found: undefined },
    { line: "- [out](../secret.md)", found: undefined },
    { line: "- [out](%2e%2e/secret.md)", found: undefined },
    { line: "- [out](/etc/passwd.md)", found: undefined },
    { line: "- [out](C:\\a.md)", found: undefined },
    { line: "- [script](run.sh)", found: undefined },
    { line: "- `docs/a.md` — prose", found: undefined },
    { line: "See [Deploy](deploy.md).", found: undefined },
    { line: "```\n- [Deploy](deploy.md)\n```", found: undefined },
    { line: "- see [Deploy](deploy.md)", found: undefined },
  ])("$line", ({ line, found }) => {
    const [entry, ...more] = parseIndex(`# Index\n\n${line}\n`).entries;
    expect(entry && [entry.file, entry.title, entry.hook]).toEqual(found);
    expect(more).toEqual([]);
  });

  it("stands under the heading of its kind", () => {
    const { entries } = parseIndex(
      "- [0](0.md)\n## User\n- [1](1.md)\n### More\n- [2](2.md)\n## References\n- [3](3.md)\n",
    );
    expect(entries.map(({ type }) => type)).toEqual([undefined, "user", undefined, "reference"]);
  });
});

const LINE = { file: "new.md", title: "New", hook: "what is new", type: "feedback" } as const;
const WRITTEN = "- [New](new.md) — what is new";

describe("setting a line", () => {
  it.each([
    { before: "", after: `# Memory\n\n## Feedback\n\n${WRITTEN}\n`, why: "begins an index" },
    {
      before: "# I\n\n- [A](a.md) — a\n",
      after: `# I\n\n- [A](a.md) — a\n${WRITTEN}\n`,
      why: "goes on with a plain list",
    },
    {
      before: "# I\n\n- [A](a.md) — a",
      after: `# I\n\n- [A](a.md) — a\n${WRITTEN}\n`,
      why: "behind a line without an end",
    },
    {
      before: "## Feedback\n\n- [A](a.md)\n\nProse.\n\n## User\n\n- [B](b.md)\n",
      after: `## Feedback\n\n- [A](a.md)\n${WRITTEN}\n\nProse.\n\n## User\n\n- [B](b.md)\n`,
      why: "goes behind the last one of its kind",
    },
    {
      before: "## User\r\n\r\n## Feedback\r\n\r\n## Project\r\n",
      after: `## User\r\n\r\n## Feedback\r\n\r\n${WRITTEN}\r\n\r\n## Project\r\n`,
      why: "goes into the empty section of its kind",
    },
    {
      before: "# I\n\n### User\n- [A](a.md)\n\n#### Old\n- [B](b.md)\n\n# Else\n",
      after: `# I\n\n### User\n- [A](a.md)\n\n#### Old\n- [B](b.md)\n\n### Feedback\n\n${WRITTEN}\n\n# Else\n`,
      why: "makes a section beside those of other kinds",
    },
    {
      before: "Only prose.\n",
      after: `Only prose.\n\n## Feedback\n\n${WRITTEN}\n`,
      why: "goes behind prose",
    },
    { before: "1. [A](a.md)\n", after: "1. [A](a.md)\n2. [New](new.md) — what is new\n", why: "counts on" },
    {
      before: "* [New](new.md): old\n- x\n",
      after: "* [New](new.md): what is new\n- x\n",
      why: "changes its line",
    },
    {
      before: "- [New](new.md) — old\n  and more\n- [A](a.md)\n- [New](./new.md)\n",
      after: `${WRITTEN}\n- [A](a.md)\n`,
      why: "changes all of its lines, and there is one of them",
    },
    { before: `${WRITTEN}\n\n\nx`, after: `${WRITTEN}\n\n\nx`, why: "changes nothing where it is there" },
  ])("$why", ({ before, after }) => {
    const set = setIndexLine(before, LINE);
    expect(set).toBe(after);
    expect(setIndexLine(set, LINE)).toBe(set);
  });

  it("keeps it within its length", () => {
    const set = setIndexLine("", { file: "a.md", title: "T".repeat(300), hook: "h".repeat(900) });
    const line = set.split("\n").find((each) => each.startsWith("- "))!;
    expect(line).toHaveLength(200);
    expect(line).toMatch(/^- \[T{79}…\]\(a\.md\) — h+…$/);
  });

  it("never makes more than its own line, whatever it says", () => {
    fc.assert(
      fc.property(anyValue, anyValue, (title, hook) => {
        const before = "# I\n\n- [A](a.md) — a\n\nProse.\n";
        const set = setIndexLine(before, { file: "new.md", title, hook });
        const { entries, lines } = parseIndex(set);
        expect(entries.map(({ file }) => file)).toEqual(["a.md", "new.md"]);
        expect(lines).toHaveLength(6);
        expect(removeIndexLine(set, "new.md")).toBe(before);
      }),
      runs(1_000),
    );
  });

  it("finds a file of any name again", () => {
    const anyFile = anyValue
      .filter((name) => /^[^\\/:~\p{Cc}]*$/u.test(name) && isWellFormed(name))
      .map((name) => `x${name}.md`);
    fc.assert(
      fc.property(anyFile, (file) => {
        const set = setIndexLine("", { file, title: "T", hook: "h" });
        expect(parseIndex(set).entries.map((entry) => entry.file)).toEqual([file]);
        expect(parseIndex(removeIndexLine(set, file)).entries).toEqual([]);
      }),
      runs(1_000),
    );
  });
});

/** An index of people: headings, prose, lines of memories in several forms. */
const anyIndex = fc
  .array(
    fc.constantFrom(
      ...["# Index", "## User", "## Feedback", "", "Prose of a person.", "- a point", "```", "  below"],
      ...[
        "- [A](a.md) — a",
        "* [B](b.md): b",
        "1. [C](c.md)",
        "- [[d]]",
        "  - [E](e.md) - e",
        "- [A](a.md) again",
      ],
    ),
    { maxLength: 30 },
  )
  .chain((lines) => fc.constantFrom("\n", "\r\n").map((end) => lines.join(end)));

describe("any index", () => {
  it("keeps every line that is not of the memory", () => {
    fc.assert(
      fc.property(
        anyIndex,
        fc.constantFrom("a.md", "b.md", "c.md", "new.md"),
        fc.constantFrom("user", undefined),
        (text, file, type) => {
          const others = (index: string) =>
            parseIndex(removeIndexLine(index, file))
              .lines.map((line) => line.text)
              .filter((line) => line.trim() !== "");
          const set = setIndexLine(text, { file, title: "T", hook: "h", type });
          expect(others(set).filter((line) => !/^(?:# Memory|#+ User)$/.test(line))).toEqual(
            others(text).filter((line) => !/^(?:# Memory|#+ User)$/.test(line)),
          );
          expect(parseIndex(set).entries.filter((entry) => entry.file === file)).toHaveLength(1);
          const rest = parseIndex(text).entries.filter((entry) => entry.file !== file);
          expect(parseIndex(removeIndexLine(text, file)).entries.map((entry) => entry.file)).toEqual(
            rest.map((entry) => entry.file),
          );
        },
      ),
      runs(1_500),
    );
  });

  it("fits after fitting, without a line of prose less, and loses its least valuable lines", () => {
    fc.assert(
      fc.property(
        anyIndex,
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 20, max: 400 }),
        (text, lines, bytes) => {
          const relevanceScore = (file: string): number => file.charCodeAt(0) % 3;
          const fitted = fitIndex(text, ({ file }) => relevanceScore(file), { lines, bytes });
          const { lines: all, entries } = parseIndex(text);
          const prose = all.filter(
            (_, at) => !entries.some(({ fromLine, toLine }) => at >= fromLine && at < toLine),
          );
          const left = parseIndex(fitted.text).lines.map((line) => line.text);
          // In its order: each line is found behind the one before.
          for (const { text: line } of prose) {
            expect(left).toContain(line);
            left.splice(0, left.indexOf(line) + 1);
          }
          const kept = parseIndex(fitted.text).entries;
          expect(kept.length + fitted.evicted.length).toBe(parseIndex(text).entries.length);
          for (const lost of fitted.evicted)
            for (const stays of kept)
              expect(relevanceScore(lost.file)).toBeLessThanOrEqual(relevanceScore(stays.file));
          const { linesCount, bytes: size } = indexSize(fitted.text);
          if (fitted.evicted.length > 0) expect(linesCount <= lines && size <= bytes).toBe(true);
          else expect(fitted.text).toBe(text);
        },
      ),
      runs(1_500),
    );
  });
});

const manyLines = (count: number, hook: string): string =>
  `# Memory Index\n\n${Array.from({ length: count }, (_, i) => `- [M ${i}](m${i}.md) — ${hook}\n`).join("")}`;

describe("an index that is too large", () => {
  it("of 215 lines is shown cut by lines, with a warning", () => {
    const shown = showIndex(manyLines(213, "hook"));
    expect(shown.text.split("\n").slice(0, 200)).toEqual(manyLines(213, "hook").split("\n").slice(0, 200));
    expect(shown.warning).toBe(
      "WARNING: this index has 215 lines and 5,760 bytes; at most 200 lines and 25,000 bytes are shown. " +
        "Left out: lines 201 to 215, with 15 memories (m198.md, m199.md, m200.md, m201.md, m202.md, m203.md, m204.md, m205.md, m206.md, m207.md and 5 more). " +
        "The files are there and can be read and searched. To have all of it shown, keep one line of at most 200 characters for each memory and move details into its file.",
    );
    expect(shown.text.endsWith(`\n\n> ${shown.warning}\n`)).toBe(true);
    expect(shown.leftOut).toHaveLength(15);
  });

  it("of 30 KB is shown cut at the end of a line", () => {
    const text = manyLines(150, "界".repeat(60));
    expect(indexSize(text).bytes).toBeGreaterThan(30_000);
    const shown = showIndex(text);
    const before = shown.text.slice(0, shown.text.indexOf("\n\n> WARNING"));
    expect(text.startsWith(`${before}\n`)).toBe(true);
    expect(indexSize(before).bytes).toBeLessThanOrEqual(25_000);
    expect(indexSize(before).bytes).toBeGreaterThan(24_600);
    expect(shown.warning).toContain("Left out: lines 126 to 152, with 27 memories");
  });

  it("in one line is shown cut between characters", () => {
    const shown = showIndex("👩🏽‍💻".repeat(5_000));
    expect(isWellFormed(shown.text)).toBe(true);
    expect(shown.warning).toContain("this index has 1 line and 75,000 bytes");
    expect(shown.text.length).toBeGreaterThan(11_000);
  });

  it("is shown as it is where it fits, to the byte", () => {
    for (const text of ["", "\uFEFF# I\r\n", manyLines(198, "hook"), "x".repeat(25_000)])
      expect(showIndex(text)).toMatchObject({ text, warning: undefined, leftOut: [] });
  });

  it("of ours loses what is worth least, not what was written last", () => {
    const fitted = fitIndex(manyLines(201, "hook"), ({ file }) =>
      file === "m7.md" || file === "m100.md" ? 0 : 1,
    );
    expect(fitted.evicted.map(({ file }) => file)).toEqual(["m7.md", "m100.md", "m0.md"]);
    expect(fitted.text).toContain("m200.md");
    expect(fitted.linesCount).toBe(200);
    expect(fitted.warning).toBe(
      "The index holds 200 lines and 25,000 bytes at most: 3 memories lost their lines (m7.md, m100.md, m0.md). The memories stay and are found by searching.",
    );
  });

  it("warns before it is full", () => {
    expect(fitIndex(manyLines(178, "h"), () => 1).warning).toBeUndefined();
    expect(fitIndex(manyLines(179, "h"), () => 1).warning).toBe(
      "The index is nearly full: 181 lines and 4,271 bytes of 200 lines and 25,000 bytes. When it is full, the least relevant memories lose their lines.",
    );
  });

  it("is left as it is where a person's text alone is too much", () => {
    const text = `${"A person's line.\n".repeat(210)}- [A](a.md)\n`;
    const fitted = fitIndex(text, () => 1);
    expect([fitted.text, fitted.evicted]).toEqual([text, []]);
    expect(fitted.warning).toContain("was left as it is: move that text into other files");
  });
});

it.each([
  { path: "MEMORY.md", isIndex: true },
  { path: "team/memory.md", isIndex: true },
  { path: "MEMORY.md.md", isIndex: false },
  { path: "my-memory.md", isIndex: false },
])("$path is an index: $isIndex", ({ path, isIndex }) => {
  expect(isIndexName(path)).toBe(isIndex);
});
