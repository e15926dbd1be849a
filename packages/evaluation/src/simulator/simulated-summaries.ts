/**
 * The writers of summaries in a replayed session: the session's notes, a model, or the digest alone.
 *
 * As in a live session (`session/compact/obtain-summary.ts`), notes come first. If they do not suffice, a model is
 * asked. The agent waits for it if the window is full. A summary that only saves cost is written in the background;
 * on sessions with strict edit safety, no model is asked for it. The simulator asks no model: `summary-model.ts`
 * predicts its text.
 */

import type { Digest, WindowState } from "palimpsest/experimental";
import type {
  SessionMemoryRefusal,
  SummaryReason,
  SummarySources,
  WrittenSummary,
} from "palimpsest/internal";
import {
  type CostPolicy,
  chooseSource,
  DEFAULTS,
  isSummaryFromLog,
  planFromNotes,
  type SummarySource,
} from "palimpsest/internal";
import { tokenizerRatio } from "palimpsest/tokens";
import type { VisibleMessage } from "palimpsest/transcript";
import type { Author } from "palimpsest-testing/internal";
import { EVALUATION_DEFAULTS as D } from "../defaults/evaluation.ts";
import { referencesOf } from "../references/references.ts";
import type { Arena, CallMoment, RunSetting } from "./contestant.ts";
import { type JudgedAnswer, NotesTaker, type NotesVariant } from "./simulated-notes.ts";
import { composeModelledText, SUMMARY_HEADINGS, summaryKeys } from "./summary-model.ts";

/** The available writers. */
export interface SummaryVariant {
  readonly notes?: NotesVariant;
  /** True if a model is asked for summaries. */
  readonly asksModel: boolean;
  /** The policy's rules of who writes. @defaultValue a model, whenever it may be asked */
  readonly policy?: Pick<CostPolicy, "earlySummary" | "modelSummaryFrom">;
  readonly onJudged?: (answer: JudgedAnswer) => void;
  readonly onSummary?: (summary: SummaryMoment) => void;
}

/** A summary that was due. */
export interface SummaryMoment {
  /** Index of the answer to the call that waited. */
  readonly index: number;
  readonly reason: SummaryReason;
  /** The result: the kind of the edit, or `none`. */
  readonly kind: string;
  /** The reason why the notes did not suffice; absent if they did, or if there are none. */
  readonly refusal?: SessionMemoryRefusal;
  /** The call to the model, if any, and if the agent waited for it. */
  readonly call: "none" | "ahead" | "blocking";
  /** Tokens of the request before and after, and the target that notes have to reach. */
  readonly beforeTokens: number;
  readonly afterTokens: number;
  readonly notesTargetTokens: number;
}

interface FoundSources extends Pick<SummaryMoment, "refusal" | "call"> {
  readonly sources: SummarySources;
}

export class SummaryWriters {
  readonly #variant: SummaryVariant;
  readonly #setting: RunSetting;
  readonly #arena: Arena;
  readonly notes: NotesTaker | undefined;

  /** `firstSummaryTokens`: the least request that the policy compacts. */
  constructor(variant: SummaryVariant, setting: RunSetting, arena: Arena, firstSummaryTokens: number) {
    this.#variant = variant;
    this.#setting = setting;
    this.#arena = arena;
    this.notes = variant.notes && new NotesTaker(variant.notes, setting, arena, firstSummaryTokens);
  }

  get asksModel(): boolean {
    return this.#variant.asksModel;
  }

  /** Returns the sources of a summary that is due now. A model that is asked is billed. */
  find(state: WindowState, reason: SummaryReason, digest: Digest, moment: CallMoment): FoundSources {
    const sources: SummarySources = { digest, pinned: [] };
    const notes = this.notes?.notes;
    const isOff = this.notes === undefined || state.disabledLayers.has("session-memory");
    const plan = isOff ? undefined : planFromNotes(state, reason, { ...sources, notes });
    if (plan?.ok === true) return { sources: { ...sources, notes }, call: "none" };
    const refusal = plan === undefined ? {} : { refusal: plan.refusal };
    const source = this.#sourceOf(state, reason);
    if (source === "now") return { sources, ...refusal, call: "none" };
    const written = this.#write(state, moment);
    return { sources: { ...sources, written }, ...refusal, call: source === "wait" ? "blocking" : "ahead" };
  }

  /** The library's own choice, where notes are up to date and nothing has failed. */
  #sourceOf(state: WindowState, reason: SummaryReason): SummarySource {
    const { asksModel, policy } = this.#variant;
    const { budget, usedTokens, editSafety } = state;
    return chooseSource(
      { needs: "summary", reason },
      {
        ...{ isByHand: false, hasWritten: false, isSettled: false, isVetoed: false, areNotesUpdating: false },
        ...{ hasModel: asksModel, hasHook: false, hasBackgroundFailed: false, editSafety },
        isFull: usedTokens >= budget.autoCompactGateTokens,
        isFromLog: isSummaryFromLog(reason, policy, state),
      },
    );
  }

  #write(state: WindowState, { isWarm }: CallMoment): WrittenSummary {
    const { trajectory } = this.#setting;
    const { model } = trajectory;
    const references = referencesOf(trajectory);
    const scale = state.budget.windowTokens / DEFAULTS.referenceWindowTokens;
    const tokens = Math.max(D.summaryFloorTokens, Math.round(D.summaryTokens * Math.sqrt(scale)));
    const mode = isWarm ? "fork" : "fresh";
    const cost = this.#arena.sideCall({ mode, inputTokens: state.usedTokens, outputTokens: tokens });
    this.notes?.paid(cost);
    const stringsOf = ({ blocks }: VisibleMessage): ReadonlySet<string> =>
      new Set(blocks.flatMap(({ block }) => [...references.keysInBlock(block)]));
    const seen = state.visible.map((message) => ({
      author: speakerOf(message),
      strings: stringsOf(message),
    }));
    const isSummary = ({ origin }: VisibleMessage): boolean => origin === "summary";
    const strings = summaryKeys(
      seen.filter((_, index) => !isSummary(state.visible[index]!)),
      { tokens, carried: state.visible.filter(isSummary).flatMap((message) => [...stringsOf(message)]) },
    );
    const text = composeModelledText({
      headings: SUMMARY_HEADINGS,
      strings: [...strings],
      tokens: tokens / tokenizerRatio(model),
    });
    return { text, throughSeq: state.seq - 1, model, leftOutRounds: 0 };
  }
}

function speakerOf({ origin }: VisibleMessage): Author {
  return origin === "user" || origin === "assistant" || origin === "tool" ? origin : "note";
}
