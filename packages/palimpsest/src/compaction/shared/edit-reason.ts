/**
 * Why an edit was made, in words: a few for tables, and a sentence with the figures of the moment for events.
 */
import type { LayerEdit } from "../../transcript/edits.ts";
import type { WindowState } from "./window-state.ts";

/** The window that an edit was planned for. */
type Occasion = Pick<WindowState, "usedTokens" | "messagesTokens"> & {
  readonly budget: Pick<
    WindowState["budget"],
    "offloadGateTokens" | "microcompactGateTokens" | "autoCompactGateTokens"
  >;
};

interface Reason {
  readonly words: string;
  readonly sentence: (edit: Pick<LayerEdit, "kind">, occasion: Occasion) => string;
}

const count = (tokens: number): string => Math.round(tokens).toLocaleString("en-US");
const full = ({ usedTokens, budget }: Occasion): string =>
  `the request had ${count(usedTokens)} tokens, and compaction starts at ${count(budget.autoCompactGateTokens)}`;

/** By the reason that the log has; a Map, since a log may name anything. */
const REASONS: ReadonlyMap<string, Reason> = new Map<string, Reason>([
  [
    "cleared",
    { words: "cleared by the provider", sentence: () => "the provider was asked to clear old content" },
  ],
  [
    "compacted",
    {
      words: "summarised by the provider",
      sentence: () => "the request reached the size from which on the provider summarises",
    },
  ],
  ["arrival", { words: "too large when it arrived", sentence: () => "it was too large when it arrived" }],
  [
    "usage",
    {
      words: "layer's threshold",
      sentence: ({ kind }, { usedTokens, budget }) =>
        kind === "offload"
          ? `the request had ${count(usedTokens)} tokens, and from ${count(budget.offloadGateTokens)} on large old blocks become previews`
          : `the request had ${count(usedTokens)} tokens, and from ${count(budget.microcompactGateTokens)} on old results are cleared`,
    },
  ],
  [
    "count",
    { words: "threshold: many results", sentence: () => "the window held more old results than are kept" },
  ],
  ["threshold", { words: "auto-compact threshold", sentence: (_, occasion) => full(occasion) }],
  [
    "payback",
    {
      words: "cost policy, at the threshold: cheaper than clearing",
      sentence: (_, occasion) => `${full(occasion)}; a summary pays for itself sooner than clearing results`,
    },
  ],
  [
    "rent",
    {
      words: "cost policy: cheaper than carrying on",
      sentence: ({ kind }, { messagesTokens }) =>
        kind === "microcompact"
          ? "carrying these old results through every call had cost more than leaving them out"
          : `carrying ${count(messagesTokens)} tokens of messages through every call had cost more than a summary of them`,
    },
  ],
  [
    "cache-cold",
    {
      words: "cost policy: the cache had expired",
      sentence: () => "the provider's cache had expired, so writing the window anew costs nothing extra",
    },
  ],
  [
    "too-large",
    { words: "larger than the window", sentence: () => "a block was larger than the window has room for" },
  ],
  ["manual", { words: "by hand", sentence: () => "it was asked for" }],
  [
    "reactive",
    { words: "refused as too long", sentence: () => "the provider refused the request as too long" },
  ],
  [
    "silent-overflow",
    {
      words: "cut off by the provider",
      sentence: () => "the provider had cut off the request without an error",
    },
  ],
  ["media", { words: "media refused", sentence: () => "the provider refused a picture or document" }],
  [
    "thinking",
    { words: "thinking refused", sentence: () => "the provider refused thinking of earlier answers" },
  ],
]);

/** The reason of an edit in a few words; as it is in the log if no words are known for it. */
export function reasonWords(reason: string): string {
  return REASONS.get(reason)?.words ?? reason;
}

/** Why the edit was made, with the figures of the window that it was made for. */
export function explainEdit(edit: Pick<LayerEdit, "kind" | "reason">, occasion: Occasion): string {
  return REASONS.get(edit.reason)?.sentence(edit, occasion) ?? edit.reason;
}

/** The moment of a compaction, in tokens of whole requests. */
interface CompactionMoment {
  /** The request that it was made for, without the margin for estimates. */
  readonly usedTokens: number;
  readonly windowTokens: number;
  /** The size from which on the window is full. */
  readonly compactAtTokens: number;
  /** Calls since the compaction before, or since the start. */
  readonly callsCount: number;
}

/** Says in one sentence at which size the window was compacted, why, and how to have it otherwise. */
export function explainCompaction({ reason }: Pick<LayerEdit, "reason">, moment: CompactionMoment): string {
  const { usedTokens, windowTokens, compactAtTokens, callsCount } = moment;
  const cause = CAUSES.get(reason)?.({
    full: thousands(compactAtTokens),
    isFull: usedTokens >= compactAtTokens || thousands(usedTokens) === thousands(compactAtTokens),
    margin: usedTokens < compactAtTokens ? ", estimates counted with a margin" : "",
    count: callsCount,
  });
  const size = `compacted at ${thousands(usedTokens)} of ${thousands(windowTokens)}`;
  return `${size} because ${cause ?? REASONS.get(reason)?.words ?? reason}`;
}

const thousands = (tokens: number): string =>
  tokens < 9_950
    ? `${(tokens / 1_000).toFixed(1).replace(/\.0$/, "")}K`
    : tokens < 999_500
      ? `${Math.round(tokens / 1_000)}K`
      : `${(tokens / 1_000_000).toFixed(1).replace(/\.0$/, "")}M`;

/** The cause of a compaction. */
type Cause = (moment: {
  /** The size from which on the window is full. */
  readonly full: string;
  /** True if the window was that size, as far as the figures show it. */
  readonly isFull: boolean;
  /** Says why a window below that size counted as full; empty for one above it. */
  readonly margin: string;
  readonly count: number;
}) => string;

/** By reason: the cause, and what to set for another one. */
const CAUSES: ReadonlyMap<string, Cause> = new Map<string, Cause>([
  [
    "rent",
    ({ full, isFull, count }) => {
      // After opening again, calls from before are not known.
      const through = count === 0 ? "" : ` through ${count} ${count === 1 ? "call" : "calls"}`;
      const rent = `carrying its messages${through} had cost more than a summary`;
      return isFull
        ? `the window is full from ${full} on, and ${rent}`
        : `${rent}; \`policy: "faithful"\` waits until ${full}`;
    },
  ],
  [
    "threshold",
    ({ full, margin }) =>
      `the window is full from ${full} on${margin}; with \`autoCompact: false\` only \`compact()\` does it`,
  ],
  [
    "payback",
    ({ full, margin }) =>
      `the window is full from ${full} on${margin}, and a summary pays sooner than clearing results; \`policy: "faithful"\` clears first`,
  ],
  ["manual", () => "it was asked for"],
  [
    "reactive",
    () => "the provider refused the request as too long; `windowTokens` tells how much the model takes",
  ],
  [
    "silent-overflow",
    () => "the provider had cut off the request; `windowTokens` tells how much the model takes",
  ],
  ["media", () => "the provider refused a picture or document"],
  ["thinking", () => "the provider refused thinking of earlier answers"],
]);
