/**
 * Notes of a replayed session: when they are updated, the cost of that, and their content then.
 *
 * After every recorded answer the library's own gate is asked, with costs in the simulator's unit. An update
 * covers everything up to that answer, at once. A model's update is a forked call that is billed; the content
 * of its notes is modelled like a model's summary. Without a model the notes are the library's own, from the
 * digest, and cost nothing.
 */

import type { Digest } from "palimpsest/experimental";
import type { NotesLimits, SessionNotes } from "palimpsest/internal";
import {
  composeUpdatePrompt,
  extractNotes,
  factsOfDigest,
  formatNotes,
  isEmptyTemplate,
  judgeNotesGate,
  LAYER_LIMITS,
  leastWindowForNotes,
  NOTES_DEFAULTS,
  NOTES_TEMPLATE,
  NOTES_TEMPLATE_TEXT,
  type NotesDocument,
  type NotesGatePolicy,
  type NotesGateState,
  type NotesGateVerdict,
  parseNotes,
  scaleTokens,
} from "palimpsest/internal";
import { estimateText, tokenizerRatio } from "palimpsest/tokens";
import { EVALUATION_DEFAULTS as D } from "../defaults/evaluation.ts";
import type { Arena, RunSetting } from "./contestant.ts";
import { composeModelledText, readThrough, summaryKeys } from "./summary-model.ts";

/** A way to keep the notes. */
export interface NotesVariant {
  /** The writer: a model that is billed, or the library itself from the digest. */
  readonly updater: "model" | "extractive";
  /** As in {@link NotesGatePolicy}. @defaultValue the library's own */
  readonly costShareCap?: number | "off";
  /** As in {@link NotesGatePolicy}. @defaultValue `true` */
  readonly isGated?: boolean;
}

/** An answer after which the gate was asked. */
export interface JudgedAnswer {
  /** Index of the answer in the trajectory. */
  readonly index: number;
  readonly state: NotesGateState;
  readonly verdict: NotesGateVerdict;
  /** The cost of the update; absent if there was none. */
  readonly cost?: number;
}

/** An answer that was just recorded. */
interface AnswerMoment {
  readonly index: number;
  /** Its entry in the log. */
  readonly seq: number;
  /** The window with it, as a request would send it. */
  readonly windowTokens: number;
  /** Everything that was said so far. */
  readonly digest: () => Digest;
}

/** The gate's policy in a window of this size. */
function scaledGatePolicy(
  { costShareCap, isGated = true, updater }: NotesVariant,
  windowTokens: number,
  firstSummaryTokens: number,
): NotesGatePolicy {
  const leastKeptTokens = scaleTokens(LAYER_LIMITS.leastKeptTokens, windowTokens);
  const { start, growth, toolCallsCount } = NOTES_DEFAULTS;
  return {
    startTokens: scaleTokens(start, windowTokens),
    growthTokens: scaleTokens(growth, windowTokens),
    toolCallsCount,
    isGated,
    leastWindowTokens: leastWindowForNotes({ windowTokens, firstSummaryTokens, leastKeptTokens }),
    // As in a session: an update that asks no model costs nothing.
    costShareCap:
      costShareCap === "off" || updater === "extractive"
        ? undefined
        : (costShareCap ?? NOTES_DEFAULTS.costShareCap),
  };
}

/** Headings with their lines in italics. */
const HEADINGS = NOTES_TEMPLATE.sections.map(({ title, description }) => `# ${title}\n${description}\n`);

export class NotesTaker {
  readonly #variant: NotesVariant;
  readonly #setting: RunSetting;
  readonly #arena: Arena;
  readonly #policy: NotesGatePolicy;
  readonly #limits: NotesLimits;
  /** The model's tokens per reference token. */
  readonly #ratio: number;
  /** The size of an update's prompt without the notes. */
  readonly #promptTokens: number;
  #document: NotesDocument = parseNotes(NOTES_TEMPLATE_TEXT);
  #covered: { readonly index: number; readonly seq: number; readonly tokens: number } | undefined;
  #text: string | undefined;
  #updatedAtTokens: number | undefined;
  #toolCalls = 0;
  #sessionCost = 0;
  #notesCost = 0;
  #requestTokens = 0;

  /** `firstSummaryTokens`: the least request that the policy compacts. */
  constructor(variant: NotesVariant, setting: RunSetting, arena: Arena, firstSummaryTokens: number) {
    const { windowTokens, trajectory } = setting;
    this.#variant = variant;
    this.#setting = setting;
    this.#arena = arena;
    this.#policy = scaledGatePolicy(variant, windowTokens, firstSummaryTokens);
    this.#limits = {
      sectionTokens: scaleTokens(NOTES_DEFAULTS.section, windowTokens),
      totalTokens: scaleTokens(NOTES_DEFAULTS.total, windowTokens),
    };
    this.#ratio = tokenizerRatio(trajectory.model);
    const prompt = composeUpdatePrompt(this.#document, { limits: this.#limits, notesPath: "notes.md" });
    this.#promptTokens = (estimateText(prompt.text) - estimateText(NOTES_TEMPLATE_TEXT)) * this.#ratio;
  }

  /** A request of this size was billed. */
  requested(cost: number, requestTokens: number): void {
    this.#sessionCost += cost;
    this.#requestTokens = requestTokens;
  }

  /** A side call was billed that is not an update. */
  paid(cost: number): void {
    this.#sessionCost += cost;
  }

  /** The notes as they are now; `undefined` before the first update. */
  get notes(): SessionNotes | undefined {
    const covered = this.#covered;
    if (covered === undefined) return undefined;
    const isOwn = this.#variant.updater === "extractive";
    this.#text ??= isOwn ? formatNotes(this.#document) : this.#modelledText(covered);
    const isEmpty = isOwn && isEmptyTemplate(this.#document);
    return { text: this.#text, throughSeq: covered.seq, isEmpty, isUpdateRunning: false };
  }

  /** Asks the gate, and brings the notes up to date where it is open. */
  answered(moment: AnswerMoment): JudgedAnswer {
    const { index, windowTokens } = moment;
    const { messages, tokensBefore } = this.#setting.trajectory;
    const calls = messages[index]!.message.content.filter(({ type }) => type === "tool_use").length;
    this.#toolCalls += calls;
    const conversationTokens = tokensBefore[index + 1]!;
    const update = this.#update(windowTokens, conversationTokens);
    const state: NotesGateState = {
      conversationTokens,
      windowTokens,
      ...(this.#updatedAtTokens === undefined ? {} : { updatedAtTokens: this.#updatedAtTokens }),
      toolCallsSinceUpdate: this.#toolCalls,
      didLastTurnCallTools: calls > 0,
      sessionCost: this.#sessionCost,
      notesCost: this.#notesCost,
      updateCost: update.expectedCost,
    };
    const verdict = judgeNotesGate(state, this.#policy);
    if (!verdict.isDue) return { index, state, verdict };
    const cost = this.#bill(update);
    this.#sessionCost += cost;
    this.#notesCost += cost;
    this.#updatedAtTokens = conversationTokens;
    this.#toolCalls = 0;
    this.#covered = { index, seq: moment.seq, tokens: update.notesTokens };
    this.#text = undefined;
    if (this.#variant.updater === "extractive")
      this.#document = extractNotes(this.#document, factsOfDigest(moment.digest()), {
        limits: this.#limits,
      }).document;
    return { index, state, verdict, cost };
  }

  /** Returns the update that would follow this answer: the notes grow with the conversation up to their limit. */
  #update(windowTokens: number, conversationTokens: number): Update {
    const limitTokens = this.#limits.totalTokens * this.#ratio;
    const notesTokens = Math.round(
      Math.min(limitTokens, Math.max(D.notesLeastTokens, D.notesShare * conversationTokens)),
    );
    if (this.#variant.updater === "extractive")
      return { notesTokens, addedTokens: 0, outputTokens: 0, expectedCost: 0 };
    const grownTokens = conversationTokens - (this.#updatedAtTokens ?? 0);
    const outputTokens = Math.min(notesTokens, Math.round(D.notesStateTokens + D.notesShare * grownTokens));
    const nowTokens = this.#covered?.tokens ?? estimateText(NOTES_TEMPLATE_TEXT) * this.#ratio;
    const addedTokens = Math.round(this.#promptTokens + nowTokens);
    const { read, write, outputRatio } = this.#setting.tariff;
    // What the last request sent is read; the answer, the instruction and the notes are new.
    const newTokens = windowTokens - this.#requestTokens + addedTokens;
    const expectedCost = read * this.#requestTokens + write * newTokens + outputRatio * outputTokens;
    return { notesTokens, addedTokens, outputTokens, expectedCost };
  }

  #bill({ addedTokens, outputTokens }: Update): number {
    if (this.#variant.updater === "extractive") return 0;
    return this.#arena.sideCall({ mode: "fork", inputTokens: 0, outputTokens, addedTokens });
  }

  #modelledText({ index, tokens }: { readonly index: number; readonly tokens: number }): string {
    const seen = readThrough(this.#setting.trajectory, index);
    const strings = [...summaryKeys(seen, { tokens })];
    return composeModelledText({ headings: HEADINGS, strings, tokens: tokens / this.#ratio });
  }
}

/** An update as it is expected. */
interface Update {
  /** Size of the notes after it. */
  readonly notesTokens: number;
  /** Instruction and notes, behind the window. */
  readonly addedTokens: number;
  readonly outputTokens: number;
  readonly expectedCost: number;
}
