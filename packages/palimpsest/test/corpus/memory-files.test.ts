/**
 * Memory directories and trees of instruction files as people have them: read without a problem, given back to
 * the byte, edited in their own lines, their indexes within limits or cut with a warning.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { fitIndex, showIndex } from "#memory/files/fit-index.ts";
import { parseIndex } from "#memory/files/index-entries.ts";
import { formatMemoryFile, parseMemoryFile, updateMemoryFile } from "#memory/files/memory-file.ts";
import { memoryFileName } from "#memory/files/memory-file-name.ts";
import { isIndexName, removeIndexLine, setIndexLine } from "#memory/files/memory-index.ts";
import { importClaudeCodeMemory } from "#memory/transfer/from-claude-code.ts";
import { formatMemoryBundle, parseMemoryBundle } from "#memory/transfer/memory-bundle.ts";
import { corpusFolder, hasCorpus } from "../../../../test/helpers/corpus.ts";

interface CorpusText {
  readonly path: string;
  readonly bytes: number;
  readonly lines: number;
  readonly content: string;
}

function readSet(name: string): readonly CorpusText[] {
  const packed = readFileSync(join(corpusFolder, "memory-files", `${name}.jsonl.gz`));
  const lines = gunzipSync(packed).toString("utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as CorpusText);
}

const SETS = [
  // Sets of memories: files, those with a type, entries of their indexes.
  { set: "actorforth-memory", files: 1, typed: 0, entries: 0, fields: 0 },
  { set: "agentbuilder-memory", files: 7, typed: 6, entries: 6, fields: 24 },
  { set: "envkit-agent-memory", files: 79, typed: 75, entries: 74, fields: 300 },
  { set: "fastsense-agent-memory", files: 1, typed: 0, entries: 0, fields: 0 },
  { set: "recommendarr-memory", files: 14, typed: 13, entries: 13, fields: 39 },
  // Trees of instructions.
  { set: "claude-devtools-claude-md", files: 10, typed: 0, entries: 0, fields: 0 },
  { set: "dotfiles-agents-md", files: 84, typed: 0, entries: 0, fields: 135 },
  { set: "yellow-plugins-claude-md", files: 22, typed: 0, entries: 0, fields: 0 },
] as const;

const fieldsCount = (text: string): number => {
  const end = text.startsWith("---\n") ? text.indexOf("\n---\n") : -1;
  return end === -1 ? 0 : text.slice(4, end).split("\n").length;
};

describe.skipIf(!hasCorpus)("memory files of people (with the corpus)", () => {
  it.each(SETS)("$set is read whole, and given back to the byte", ({
    set,
    files,
    typed,
    entries,
    fields,
  }) => {
    const texts = readSet(set);
    const read = texts.map(({ path, content }) => ({ path, content, ...parseMemoryFile(path, content) }));
    expect(read.flatMap(({ problems }) => problems)).toEqual([]);
    expect(texts).toHaveLength(files);
    expect(read.filter(({ memory }) => memory.type !== undefined && memory.description !== "")).toHaveLength(
      typed,
    );
    expect(texts.reduce((sum, { content }) => sum + fieldsCount(content), 0)).toBe(fields);
    for (const { content, memory } of read) {
      expect(updateMemoryFile(content, memory) === content).toBe(true);
      expect(content.trimEnd().endsWith(memory.body.trimEnd())).toBe(true);
    }
    const indexes = texts.filter(({ path }) => isIndexName(path));
    expect(indexes.flatMap(({ content }) => parseIndex(content).entries)).toHaveLength(entries);
    for (const { content } of indexes) {
      expect(showIndex(content)).toMatchObject({ text: content, warning: undefined });
      expect(fitIndex(content, () => 1)).toMatchObject({ text: content, evicted: [], warning: undefined });
    }
  });

  it.each(SETS)("$set is edited in the lines that change", ({ set }) => {
    for (const { path, content } of readSet(set)) {
      const before = content.split("\n");
      const hasFrontmatter = fieldsCount(content) > 0;
      const added = updateMemoryFile(content, { supersededBy: "new.md", isConfirmed: true });
      expect(
        added
          .split("\n")
          .filter((line) => !before.includes(line))
          .map((line) => line.trim()),
      ).toEqual(
        hasFrontmatter
          ? ["confirmed: true", "supersededBy: new.md"]
          : expect.arrayContaining(["confirmed: true"]),
      );
      expect(added.length - content.length).toBeLessThan(60);
      const removed = updateMemoryFile(added, { supersededBy: undefined, isConfirmed: false });
      if (hasFrontmatter) expect(removed).toBe(content);
      else expect(removed.endsWith(content)).toBe(true);
      expect(parseMemoryFile(path, added).memory.body).toBe(parseMemoryFile(path, content).memory.body);
    }
  });

  it("names every memory of an index by a file that is there, and sets and removes a line and no more", () => {
    for (const { set } of SETS) {
      const texts = readSet(set);
      const paths = new Set(texts.map(({ path }) => path));
      for (const { path, content } of texts.filter((each) => isIndexName(each.path))) {
        const folder = path.slice(0, path.lastIndexOf("/") + 1);
        const { entries } = parseIndex(content);
        expect(entries.filter(({ file }) => !paths.has(folder + file))).toEqual([]);
        for (const { file, title, hook } of entries) {
          expect(setIndexLine(content, { file, title, hook }) === content).toBe(true);
          const without = removeIndexLine(content, file).split("\n");
          expect(content.split("\n").length - without.length).toBe(1);
        }
        const line = { file: memoryFileName("A new one", paths), title: "A new one", hook: "what is new" };
        const set = setIndexLine(content, line);
        expect(set.split("\n").filter((each) => !content.split("\n").includes(each))).toEqual([
          "- [A new one](a-new-one.md) — what is new",
        ]);
      }
    }
  });

  it.each([
    { set: "actorforth-memory", memories: 19, left: [] },
    { set: "agentbuilder-memory", memories: 6, left: ['text of the index below "Project Memory Index"'] },
    { set: "envkit-agent-memory", memories: 75, left: [] },
    { set: "fastsense-agent-memory", memories: 5, left: [] },
    { set: "recommendarr-memory", memories: 13, left: ['text of the index below "References"'] },
  ])("$set is imported and tells what stays behind", ({ set, memories, left }) => {
    const files = readSet(set).map(({ path, content }) => ({ path, text: content }));
    const imported = importClaudeCodeMemory(files);
    expect(imported.memories).toHaveLength(memories);
    expect(imported.notCarried.map(({ what }) => what.slice(0, what.indexOf(": ")))).toEqual(left);
    // What came over is written and read again as it is.
    for (const { memory } of imported.memories) {
      const { memory: read, problems } = parseMemoryFile("a.md", formatMemoryFile(memory));
      expect(problems).toEqual([]);
      expect(read).toMatchObject({ name: memory.name, description: memory.description, body: memory.body });
    }
    expect(parseMemoryBundle(formatMemoryBundle(files))).toEqual({
      files,
      notCarried: [],
      notCarriedCount: 0,
    });
  });

  it("shows indexes that are too large cut with a warning, however they grew", () => {
    const envkit = readSet("envkit-agent-memory").filter(({ path }) => isIndexName(path));
    const lines = envkit.flatMap(({ content }) =>
      content.split("\n").filter((line) => line.startsWith("- [")),
    );
    const grown = (count: number) =>
      `# Memory Index\n\n${Array.from({ length: count }, (_, i) => lines[i % lines.length]!.replace("](", `](${i}-`)).join("\n")}\n`;
    const many = grown(213).replaceAll(/ — .*/g, "");
    const shownMany = showIndex(many);
    expect(shownMany.linesCount).toBe(215);
    expect(shownMany.leftOut).toHaveLength(15);
    expect(shownMany.text.startsWith(many.split("\n").slice(0, 200).join("\n"))).toBe(true);

    const wide = grown(160);
    const shownWide = showIndex(wide);
    expect(shownWide.bytes).toBeGreaterThan(30_000);
    const kept = shownWide.text.slice(0, shownWide.text.indexOf("\n\n> WARNING"));
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(25_000);
    expect(wide.startsWith(`${kept}\n`)).toBe(true);
    expect(shownWide.warning).toContain("at most 200 lines and 25,000 bytes are shown");

    const fitted = fitIndex(wide, ({ file }) => Number.parseInt(file, 10));
    expect(fitted.bytes).toBeLessThanOrEqual(25_000);
    // The newest stay: worth grows with their number here.
    const evicted = fitted.evicted.map(({ file }) => Number.parseInt(file, 10));
    expect(evicted).toEqual(Array.from({ length: evicted.length }, (_, i) => i));
    expect(fitted.text).toContain("](159-");
  });
});
