/**
 * Context collapse: spans of old rounds are shown as one short line each, written without a model.
 *
 * It runs before a compaction, which rewrites everything: the user's words stay in their places, each line
 * replaces its rounds, and undoing the edit shows them again. Lines are written ahead of need, a few at a
 * time, and shown only when room is needed.
 *
 * A line is valid for the round it was written from. If a rewind removed the round, or one of its blocks has
 * another form by now, the line is not used and a new one is written. So lines that were prepared in the
 * background can be handed in at any time.
 */
import { finish, type Steps } from "../../../base/steps.ts";
import { isThinking } from "../../../transcript/blocks.ts";
import type { BlockForm, Insertion, LayerEdit } from "../../../transcript/edits.ts";
import { groupRounds, type VisibleMessage } from "../../../transcript/window.ts";
import { hidingEffect } from "../../shared/hiding.ts";
import { isResult, joinedPlaces } from "../../shared/kept-tail.ts";
import { type Measure, measureMessages, measureText, recentTailStart } from "../../shared/measure.ts";
import { pinnedPlaces } from "../../shared/pins.ts";
import { formatPointer, type HistoryAccess } from "../../shared/pointer.ts";
import { type HistoryState, mayRewriteHistory } from "../../shared/rewrite-rule.ts";
import { reportLossInSteps } from "../../summary/loss-report.ts";
import { type ChangedBlock, type CollapsedRound, collapseRound } from "./collapse-rounds.ts";
import { describeRound, type RoundLinePolicy } from "./round-line.ts";

/** Which rounds may collapse, and into how much. Sizes are in tokens. `collapsePolicy` makes the policy of a window. */
export interface CollapsePolicy extends HistoryState, RoundLinePolicy, HistoryAccess {
  /** Newest part of the window that is left alone. */
  readonly recentTailTokens: number;
  /** The most rounds that one line replaces. */
  readonly spanRounds: number;
  /** The largest share of the replaced tokens that a line may take. */
  readonly maxLineShare: number;
}

/** A round as it was shown when its words were written. */
export interface PreparedRound {
  readonly messages: readonly VisibleMessage[];
  readonly text: string;
}

/** Lines written ahead of need, and the head that they were based on. Handed from call to call. */
export interface PreparedCollapse {
  readonly headSeq: number;
  /** By the first message of the round. */
  readonly rounds: ReadonlyMap<string, PreparedRound>;
}

/** The window as it is, and what was prepared of it before. */
interface PrepareCollapseInput {
  readonly visible: readonly VisibleMessage[];
  readonly headSeq: number;
  readonly measure: Measure;
  readonly before?: PreparedCollapse | undefined;
}

/** Writes the line of every finished round. Costs time in proportion to the rounds that are new or changed since `before`. */
export function prepareCollapse(
  { visible, headSeq, measure, before }: PrepareCollapseInput,
  policy: RoundLinePolicy,
): PreparedCollapse {
  const rounds = new Map<string, PreparedRound>();
  // The newest round may still grow.
  for (const { start, end } of groupRounds(visible).slice(0, -1)) {
    const first = visible[start]!;
    if (first.role !== "assistant") continue;
    const messages = visible.slice(start, end);
    const known = before?.rounds.get(keyOf(first));
    const isKnown = known !== undefined && isSameRound(known.messages, messages);
    rounds.set(keyOf(first), isKnown ? known : { messages, text: describeRound(messages, policy, measure) });
  }
  return { headSeq, rounds };
}

/** The window, its prepared rounds, and the room that is needed. */
export interface CollapseInput {
  readonly visible: readonly VisibleMessage[];
  readonly prepared: PreparedCollapse;
  readonly measure: Measure;
  /** Tokens to free; the edit frees as much of it as there is. */
  readonly freeTokens: number;
  /** Why room is needed, as the edit tells it. @defaultValue `threshold` */
  readonly reason?: string;
}

/**
 * Plans the edit: the oldest spans first, as many as free `freeTokens`, or all there are where they do
 * not. `undefined` where nothing may or can collapse.
 */
export function planCollapse(input: CollapseInput, policy: CollapsePolicy): LayerEdit | undefined {
  return finish(collapseInSteps(input, policy));
}

/** The same in steps. @internal */
export function* collapseInSteps(input: CollapseInput, policy: CollapsePolicy): Steps<LayerEdit | undefined> {
  if (!mayRewriteHistory(policy) || input.freeTokens <= 0) return undefined;
  const spans = chooseSpans(findSpans(input, policy), input);
  if (spans.length === 0) return undefined;

  const { visible, reason = "threshold" } = input;
  const rounds = spans.flatMap((span) => span.rounds);
  const hidden = new Set(rounds.flatMap((round) => round.hidden));
  const changed = rounds.flatMap((round) => round.changed);
  const hiding = hidingEffect(visible, hidden);
  yield;
  return {
    kind: "collapse",
    reason,
    freedTokens: Math.round(spans.reduce((sum, { freedTokens }) => sum + freedTokens, 0)),
    effect: {
      ...hiding,
      forms: changed.map(formOf),
      insert: [...hiding.insert, ...spans.map(({ line }) => line)],
    },
    loss: yield* reportLossInSteps({
      hidden: [...hidden, ...changed.map(({ message, shown }) => ({ ...message, blocks: [shown] }))],
      shown: spans.map(({ text }) => text),
      kept: visible.filter((message) => !hidden.has(message)),
      verbatimSeqs: new Set(),
      hasHistoryTools: policy.hasHistoryTools,
    }),
  };
}

interface Span {
  readonly rounds: readonly CollapsedRound[];
  readonly text: string;
  readonly line: Insertion;
  readonly freedTokens: number;
  /** Index of the message that follows its line. */
  readonly end: number;
}

interface OpenSpan {
  readonly rounds: CollapsedRound[];
  readonly texts: string[];
  tokens: number;
  end: number;
}

/** Every span that could collapse, oldest first. */
function findSpans({ visible, prepared, measure }: CollapseInput, policy: CollapsePolicy): readonly Span[] {
  const tailStart = recentTailStart(visible, policy.recentTailTokens, measure);
  const joined = joinedPlaces(visible);
  const rule = { pinned: pinnedPlaces(policy.pins), userWordsTokens: policy.userWordsTokens, measure };
  const spans: Span[] = [];
  let open: OpenSpan | undefined;
  const close = () => {
    const span = open === undefined ? undefined : closeSpan(open, policy, measure);
    if (span !== undefined) spans.push(span);
    open = undefined;
  };
  for (const { start, end } of groupRounds(visible).slice(0, -1)) {
    const messages = visible.slice(start, end);
    const known = prepared.rounds.get(keyOf(visible[start]!));
    const isWhole = end <= tailStart && joined[start] !== true && joined[end] !== true;
    const mayCollapse = isWhole && known !== undefined && isSameRound(known.messages, messages);
    const round = mayCollapse && !followsSystem(visible, start) ? collapseRound(messages, rule) : undefined;
    if (round === undefined) {
      close();
      continue;
    }
    open ??= { rounds: [], texts: [], tokens: 0, end };
    open.rounds.push(round);
    if (known!.text !== "") open.texts.push(known!.text);
    open.tokens += leavingTokens(round, measure);
    open.end = start + 1 + messages.findLastIndex((message) => round.hidden.includes(message));
    if (round.kept.length > 0 || open.rounds.length === policy.spanRounds) close();
  }
  close();
  return spans;
}

/** Tokens that leave the window with a round: all of it except the blocks that stay. */
function leavingTokens({ hidden, changed }: CollapsedRound, measure: Measure): number {
  const bared = changed.reduce(
    (sum, { shown, instead }) => sum + measure(shown.block) - (instead === undefined ? 0 : measure(instead)),
    0,
  );
  return measureMessages(hidden, measure) + bared;
}

function closeSpan(
  { rounds, texts, tokens, end }: OpenSpan,
  { maxLineShare, ...access }: CollapsePolicy,
  measure: Measure,
): Span | undefined {
  const hidden = rounds.flatMap((round) => round.hidden);
  const entries = hidden.filter(({ insertedBy, blocks }) => insertedBy === undefined && blocks.length > 0);
  const last = hidden.at(-1);
  if (entries.length === 0 || last === undefined) return undefined;
  const text = formatLine(entries, texts, access);
  const lineTokens = measureText(text, measure);
  if (lineTokens > tokens * maxLineShare) return undefined;
  const line: Insertion = {
    afterSeq: last.seq,
    messages: [{ role: "user", origin: "summary", content: [{ type: "text", text }] }],
  };
  return { rounds, text, line, freedTokens: tokens - lineTokens, end };
}

function formatLine(
  entries: readonly VisibleMessage[],
  texts: readonly string[],
  { hasHistoryTools = true }: HistoryAccess,
): string {
  const pointerOf = ({ seq, blocks }: VisibleMessage, place: 0 | -1): string =>
    formatPointer({ seq, block: blocks.at(place)!.index });
  const range = `${pointerOf(entries[0]!, 0)} to ${pointerOf(entries.at(-1)!, -1)}`;
  const line = texts.length === 0 ? "nothing that can be told" : texts.join(" · ");
  const originals = hasHistoryTools ? "history_read opens them." : "They are kept in the session's log.";
  return `[Collapsed, ${range}: ${line}. ${originals}]`;
}

/** The oldest spans that free enough and end where what stays may begin; all that may, where none do. */
function chooseSpans(spans: readonly Span[], { visible, freeTokens }: CollapseInput): readonly Span[] {
  let freedTokens = 0;
  let chosen = 0;
  for (const [index, span] of spans.entries()) {
    freedTokens += span.freedTokens;
    if (!mayStayFrom(visible, span.end)) continue;
    chosen = index + 1;
    if (freedTokens >= freeTokens) break;
  }
  return spans.slice(0, chosen);
}

/**
 * True if the window may continue at `index` after a line. To a provider that wants an exchange of calls and
 * results to begin with thinking, a line is a new prompt: if the newest exchange has thinking, its next
 * answer must begin with it.
 */
function mayStayFrom(visible: readonly VisibleMessage[], index: number): boolean {
  const newestWords = visible.findLastIndex(
    ({ role, blocks }) => role === "user" && blocks.some(({ block }) => !isResult(block)),
  );
  if (newestWords >= index) return true;
  const next = visible.slice(index).find(({ role, blocks }) => role === "assistant" && blocks.length > 0);
  const begins = next?.blocks[0]?.block;
  if (begins === undefined || isThinking(begins)) return true;
  return !visible.slice(newestWords + 1).some(({ blocks }) => blocks.some(({ block }) => isThinking(block)));
}

function followsSystem(visible: readonly VisibleMessage[], index: number): boolean {
  let before = index - 1;
  while (before >= 0 && visible[before]!.blocks.length === 0) before--;
  return visible[before]?.role === "system";
}

function formOf({ message, shown, instead }: ChangedBlock): BlockForm {
  const place = { seq: message.seq, block: shown.index };
  if (instead === undefined) return place;
  return { ...place, shown: instead, blob: shown.blob };
}

const keyOf = ({ seq, insertedBy }: VisibleMessage): string => `${seq}+${insertedBy ?? ""}`;

/** True if two rounds are the same messages, each shown in the same form. */
function isSameRound(one: readonly VisibleMessage[], other: readonly VisibleMessage[]): boolean {
  return (
    one.length === other.length &&
    one.every((message, index) => message === other[index] || isSameMessage(message, other[index]!))
  );
}

function isSameMessage(one: VisibleMessage, other: VisibleMessage): boolean {
  return (
    keyOf(one) === keyOf(other) &&
    one.blocks.length === other.blocks.length &&
    one.blocks.every(({ index, block }, place) => {
      const shown = other.blocks[place]!;
      return index === shown.index && block === shown.block;
    })
  );
}
