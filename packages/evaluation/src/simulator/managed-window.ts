/**
 * Runs the library's own policies in the simulator: the real planner on the real projection with its repairs. So the
 * simulator measures the text that would be sent. Only storage and corrections by reported usage are left out, because
 * a recording needs neither.
 */

import type { ContentBlock, Message } from "palimpsest";
import { formatPointer } from "palimpsest/compaction";
import type { PlannedEdits, WindowState } from "palimpsest/experimental";
import {
  addToDigest,
  arrivalPolicy,
  createDigest,
  type Digest,
  planArrival,
  WindowPlanner,
} from "palimpsest/experimental";
import type {
  ArrivalPolicy,
  CostPolicy,
  LayerLimits,
  Measure,
  StoredBlock,
  WindowLimits,
} from "palimpsest/internal";
import {
  defaultOrigin,
  fileBudget,
  filesAfter,
  firstSummaryTokens,
  isSummaryDue,
  Projection,
  RepairScan,
  resolveLimits,
  restoreFilesFromLog,
  type SummaryReason,
} from "palimpsest/internal";
import { type ContextBudget, estimateBlock, planBudget, tokenizerRatio } from "palimpsest/tokens";
import type { BlobBlock, Entry, LayerEdit } from "palimpsest/transcript";
import type { PricedRequest, TrajectoryMessage, WindowUnit } from "palimpsest-testing/internal";
import { ShownWindow } from "palimpsest-testing/internal";
import { referencesOf, type SessionReferences } from "../references/references.ts";
import type {
  Arena,
  CallMoment,
  Contestant,
  EditKind,
  Lookup,
  PolicyUnderTest,
  RunSetting,
} from "./contestant.ts";
import { callThatHeld } from "./file-calls.ts";
import { type ProviderEdits, ProviderSide, providerSummary } from "./provider-side.ts";
import { type SummaryVariant, SummaryWriters } from "./simulated-summaries.ts";

/** A policy of the library, with its settings. */
interface ManagedPolicy {
  readonly id: string;
  readonly name: string;
  readonly policy: CostPolicy;
  readonly editSafety: "strict" | "permissive";
  /** Limits of results when they arrive. @defaultValue the library's own; `none` switches them off */
  readonly arrival?: ((windowTokens: number) => ArrivalPolicy) | "none";
  readonly disabledLayers?: readonly string[];
  /** The writer of summaries. @defaultValue the digest alone */
  readonly summaries?: SummaryVariant;
  /** Numbers of the layers and of the budget other than the library's own. */
  readonly limits?: WindowLimits;
  /** Edits that the provider makes on its side. @defaultValue none */
  readonly providerEdits?: ProviderEdits;
  /** Called with every entry of the log and the window after it. */
  readonly onEntry?: (entry: Entry, projection: Projection) => void;
}

/** Wraps a policy for the simulator. */
export function managedPolicy(policy: ManagedPolicy): PolicyUnderTest {
  const { id, name } = policy;
  return {
    id,
    name,
    hasSearch: true,
    keepsHead: true,
    enter: (setting, arena) => new ManagedWindow(policy, setting, arena),
  };
}

class ManagedWindow implements Contestant {
  readonly #setting: RunSetting;
  readonly #arena: Arena;
  readonly #policy: ManagedPolicy;
  readonly #projection = new Projection();
  readonly #planner: WindowPlanner;
  readonly #budget: ContextBudget;
  readonly #limits: LayerLimits;
  readonly #arrival: ArrivalPolicy | undefined;
  readonly #measure: Measure;
  readonly #shown: ShownWindow;
  readonly #references: SessionReferences;
  readonly #disabledLayers: ReadonlySet<string>;
  readonly #writers: SummaryWriters;
  readonly #provider: ProviderSide;
  readonly #digest: Digest = createDigest();
  /** Messages that the digest does not include yet. */
  #waiting: { readonly seq: number; readonly message: Message }[] = [];
  readonly #seqOf = new Map<number, number>();
  /** The messages as they were recorded, whatever the window shows of them. */
  readonly #originals = new Map<number, readonly ContentBlock[]>();
  #scan = new RepairScan();
  /** Revision of the window that the scan went over. */
  #scannedRevision = 0;
  #seq = 0;
  #lastCallSeq = 0;

  constructor(policy: ManagedPolicy, setting: RunSetting, arena: Arena) {
    const { windowTokens, trajectory } = setting;
    this.#policy = policy;
    this.#setting = setting;
    this.#arena = arena;
    const { model } = trajectory;
    const ratio = tokenizerRatio(model);
    this.#measure = (block) => estimateBlock(block, model) * ratio;
    this.#references = referencesOf(trajectory);
    this.#shown = new ShownWindow(model, (block) => this.#references.keysInBlock(block));
    const limits = resolveLimits(policy.limits);
    this.#limits = limits.layers;
    this.#budget = planBudget({ windowTokens }, limits.budget);
    const usual = (tokens: number): ArrivalPolicy => arrivalPolicy(tokens, {}, policy.policy.arrivalBlock);
    this.#arrival = policy.arrival === "none" ? undefined : (policy.arrival ?? usual)(windowTokens);
    this.#disabledLayers = new Set(policy.disabledLayers ?? []);
    this.#planner = new WindowPlanner(policy.policy);
    this.#provider = new ProviderSide(policy.providerEdits ?? {});
    this.#writers = new SummaryWriters(
      { asksModel: false, ...policy.summaries, policy: policy.policy },
      setting,
      arena,
      firstSummaryTokens(policy.policy, this.#budget),
    );
  }

  get units(): readonly WindowUnit[] {
    return this.#shown.units;
  }

  get totalTokens(): number {
    return this.#shown.tokens + this.#setting.trajectory.fixedTokens;
  }

  append(message: TrajectoryMessage, index: number): void {
    const seq = this.#append(message.message, message.atMs);
    this.#seqOf.set(index, seq);
    if (message.author !== "assistant" || this.#writers.notes === undefined) return;
    const judged = this.#writers.notes.answered({
      index,
      seq,
      windowTokens: this.totalTokens,
      digest: () => this.#upToDateDigest(),
    });
    this.#policy.summaries?.onJudged?.(judged);
  }

  priced({ cost, readTokens, writtenTokens }: PricedRequest): void {
    this.#writers.notes?.requested(cost, readTokens + writtenTokens);
  }

  lookedUp({ text, source, message, isReread }: Lookup): void {
    const id = `lookup_${this.#seq}`;
    const pointer = formatPointer({ seq: this.#seqOf.get(source) ?? 0, block: 0 });
    const read = isReread ? callThatHeld(source, this.#setting.trajectory) : undefined;
    const call = { type: "tool_use", id, ...(read ?? { name: "history_read", input: { pointer } }) } as const;
    this.#append({ role: "assistant", content: [call] }, message.atMs);
    const result = { type: "tool_result", tool_use_id: id, content: text } as const;
    // A large result is read in parts that pass the limits at arrival, together as large as the whole.
    this.#append({ role: "user", content: [result] }, message.atMs, { isLimited: !isReread });
  }

  prepare(moment: CallMoment): readonly number[] {
    this.#repair(moment.nowMs, { isLeaving: false });
    this.#editByProvider(moment);
    const state = this.#state(moment);
    const planned = this.#planner.plan(state);
    const plan = isSummaryDue(planned) ? this.#summarise(state, planned.reason, moment) : planned;
    for (const edit of plan.edits) this.#apply(this.#restored(edit, state), moment.nowMs);
    if (plan.edits.length > 0) {
      this.#projection.forgetHidden();
      this.#follow();
    }
    this.#repair(moment.nowMs, { isLeaving: true });
    this.#planner.called(state, plan, this.#shown.tokens);
    this.#lastCallSeq = this.#take({
      type: "call",
      model: this.#setting.trajectory.model,
      throughSeq: this.#seq,
      estimatedTokens: this.totalTokens,
      at: moment.nowMs,
    });
    return this.#marks();
  }

  /** Edits by the provider come before ours, because it makes them whenever its trigger is reached. */
  #editByProvider(moment: CallMoment): void {
    const state = this.#state(moment);
    if (this.#provider.clear(state)) {
      this.#arena.edited("clear", 0);
      this.#follow();
    } else if (this.#provider.compacts(state)) {
      const { sources } = this.#writers.find(state, "threshold", this.#upToDateDigest(), moment);
      if (sources.written === undefined) return;
      this.#apply(providerSummary(sources.written.text, this.#seq, state), moment.nowMs);
      this.#projection.forgetHidden();
      this.#follow();
    }
  }

  #follow(): void {
    this.#shown.follow(this.#provider.shown(this.#projection.visible));
  }

  #summarise(state: WindowState, reason: SummaryReason, moment: CallMoment): PlannedEdits {
    const { sources, ...found } = this.#writers.find(state, reason, this.#upToDateDigest(), moment);
    const planned = this.#planner.plan(state, sources);
    const made = isSummaryDue(planned) ? { edits: [], usedTokens: state.usedTokens } : planned;
    this.#policy.summaries?.onSummary?.({
      index: moment.index,
      reason,
      ...found,
      kind: made.edits.find((edit) => edit.isBoundary === true)?.kind ?? "none",
      beforeTokens: state.usedTokens,
      afterTokens: made.usedTokens,
      notesTargetTokens: state.budget.sessionMemoryTargetTokens,
    });
    return made;
  }

  /** The edit with recent files behind its summary, as a session shows them again. */
  #restored(edit: LayerEdit, state: WindowState): LayerEdit {
    const { policy } = this.#policy;
    if (edit.isBoundary !== true || !(this.#writers.asksModel || policy.restoresFromLog)) return edit;
    const { windowTokens } = state.budget;
    const budget = filesAfter(edit, policy, windowTokens, fileBudget(windowTokens, this.#limits));
    const contentOf = (seq: number) => this.#originals.get(seq);
    return restoreFilesFromLog(edit, state, { digest: this.#upToDateDigest(), budget, contentOf });
  }

  /** Does nothing: the planner has already used its last resort. */
  overflow(): void {}

  isVisible(text: string): boolean {
    return this.#shown.strings.has(text);
  }

  /** True if the window has a pointer to the message. */
  isBehindPointer(source: number): boolean {
    const seq = this.#seqOf.get(source);
    return seq !== undefined && this.#shown.pointsTo(seq);
  }

  /** The entry of a message of the trajectory. */
  seqOf(source: number): number | undefined {
    return this.#seqOf.get(source);
  }

  #state({ nowMs, idleMs, isWarm }: CallMoment): WindowState {
    return {
      visible: this.#provider.shown(this.#projection.visible),
      usedTokens: this.totalTokens,
      fixedTokens: this.#setting.trajectory.fixedTokens,
      messagesTokens: this.#shown.tokens,
      budget: this.#budget,
      limits: this.#limits,
      tariff: this.#setting.tariff,
      editSafety: this.#policy.editSafety,
      isWarm: isWarm || idleMs === 0,
      measure: this.#measure,
      padding: 1,
      disabledLayers: this.#disabledLayers,
      ...(this.#writers.asksModel ? { writesSummaries: true } : {}),
      keptTools: [],
      lastCallSeq: this.#lastCallSeq,
      pins: [],
      seq: this.#seq + 1,
      at: nowMs,
    };
  }

  /** Repairs the window before planning: a recording may reuse ids of calls, or lack a call or a result. */
  #repair(at: number, leaving: { readonly isLeaving: boolean }): void {
    for (let pass = 0; pass < REPAIR_PASSES; pass++) {
      const { revision, visible, callSeqs } = this.#projection;
      if (revision !== this.#scannedRevision) this.#scan = new RepairScan();
      this.#scannedRevision = revision;
      const edit = this.#scan.scan(visible, callSeqs, leaving);
      if (edit === undefined) return;
      this.#take({ type: "edit", edit, at });
      this.#follow();
    }
  }

  #apply(edit: LayerEdit, at: number): void {
    this.#take({ type: "edit", edit, at });
    this.#arena.edited(kindOf(edit), edit.freedTokens);
  }

  /** Returns the cache mark: after the summary, which the next rewrite does not touch. */
  #marks(): readonly number[] {
    const last = this.#shown.lastInserted;
    return last < 0 ? [] : [last];
  }

  /** Adds the waiting messages to the digest, and returns it. */
  #upToDateDigest(): Digest {
    for (const { seq, message } of this.#waiting) addToDigest(this.#digest, seq, message);
    this.#waiting = [];
    return this.#digest;
  }

  #append(message: Message, at: number, { isLimited = true } = {}): number {
    const seq = this.#seq + 1;
    this.#waiting.push({ seq, message });
    this.#originals.set(seq, message.content);
    this.#take({
      type: "message",
      role: message.role,
      origin: message.origin ?? defaultOrigin(message),
      ...(message.responseId === undefined ? {} : { responseId: message.responseId }),
      ...(message.model === undefined ? {} : { model: message.model }),
      content: isLimited ? this.#stored(message, seq) : message.content,
      at,
    });
    this.#follow();
    return seq;
  }

  #stored(message: Message, seq: number): readonly StoredBlock[] {
    if (this.#arrival === undefined) return message.content;
    const content: StoredBlock[] = [...message.content];
    for (const { index, shown, view } of planArrival(message, seq, this.#arrival, this.#measure)) {
      if (view === "whole") continue;
      content[index] = { type: "blob", blob: { hash: "", bytes: 0 }, view, shown } satisfies BlobBlock;
      this.#arena.edited("offload", 0);
    }
    return content;
  }

  #take(newEntry: NewEntry): number {
    this.#seq++;
    const entry = { ...newEntry, seq: this.#seq, id: String(this.#seq), v: 1 } as Entry;
    this.#projection.apply(entry);
    this.#policy.onEntry?.(entry, this.#projection);
    return this.#seq;
  }
}

/** Passes of repairs, as many as in a session: one repair can make another necessary, but only a few times. */
const REPAIR_PASSES = 5;

type NewEntry = Entry extends infer One ? (One extends Entry ? Omit<One, "seq" | "id" | "v"> : never) : never;

function kindOf(edit: LayerEdit): EditKind {
  if (edit.isBoundary === true) return "summary";
  if (edit.kind === "offload" || edit.kind === "peel") return "offload";
  return edit.kind === "collapse" ? "collapse" : "clear";
}
