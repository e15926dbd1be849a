/**
 * Restores our own bundle, file by file and to the byte; an existing file of the same name stays as it is.
 *
 * An index has a line for each memory. If another index exists, it stays and gets lines for the restored memories:
 * sessions see only memories with a line. Other text of the bundle's index is left out and reported.
 */
import { errorMessage, PalimpsestError } from "../../../base/errors.ts";
import { isBlank, splitLines } from "../../../base/text/markdown-lines.ts";
import { firstLine } from "../../../base/text/text.ts";
import { type ParsedIndex, parseIndex } from "../../../memory/files/index-entries.ts";
import { parseMemoryFile } from "../../../memory/files/memory-file.ts";
import { INDEX_NAME, indexPathOf } from "../../../memory/files/memory-index.ts";
import { ImportLog, type MemoryImport } from "../../../memory/transfer/imported-memory.ts";
import { type BundledFile, parseMemoryBundle } from "../../../memory/transfer/memory-bundle.ts";
import { cleanMemoryText } from "../../../memory/trust/clean-memory.ts";
import type { MemoryReceipt } from "../../../memory/write/memory-receipt.ts";
import type { PlannedLine } from "../../../memory/write/plan-remember.ts";
import type { MemoryStore } from "../../../ports/memory-store.ts";
import type { MemoryWriter } from "../store/memory-writer.ts";
import { mountOf } from "../store/mounted-store.ts";

interface RestoredBundle {
  readonly receipts: readonly (MemoryReceipt & { readonly origin: string })[];
  /** Items left out, besides those that receipts reject. */
  readonly read: Omit<MemoryImport, "memories">;
}

export async function restoreBundle(
  { store, writer }: { readonly store: MemoryStore; readonly writer: MemoryWriter },
  text: string,
): Promise<RestoredBundle> {
  const bundle = parseMemoryBundle(text);
  const log = new ImportLog();
  const written: BundledFile[] = [];
  const receipts: RestoredBundle["receipts"][number][] = [];
  /** Indexes of the bundle in whose place another one stays. */
  const kept = new Map<string, ParsedIndex>();
  const placed = new Set<string>();
  for (const file of bundle.files) {
    const { status, reason, other } = await restoreFile(store, file);
    const { path } = file;
    const isKept = other !== undefined && isIndex(path);
    if (isKept) {
      const index = parseIndex(file.text);
      kept.set(path, index);
      const lost = otherText(index, other);
      if (lost !== "") log.refuse(path, `text of the index: ${lost}`);
    } else if (status === "written") written.push(file);
    if (!isKept && status !== "rejected") placed.add(path);
    const became = isKept ? { status: "merged" as const, reason: STAYS } : { status, reason };
    const found = became.status === "rejected" ? {} : { path };
    receipts.push({ ...became, ...found, superseded: [], cleaned: [], warnings: [], origin: path });
  }
  const unlisted = written.filter(({ path }) => !isIndex(path) && !placed.has(indexPathOf(path)));
  const warnings = await setLines(writer, linesOf(unlisted, kept), log);
  const withWarnings = receipts.map((receipt) =>
    kept.has(receipt.origin) ? { ...receipt, warnings } : receipt,
  );
  const { notCarried, notCarriedCount, refusedCount } = log.end("palimpsest");
  return {
    receipts: withWarnings,
    read: {
      format: "palimpsest",
      notCarried: [...bundle.notCarried, ...notCarried],
      notCarriedCount: bundle.notCarriedCount + notCarriedCount,
      // All that a bundle lacks is damage.
      refusedCount: bundle.notCarriedCount + refusedCount,
    },
  };
}

const STAYS = "There is another one, which stays; what was written has its lines in it.";

/** The index that a memory has its line in. */
const isIndex = (path: string): boolean => path === indexPathOf(path);

interface RestoredFile extends Pick<MemoryReceipt, "status" | "reason"> {
  /** The existing text in its place. */
  readonly other?: string;
}

async function restoreFile(store: MemoryStore, { path, text }: BundledFile): Promise<RestoredFile> {
  try {
    const there = await store.read(path);
    if (there?.text === text) return { status: "merged", reason: "It is there already, to the byte." };
    const applied = there === undefined && (await store.apply([{ path, base: undefined, text }])).isApplied;
    if (applied) return { status: "written", reason: "It is as it was exported." };
    const reason = `There is another ${path}, which stays as it is.`;
    return { status: "rejected", reason, other: there?.text };
  } catch (error) {
    return { status: "rejected", reason: errorMessage(error) };
  }
}

/** As the bundle's index has them, or as the memories say themselves. */
function linesOf(
  files: readonly BundledFile[],
  indexes: ReadonlyMap<string, ParsedIndex>,
): readonly PlannedLine[] {
  const entries = new Map(
    [...indexes].flatMap(([path, index]) =>
      index.entries.map((entry) => [mountOf(path) + entry.file, entry] as const),
    ),
  );
  return files.flatMap(({ path, text }): readonly PlannedLine[] => {
    const { memory } = parseMemoryFile(path, text);
    if (memory.isQuarantined || memory.supersededBy !== undefined) return [];
    const entry = entries.get(path);
    const title = cleanMemoryText(entry?.title ?? memory.name, "name").text;
    const hook = entry?.hook ?? (memory.description === "" ? firstLine(memory.body) : memory.description);
    const type = memory.type ?? entry?.type;
    return [{ path, title, hook: cleanMemoryText(hook, "hook").text, type }];
  });
}

async function setLines(
  writer: MemoryWriter,
  lines: readonly PlannedLine[],
  log: ImportLog,
): Promise<readonly string[]> {
  try {
    const { warnings } = await writer.write(({ memories }) => ({
      changes: [],
      lines: lines.filter(({ path }) => memories.has(path)),
      unlisted: [],
    }));
    return warnings;
  } catch (error) {
    // The memories are there, and are found by searching.
    if (!(error instanceof PalimpsestError)) throw error;
    log.refuse(INDEX_NAME, `the lines of what was written: ${error.message}`);
    return [];
  }
}

/** People's text between the lines and headings of an index that the other one lacks. */
function otherText({ lines, entries }: ParsedIndex, other: string): string {
  const there = new Set(splitLines(other).map(({ text }) => text.trim()));
  return lines
    .filter(
      ({ heading }, at) =>
        heading === undefined && !entries.some((each) => at >= each.fromLine && at < each.toLine),
    )
    .map(({ text }) => text.trim())
    .filter((text) => !isBlank(text) && !there.has(text))
    .join(" ");
}
