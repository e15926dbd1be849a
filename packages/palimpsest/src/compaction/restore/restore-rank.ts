/**
 * Ranks the files that an agent is most likely to need again after a compaction.
 *
 * The score counts how often and how recently the agent turned to a file. A run of calls on one file counts
 * once, so that six small edits do not outweigh two visits. A file scores higher if the new summary names
 * it (each doubling of the mentions adds as much as the first), most of all under pending tasks or next
 * steps, if it was used since the user's last message, if a recent failure names it, and if it lies beside the file
 * that was changed last. The factors are doublings, because there are too few recorded compactions to fit them more
 * closely.
 */
import type { Steps } from "../../base/steps.ts";
import { baseName } from "./restore-paths.ts";
import type { FileUse } from "./restore-uses.ts";

/** Share at the end of a summary without the usual headings that says what comes next. Our choice: sections 7 to 9 of nine. */
const SUMMARY_END_SHARE = 0.25;

/** The factors; `RESTORE_DEFAULTS` has those in use. */
export interface RankWeights {
  readonly recencyCalls: number;
  readonly namedWeight: number;
  readonly namedNextFactor: number;
  readonly latestTurnFactor: number;
  readonly failureFactor: number;
  readonly folderFactor: number;
}

/** The evidence besides the uses. */
export interface RankEvidence {
  /** The text that the model reads instead of the hidden messages. */
  readonly summary: string;
  /** The entry in which the user spoke last. */
  readonly lastUserSeq: number;
  /** Results of tools just before the compaction that report a failure. */
  readonly failures: string;
}

export interface RankedFile {
  readonly path: string;
  readonly score: number;
  /** Oldest first; those that worked. */
  readonly uses: readonly FileUse[];
}

const WEIGHTS: RankWeights = {
  /** Tool calls after which turning to a file counts 1/e. Source: where-the-numbers-come-from.md, "Restoration": 30 to 120 cover about the same. */
  recencyCalls: 60,
  /** What the first mention in the summary adds, and each doubling of the mentions. Our choice; where-the-numbers-come-from.md, "Restoration". */
  namedWeight: 1,
  /** Factor for a file that the summary names as pending or next. Our choice, a doubling; where-the-numbers-come-from.md, "Restoration". */
  namedNextFactor: 2,
  /** Factor for a file that was used since the user last spoke. Our choice, a doubling; where-the-numbers-come-from.md, "Restoration". */
  latestTurnFactor: 2,
  /** Factor for a file that a recent failure names. Our choice, two doublings; where-the-numbers-come-from.md, "Restoration". */
  failureFactor: 4,
  /** Factor for a file in the folder of the one that was changed last. Our choice, a doubling; where-the-numbers-come-from.md, "Restoration". */
  folderFactor: 2,
};

/** All files of `uses`, best first. `callsCount` is the age of the first call. */
export function* rankFiles(
  { uses, callsCount }: { readonly uses: readonly FileUse[]; readonly callsCount: number },
  evidence: RankEvidence,
  weights: RankWeights = WEIGHTS,
): Steps<readonly RankedFile[]> {
  const visits = findVisits(uses.filter(({ hasWorked }) => hasWorked));
  const shared = sharesName([...visits.keys()]);
  const summary = new NamedFiles(evidence.summary);
  yield;
  const next = new NamedFiles(nextSteps(evidence.summary));
  const failures = new NamedFiles(evidence.failures);
  yield;
  const folder = folderOf(lastChanged(visits));
  const files: RankedFile[] = [];
  for (const [path, runs] of visits) {
    const isShared = shared.has(path);
    const mentions = summary.countMentions(path, isShared);
    const isNext = next.countMentions(path, isShared) > 0;
    const isLatest = runs.at(-1)!.at(-1)!.seq >= evidence.lastUserSeq;
    const score =
      runs.reduce((sum, run) => sum + visitWeight(run, callsCount, weights), 0) *
      (1 + weights.namedWeight * Math.log2(1 + mentions)) *
      (isNext ? weights.namedNextFactor : 1) *
      (isLatest ? weights.latestTurnFactor : 1) *
      (failures.countMentions(path, isShared) > 0 ? weights.failureFactor : 1) *
      (folder !== undefined && folderOf(path) === folder ? weights.folderFactor : 1);
    files.push({ path, score, uses: runs.flat() });
    if (files.length % FILES_AT_ONCE === 0) yield;
  }
  return files
    .filter(({ uses: own }) => own.at(-1)!.how !== "deleted")
    .sort((one, other) => other.score - one.score);
}

/** Files that are looked for in the summary in one step. */
const FILES_AT_ONCE = 16;

/** The file that was changed last; `undefined` if none was. */
function lastChanged(visits: ReadonlyMap<string, readonly (readonly FileUse[])[]>): string | undefined {
  let last: FileUse | undefined;
  for (const runs of visits.values())
    for (const run of runs)
      for (const use of run) if (use.how !== "read" && (last === undefined || use.seq > last.seq)) last = use;
  return last?.path;
}

function folderOf(path: string | undefined): string | undefined {
  return path?.slice(0, path.lastIndexOf("/") + 1);
}

/** Uses by file, in runs that no use of another file interrupts. */
function findVisits(uses: readonly FileUse[]): ReadonlyMap<string, readonly (readonly FileUse[])[]> {
  const visits = new Map<string, FileUse[][]>();
  let last: string | undefined;
  for (const use of uses) {
    const runs = visits.get(use.path) ?? [];
    visits.set(use.path, runs);
    if (last === use.path) runs.at(-1)!.push(use);
    else runs.push([use]);
    last = use.path;
  }
  return visits;
}

function visitWeight(run: readonly FileUse[], callsCount: number, { recencyCalls }: RankWeights): number {
  return Math.exp((run.at(-1)!.call - callsCount) / recencyCalls);
}

/** Headings of the sections on what is not finished, in any style of heading. */
const PENDING_HEADING = /(?:^|\n)[^\w\n]{0,12}(?:7\.\W{0,4})?Pending Tasks?\b/i;

/** The part of a summary that says what is left to do and what comes next. */
function nextSteps(summary: string): string {
  const start = PENDING_HEADING.exec(summary)?.index;
  if (start !== undefined) return summary.slice(start);
  return summary.slice(Math.floor(summary.length * (1 - SUMMARY_END_SHARE)));
}

// Mentions: a text names a file by its name alone or by the end of its path.

/** Least length of a name that counts as mentioned: shorter ones are also ordinary words. */
const LEAST_NAME_CHARACTERS = 3;
/** Most mentions that are counted. */
const MOST_MENTIONS = 64;

/** The files that a text names. The text is read once, however many files are looked for. */
export class NamedFiles {
  readonly #text: string;
  /** The places at which a name may begin, by its first characters. */
  readonly #starts = new Map<string, number[]>();

  constructor(text: string) {
    this.#text = text;
    for (let at = 0; at <= text.length - LEAST_NAME_CHARACTERS; at++) {
      if (at > 0 && !isBeforeName(text.charCodeAt(at - 1))) continue;
      const beginning = text.slice(at, at + LEAST_NAME_CHARACTERS);
      const starts = this.#starts.get(beginning);
      if (starts === undefined) this.#starts.set(beginning, [at]);
      else starts.push(at);
    }
  }

  /** Counts how often the file is named. A name that several files share counts only with enough of its path. */
  countMentions(path: string, isShared: boolean): number {
    const name = baseName(path);
    if (name.length < LEAST_NAME_CHARACTERS) return 0;
    let count = 0;
    for (const at of this.#starts.get(name.slice(0, LEAST_NAME_CHARACTERS)) ?? []) {
      if (count === MOST_MENTIONS) break;
      if (this.#text.startsWith(name, at) && isMention(this.#text, at, path, name, isShared)) count++;
    }
    return count;
  }
}

/** True for what may stand before the name of a file: a slash, or what is not a part of a path. */
const isBeforeName = (code: number): boolean => code === 47 || code === 92 || !isPathUnit(code);

function isMention(text: string, at: number, path: string, name: string, isShared: boolean): boolean {
  if (isNameUnit(text.charCodeAt(at + name.length))) return false;
  let start = at;
  while (start > 0 && at - start <= path.length && isPathUnit(text.charCodeAt(start - 1))) start--;
  const before = text
    .slice(start, at)
    .replace(/\\/g, "/")
    .replace(/^(?:\.{0,2}\/)+/, "");
  if (before === "") return !isShared;
  const mentioned = before + name;
  return before.endsWith("/") && (path === mentioned || path.endsWith(`/${mentioned}`));
}

/** True for letters, digits, `_` and `-`, which continue a name. A dot may end a sentence. */
function isNameUnit(code: number): boolean {
  return (
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    (code >= 97 && code <= 122) ||
    code === 95 ||
    code === 45 ||
    code >= 128
  );
}

function isPathUnit(code: number): boolean {
  // `.`, `/`, `\`, `~`, `:` and `@` besides.
  return (
    isNameUnit(code) ||
    code === 46 ||
    code === 47 ||
    code === 92 ||
    code === 126 ||
    code === 58 ||
    code === 64
  );
}

/** Paths whose name another path has as well. */
function sharesName(paths: readonly string[]): ReadonlySet<string> {
  const byName = new Map<string, string>();
  const shared = new Set<string>();
  for (const path of paths) {
    const name = baseName(path);
    const first = byName.get(name);
    if (first === undefined) byName.set(name, path);
    else shared.add(first).add(path);
  }
  return shared;
}
