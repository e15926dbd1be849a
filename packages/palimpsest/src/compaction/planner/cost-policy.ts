/**
 * Cost policies: how far the window is rewritten to save cost.
 *
 * `economy` and `balanced` act before the window is full, because most of a session's bill is for carrying
 * tokens that are never used again; `faithful` acts only when the window demands it, or when acting is free;
 * `classic` has the constants and the order of layers of Claude Code; `off` leaves the window alone. They differ in numbers only, so an application can pass a policy object.
 */
import { POLICY_DEFAULTS, POLICY_LIMITS } from "../../base/defaults/compaction/economics.ts";
import type { ScaledTokens } from "../shared/measure.ts";
import type { WindowState } from "../shared/window-state.ts";
import type { SummaryReason } from "./window-plan.ts";

/** The policy of a session that names none. */
export const DEFAULT_POLICY = "balanced";

/** Names of the policies. */
export const POLICY_NAMES = ["economy", "balanced", "faithful", "classic", "off"] as const;

/** One of {@link POLICY_NAMES}. */
export type PolicyName = (typeof POLICY_NAMES)[number];

/** The newest rounds that stay after a summary of a full window. */
interface KeptTail extends ScaledTokens {
  /** Other windows keep only the newest round. @defaultValue the tail is that of all windows */
  readonly windows?: { readonly from: number; readonly below: number };
}

/** The content of a summary, and the size of the tail after it. */
export interface SummaryShape {
  /** The user's own words, verbatim. */
  readonly userWords: ScaledTokens;
  /** Files, commands, errors, decisions and open tasks. */
  readonly facts: ScaledTokens;
  /** Strings that are likely to be needed to the letter. */
  readonly appendix: ScaledTokens;
  /** Newest rounds that stay after a summary of a full window: as they are if the history may be edited, else quoted as text. */
  readonly keptTail: KeptTail;
}

/** The limit of a new block: larger ones become previews. */
export interface ArrivalLimit extends ScaledTokens {
  /** Windows of this many tokens and more have no limit in tokens. @defaultValue all windows have one */
  readonly noneFrom?: number;
}

/** When the window is rewritten for the price's sake, and what a summary holds. */
export interface CostPolicy extends SummaryShape {
  /** The largest block that enters the window whole. */
  readonly arrivalBlock: ArrivalLimit;
  /**
   * Summarise early, before the window is full, when the rent of the span reaches this many times the price of the
   * summary; infinite: never early.
   */
  readonly summaryMultiple: number;
  /** No early summary below this share of the effective window. */
  readonly earlyShare: number;
  /** The same for windows of `from` tokens and more. @defaultValue `earlyShare` in all windows */
  readonly largeEarlyShare?: { readonly share: number; readonly from: number };
  /**
   * The writer of an early summary where a model is connected: `model` has it written in the background if the
   * edit safety allows it; with `log` the model is only asked when the window is full.
   */
  readonly earlySummary: "log" | "model";
  /**
   * The least window that a model summarises when it is full; smaller ones, which are full more often, are summarised
   * from the log. By hand and after a refusal a model is asked in any window. @defaultValue all windows
   */
  readonly modelSummaryFrom?: number;
  /**
   * Windows in which old blocks are not shortened or cleared at the gates: they are summarised when they are full, as
   * long as a summary can be made. @defaultValue none
   */
  readonly keepsBlocks?: { readonly from: number; readonly below: number };
  /** The writer of the notes of a session that names none. Notes from the log take no part in a compaction. @defaultValue `model` */
  readonly notesWriter?: "log" | "model";
  /** Clear old results when their rent reaches the price of the rewrite, and on a cold cache. */
  readonly clearsByRent: boolean;
  /** Strings of the results that a layer clears or shortens, shown in the newest of them. */
  readonly clearedStrings: ScaledTokens;
  /** Recent files that are shown again after a summary that saves cost, in the parts in use; 0 tokens: none. */
  readonly earlyFiles: ScaledTokens;
  /** Show recent files again in a session without an agent as well, as the log last held them. */
  readonly restoresFromLog: boolean;
  /** Clear old results on a cold cache. @defaultValue `clearsByRent` */
  readonly clearsWhenCold?: boolean;
  /** Clear all but the newest results once there are `clearableCountGate` of them, whatever the size. @defaultValue false */
  readonly clearsByCount?: boolean;
  /** Show old rounds as one line each before a summary is made. @defaultValue false: only if no summary is made from the log */
  readonly collapsesEarly?: boolean;
}

/** The policy of a name; `undefined` for `off`. */
export function costPolicy(name: PolicyName): CostPolicy | undefined {
  return name !== "off" && Object.hasOwn(POLICY_DEFAULTS, name) ? POLICY_DEFAULTS[name] : undefined;
}

/** Limits of the layers that a policy sets, beside its own numbers, by the option that sets them. */
export function policyLimits(name: PolicyName): Readonly<Record<string, number>> {
  return name === "balanced" || name === "classic" ? POLICY_LIMITS[name] : {};
}

/** Reasons that come with the size of the window alone. */
const BY_SIZE: ReadonlySet<SummaryReason> = new Set(["rent", "payback", "threshold"]);

/** True if the policy asks no model for a summary that is due for this reason: it is early, or the window is small. */
export function isSummaryFromLog(
  reason: SummaryReason,
  policy: Pick<CostPolicy, "earlySummary" | "modelSummaryFrom"> | undefined,
  { usedTokens, budget }: Pick<WindowState, "usedTokens" | "budget">,
): boolean {
  if (policy === undefined) return false;
  const isEarly = reason === "rent" && usedTokens < budget.autoCompactGateTokens;
  if (isEarly && policy.earlySummary === "log") return true;
  return BY_SIZE.has(reason) && budget.windowTokens < (policy.modelSummaryFrom ?? 0);
}
