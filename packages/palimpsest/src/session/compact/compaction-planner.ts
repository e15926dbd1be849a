/**
 * Making room: the planner of the session's policy, fed with what it needs from the log and, where a
 * model writes summaries, with what that wrote.
 */
import { POLICY_DEFAULTS } from "../../base/defaults/compaction/economics.ts";
import type { SessionNotes } from "../../compaction/layers/session-memory/session-memory-compact.ts";
import { costPolicy, DEFAULT_POLICY } from "../../compaction/planner/cost-policy.ts";
import {
  type CompactReason,
  isSummaryDue,
  type SummaryDue,
  type SummaryReason,
  type SummarySources,
  type WindowPlan,
} from "../../compaction/planner/window-plan.ts";
import { WindowPlanner } from "../../compaction/planner/window-planner.ts";
import { canSummarise } from "../../compaction/planner/window-sizes.ts";
import type { PlannedEdits, WindowState } from "../../compaction/shared/window-state.ts";
import type { PartialSpan } from "../../compaction/summary/plan-compaction.ts";
import type { WrittenSummary } from "../../compaction/summary/written-summary.ts";
import type { WindowOptions } from "../options/session-options.ts";
import type { SessionParts } from "../window/session-parts.ts";

/** What is known when room is to be made. */
export interface CompactionInputs {
  /** A compaction whatever the size of the window: why. */
  readonly compactFor?: CompactReason | undefined;
  /** One side of a pivot only. */
  readonly span?: PartialSpan | undefined;
  /** The session's notes as they are, asked for where a summary is due. */
  readonly notes?: (() => Promise<SessionNotes | undefined>) | undefined;
  /** What a model wrote for this window. */
  readonly written?: WrittenSummary | undefined;
  /**
   * What becomes of a summary that is due: it is waited for, it may come with a later call, or it is made at
   * once from what is at hand.
   * @defaultValue `now`
   */
  readonly decide?: ((due: SummaryDue) => "wait" | "later" | "now") | undefined;
}

export class CompactionPlanner {
  /** Layers that are switched off, by name. */
  readonly disabledLayers: ReadonlySet<string>;
  readonly #parts: Pick<SessionParts, "digest" | "pins" | "writer">;
  /** Decides before each call; none where the policy is `off`. */
  readonly #planner: WindowPlanner | undefined;
  /** Decides where somebody compacts by hand: what is off is the session's own doing. */
  readonly #byHand: WindowPlanner;
  #isResumed = false;

  constructor(parts: Pick<SessionParts, "digest" | "pins" | "writer">, options: WindowOptions) {
    this.#parts = parts;
    this.disabledLayers = new Set(options.disabledLayers ?? []);
    const policy = costPolicy(options.policy ?? DEFAULT_POLICY);
    this.#planner = policy === undefined ? undefined : new WindowPlanner(policy);
    this.#byHand = this.#planner ?? new WindowPlanner(POLICY_DEFAULTS.faithful);
  }

  /** Whether the policy leaves the window alone. */
  get isOff(): boolean {
    return this.#planner === undefined;
  }

  /** The edits of one rewrite; or that a summary is due, where it is waited for. */
  async make(given: WindowState, help: CompactionInputs = {}): Promise<PlannedEdits | SummaryDue> {
    const isByHand = help.compactFor === "manual";
    const planner = isByHand ? this.#byHand : this.#planner;
    const state = isByHand ? withSummaries(given) : given;
    const nothing: PlannedEdits = { edits: [], usedTokens: state.usedTokens };
    if (planner === undefined) return nothing;
    this.#resume(planner, state);
    const ask = (sources?: SummarySources): WindowPlan =>
      help.compactFor === undefined
        ? planner.plan(state, sources)
        : planner.compact(state, help.compactFor, sources);
    const plan = ask();
    if (!isSummaryDue(plan)) return plan;
    const fromNotes = await this.#fromNotes(planner, state, plan.reason, help);
    if (fromNotes !== undefined) return fromNotes;
    const choice = help.decide?.(plan) ?? "now";
    if (choice === "wait") return plan;
    if (choice === "later") {
      const without = planner.plan(state, undefined, true);
      return isSummaryDue(without) ? nothing : without;
    }
    const { written, span } = help;
    const again = ask({ ...(await this.#sources()), written, span });
    return isSummaryDue(again) ? nothing : again;
  }

  /** The request leaves: what was planned was carried out, and left messages of `messagesTokens`. */
  called(state: WindowState, made: PlannedEdits, messagesTokens: number): void {
    this.#planner?.called(state, made, messagesTokens);
  }

  /** Of a session that was opened, the log tells how many calls have carried what is in the window. */
  #resume(planner: WindowPlanner, state: WindowState): void {
    if (this.#isResumed) return;
    this.#isResumed = true;
    const { callSeqs, activeEdits } = this.#parts.writer.projection;
    const boundary = activeEdits.findLast(({ edit }) => "isBoundary" in edit && edit.isBoundary === true);
    const since = callSeqs.filter((seq) => seq > (boundary?.seq ?? 0)).length;
    if (since > 0) planner.resumed(state, since);
  }

  /** The session's notes in the place of the messages: nobody has to be asked for a summary then. */
  async #fromNotes(
    planner: WindowPlanner,
    state: WindowState,
    reason: SummaryReason,
    { notes, written, span }: CompactionInputs,
  ): Promise<PlannedEdits | undefined> {
    if (notes === undefined || written !== undefined || span !== undefined) return undefined;
    // What was refused in the messages themselves has to go, and nothing may be kept of them.
    const isRefused = reason === "media" || reason === "thinking";
    if (isRefused || this.disabledLayers.has("session-memory")) return undefined;
    const known = await notes();
    if (known === undefined) return undefined;
    return planner.fromNotes(state, reason, { ...(await this.#sources()), notes: known });
  }

  async #sources(): Promise<SummarySources> {
    return { digest: await this.#parts.digest.get(), pinned: await this.#parts.pins.texts() };
  }
}

/** A window that somebody compacts by hand: where all summaries are switched off, that from the log is made. */
function withSummaries(state: WindowState): WindowState {
  if (canSummarise(state)) return state;
  const disabledLayers = new Set([...state.disabledLayers].filter((layer) => layer !== "extractive"));
  return { ...state, disabledLayers };
}
