/**
 * The files that may be put back after a compaction, best first: ranked by what the hidden and the kept
 * messages did to them, with what the digest knows of files that were hidden long before.
 */
import { finish, type Steps } from "../../base/steps.ts";
import { cutHead, cutTail } from "../../base/text/text.ts";
import { type ContentBlock, toolResultText } from "../../transcript/blocks.ts";
import type { Digest } from "../digest/digest.ts";
import { neutralise, withoutStringsList } from "../shared/quoted-lines.ts";
import { quotedPointers, quotedResult } from "../summary/newest-exchange.ts";
import { foldInSteps } from "./restore-content.ts";
import { earlierUses } from "./restore-earlier.ts";
import type { FileCandidate } from "./restore-files.ts";
import { KnownPaths, normalisePath } from "./restore-paths.ts";
import { type RankEvidence, type RankedFile, type RankWeights, rankFiles } from "./restore-rank.ts";
import { type FileUse, findFileUses, type UsedMessage } from "./restore-uses.ts";

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
  /** Uses that the kept tail still shows, or the newest rounds quoted in the summary. */
  readonly visibleUses: readonly FileUse[];
  readonly ageCalls: number;
}

/** All files, best first. */
export function rankCandidates(source: RestorationSource, weights?: RankWeights): readonly RankedCandidate[] {
  return finish(candidatesInSteps(source, weights));
}

/** The same in steps. @internal */
export function* candidatesInSteps(
  source: RestorationSource,
  weights?: RankWeights,
): Steps<readonly RankedCandidate[]> {
  const { hidden, tail, digest } = source;
  const found = findFileUses([...hidden, ...tail]);
  yield;
  const tailStart = tail[0]?.seq ?? Number.POSITIVE_INFINITY;
  const quoted = new Set(source.summaryTexts.flatMap(quotedPointers));
  const isVisible = (use: FileUse): boolean =>
    use.seq >= tailStart || (quoted.has(use.pointer) && isQuotedIn(source.summaryTexts, use));
  const all = {
    uses: [...earlierUses(digest, found, [...hidden, ...tail].filter(isEntry)), ...found.uses],
    callsCount: found.callsCount,
  };
  yield;
  const ranked = yield* rankFiles(all, evidenceOf(source), weights);
  return ranked.map((file) => ({
    ...file,
    visibleUses: file.uses.filter(isVisible),
    ageCalls: found.callsCount - file.uses.at(-1)!.call,
  }));
}

/** True if the summary quotes the whole text that this use showed. */
function isQuotedIn(summaryTexts: readonly string[], { text, pointer, isShortened }: FileUse): boolean {
  if (text === undefined || isShortened === true) return false;
  const wanted = neutralise(text)
    .trim()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
  return summaryTexts.some((summary) => quotedResult(summary, pointer)?.endsWith(wanted) === true);
}

/** Blocks of an entry as they were said; `undefined` if they are not at hand. */
export type EntryContent = (seq: number) => readonly ContentBlock[] | undefined;

/** Entries that have more of these files than the window: results that it shows shortened, and uses before it. */
export function entriesToRead(
  ranked: readonly RankedCandidate[],
  source: RestorationSource,
): readonly number[] {
  const seqs = ranked.flatMap(({ uses }) =>
    uses.flatMap(({ isShortened, resultSeq }) =>
      isShortened === true && resultSeq !== undefined ? [resultSeq] : [],
    ),
  );
  return [...new Set([...trailBefore(ranked, source), ...seqs])].sort((one, other) => one - other);
}

/** The candidates with the content that the log has of them, as far as its entries are at hand. */
export function withLogged(
  ranked: readonly RankedCandidate[],
  source: RestorationSource,
  contentOf?: EntryContent,
): readonly FileCandidate[] {
  return finish(loggedInSteps(ranked, source, contentOf));
}

/** The same in steps. @internal */
export function* loggedInSteps(
  ranked: readonly RankedCandidate[],
  source: RestorationSource,
  contentOf: EntryContent = () => undefined,
): Steps<readonly FileCandidate[]> {
  const earlier = trailBefore(ranked, source).flatMap((seq): readonly UsedMessage[] => {
    const blocks = contentOf(seq)?.map((block, index) => ({ index, block, form: "original" }) as const);
    return blocks === undefined ? [] : [{ seq, role: "user", blocks }];
  });
  const known = knownPaths(ranked);
  const before = new Map<string, FileUse[]>();
  for (const use of findFileUses(earlier).uses) {
    const path = known.resolve(use.path);
    before.set(path, [...(before.get(path) ?? []), { ...use, path }]);
  }
  const candidates: FileCandidate[] = [];
  for (const file of ranked) {
    const inWindow = file.uses.filter(({ isRemembered }) => isRemembered !== true);
    const uses = [...(before.get(file.path) ?? []), ...inWindow.map((use) => withOriginal(use, contentOf))];
    candidates.push(yield* candidateInSteps({ ...file, uses }));
    yield;
  }
  return candidates;
}

/** Entries in which these files were used and that the window had lost before. */
function trailBefore(
  ranked: readonly RankedCandidate[],
  { digest, hidden, tail }: RestorationSource,
): readonly number[] {
  const first = [...hidden, ...tail].find(isEntry)?.seq ?? Number.POSITIVE_INFINITY;
  const known = knownPaths(ranked);
  const wanted = new Set(ranked.map(({ path }) => path));
  const seqs = [...digest.files.values()].flatMap(({ path, trail }) => {
    const normalised = normalisePath(path);
    return normalised !== undefined && wanted.has(known.resolve(normalised)) ? trail : [];
  });
  return [...new Set(seqs)].filter((seq) => seq < first).sort((one, other) => one - other);
}

/** False for a message that an edit inserted. */
function isEntry(message: UsedMessage & { readonly insertedBy?: number }): boolean {
  return message.insertedBy === undefined;
}

function knownPaths(files: readonly Pick<RankedCandidate, "path">[]): KnownPaths {
  const known = new KnownPaths();
  for (const { path } of files) known.add(path);
  return known;
}

/** A candidate with the content of its uses. */
export function asCandidate(file: RankedCandidate): FileCandidate {
  return finish(candidateInSteps(file));
}

function* candidateInSteps({ path, uses, visibleUses, ageCalls }: RankedCandidate): Steps<FileCandidate> {
  return {
    path,
    logged: yield* foldInSteps(uses),
    ...(visibleUses.length === 0 ? {} : { visible: yield* foldInSteps(visibleUses) }),
    ageCalls,
  };
}

/** A use whose result the window showed shortened, with what the log has of it. */
function withOriginal(use: FileUse, contentOf: EntryContent): FileUse {
  const { isShortened, resultSeq, resultBlock } = use;
  if (isShortened !== true || resultSeq === undefined || resultBlock === undefined) return use;
  const block = contentOf(resultSeq)?.[resultBlock];
  if (block?.type !== "tool_result") return use;
  const { isShortened: _, ...rest } = use;
  return { ...rest, text: toolResultText(block) };
}

/** Messages before the compaction that are looked at for failures. Our choice: the work of the last few calls. */
const FAILURE_MESSAGES = 12;
/** Characters at the start and at the end of a result that are looked at. Our choice: a failure stands there, and results are long. */
const FAILURE_CHARACTERS = 8_000;
const FAILURE = /error|fail|exception|traceback/i;

function evidenceOf({ summaryTexts, digest, hidden, tail }: RestorationSource): RankEvidence {
  const failures = [...hidden, ...tail].slice(-FAILURE_MESSAGES).flatMap(({ blocks }) =>
    blocks.flatMap(({ block }) => {
      if (block.type !== "tool_result") return [];
      const text = toolResultText(block);
      const isShort = text.length <= 2 * FAILURE_CHARACTERS;
      const looked = isShort
        ? text
        : `${cutHead(text, FAILURE_CHARACTERS)}\n${cutTail(text, FAILURE_CHARACTERS)}`;
      return block.is_error === true || FAILURE.test(looked) ? [looked] : [];
    }),
  );
  return {
    summary: summaryTexts.map(withoutStringsList).join("\n\n"),
    lastUserSeq: digest.userWords.at(-1)?.seq ?? 0,
    failures: failures.join("\n"),
  };
}
