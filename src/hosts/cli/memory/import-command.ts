/** `palimpsest memory import`: memories of another program, or of an export, with a report of what stayed behind. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { Command } from "commander";
import { MEMORY_WRITE_DEFAULTS } from "../../../base/defaults/memory-write.ts";
import { InputError } from "../../../base/errors.ts";
import { showOnOneLine } from "../../../base/hidden-characters.ts";
import type { MemoryImportReport } from "../../../engine/memory/import-memories.ts";
import type { ForeignFile } from "../../../memory/transfer/from-claude-code.ts";
import { type CommandShell, helpText } from "../sessions/command-shell.ts";
import { printJson } from "../sessions/print-json.ts";
import type { CliContext } from "../terminal.ts";
import { addMemoryOptions, MEMORY_JSON_VERSION, type MemoryFlags, withMemory } from "./memory-place.ts";

export function addImport(parent: Command, { context, exitWith }: CommandShell): void {
  const command = parent
    .command("import")
    .description("take memories over; what is there stays as it is")
    .argument(
      "<path>",
      "a memory directory of Claude Code, an export of ours, of mem0, or of the MCP memory server",
    );
  addMemoryOptions(command)
    .addHelpText(
      "after",
      helpText({
        examples: ["memory import ~/.claude/projects/my-app/memory", "memory import memory.jsonl --json"],
        notes: [
          "What another program kept is believed less than what a user said here, and nothing of it is confirmed.",
        ],
      }),
    )
    .action(async (path: string, flags: MemoryFlags) => exitWith(await runImport(path, flags, context)));
}

async function runImport(path: string, flags: MemoryFlags, context: CliContext): Promise<number> {
  const from = readForeign(resolve(context.folder, path));
  const report = await withMemory(flags, context, (memory) => memory.import(from));
  if (flags.json === true) printJson(context.out, { version: MEMORY_JSON_VERSION, ...report });
  else print(report, context);
  return 0;
}

function print(
  { receipts, notCarried, notCarriedCount }: MemoryImportReport,
  { out, err }: CliContext,
): void {
  for (const { status, path, origin, reason } of receipts) {
    const from = showOnOneLine(origin);
    out.write(
      `${status} ${path === undefined ? `${from}: ${showOnOneLine(reason)}` : `${showOnOneLine(path)} (from ${from})`}\n`,
    );
  }
  for (const { origin, what } of notCarried)
    err.write(`${err.styles.yellow(`not carried: ${showOnOneLine(origin)}: ${showOnOneLine(what)}`)}\n`);
  const more = notCarriedCount - notCarried.length;
  if (more > 0) err.write(`${err.styles.yellow(`and ${more} more`)}\n`);
  err.write(`${receipts.length} memories read, ${notCarriedCount} things not carried.\n`);
}

/** A file's text, or the Markdown files of a directory. @throws `InputError` */
function readForeign(path: string): string | readonly ForeignFile[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat === undefined)
    throw new InputError("INPUT_NOT_FOUND", {
      message: `There is no ${path}.`,
      hint: "Give the path of a memory directory or of an export.",
    });
  if (!stat.isDirectory()) {
    refuseLarge(path, stat.size);
    return readFileSync(path, "utf8");
  }
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.md$/i.test(name) && !/(?:^|[\\/])\./.test(name))
    .sort()
    .flatMap((name): readonly ForeignFile[] => {
      const file = join(path, name);
      const found = statSync(file, { throwIfNoEntry: false });
      if (found?.isFile() !== true) return [];
      refuseLarge(file, found.size);
      const text = readFileSync(file, "utf8");
      return [{ path: relative(path, file).replaceAll("\\", "/"), text, modifiedMs: found.mtimeMs }];
    });
}

function refuseLarge(path: string, bytes: number): void {
  const { importedBytes } = MEMORY_WRITE_DEFAULTS;
  if (bytes <= importedBytes) return;
  throw new InputError("INPUT_TOO_LARGE", {
    message: `${path} has ${bytes} bytes, and may have ${importedBytes}.`,
    hint: "Memories are short texts: see whether this is the right file.",
  });
}
