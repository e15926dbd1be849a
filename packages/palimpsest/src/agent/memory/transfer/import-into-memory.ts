/**
 * Takes memories over, and says of each what became of it and of everything else why it stayed behind.
 *
 * A bundle of ours is put back as it is (`restore-bundle.ts`). What comes from another program is remembered like any
 * other fact: cleaned, compared with what is known, and never believed more than what a user said here.
 */
import { InputError, OptionError } from "../../../base/errors.ts";
import { isObject } from "../../../base/json/json.ts";
import { memoryFileName } from "../../../memory/files/memory-file-name.ts";
import { TEAM_FOLDER } from "../../../memory/files/memory-index.ts";
import { type ForeignFile, importClaudeCodeMemory } from "../../../memory/transfer/from-claude-code.ts";
import { importMcpMemory, isMcpRecord } from "../../../memory/transfer/from-mcp-memory.ts";
import { importMem0, isMem0Record } from "../../../memory/transfer/from-mem0.ts";
import {
  type ImportedMemory,
  ImportLog,
  type MemoryFormat,
  type MemoryImport,
  type NotCarried,
  readJsonRecords,
} from "../../../memory/transfer/imported-memory.ts";
import { isMemoryBundle } from "../../../memory/transfer/memory-bundle.ts";
import type { MemoryReceipt } from "../../../memory/write/memory-receipt.ts";
import type { MemoryStore } from "../../../ports/memory-store.ts";
import type { RememberOptions } from "../store/fresh-memory.ts";
import type { MemoryWriter } from "../store/memory-writer.ts";
import { restoreBundle } from "./restore-bundle.ts";

/** The outcome for one memory, with its place in the imported data. */
type ImportReceipt = MemoryReceipt & { readonly origin: string };

/** The result of an import. */
export interface MemoryImportReport {
  readonly format: MemoryFormat;
  readonly receipts: readonly ImportReceipt[];
  /** Items that were not imported, with reasons; the first ones of a long list. */
  readonly notCarried: readonly NotCarried[];
  readonly notCarriedCount: number;
  /**
   * The number of those that should have been imported: texts that were cut or empty, lines and fields of a Claude
   * Code directory without a place here, files whose name is taken, damaged records. The others mean nothing here, or
   * are history.
   */
  readonly refusedCount: number;
}

interface Rememberer {
  remember(text: string, options: RememberOptions): Promise<MemoryReceipt>;
}

/** @throws as `PersistentMemory.import` */
export async function importInto(
  memory: Rememberer,
  {
    from,
    ...world
  }: {
    readonly store: MemoryStore;
    readonly writer: MemoryWriter;
    readonly from: string | readonly ForeignFile[];
  },
): Promise<MemoryImportReport> {
  if (typeof from !== "string" && !isFiles(from))
    throw new OptionError({
      message: "`import` was given neither a text nor a list of files.",
      hint: "Pass the text of an export, or `[{ path, text }]` for the files of a memory directory.",
    });
  if (typeof from === "string" && isMemoryBundle(from)) {
    const { read, receipts } = await restoreBundle(world, from);
    return reportOf(read, receipts);
  }
  const read = typeof from === "string" ? importMemories(from) : importClaudeCodeMemory(from);
  return rememberAll(memory, read);
}

function isFiles(from: unknown): boolean {
  const isFile = (one: unknown) =>
    isObject(one) && typeof one["path"] === "string" && typeof one["text"] === "string";
  return Array.isArray(from) && from.every(isFile);
}

async function rememberAll(memory: Rememberer, read: MemoryImport): Promise<MemoryImportReport> {
  const receipts: ImportReceipt[] = [];
  const folders = foldersOf(read.memories);
  for (const { memory: found, origin, folder } of inOrderOfTime(read.memories)) {
    const { name, description, type, decays, updatedAtMs, isQuarantined, sessionId, body } = found;
    const createdAtMs = found.createdAtMs ?? updatedAtMs;
    const receipt = await memory.remember(body, {
      name,
      source: "import",
      isConfirmed: false,
      ...(folder === undefined ? {} : { folder: folders.get(folder)! }),
      description,
      type,
      decays,
      ...(createdAtMs === undefined ? {} : { createdAtMs }),
      ...(updatedAtMs === undefined || updatedAtMs === createdAtMs ? {} : { updatedAtMs }),
      isQuarantined,
      sessionId,
    });
    receipts.push({ ...receipt, origin });
  }
  return reportOf(read, receipts);
}

/** Names for the folders that memories lay in, of one part each and fit for every system; never the team's. */
function foldersOf(memories: readonly ImportedMemory[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const folder of [...new Set(memories.flatMap(({ folder = [] }) => folder))].sort()) {
    const taken = [TEAM_FOLDER.replace("/", ".md"), ...[...names.values()].map((name) => `${name}.md`)];
    names.set(folder, memoryFileName(folder, taken).replace(/\.md$/, ""));
  }
  return names;
}

/** With what was lost on the way. */
function reportOf(
  { format, ...read }: Omit<MemoryImport, "memories">,
  receipts: readonly ImportReceipt[],
): MemoryImportReport {
  const log = new ImportLog();
  for (const { origin, status, path, reason, cleaned } of receipts) {
    // What stands against it has a path: then it is history.
    if (status === "rejected" && path !== undefined) log.leave(origin, reason);
    else if (status === "rejected") log.refuse(origin, reason);
    for (const what of cleaned.filter((change) => change.startsWith("the end of ")))
      log.refuse(origin, `${what}: it is too long for one memory`);
  }
  const { notCarried, notCarriedCount, refusedCount } = log.end(format);
  return {
    format,
    receipts,
    notCarried: [...notCarried, ...read.notCarried],
    notCarriedCount: notCarriedCount + read.notCarriedCount,
    refusedCount: refusedCount + read.refusedCount,
  };
}

/** Programs export the newest first, or in no order; what says nothing of its time comes last, as it stood. */
function inOrderOfTime(memories: readonly ImportedMemory[]): readonly ImportedMemory[] {
  const timeOf = ({ memory }: ImportedMemory): number =>
    memory.updatedAtMs ?? memory.createdAtMs ?? Number.MAX_VALUE;
  return memories.toSorted((one, other) => timeOf(one) - timeOf(other));
}

/**
 * Reads an export, whatever the text is.
 * @throws InputError `INPUT_EMPTY`, `INPUT_TOO_LARGE`, `FORMAT_UNKNOWN`
 */
export function importMemories(text: string): MemoryImport {
  const records = readJsonRecords(text, ["entities", "relations", "results", "memories"], new ImportLog());
  if (records.some(({ value }) => isMcpRecord(value))) return importMcpMemory(text);
  if (records.some(({ value }) => isMem0Record(value))) return importMem0(text);
  throw new InputError("FORMAT_UNKNOWN", {
    message:
      "The format of this export is unknown: it has neither entities of the MCP memory server nor memories of mem0.",
    hint: "Give `memory.jsonl` of the MCP memory server, what mem0's `get_all` returned, or a directory of Claude Code.",
  });
}
