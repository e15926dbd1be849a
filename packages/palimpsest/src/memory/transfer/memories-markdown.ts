/**
 * Formats memories as one Markdown document, by type, for people and for programs without directories. It is for
 * reading; a bundle can be imported again.
 */
import { showHidden, showOnOneLine } from "../../base/text/hidden-characters.ts";
import { readLines } from "../../base/text/markdown-lines.ts";
import { MEMORY_TYPES, type Memory } from "../files/memory.ts";
import { formatTime } from "../files/memory-fields.ts";
import { KIND_TITLES } from "../files/memory-index.ts";

/** The document. */
export function formatMemoriesMarkdown(memories: readonly Memory[]): string {
  const kinds = [...MEMORY_TYPES, "other"] as const;
  const sections = kinds.flatMap((kind) => {
    const own = memories.filter(({ type }) => (type ?? "other") === kind);
    return own.length === 0
      ? []
      : [`## ${kind === "other" ? "Other" : KIND_TITLES[kind]}\n`, ...own.map(formatMemory)];
  });
  return ["# Memories\n", ...sections].join("\n");
}

function formatMemory(memory: Memory): string {
  const { name, description, body } = memory;
  const parts = [
    `### ${showOnOneLine(name)}`,
    factsOf(memory)
      .map((fact) => `- ${fact}`)
      .join("\n"),
    ...(description === "" ? [] : [`> ${showOnOneLine(description)}`]),
    ...(body.trim() === "" ? [] : [withLowerHeadings(body)]),
  ];
  return `${parts.join("\n\n")}\n`;
}

function factsOf(memory: Memory): readonly string[] {
  const { path, source, createdAtMs, updatedAtMs, isConfirmed, isQuarantined, supersededBy } = memory;
  const times = [
    { word: "created", time: createdAtMs === undefined ? undefined : formatTime(createdAtMs) },
    { word: "updated", time: updatedAtMs === undefined ? undefined : formatTime(updatedAtMs) },
  ];
  return [
    `file: \`${showOnOneLine(path).replaceAll("`", "'")}\``,
    `source: ${source}${isConfirmed ? ", confirmed" : ""}${isQuarantined ? ", quarantined" : ""}`,
    ...times.flatMap(({ word, time }) => (time === undefined ? [] : [`${word}: ${time}`])),
    ...(supersededBy === undefined ? [] : [`superseded by: ${showOnOneLine(supersededBy)}`]),
  ];
}

const MEMORY_LEVEL = 3;
const LOWEST_LEVEL = 6;

/** The text with its headings below that of its memory. */
function withLowerHeadings(body: string): string {
  const lines = readLines(showHidden(body).trimEnd()).map(({ text, ending, heading }) => {
    if (heading === undefined) return text + ending;
    const level = Math.min(LOWEST_LEVEL, heading.level + MEMORY_LEVEL);
    return `${"#".repeat(level)} ${heading.title}${ending}`;
  });
  return lines.join("");
}
