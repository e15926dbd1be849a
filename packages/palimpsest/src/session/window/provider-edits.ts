/**
 * The provider's own edits in a session: decides what it is asked for with each request, and records what it did.
 *
 * DESIGN. A request asks (`ask`, then `plan`), and what the answer reports is appended with it (`recorded`). Until then what
 * was asked for counts in all sizes; afterwards what was reported. Only strict sessions ask: elsewhere the session's own
 * layers leave more in view. Nothing is asked for where the endpoint is not known to do it, or the host manages the
 * context itself.
 */
import { isObject } from "../../base/json/json.ts";
import {
  clearedTokens,
  compactAtTokens,
  planProviderClear,
  providerEditPlan,
} from "../../compaction/layers/provider-side/plan-provider-edits.ts";
import { clearableToolsOf, microcompactPolicy } from "../../compaction/planner/policies.ts";
import { composePinned } from "../../compaction/shared/pins.ts";
import { requestTokens, situationOf, type WindowState } from "../../compaction/shared/window-state.ts";
import { reportLoss } from "../../compaction/summary/loss-report.ts";
import type { AppliedProviderEdits, EndpointEdits, ProviderEditPlan } from "../../ports/model-client.ts";
import { estimateBlock } from "../../tokens/estimate/estimate-block.ts";
import { findClaudeVersion, parseModelId, tokenizerFamily } from "../../tokens/models/model-id.ts";
import {
  blockText,
  type ContentBlock,
  isCompaction,
  type Message,
  type Usage,
} from "../../transcript/blocks.ts";
import { type BlockForm, type Edit, isBoundary, type LayerEdit } from "../../transcript/edits.ts";
import type { Projection } from "../../transcript/projection.ts";
import { asProviderShows, clearedBy, countCleared } from "../../transcript/provider-view.ts";
import type { VisibleMessage } from "../../transcript/window.ts";
import { layerFailed } from "../append/breakers.ts";
import type { CallRequest, PreparedCall } from "../options/prepared-call.ts";
import type { WindowOptions } from "../options/session-options.ts";
import type { CacheWatch } from "./prompt-cache-watch.ts";
import type { SessionParts } from "./session-parts.ts";

type EditingParts = Pick<
  SessionParts,
  "writer" | "tracker" | "pins" | "breakers" | "carried" | "queue" | "emit"
>;

/** An answer whose report is to be recorded. */
interface ReportedAnswer {
  readonly callSeq: number;
  readonly messages: readonly Message[];
  readonly applied: AppliedProviderEdits | undefined;
  readonly model: string;
}

export class ProviderEditing {
  readonly #parts: EditingParts;
  readonly #cache: Pick<CacheWatch, "rewritten">;
  readonly #options: NonNullable<WindowOptions["providerEdits"]>;
  readonly #isOff: boolean;
  readonly #mayCompact: boolean;
  readonly #mostFailures: number;
  /** True once the provider has refused to edit. */
  #isRefused = false;
  /** Tools whose results the host's own request keeps from clearing; `undefined` if the host has nothing cleared. */
  #keptByHost: readonly string[] | undefined;

  /** @param mostFailures - failures in a row after which nothing is asked for, until a compaction by hand */
  constructor(
    parts: EditingParts,
    options: WindowOptions,
    { cache, mostFailures }: { readonly cache: Pick<CacheWatch, "rewritten">; readonly mostFailures: number },
  ) {
    this.#parts = parts;
    this.#cache = cache;
    this.#mostFailures = mostFailures;
    this.#options = options.providerEdits ?? {};
    this.#mayCompact = options.autoCompact !== false && options.compact !== false;
    this.#isOff = options.disabledLayers?.includes("provider-side") === true;
  }

  /** The provider refused a request for its edits: the next ones ask for none, as long as the session is open. */
  refused(reason: string): void {
    this.#isRefused = true;
    this.failed(reason);
  }

  /** The provider refused to edit, or its summary cannot be used. */
  failed(reason: string): void {
    layerFailed(this.#parts, "provider-side", reason);
  }

  /** The edits that the provider can be asked for with this request. */
  #edits(
    { endpointEdits, parameters, model }: CallRequest,
    { editSafety }: Pick<WindowState, "editSafety">,
  ): EndpointEdits {
    const { clear, compact } = this.#options;
    const isOff =
      this.#isRefused ||
      this.#isOff ||
      this.#parts.breakers.count("provider-side") >= this.#mostFailures ||
      editSafety === "permissive" ||
      parameters?.["context_management"] !== undefined;
    const may = (option: boolean | undefined, can: boolean | undefined): boolean =>
      !isOff && option === true && can === true;
    const thinking = parameters?.["thinking"];
    const thinks = isObject(thinking) ? thinking["type"] !== "disabled" : thinksByDefault(model);
    return {
      clearsResults: may(clear, endpointEdits?.clearsResults),
      clearsThinking: may(clear, endpointEdits?.clearsThinking) && thinks,
      compacts: this.#mayCompact && may(compact, endpointEdits?.compacts),
      leastCompactTokens: endpointEdits?.leastCompactTokens ?? 0,
      compactsOnDemand: this.#mayCompact && may(compact, endpointEdits?.compactsOnDemand),
    };
  }

  /**
   * Forgets what a request asked for that was not answered. `next`: what the next one is sent with, whose endpoint may
   * clear nothing of what an earlier one cleared.
   */
  begin(next?: { readonly request: CallRequest; readonly safety: Pick<WindowState, "editSafety"> }): void {
    const { tracker, writer } = this.#parts;
    if (next !== undefined) this.#keptByHost = keptByHost(next.request);
    const isCleared =
      next === undefined
        ? undefined
        : this.#keptByHost !== undefined || this.#edits(next.request, next.safety).clearsResults;
    tracker.ask(undefined, writer.projection, isCleared);
  }

  /**
   * A summary that only its own provider can read is of no use to another: what it replaced is shown again, and made to
   * fit like any window.
   */
  async showAgain({ model, endpointEdits }: CallRequest): Promise<void> {
    const { writer } = this.#parts;
    const findSealing = () => writer.projection.activeEdits.findLast(({ edit }) => isSealing(edit));
    const isReadable = READERS.has(tokenizerFamily(model)) && endpointEdits?.compacts !== false;
    // Before the look through the whole window: nearly no session has such a summary.
    if (isReadable || findSealing() === undefined) return;
    const isSealed = writer.projection.visible.some(({ blocks }) =>
      blocks.some(({ block }) => block.type === "opaque" && isCompaction(block)),
    );
    if (!isSealed) return;
    // A summary may hold an earlier one, which is known once that is shown again.
    for (let found = findSealing(); found !== undefined; found = findSealing())
      await writer.appendOne({ type: "edit", edit: { kind: "undo", editSeq: found.seq } });
  }

  /** Asks for more to be cleared if that is due. Returns true if the window has become smaller by it. */
  ask(request: CallRequest, state: WindowState): boolean {
    const { clearsResults, clearsThinking } = this.#edits(request, state);
    if (!clearsResults) return false;
    const policy = microcompactPolicy(situationOf(state), state.budget.microcompactGateTokens);
    const cleared = planProviderClear(state, {
      ...policy,
      clearableTools: clearableToolsOf(state),
      clearsThinking,
    });
    if (cleared === undefined) return false;
    const { tracker, writer } = this.#parts;
    const { visible } = writer.projection;
    // In the form in which a report is read, so that the two can be compared.
    const asked = clearedBy(visible, countCleared(visible, cleared), cleared.keptTools);
    if (isFullAfter(asProviderShows(visible, asked), state)) return false;
    // The cache does not hold what is left.
    this.#cache.rewritten();
    tracker.ask(asked, writer.projection);
    return true;
  }

  /** The state for the planner: where the provider summarises, a summary of ours is due only if it would not be in time. */
  stateFor(request: CallRequest, state: WindowState): WindowState {
    if (compactAtTokens(state.budget, this.#edits(request, state)) === undefined) return state;
    const { blockingTokens } = state.budget;
    return { ...state, budget: { ...state.budget, autoCompactGateTokens: blockingTokens } };
  }

  /** What the request asks for, as the window is now. A side call of the same conversation asks for no summary. */
  plan(
    request: CallRequest,
    state: Pick<WindowState, "budget" | "editSafety">,
    { mayCompact = true }: { readonly mayCompact?: boolean } = {},
  ): ProviderEditPlan | undefined {
    const { tracker, writer } = this.#parts;
    const edits = this.#edits(request, state);
    // The API refuses to clear thinking where thinking is off; it reads none then.
    const { thinkingThroughSeq: _, ...results } = tracker.cleared ?? { throughSeq: 0, keptTools: [] };
    const cleared = edits.clearsThinking ? tracker.cleared : tracker.cleared && results;
    return providerEditPlan(writer.projection.visible, {
      cleared: edits.clearsResults ? cleared : undefined,
      compactAtTokens: mayCompact ? compactAtTokens(state.budget, edits) : undefined,
    });
  }

  /** The edits that record what an answer reports. `firstSeq`: the number that its first message will have. */
  async recorded(answer: ReportedAnswer, firstSeq: number): Promise<readonly LayerEdit[]> {
    const compaction = await this.#compaction(answer, firstSeq);
    const edit = compaction ?? this.#clearing(answer);
    if (edit !== undefined) this.#parts.breakers.reset("provider-side");
    return edit === undefined ? [] : [edit];
  }

  /** The provider cleared more than before, or something else than it was asked for. */
  #clearing({ callSeq, applied }: ReportedAnswer): LayerEdit | undefined {
    const { tracker, writer } = this.#parts;
    const keptTools = this.#keptByHost ?? tracker.cleared?.keptTools;
    if (applied === undefined || keptTools === undefined) return undefined;
    const { clearedResults, clearedThinkingTurns: clearedTurns, clearedTokens: tokens } = applied;
    if (clearedResults === 0 && clearedTurns === 0) return undefined;
    const visible = sentWith(writer.projection.visible, callSeq);
    const cleared = clearedBy(visible, { clearedResults, clearedTurns }, keptTools);
    const before = tracker.recorded(writer.projection);
    if (before !== undefined && isSameClearing(before, cleared)) return undefined;
    const shown = asProviderShows(visible, cleared);
    const hidden = visible.filter((message, index) => shown[index] !== message);
    return {
      kind: "provider-clear",
      reason: "cleared",
      freedTokens: Math.max(0, tokens - (before?.tokens ?? 0)),
      effect: {},
      cleared: { ...cleared, tokens },
      reported: [...applied.reported],
      loss: {
        ...reportLoss({ hidden: [], shown: [], kept: [], verbatimSeqs: new Set() }),
        messages: hidden.length,
        blocks: clearedResults,
      },
    };
  }

  /** The answer has a summary of everything before it, which is not sent any longer. */
  async #compaction(
    { callSeq, messages, applied, model }: ReportedAnswer,
    firstSeq: number,
  ): Promise<LayerEdit | undefined> {
    const place = compactionPlace(messages);
    if (place === undefined) return undefined;
    const { tracker, writer, pins } = this.#parts;
    const hidden = sentWith(writer.projection.visible, callSeq);
    const inserted = new Set(hidden.flatMap(({ insertedBy }) => insertedBy ?? []));
    const seq = firstSeq + place.message;
    const earlier: BlockForm[] = Array.from({ length: place.block }, (_, block) => ({ seq, block }));
    const pinned = composePinned(await pins.texts());
    const { model: sized, ratio } = tracker.ledger;
    const measure = (block: ContentBlock): number => estimateBlock(block, sized) * ratio;
    const before = asProviderShows(hidden, tracker.cleared);
    const freedTokens = before.reduce(
      (sum, { blocks }) => sum + blocks.reduce((all, { block }) => all + measure(block), 0),
      -measure(place.found),
    );
    const summary = place.found.type === "compaction" ? (place.found.content ?? "") : "";
    return {
      kind: "provider-clear",
      reason: "compacted",
      freedTokens: Math.max(0, Math.round(freedTokens)),
      isBoundary: true,
      effect: {
        hide: [{ from: 1, to: callSeq }],
        ...(inserted.size === 0 ? {} : { hideInserted: [...inserted] }),
        ...(earlier.length === 0 ? {} : { forms: earlier }),
        ...(pinned === "" ? {} : { insert: [{ afterSeq: seq, messages: [sayPinned(pinned)] }] }),
      },
      loss: reportLoss({ hidden: before, shown: [summary, pinned], kept: [], verbatimSeqs: new Set() }),
      writtenBy: {
        model,
        ...(applied?.compactionUsage === undefined ? {} : { usage: applied.compactionUsage }),
      },
    };
  }

  /** True if the provider can be asked for a summary now: its request takes no other edits. */
  summarizes(request: CallRequest, state: Pick<WindowState, "editSafety">): boolean {
    const { tracker, writer } = this.#parts;
    const isSigned = (block: ContentBlock): boolean => block.type !== "compaction" || "signature" in block;
    return (
      this.#edits(request, state).compactsOnDemand &&
      tracker.cleared === undefined &&
      writer.projection.visible.every(({ blocks }) => blocks.every(({ block }) => isSigned(block)))
    );
  }

  /** The edit that puts a summary in the place of everything through `throughSeq`; `undefined` if it holds none. */
  async summarized(
    { messages, usage }: { readonly messages: readonly Message[]; readonly usage?: Usage | undefined },
    { throughSeq, model }: { readonly throughSeq: number; readonly model: string },
  ): Promise<LayerEdit | undefined> {
    const summary = messages.flatMap(({ content }) => content).filter(isCompaction);
    if (summary.length !== 1) return undefined;
    const { tracker, writer, pins } = this.#parts;
    const hidden = writer.projection.visible;
    const inserted = new Set(hidden.flatMap(({ insertedBy }) => insertedBy ?? []));
    const pinned = composePinned(await pins.texts());
    const { ledger } = tracker;
    const freedTokens = ledger.figure().tokens - ledger.fixedFigure().tokens;
    const shown = messages.map(({ role, content }): Message => ({ role, origin: "summary", content }));
    return {
      kind: "provider-clear",
      reason: "manual",
      freedTokens: Math.max(0, Math.round(freedTokens)),
      isBoundary: true,
      effect: {
        hide: [{ from: 1, to: throughSeq }],
        ...(inserted.size === 0 ? {} : { hideInserted: [...inserted] }),
        insert: [{ afterSeq: throughSeq, messages: pinned === "" ? shown : [...shown, sayPinned(pinned)] }],
      },
      loss: reportLoss({
        hidden,
        shown: [...messages.flatMap(({ content }) => content.map(blockText)), pinned],
        kept: [],
        verbatimSeqs: new Set(),
      }),
      writtenBy: { model, ...(usage === undefined ? {} : { usage }) },
    };
  }

  /** Tokens that the provider leaves out of the window as it is. */
  clearedTokens(): number {
    const { tracker, writer } = this.#parts;
    const { model, ratio } = tracker.ledger;
    const measure = (block: ContentBlock): number => estimateBlock(block, model) * ratio;
    return Math.round(clearedTokens(writer.projection.visible, tracker.cleared, measure));
  }
}

/** Families of models that may read OpenAI's summaries; the name of a deployment may say nothing. */
const READERS: ReadonlySet<string> = new Set(["o200k", "unknown"]);

/** The tools that the host excludes where its own request has the provider clear; `undefined` if it has not. */
function keptByHost({ parameters }: CallRequest): readonly string[] | undefined {
  const managed = parameters?.["context_management"];
  const edits = isObject(managed) && Array.isArray(managed["edits"]) ? managed["edits"].filter(isObject) : [];
  const clears = edits.filter(({ type }) => String(type).startsWith("clear_"));
  if (clears.length === 0) return undefined;
  return clears.flatMap(({ exclude_tools: kept }) =>
    Array.isArray(kept) ? kept.filter((name) => typeof name === "string") : [],
  );
}

/** True for Claude from 5 on, which thinks unless a request says otherwise. Source: Anthropic docs, "Context editing". */
function thinksByDefault(model: string): boolean {
  return (findClaudeVersion(parseModelId(model).name)?.[0] ?? 0) >= 5;
}

/** The summaries of the provider that were recorded from entry `firstSeq` on. */
export function summariesSince(
  { activeEdits }: Pick<Projection, "activeEdits">,
  firstSeq: number,
): PreparedCall["edits"] {
  return activeEdits.flatMap(({ seq, edit }) =>
    seq >= firstSeq && edit.kind === "provider-clear" && edit.isBoundary === true ? [{ seq, edit }] : [],
  );
}

/** True if the edit put a summary of OpenAI's in place. */
function isSealing(edit: Edit): boolean {
  if (edit.kind !== "provider-clear" || !isBoundary(edit)) return false;
  return READERS.has(tokenizerFamily(edit.writtenBy?.model ?? ""));
}

/** The messages of the window that a call held. */
function sentWith(visible: readonly VisibleMessage[], callSeq: number): readonly VisibleMessage[] {
  return visible.filter(({ seq }) => seq < callSeq);
}

function isSameClearing(one: LayerEdit["cleared"] & object, other: LayerEdit["cleared"] & object): boolean {
  return one.throughSeq === other.throughSeq && one.thinkingThroughSeq === other.thinkingThroughSeq;
}

function sayPinned(text: string): Message {
  return { role: "user", origin: "summary", content: [{ type: "text", text }] };
}

/** The newest summary among the blocks of an answer, by message and block. */
function compactionPlace(
  messages: readonly Pick<Message, "content">[],
): { readonly message: number; readonly block: number; readonly found: ContentBlock } | undefined {
  for (let message = messages.length - 1; message >= 0; message--) {
    const { content } = messages[message]!;
    const block = content.findLastIndex(isCompaction);
    if (block >= 0) return { message, block, found: content[block]! };
  }
  return undefined;
}

/** True if a window that is not full by its report would be by the estimate, which counts once something is cleared. */
function isFullAfter(shown: readonly VisibleMessage[], state: WindowState): boolean {
  const { autoCompactGateTokens, blockingTokens } = state.budget;
  const tokens = requestTokens(state, shown);
  return [autoCompactGateTokens, blockingTokens].some((limit) => state.usedTokens < limit && tokens >= limit);
}
