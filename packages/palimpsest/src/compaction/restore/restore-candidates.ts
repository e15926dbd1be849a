/**
 * The files that may be put back after a compaction, best first: ranked by what the hidden and the kept
 * messages did to them, with what the digest knows of files that were hidden long before.
 */
import { type ContentBlock, toolResultText } from "../../transcript/blocks.ts";
import type { Digest } from "../digest/digest.ts";
import { openTodos } from "../digest/todo-state.ts";
import { foldContent } from "./restore-content.ts";
import type { FileCandidate } from "./restore-files.ts";
import { KnownPaths, normalisePath } from "./restore-paths.ts";
import { type RankEvidence, type RankedFile, type RankWeights, rankFiles } from "./restore-rank.ts";
import { type FileUse, type FileUses, findFileUses, type UsedMessage } from "./restore-uses.ts";

/** Newest answers that are part of the last words. Our choice: the current work and the last words about it. */
const ASSISTANT_WORDS_COUNT = 2;
/** Newest open failures that are looked at. Our choice: as many as the digest matches with later calls. */
const FAILURES_COUNT = 6;

/** A compaction as a restoration sees it. */
export interface RestorationSource {
  /** The messages that the compaction hides, in their form in the window. */
  readonly hidden: readonly UsedMessage[];
  /** The messages that stay after it. */
  readonly tail: readonly UsedMessage[];
  /** The texts that the model reads instead. */
  readonly summaryTexts: readonly string[];
  /** The digest of the whole session. */
  readonly digest: Digest;
}

/** A ranked file, and what can still be seen of it. */
export interface RankedCandidate extends RankedFile {
  /** Uses that the kept tail still shows. */
  readonly visibleUses: readonly FileUse[];
  readonly ageCalls: number;
}

/** All files, best first. */
export function rankCandidates(source: RestorationSource, weights?: RankWeights): readonly RankedCandidate[] {
  const { hidden, tail, digest } = source;
  const found = findFileUses([...hidden, ...tail]);
  const tailStart = tail[0]?.seq ?? Number.POSITIVE_INFINITY;
  const all = { uses: [...earlierUses(digest, found), ...found.uses], callsCount: found.callsCount };
  return rankFiles(all, evidenceOf(source), weights).map((file) => ({
    ...file,
    visibleUses: file.uses.filter(({ seq }) => seq >= tailStart),
    ageCalls: found.callsCount - file.uses.at(-1)!.call,
  }));
}

/** A candidate with the content that the log has of it. */
export function asCandidate({ path, uses, visibleUses, ageCalls }: RankedCandidate): FileCandidate {
  return {
    path,
    logged: foldContent(uses),
    ...(visibleUses.length === 0 ? {} : { visible: foldContent(visibleUses) }),
    ageCalls,
  };
}

/** A use whose result the window showed shortened, with what the log has of it. */
export function withOriginal(
  use: FileUse,
  original: ((seq: number, block: number) => ContentBlock | undefined) | undefined,
): FileUse {
  if (use.isShortened !== true || original === undefined) return use;
  if (use.resultSeq === undefined || use.resultBlock === undefined) return use;
  const block = original(use.resultSeq, use.resultBlock);
  if (block?.type !== "tool_result") return use;
  const { isShortened: _, ...rest } = use;
  return { ...rest, text: toolResultText(block) };
}

/** Files of which only the digest still knows: one use each, older than everything else. */
function earlierUses({ files }: Digest, { uses }: FileUses): readonly FileUse[] {
  const known = new KnownPaths();
  const here = new Set(uses.map(({ path }) => path));
  for (const path of here) known.add(path);
  return [...files.values()].flatMap(({ path, lastHow, lastSeq, lastPointer }): readonly FileUse[] => {
    const normalised = normalisePath(path);
    if (normalised === undefined || here.has(known.resolve(normalised))) return [];
    const use = { call: 0, seq: lastSeq, pointer: lastPointer, hasWorked: true, input: null };
    return [{ path: known.resolve(normalised), how: lastHow, ...use }];
  });
}

function evidenceOf({ summaryTexts, digest }: RestorationSource): RankEvidence {
  const words = [
    digest.userWords.at(-1)?.text ?? "",
    ...digest.assistantWords.slice(-ASSISTANT_WORDS_COUNT).map(({ text }) => text),
    ...openTodos(digest.todos).map(({ text }) => text),
  ];
  const failures = digest.errors
    .filter(({ resolvedPointer }) => resolvedPointer === undefined)
    .slice(-FAILURES_COUNT)
    .map(({ call, line }) => `${call} ${line}`);
  return {
    summary: summaryTexts.join("\n\n"),
    lastWords: words.join("\n"),
    failures: failures.join("\n"),
    lastUserSeq: digest.userWords.at(-1)?.seq ?? 0,
  };
}
