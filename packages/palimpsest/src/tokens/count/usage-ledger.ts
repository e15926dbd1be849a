/**
 * The size of the window, kept up to date as things happen: what the provider last reported plus an
 * estimate of what came since.
 *
 * DESIGN. The ledger holds sums in reference tokens: the messages of the window and the fixed part
 * (system prompt and tools). A report becomes the *anchor*: the tokens reported, and how much of the
 * sums they cover. Adding a message raises the sum; the difference to what the anchor covers is what
 * has to be estimated. An edit, a change of the fixed part and a switch of the model void the anchor;
 * a report of a request that left before such a change is about another window and changes nothing. A
 * report far off the expected figure is in doubt until the next one confirms it. The work grows with the new
 * content only. The state that survives a crash is `snapshot()`; code that rebuilds the window reports its sum
 * with `windowRestored`, which keeps the anchor.
 */
import { assert } from "../../base/assert.ts";
import { asNumber, isObject, type JsonObject } from "../../base/json/json.ts";
import { promptTokens, type Usage } from "../../transcript/blocks.ts";
import { dropsEarlierReasoning } from "../models/edit-safety.ts";
import { tokenizerRatio } from "../models/model-id.ts";
import { Calibration, type CalibrationSample, type ObservedRatio } from "./calibration.ts";
import { type Anchor, parseAnchor, type TokenFigure, type TokenSource } from "./counting-chain.ts";

/** A reported output below this share of the reply's estimate is a placeholder. Source: older Claude Code logs, which report a few tokens for replies of hundreds. */
const PLACEHOLDER_OUTPUT_SHARE = 0.5;
/** A report that differs from the expected figure by more than this share, in either direction, is in doubt until the next one confirms it. Our choice; in recorded sessions reports stay above it but where the tool replaced its context. */
const DOUBTFUL_SHARE = 0.5;
/** Smallest size, in tokens of the model, at which a report is doubted. Our choice: below it wrappers dominate. */
const DOUBTFUL_MIN_TOKENS = 2_000;
/** A second report confirms the first within this share of itself. Our choice; the error of one increment is far below. */
const CONFIRMED_SHARE = 0.25;

/** Contents of a request when it left; handed back with its report. */
export interface SentRequest {
  readonly coveredTokens: number;
  readonly generation: number;
}

/** A provider's report of one request, with known facts about its reply. */
export interface UsageReport {
  readonly sent: SentRequest;
  readonly usage: Usage;
  /** The reply as it is shown, in reference tokens. */
  readonly replyTokens: number;
  /** False where a part of the reply became a preview or is hidden: its output says nothing of the window then. @defaultValue true */
  readonly isReplyWhole?: boolean;
  /** Part of `replyTokens` that is reasoning only its provider reads. Absent: none. */
  readonly sealedTokens?: number | undefined;
  /** The model's window: a report above it is not believed while the estimate is far below. */
  readonly windowTokens?: number;
}

/** Verdict on a report; one that is in doubt moves no figure. */
type ReportJudgement = "believed" | "doubted" | "ignored";

/** Initial state of a ledger: an empty window, or the state of an earlier run of the session. */
interface UsageLedgerOptions {
  /** Id of the model; its family gives the first ratio. */
  readonly model: string;
  /** System prompt and tools in reference tokens, if they are known (`estimateFixed`). */
  readonly fixedTokens?: number | undefined;
  /** A snapshot ({@link UsageLedger.snapshot}) of an earlier run. */
  readonly snapshot?: unknown;
}

/**
 * Keeps the size of a window up to date. Tell it every message (`messageAdded`), rewrite
 * (`windowReplaced`), request (`requestSent`) and report (`usageReported`), and ask it for `figure()`; a
 * `Session` does so by itself. Additions are given in reference tokens (`estimateMessage`), what it
 * answers is in those of the model.
 */
export class UsageLedger {
  #model: string;
  #messagesTokens = 0;
  /** `undefined` where no one knows the fixed part; it is then inferred from the first report. */
  #fixedTokens: number | undefined;
  /** The fixed part as the reports imply it, in the model's tokens. */
  #inferredFixedTokens: number | undefined;
  /** Sent besides what is known here, in the model's tokens: a system prompt or tools that only the host has. */
  #reservedFixedTokens: number | undefined;
  #anchor: Anchor | undefined;
  /** The anchor of the last report, which was far off the expected figure. */
  #doubted: Anchor | undefined;
  /** Counts what voids anchors: a report of an earlier generation is about another window. */
  #generation = 0;
  readonly #calibrations = new Map<string, Calibration>();

  constructor({ model, fixedTokens, snapshot }: UsageLedgerOptions) {
    this.#model = model;
    this.#fixedTokens = fixedTokens;
    if (isObject(snapshot)) this.#restore(snapshot);
  }

  /** The model whose tokens the figures are in. */
  get model(): string {
    return this.#model;
  }

  /** Tokens of the model per reference token, as learned so far. */
  get ratio(): number {
    return this.#calibration().ratio();
  }

  /** Factor for estimates in fit decisions. */
  get padding(): number {
    return this.#calibration().padding();
  }

  /** System prompt and tools in reference tokens, if they are known. */
  get fixedTokens(): number | undefined {
    return this.#fixedTokens;
  }

  /** Tokens kept free for system prompt and tools that are not known here; 0 where no one reserved any. */
  get reservedFixedTokens(): number {
    return this.#reservedFixedTokens ?? 0;
  }

  /**
   * Counts `tokens` of the model into every request, for system prompt and tools that are sent and not known here.
   * Reports infer none besides. Not part of a snapshot.
   */
  reserveFixed(tokens: number): void {
    assert(tokens >= 0, "a system prompt does not have negative size");
    if (tokens === this.#reservedFixedTokens) return;
    this.#reservedFixedTokens = tokens;
    this.#inferredFixedTokens = undefined;
    this.#void();
  }

  /** Teaches the ratio what was reported elsewhere for text of this session, such as a recorded run of it. */
  learnFrom(sample: CalibrationSample): void {
    this.#calibration().observe(sample);
  }

  /** Counts what voids reports: a report of an earlier generation is about another window. */
  get generation(): number {
    return this.#generation;
  }

  /** The last report is not believed any longer, nor what it implied: figures are estimates until the next one. */
  distrustReport(): void {
    this.#inferredFixedTokens = undefined;
    this.#void();
  }

  /** The size of what is known of the next request, by estimate alone. */
  estimateKnown(): TokenFigure {
    return this.#estimateOf(this.#sum() * this.ratio, this.reservedFixedTokens);
  }

  /** A message joined the window; `estimatedTokens` is its estimate in reference tokens. The reply counts, too. */
  messageAdded(estimatedTokens: number): void {
    assert(estimatedTokens >= 0, "a message does not have negative size");
    this.#messagesTokens += estimatedTokens;
  }

  /** The window was rewritten; `estimatedTokens` is the sum over its messages now. */
  windowReplaced(estimatedTokens: number): void {
    this.windowRestored(estimatedTokens);
    this.#void();
  }

  /** The window was rebuilt as it was when the snapshot was taken; `estimatedTokens` is its sum. */
  windowRestored(estimatedTokens: number): void {
    assert(estimatedTokens >= 0, "a window does not have negative size");
    this.#messagesTokens = estimatedTokens;
  }

  /** System prompt or tools changed; `estimatedTokens` is their estimate, `undefined` where they are unknown. */
  fixedChanged(estimatedTokens: number | undefined): void {
    if (estimatedTokens === this.#fixedTokens) return;
    this.#fixedTokens = estimatedTokens;
    this.#inferredFixedTokens = undefined;
    this.#void();
  }

  /** Another model will be asked: the anchor is void, and its own ratio applies. The same model changes nothing. */
  modelSwitched(model: string): void {
    if (model === this.#model) return;
    const before = this.ratio;
    this.#model = model;
    if (this.#inferredFixedTokens !== undefined) this.#inferredFixedTokens *= this.ratio / before;
    this.#void();
  }

  /** Marks what a request holds at the moment it leaves. */
  requestSent(): SentRequest {
    return { coveredTokens: this.#sum(), generation: this.#generation };
  }

  /**
   * The provider reported a request; says whether the report is believed. The reply itself is added like
   * any message, before or after.
   */
  usageReported(report: UsageReport): ReportJudgement {
    const { sent, usage } = report;
    const prompt = promptTokens(usage);
    if (!Number.isFinite(prompt) || prompt <= 0 || sent.generation !== this.#generation) return "ignored";
    const { coveredTokens } = sent;
    if (!this.#isBelieved({ coveredTokens, prompt, windowTokens: report.windowTokens })) {
      this.#doubted = this.#anchorOf(report, prompt);
      return "doubted";
    }
    this.#doubted = undefined;
    this.#learn(coveredTokens, prompt);
    this.#anchor = this.#anchorOf(report, prompt);
    return "believed";
  }

  /** The user speaks again: sealed reasoning of the turn before is not read any longer. */
  turnBegan(): void {
    const anchor = this.#anchor;
    if (anchor?.reasoningTokens === undefined) return;
    const { reasoningTokens, tokens, droppedTokens = 0, ...rest } = anchor;
    this.#anchor = {
      ...rest,
      tokens: tokens - reasoningTokens,
      droppedTokens: droppedTokens + reasoningTokens,
    };
  }

  /** A counter counted the window as it is now: as good as a report, until something is added. */
  counted({ tokens, source }: { readonly tokens: number; readonly source: TokenSource }): void {
    this.#doubted = undefined;
    this.#anchor = { tokens, coveredTokens: this.#sum(), source };
  }

  /** The size of the next request. */
  figure(): TokenFigure {
    const anchor = this.#anchor;
    if (anchor === undefined) return this.#estimate();
    const since = Math.max(0, this.#sum() - anchor.coveredTokens) * this.ratio;
    return {
      tokens: Math.round(anchor.tokens + since),
      fitTokens: Math.ceil(anchor.tokens + (anchor.droppedTokens ?? 0) + since * this.padding),
      source: since > 0 ? "anchored" : anchor.source,
    };
  }

  /** System prompt and tools: estimated where they are known, else as the reports imply; 0 before any. */
  fixedFigure(): TokenFigure {
    const isKnown = this.#fixedTokens !== undefined;
    return {
      ...this.#estimateOf((this.#fixedTokens ?? 0) * this.ratio, this.#unknownFixedTokens()),
      source: isKnown || this.#inferredFixedTokens === undefined ? "estimate" : "anchored",
    };
  }

  /** State to keep over a restart, as JSON: the anchor and the learned ratio. */
  snapshot(): JsonObject {
    return {
      model: this.#model,
      ...(this.#anchor === undefined ? {} : { anchor: { ...this.#anchor } }),
      inferredFixedTokens: this.#inferredFixedTokens,
      ratios: Object.fromEntries(
        [...this.#calibrations].map(([model, one]) => [model, one.observed.map((found) => ({ ...found }))]),
      ),
    };
  }

  #restore(snapshot: Record<string, unknown>): void {
    if (isObject(snapshot["ratios"])) {
      for (const [model, ratios] of Object.entries(snapshot["ratios"])) {
        if (!Array.isArray(ratios)) continue;
        const observed = ratios.flatMap((one: unknown) => parseObserved(one) ?? []);
        this.#calibrations.set(model, new Calibration({ priorRatio: tokenizerRatio(model), observed }));
      }
    }
    if (snapshot["model"] !== this.#model) return;
    this.#inferredFixedTokens = asNumber(snapshot["inferredFixedTokens"]);
    this.#anchor = parseAnchor(snapshot["anchor"]);
  }

  #sum(): number {
    return this.#messagesTokens + (this.#fixedTokens ?? 0);
  }

  #estimate(): TokenFigure {
    return this.#estimateOf(this.#sum() * this.ratio, this.#unknownFixedTokens());
  }

  /** Pads only estimates, not figures in the model's tokens. */
  #estimateOf(estimated: number, given: number): TokenFigure {
    return {
      tokens: Math.round(estimated + given),
      fitTokens: Math.ceil(estimated * this.padding + given),
      source: "estimate",
    };
  }

  /** The part of each request that is not known here: reserved, or else what the reports imply. */
  #unknownFixedTokens(): number {
    if (this.#reservedFixedTokens !== undefined) return this.#reservedFixedTokens;
    return this.#fixedTokens === undefined ? (this.#inferredFixedTokens ?? 0) : 0;
  }

  /**
   * A report is believed if it is near what was expected, by the last report or by estimate, or if the one
   * before it said the same. Gateways leave out cached tokens, hosts pass sums over several calls: one
   * such figure must not move the window's size.
   */
  #isBelieved({ coveredTokens, prompt, windowTokens }: ReportedSize): boolean {
    const anchor = this.#anchor;
    const estimated = this.#expected(undefined, coveredTokens);
    const expected = this.#expected(anchor, coveredTokens);
    const isAboveWindow = windowTokens !== undefined && prompt > windowTokens;
    if (isAboveWindow && Math.max(estimated, expected) < windowTokens * DOUBTFUL_SHARE) return false;
    // Before the first report no one knows what a host sends beside the messages: nothing is a surprise.
    if (anchor === undefined || Math.max(prompt, expected) < DOUBTFUL_MIN_TOKENS) return true;
    if (isNear(expected, prompt) || isNear(estimated, prompt)) return true;
    const again = this.#doubted;
    // Where growth alone makes the second figure, the two have nothing in common.
    if (again === undefined || !isNear(again.tokens, prompt)) return false;
    if (Math.abs(prompt - this.#expected(again, coveredTokens)) > prompt * CONFIRMED_SHARE) return false;
    // A confirmed report counts like any two reports.
    this.#anchor = again;
    return true;
  }

  /** The expected report of a request with `coveredTokens`. */
  #expected(anchor: Anchor | undefined, coveredTokens: number): number {
    if (anchor !== undefined)
      return anchor.tokens + Math.max(0, coveredTokens - anchor.coveredTokens) * this.ratio;
    return coveredTokens * this.ratio + this.#unknownFixedTokens();
  }

  #anchorOf(report: UsageReport, prompt: number): Anchor {
    const { sent, usage, replyTokens, isReplyWhole = true, sealedTokens = 0 } = report;
    const { outputTokens } = usage;
    const before = this.#anchor?.reasoningTokens ?? 0;
    const shown = replyTokens * this.ratio;
    const isPlaceholder = !Number.isFinite(outputTokens) || outputTokens < shown * PLACEHOLDER_OUTPUT_SHARE;
    if (isPlaceholder || !isReplyWhole)
      return {
        tokens: prompt,
        coveredTokens: sent.coveredTokens,
        source: "reported",
        ...(before === 0 ? {} : { reasoningTokens: before }),
      };
    const read = (replyTokens - sealedTokens) * this.ratio;
    const isDropped = sealedTokens > 0 && dropsEarlierReasoning(this.#model);
    const reasoningTokens = before + (isDropped ? Math.max(0, Math.round(outputTokens - read)) : 0);
    return {
      tokens: prompt + outputTokens,
      coveredTokens: sent.coveredTokens + replyTokens,
      source: "reported",
      ...(reasoningTokens === 0 ? {} : { reasoningTokens }),
    };
  }

  /** The growth since the last report, or, where all parts are known, the whole prompt, teaches the ratio. */
  #learn(coveredTokens: number, prompt: number): void {
    const anchor = this.#anchor;
    const isGiven = this.#fixedTokens !== undefined || this.#reservedFixedTokens !== undefined;
    if (anchor?.source === "reported") {
      const estimatedTokens = coveredTokens - anchor.coveredTokens;
      this.#calibration().observe({ estimatedTokens, reportedTokens: prompt - anchor.tokens });
    } else if (this.#fixedTokens !== undefined && this.#reservedFixedTokens === undefined) {
      this.#calibration().observe({ estimatedTokens: coveredTokens, reportedTokens: prompt });
    }
    // Just after a void the messages are few or freshly known, so the rest is the fixed part.
    if (!isGiven && anchor === undefined)
      this.#inferredFixedTokens = Math.max(0, prompt - coveredTokens * this.ratio);
  }

  #void(): void {
    this.#anchor = undefined;
    this.#doubted = undefined;
    this.#generation++;
  }

  #calibration(): Calibration {
    let calibration = this.#calibrations.get(this.#model);
    if (calibration === undefined) {
      calibration = new Calibration({ priorRatio: tokenizerRatio(this.#model) });
      this.#calibrations.set(this.#model, calibration);
    }
    return calibration;
  }
}

/** True if neither of two sizes is far below the other. */
function isNear(one: number, other: number): boolean {
  return Math.min(one, other) >= Math.max(one, other) * DOUBTFUL_SHARE;
}

interface ReportedSize {
  readonly coveredTokens: number;
  readonly prompt: number;
  readonly windowTokens: number | undefined;
}

function parseObserved(value: unknown): ObservedRatio | undefined {
  const ratio = isObject(value) ? asNumber(value["ratio"]) : undefined;
  const weight = isObject(value) ? asNumber(value["weight"]) : undefined;
  return ratio === undefined || weight === undefined ? undefined : { ratio, weight };
}
