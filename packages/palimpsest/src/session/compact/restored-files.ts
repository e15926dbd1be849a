/**
 * The restorer of recent files: ranked by evidence, read again by the host where it can, else as the log
 * last held them.
 */
import {
  asCandidate,
  type RankedCandidate,
  type RestorationSource,
  rankCandidates,
  withOriginal,
} from "../../compaction/restore/restore-candidates.ts";
import { currentContent } from "../../compaction/restore/restore-content.ts";
import {
  type FileBudget,
  type FileCandidate,
  planFiles,
  RECENT_FILE_LABEL,
} from "../../compaction/restore/restore-files.ts";
import { CANDIDATES_COUNT } from "../../compaction/restore/restore-from-log.ts";
import type { FileUse } from "../../compaction/restore/restore-uses.ts";
import type { Measure } from "../../compaction/shared/measure.ts";
import type { HistoryAccess } from "../../compaction/shared/pointer.ts";
import type { CurrentFile, FileRestorer, RestoreContext, Restorer } from "../../ports/restorer.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";

/** The sources of the restorer of recent files. */
interface RecentFilesOptions extends HistoryAccess {
  readonly source: RestorationSource;
  readonly budget: FileBudget;
  readonly measure: Measure;
  /** Reads the files as they are now. */
  readonly reader?: FileRestorer;
  /** The original of a block that the window showed shortened. */
  readonly original?: (seq: number, block: number) => Promise<ContentBlock | undefined>;
}

/** Files come after what is small and says what to do. */
const PRIORITY = 30;

export function recentFilesRestorer(options: RecentFilesOptions): Restorer {
  const { source, budget, measure } = options;
  return {
    name: "recent-files",
    priority: PRIORITY,
    budgetTokens: budget.filesTokens,
    itemTokens: budget.fileTokens,
    restore: async ({ budgetTokens, signal }) => {
      const ranked = rankCandidates(source).slice(0, CANDIDATES_COUNT);
      const candidates = await Promise.all(ranked.map((file) => candidateOf(file, options, signal)));
      const limits = { ...budget, filesTokens: Math.min(budget.filesTokens, budgetTokens) };
      const { files, skipped } = planFiles(candidates, limits, measure, options);
      const shown = files.map(({ path, title, note, text, isCut }) => ({
        kind: "file",
        key: path,
        label: RECENT_FILE_LABEL,
        title,
        note,
        text,
        isCut,
      }));
      const visible = skipped.filter(({ reason }) => reason === "visible");
      return [
        ...shown,
        ...visible.map(({ path }) => ({ kind: "file", key: path, text: "", isVisible: true })),
      ];
    },
  } satisfies Restorer;
}

async function candidateOf(
  file: RankedCandidate,
  { reader, original }: RecentFilesOptions,
  signal: RestoreContext["signal"],
): Promise<FileCandidate> {
  const [uses, current] = await Promise.all([
    Promise.all(file.uses.map((use) => originalOf(use, original))),
    readCurrent(file.path, reader, signal),
  ]);
  const candidate = asCandidate({ ...file, uses });
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

async function originalOf(use: FileUse, original: RecentFilesOptions["original"]): Promise<FileUse> {
  const { isShortened, resultSeq, resultBlock } = use;
  if (isShortened !== true || resultSeq === undefined || resultBlock === undefined) return use;
  const block = await original?.(resultSeq, resultBlock).catch(() => undefined);
  return withOriginal(use, () => block);
}
