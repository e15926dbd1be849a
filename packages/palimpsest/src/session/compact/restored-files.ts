/**
 * The restorer of recent files: ranked by evidence, read again by the host where it can, else as the log
 * last held them.
 */
import {
  entriesToRead,
  loggedInSteps,
  type RestorationSource,
} from "../../compaction/restore/restore-candidates.ts";
import { currentContent } from "../../compaction/restore/restore-content.ts";
import {
  type FileBudget,
  type FileCandidate,
  filesInSteps,
  RECENT_FILE_LABEL,
} from "../../compaction/restore/restore-files.ts";
import { firstCandidates } from "../../compaction/restore/restore-from-log.ts";
import type { Measure } from "../../compaction/shared/measure.ts";
import type { HistoryAccess } from "../../compaction/shared/pointer.ts";
import type {
  CurrentFile,
  FileRestorer,
  RestoreContext,
  RestoredItem,
  Restorer,
} from "../../ports/restorer.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";
import type { FairTurns } from "../turns/fair-turns.ts";

/** The sources of the restorer of recent files. */
interface RecentFilesOptions extends HistoryAccess {
  readonly source: RestorationSource;
  readonly budget: FileBudget;
  readonly measure: Measure;
  /** Reads the files as they are now. */
  readonly reader?: FileRestorer;
  /** Reads original blocks of an entry. */
  readonly readEntry?: EntryReader;
  readonly turns: FairTurns;
}

/** Reads the original blocks of an entry; `undefined` if there are none. */
export type EntryReader = (seq: number) => Promise<readonly ContentBlock[] | undefined>;

/** Returns the entries that could be read, for planners. Never rejects. */
export async function readEntries(
  seqs: readonly number[],
  read: EntryReader,
  turns: FairTurns,
): Promise<(seq: number) => readonly ContentBlock[] | undefined> {
  const found = new Map<number, readonly ContentBlock[] | undefined>();
  for (const seq of seqs) {
    await turns.take();
    found.set(seq, await read(seq).catch(() => undefined));
  }
  return (seq) => found.get(seq);
}

/** Files come after what is small and says what to do. */
const PRIORITY = 30;

/** Recent files: read while all restorers are asked, and cut to size once it is known what skills need. */
export interface RecentFiles {
  /** Reads the files; its answer has no items. */
  readonly restorer: Restorer;
  /** The files that were read, within `leftTokens`. */
  readonly itemsWithin: (leftTokens: number) => Promise<readonly RestoredItem[]>;
}

export function recentFiles(options: RecentFilesOptions): RecentFiles {
  const { source, budget, measure, turns } = options;
  let candidates: readonly FileCandidate[] = [];
  const restorer: Restorer = {
    name: "recent-files",
    priority: PRIORITY,
    budgetTokens: budget.filesTokens,
    itemTokens: budget.fileTokens,
    restore: async ({ signal }) => {
      const ranked = await turns.run(firstCandidates(source));
      const { readEntry, reader } = options;
      const contentOf =
        readEntry === undefined
          ? undefined
          : await readEntries(entriesToRead(ranked, source), readEntry, turns);
      const logged = await turns.run(loggedInSteps(ranked, source, contentOf));
      candidates = await Promise.all(logged.map((file) => withCurrent(file, reader, signal)));
      return [];
    },
  };
  const itemsWithin = async (leftTokens: number): Promise<readonly RestoredItem[]> => {
    const limits = { ...budget, filesTokens: Math.min(budget.filesTokens, Math.max(0, leftTokens)) };
    const { files, skipped } = await turns.run(filesInSteps(candidates, limits, measure, options));
    const visible = skipped.filter(({ reason }) => reason === "visible");
    return [
      ...files.map(({ path, ...file }) => ({ kind: "file", key: path, label: RECENT_FILE_LABEL, ...file })),
      ...visible.map(({ path }) => ({ kind: "file", key: path, text: "", isVisible: true })),
    ];
  };
  return { restorer, itemsWithin };
}

async function withCurrent(
  candidate: FileCandidate,
  reader: FileRestorer | undefined,
  signal: RestoreContext["signal"],
): Promise<FileCandidate> {
  const current = await readCurrent(candidate.path, reader, signal);
  if (current === undefined) return candidate;
  const isGone = current.state === "gone";
  return { ...candidate, current: isGone ? "gone" : currentContent(current.text, candidate.logged) };
}

async function readCurrent(
  path: string,
  reader: FileRestorer | undefined,
  signal: RestoreContext["signal"],
): Promise<Exclude<CurrentFile, { readonly state: "unreadable" }> | undefined> {
  try {
    const found = await reader?.read(path, { signal });
    if (found?.state === "gone") return found;
    return found?.state === "present" && typeof found.text === "string" ? found : undefined;
  } catch {
    // What the log held is there all the same, and its heading says how old it is.
    return undefined;
  }
}
