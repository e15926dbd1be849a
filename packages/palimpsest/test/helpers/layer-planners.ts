/**
 * The layers that need no model, each as a function of a folded log: planners for laws, set so that
 * every pass is worth it and next to nothing is recent.
 */

import { finish } from "#base/steps.ts";
import { addToDigest, createDigest, type Digest } from "#compaction/digest/digest.ts";
import { planCollapse, prepareCollapse } from "#compaction/layers/collapse/collapse.ts";
import { collapsePolicy } from "#compaction/layers/collapse/collapse-policy.ts";
import { planExtractiveCompact } from "#compaction/layers/extractive/extractive-summary.ts";
import { planMicrocompactByUsage } from "#compaction/layers/microcompact/microcompact-by-usage.ts";
import { planMicrocompactWhenCold } from "#compaction/layers/microcompact/microcompact-when-cold.ts";
import { planOffloadByUsage } from "#compaction/layers/offload/offload-by-usage.ts";
import { planSessionMemoryCompact } from "#compaction/layers/session-memory/session-memory-compact.ts";
import { planTruncateNewest } from "#compaction/layers/truncate-newest/truncate-newest.ts";
import {
  extractivePolicy,
  microcompactPolicy,
  offloadPolicy,
  sessionMemoryPolicy,
} from "#compaction/planner/policies.ts";
import type { PinnedText } from "#compaction/shared/pins.ts";
import type { LayerEdit } from "#transcript/edits.ts";
import type { SeqPin } from "#transcript/projection.ts";
import type { VisibleMessage } from "#transcript/window.ts";
import { measure } from "../../../../test/helpers/windows.ts";
import type { FoldedLog } from "./agent-histories.ts";

export interface Pinned {
  readonly pins: readonly SeqPin[];
  readonly texts: readonly PinnedText[];
}

export const NOTHING: Pinned = { pins: [], texts: [] };

export type Planner = (
  folded: FoldedLog,
  visible: readonly VisibleMessage[],
  pinned: Pinned,
) => LayerEdit | undefined;

const situation = {
  windowTokens: 32_000,
  effectiveTokens: 28_000,
  editSafety: "permissive",
  pendingCallIds: [],
} as const;
/** Every pass is worth it, and next to nothing is recent. */
const EAGER = { resultsKeptCount: 1, recentTailTokens: 0, minFreedTokens: 0, lowWaterTokens: 0 };

const offload: Planner = (_, visible, { pins }) =>
  planOffloadByUsage(
    { visible, usedTokens: 1_000_000, measure },
    { ...offloadPolicy({ ...situation, pins }, 0), ...EAGER },
  );

const microcompact: Planner = (_, visible, { pins }) =>
  planMicrocompactByUsage(
    { visible, usedTokens: 1_000_000, measure },
    { ...microcompactPolicy({ ...situation, pins }, 0), ...EAGER },
  );

const whenCold: Planner = (_, visible, { pins }) =>
  planMicrocompactWhenCold(
    { visible, measure, nowMs: Number.MAX_SAFE_INTEGER },
    { ...microcompactPolicy({ ...situation, pins }, 0), resultsKeptCount: 2, cacheTtlMs: 300_000 },
  );

const peel: Planner = (_, visible, { pins }) => planTruncateNewest(visible, 500, measure, pins);

/** The digest of the whole conversation. */
export function digestOf({ log }: FoldedLog): Digest {
  const digest = createDigest();
  for (const entry of log.entries)
    if (entry.type === "message")
      addToDigest(digest, entry.seq, { ...entry, content: entry.content as never });
  return digest;
}

const extractive: Planner = (folded, visible, { texts }) =>
  planExtractiveCompact({
    visible,
    digest: digestOf(folded),
    measure,
    policy: extractivePolicy({ ...situation, windowTokens: 16_000, effectiveTokens: 10_000 }),
    pendingCallIds: [],
    reason: "law",
    pinned: texts,
  });

/** Notes that are some messages old. */
const sessionMemory: Planner = (folded, visible, { texts }) => {
  const throughSeq = (visible.at(-1)?.seq ?? 0) - 4;
  const plan = finish(
    planSessionMemoryCompact({
      visible,
      notes: { text: "# Current State\n\nAt work.", throughSeq, isEmpty: false, isUpdateRunning: false },
      digest: digestOf(folded),
      measure,
      policy: sessionMemoryPolicy({ ...situation, windowTokens: 16_000 }, 5_000),
      pendingCallIds: [],
      reason: "law",
      pinned: texts,
    }),
  );
  return plan.ok ? plan.edit : undefined;
};

const collapse: Planner = (_, visible, { pins }) => {
  const policy = { ...collapsePolicy({ ...situation, pins }), recentTailTokens: 0, userWordsTokens: 20 };
  const prepared = prepareCollapse({ visible, headSeq: 0, measure }, policy);
  return planCollapse({ visible, prepared, measure, freeTokens: 1_000_000 }, policy);
};

export interface LayerCase {
  readonly name: string;
  readonly plan: Planner;
  /** There may be more to do after it. */
  readonly mayGoOn?: boolean;
  /** The first answer that stays may be one that began without thinking. */
  readonly mayCutExchange?: boolean;
}

export const planners: readonly LayerCase[] = [
  { name: "offload by usage", plan: offload },
  { name: "microcompact by usage", plan: microcompact },
  { name: "microcompact when cold", plan: whenCold },
  { name: "collapse", plan: collapse },
  { name: "peel", plan: peel, mayGoOn: true },
  { name: "extractive compact", plan: extractive, mayGoOn: true, mayCutExchange: true },
  { name: "session-memory compact", plan: sessionMemory, mayGoOn: true, mayCutExchange: true },
];
