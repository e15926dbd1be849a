/**
 * The literals ledger: the strings that the session holds, and for each the facts that predict how likely it
 * is to be needed again.
 *
 * It is bounded: past its limit the least valuable strings are forgotten in one sweep, which sorts rarely
 * enough that adding stays linear.
 */

import { finish, type Steps } from "../../base/steps.ts";
import type { VisibleBlock, VisibleMessage } from "../../transcript/window.ts";
import { literalsInSteps, type TextLiteral } from "./block-literals.ts";
import type { LiteralKind } from "./literals.ts";

/** The speaker of a text: strings of the user or the assistant are needed again more often than tool output. */
export type Speaker = "user" | "assistant" | "call" | "tool";

export interface LiteralRecord {
  readonly kind: LiteralKind;
  /** Messages that hold it. */
  messageCount: number;
  firstSeq: number;
  lastSeq: number;
  /** Last time that the assistant wrote it, in text or arguments; 0 for never. */
  lastAssistantSeq: number;
  assistantCount: number;
  userCount: number;
  lastUserSeq: number;
  isDefined: boolean;
}

export interface LiteralLedger {
  readonly records: Map<string, LiteralRecord>;
  readonly limitCount: number;
  newestSeq: number;
  /** Strings that were forgotten for want of room. */
  forgottenCount: number;
}

/** Share of the limit that a sweep keeps: the rest is room until the next one. */
const SWEEP_SHARE = 0.75;

export function createLedger(limitCount: number): LiteralLedger {
  return { records: new Map(), limitCount, newestSeq: 0, forgottenCount: 0 };
}

/** Adds the literals of one text. Changes the ledger. */
export function addLiterals(
  ledger: LiteralLedger,
  seq: number,
  speaker: Speaker,
  literals: readonly TextLiteral[],
): void {
  ledger.newestSeq = Math.max(ledger.newestSeq, seq);
  for (const { text, kind, isDefined } of literals) {
    const known = ledger.records.get(text);
    const record = known ?? newRecord(kind, seq);
    if (known === undefined) ledger.records.set(text, record);
    if (record.lastSeq !== seq || known === undefined) record.messageCount++;
    record.lastSeq = seq;
    if (isDefined) record.isDefined = true;
    countSpeaker(record, seq, speaker);
  }
  if (ledger.records.size > ledger.limitCount) sweep(ledger);
}

function newRecord(kind: LiteralKind, seq: number): LiteralRecord {
  return {
    kind,
    messageCount: 0,
    firstSeq: seq,
    lastSeq: seq,
    lastAssistantSeq: 0,
    assistantCount: 0,
    userCount: 0,
    lastUserSeq: 0,
    isDefined: false,
  };
}

function countSpeaker(record: LiteralRecord, seq: number, speaker: Speaker): void {
  if (speaker === "user" && record.lastUserSeq !== seq) {
    record.userCount++;
    record.lastUserSeq = seq;
  }
  if (speaker !== "assistant" && speaker !== "call") return;
  if (record.lastAssistantSeq !== seq) record.assistantCount++;
  record.lastAssistantSeq = seq;
}

function sweep(ledger: LiteralLedger): void {
  const { records } = ledger;
  const kept = Math.floor(ledger.limitCount * SWEEP_SHARE);
  const { scores, least } = finish(scoreAll(ledger, kept));
  let above = 0;
  for (const score of scores) if (score > least) above++;
  const level: RankedLiteral[] = [];
  let index = 0;
  for (const [text, record] of records) {
    const score = scores[index++]!;
    if (score > least) continue;
    if (score === least) level.push({ text, record, score });
    else records.delete(text);
  }
  for (const { text } of level.sort(byRank).slice(kept - above)) records.delete(text);
  ledger.forgottenCount += scores.length - records.size;
}

interface RankedLiteral {
  readonly text: string;
  readonly record: LiteralRecord;
  readonly score: number;
}

/**
 * The `count` strings most likely to be needed, best first, in steps. The ledger must not change between the steps.
 * @internal
 */
export function* rankLiterals(
  ledger: LiteralLedger,
  count: number = ledger.records.size,
): Steps<readonly RankedLiteral[]> {
  const best = yield* findBestLiterals(ledger, count);
  yield;
  return best.sort(byRank);
}

/** Best first. Equal scores: the newer one, then by text. @internal */
export const byRank = (a: RankedLiteral, b: RankedLiteral): number =>
  b.score - a.score || b.record.lastSeq - a.record.lastSeq || (a.text < b.text ? -1 : 1);

/**
 * The first `count` of the ranking, in no order. The least score among them is found among plain numbers, which sort
 * many times faster than records do; only what has at least that score is looked at one by one. @internal
 */
export function* findBestLiterals(ledger: LiteralLedger, count: number): Steps<RankedLiteral[]> {
  const { scores, least } = yield* scoreAll(ledger, count);
  yield;
  const isAll = count >= scores.length;
  const above: RankedLiteral[] = [];
  const level: RankedLiteral[] = [];
  let index = 0;
  for (const [text, record] of ledger.records) {
    const score = scores[index++]!;
    if (score >= least) (score > least ? above : level).push({ text, record, score });
  }
  return isAll ? [...above, ...level] : [...above, ...level.sort(byRank).slice(0, count - above.length)];
}

/** Strings that are scored in one step: less than a millisecond. */
const SCORED_AT_ONCE = 8_192;

/** The scores of all strings in their order, and the least that `count` of them reach. */
function* scoreAll(
  { records, newestSeq }: LiteralLedger,
  count: number,
): Steps<{ readonly scores: Float64Array; readonly least: number }> {
  const scores = new Float64Array(records.size);
  let index = 0;
  for (const record of records.values()) {
    scores[index++] = scoreLiteral(record, newestSeq);
    if (index % SCORED_AT_ONCE === 0) yield;
  }
  if (count >= scores.length) return { scores, least: Number.NEGATIVE_INFINITY };
  return { scores, least: count <= 0 ? Number.POSITIVE_INFINITY : nth(scores, count) };
}

/** The value that `count` of the values reach: quickselect, which leaves the order of the others open. */
function nth(values: Float64Array, count: number): number {
  const rest = values.slice();
  const wanted = rest.length - count;
  let from = 0;
  let to = rest.length - 1;
  while (from < to) {
    const pivot = rest[(from + to) >> 1]!;
    let low = from;
    let high = to;
    while (low <= high) {
      while (rest[low]! < pivot) low++;
      while (rest[high]! > pivot) high--;
      if (low > high) break;
      const value = rest[low]!;
      rest[low++] = rest[high]!;
      rest[high--] = value;
    }
    if (wanted <= high) to = high;
    else if (wanted >= low) from = low;
    else return pivot;
  }
  return rest[wanted]!;
}

/**
 * Weights of the ranking. Source: our choice, searched for on half of the recorded Claude Code
 * sessions of the corpus (strings that later answers used and that had been seen before, at 1.5K,
 * 3K and 6K tokens), then rounded to values that did well on both halves: there is no held-out half.
 */
const WEIGHTS = {
  assistant: 1.1,
  user: 3,
  tool: 0.2,
  defined: 0.25,
  /** Used by the assistant just now, against never or long ago. */
  assistantRecency: 13,
  kind: { identifier: 1, path: 0.8, quoted: 0.8, number: 0.6, url: 0.5, hash: 0.5 },
} as const;

/**
 * Likelihood of being needed, on no scale. What the assistant itself wrote lately counts most, then
 * how often the user, the assistant and the tools named it, each in its own measure. When a tool
 * printed it last says next to nothing.
 */
function scoreLiteral(record: LiteralRecord, newestSeq: number): number {
  const toolCount = Math.max(0, record.messageCount - record.assistantCount - record.userCount);
  const use =
    WEIGHTS.assistant * Math.sqrt(record.assistantCount) +
    WEIGHTS.user * Math.sqrt(record.userCount) +
    WEIGHTS.tool * Math.sqrt(toolCount) +
    (record.isDefined ? WEIGHTS.defined : 0);
  const recency = newestSeq === 0 ? 0 : record.lastAssistantSeq / newestSeq;
  return WEIGHTS.kind[record.kind] * use + WEIGHTS.assistantRecency * recency;
}

export interface LiteralScope {
  isVisible(literal: string): boolean;
  /** From now on the literal counts as visible. */
  show(literal: string): void;
}

/** Literals of all blocks that `isKept`, in steps. @internal */
export function* findLiteralsOf(
  visible: readonly VisibleMessage[],
  isKept: (shown: VisibleBlock) => boolean,
): Steps<LiteralScope> {
  const literals = new Set<string>();
  for (const message of visible)
    for (const shown of message.blocks) {
      if (!isKept(shown)) continue;
      const { all } = yield* literalsInSteps(shown.block, Number.POSITIVE_INFINITY);
      for (const { text } of all) literals.add(text);
      yield;
    }
  return {
    isVisible: (literal) => literals.has(literal),
    show: (literal) => void literals.add(literal),
  };
}
