/**
 * `palimpsest memory import` and `export`: memories of another program, and all memories as one text. Both list
 * everything that stayed behind: an export may be the only copy that a user keeps.
 */
import { resolve } from "node:path";
import { parseMemoryBundle, showOnOneLine } from "palimpsest/internal";
import type { MemoryImportReport } from "palimpsest/memory";
import { parseChoice } from "../command-line/command.ts";
import { formatQuantity } from "../terminal/figures.ts";
import { readForeignMemories } from "./foreign-memories.ts";
import { type MemoryCall, type MemoryFlags, memoryCommand } from "./memory-place.ts";

/** Exit code if something was not imported or exported, or not whole. */
const INCOMPLETE = 3;

const FORMATS = ["jsonl", "md"] as const;

const exportAll = memoryCommand(
  {
    name: "export",
    isTextOnly: true,
    description:
      "write all memories to standard output: jsonl to be imported again to the byte, md for people",
    options: [["--format <format>", "jsonl or md", parseChoice("--format", FORMATS), "jsonl"]],
    examples: ["memory export > memories.jsonl", "memory export --format md > memories.md"],
    exitCodes: { [INCOMPLETE]: "some files are not in the export" },
  },
  async ({
    memory,
    flags: { format },
    context: { err },
  }: MemoryCall<MemoryFlags & { readonly format: (typeof FORMATS)[number] }>) => {
    const { problems } = await memory.list();
    const exported = new Set(parseMemoryBundle(await memory.export()).files.map((file) => file.path));
    // Parts of a file that were not understood are exported with their file.
    const left = problems.filter(({ path }) => !exported.has(path));
    return {
      out: await memory.export(format),
      err: left.map(({ path, detail }) =>
        err.styles.yellow(`not exported: ${showOnOneLine(path)}: ${showOnOneLine(detail)}`),
      ),
      exitCode: left.length > 0 ? INCOMPLETE : 0,
    };
  },
);

const importAll = memoryCommand(
  {
    name: "import",
    description: "import memories; existing ones stay as they are",
    args: {
      "<path>":
        "a memory directory of Claude Code, or an export of palimpsest, mem0 or the MCP memory server",
    },
    examples: ["memory import ~/.claude/projects/my-app/memory", "memory import memory.jsonl --json"],
    exitCodes: { [INCOMPLETE]: "something was refused, cut or not imported; the rest was imported" },
    notes: [
      "From a directory it reads Markdown files, but no links, no files with several hard links, no binaries.",
      "An export of palimpsest keeps its sources and confirmations.",
      "Memories in a subfolder stay in it, and are not merged with those of another folder.",
      "Memories of other programs rank below those a user said here, and are not confirmed.",
    ],
  },
  async ({ memory, context }: MemoryCall, path: string) => {
    const { from, refused } = readForeignMemories(resolve(context.folder, path));
    const imported = await memory.import(from);
    const report: MemoryImportReport = {
      ...imported,
      notCarried: [...refused, ...imported.notCarried],
      notCarriedCount: refused.length + imported.notCarriedCount,
      refusedCount: refused.length + imported.refusedCount,
    };
    return {
      json: report,
      out: report.receipts.map(({ status, path: written, origin, reason }) =>
        status === "rejected" || written === undefined
          ? `${status} ${showOnOneLine(origin)}: ${showOnOneLine(reason)}`
          : `${status} ${showOnOneLine(written)} (from ${showOnOneLine(origin)})`,
      ),
      err: [
        ...warningsOf(report).map((text) => context.err.styles.yellow(showOnOneLine(text))),
        `${formatQuantity(report.receipts.length, "memory", "memories")} read, ${report.notCarriedCount === 0 ? "everything was imported" : `${formatQuantity(report.notCarriedCount, "item")} not imported`}.`,
      ],
      exitCode: report.refusedCount > 0 ? INCOMPLETE : 0,
    };
  },
);

function warningsOf({ receipts, notCarried, notCarriedCount }: MemoryImportReport): readonly string[] {
  const more = notCarriedCount - notCarried.length;
  return [
    ...receipts.flatMap(({ path, origin, cleaned }) => {
      // Cuts are reported as not imported.
      const changed = cleaned.filter((change) => !change.startsWith("the end of "));
      return changed.length > 0 ? [`${path ?? origin}: Removed or escaped: ${changed.join(", ")}.`] : [];
    }),
    // Each memory is written by itself, and each may repeat the same warning about the index.
    ...new Set(receipts.flatMap(({ warnings }) => warnings)),
    ...notCarried.map(({ origin, what }) => `not imported: ${origin}: ${what}`),
    ...(more > 0 ? [`and ${more} more`] : []),
  ];
}

export const TRANSFER_MEMORY_COMMANDS = { import: importAll, export: exportAll };
