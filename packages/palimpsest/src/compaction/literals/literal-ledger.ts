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
import {
  ASSISTANT_COUNT,
  LAST_ASSISTANT_SEQ,
  LAST_SEQ,
  LAST_USER_SEQ,
  type LiteralRecord,
  LiteralTable,
  MESSAGE_COUNT,
  ROW_NUMBERS,
  USER_COUNT,
} from "./literal-table.ts";

/** The speaker of a text: strings of the user or the assistant are needed again more often than tool output. */
export type Speaker = "user" | "assistant" | "call" | "tool";

export interface LiteralLedger {
  records: LiteralTable;
  readonly limitCount: number;
  newestSeq: number;
  /** Strings that were forgotten for want of room. */
  forgottenCount: number;
}

/** Share of the limit that a sweep keeps: the rest is room until the next one. */
const SWEEP_SHARE = 0.75;

export function createLedger(limitCount: number): LiteralLedger {
  return { records: new LiteralTable(), limitCount, newestSeq: 0, forgottenCount: 0 };
}

/** Adds the literals of one text. Changes the ledger. */
export function addLiterals(
  ledger: LiteralLedger,
  seq: number,
  speaker: Speaker,
  literals: readonly TextLiteral[],
): void {
  const { records } = ledger;
  ledger.newestSeq = Math.max(ledger.newestSeq, seq);
  for (const { text, kind, isDefined } of literals) {
    const row = records.put(text, kind);
    const { numbers } = records;
    const at = row * ROW_NUMBERS;
    if (numbers[at + LAST_SEQ] !== seq || numbers[at + MESSAGE_COUNT] === 0) numbers[at + MESSAGE_COUNT]!++;
    numbers[at + LAST_SEQ] = seq;
    if (isDefined) records.markDefined(row);
    countSpeaker(numbers, at, seq, speaker);
  }
  if (records.size > ledger.limitCount) sweep(ledger);
}

function countSpeaker(numbers: Uint32Array, at: number, seq: number, speaker: Speaker): void {
  if (speaker === "user" && numbers[at + LAST_USER_SEQ] !== seq) {
    numbers[at + USER_COUNT]!++;
    numbers[at + LAST_USER_SEQ] = seq;
  }
  if (speaker !== "assistant" && speaker !== "call") return;
  if (numbers[at + LAST_ASSISTANT_SEQ] !== seq) numbers[at + ASSISTANT_COUNT]!++;
  numbers[at + LAST_ASSISTANT_SEQ] = seq;
}

function sweep(ledger: LiteralLedger): void {
  const { records } = ledger;
  const best = new Uint8Array(records.size);
  const kept = finish(findBestRows(ledger, Math.floor(ledger.limitCount * SWEEP_SHARE)));
  for (const row of kept.rows) best[row] = 1;
  ledger.records = records.filter((row) => best[row] === 1);
  ledger.forgottenCount += records.size - ledger.records.size;
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

/** The first `count` of the ranking, in no order; of these, the strings that were last said in a wanted entry. @internal */
export function* findBestLiterals(
  ledger: LiteralLedger,
  count: number,
  isWanted: (lastSeq: number) => boolean = () => true,
): Steps<RankedLiteral[]> {
  const { records } = ledger;
  const { rows, scores } = yield* findBestRows(ledger, count);
  const wanted = rows.filter((row) => isWanted(records.numbers[row * ROW_NUMBERS + LAST_SEQ]!));
  return wanted.map((row) => ({
    text: records.textAt(row),
    record: records.recordAt(row),
    score: scores[row]!,
  }));
}

/**
 * The rows of the first `count` of the ranking, in no order. The least score among them is found among plain numbers,
 * which sort many times faster than records do; only rows of that very score are compared one by one. @internal
 */
export function* findBestRows(
  ledger: LiteralLedger,
  count: number,
): Steps<{ readonly rows: readonly number[]; readonly scores: Float64Array }> {
  const { records } = ledger;
  const { scores, least } = yield* scoreAll(ledger, count);
  yield;
  const rows: number[] = [];
  const level: number[] = [];
  for (let row = 0; row < scores.length; row++)
    if (scores[row]! >= least) (scores[row]! > least ? rows : level).push(row);
  if (count < scores.length) {
    const { numbers } = records;
    const newest = (row: number): number => numbers[row * ROW_NUMBERS + LAST_SEQ]!;
    level.sort((one, other) => newest(other) - newest(one) || records.compareTexts(one, other));
    level.length = Math.max(0, count - rows.length);
  }
  return { rows: rows.concat(level), scores };
}

/** Strings that are scored in one step: less than a millisecond. */
const SCORED_AT_ONCE = 8_192;

/** The scores of all strings by their rows, and the least that `count` of them reach. */
function* scoreAll(
  { records, newestSeq }: LiteralLedger,
  count: number,
): Steps<{ readonly scores: Float64Array; readonly least: number }> {
  const scores = new Float64Array(records.size);
  for (let row = 0; row < scores.length; row++) {
    scores[row] = scoreRow(records, row, newestSeq);
    if (row % SCORED_AT_ONCE === SCORED_AT_ONCE - 1) yield;
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
function scoreRow(records: LiteralTable, row: number, newestSeq: number): number {
  const { numbers } = records;
  const at = row * ROW_NUMBERS;
  const assistantCount = numbers[at + ASSISTANT_COUNT]!;
  const userCount = numbers[at + USER_COUNT]!;
  const toolCount = Math.max(0, numbers[at + MESSAGE_COUNT]! - assistantCount - userCount);
  const use =
    WEIGHTS.assistant * Math.sqrt(assistantCount) +
    WEIGHTS.user * Math.sqrt(userCount) +
    WEIGHTS.tool * Math.sqrt(toolCount) +
    (records.isDefinedAt(row) ? WEIGHTS.defined : 0);
  const recency = newestSeq === 0 ? 0 : numbers[at + LAST_ASSISTANT_SEQ]! / newestSeq;
  return WEIGHTS.kind[records.kindAt(row)] * use + WEIGHTS.assistantRecency * recency;
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
