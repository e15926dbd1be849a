/**
 * What fills the window, by category: the figures behind `session.context()` and `palimpsest context`.
 *
 * Blocks are estimated, and the estimates scaled, so that all categories add up to the size of the next request.
 */
import { redactBroken } from "../../base/redaction/broken-secrets.ts";
import { explainCompaction } from "../../compaction/shared/edit-reason.ts";
import type { ContextBudget } from "../../tokens/budget/budget.ts";
import { estimateBlock } from "../../tokens/estimate/estimate-block.ts";
import type { ModelLimits } from "../../tokens/models/model-catalogue.ts";
import { blockText, type ContentBlock, isThinking } from "../../transcript/blocks.ts";
import { type EffectEdit, isBoundary, type LayerEdit } from "../../transcript/edits.ts";
import type { VisibleMessage } from "../../transcript/window.ts";
import type { CallTokens } from "../options/prepared-call.ts";
import { type BodySize, bodySize } from "./body-size.ts";

/**
 * - `system`, `tools`: the part that every call repeats.
 * - `instructions`: instruction files and the state of version control, at the start and shown again.
 * - `memory`: recalled memories. `notes`: notes of the session in place of old messages. `summary`: a summary of them.
 * - `restored`: files, plans and lists that were shown again after a compaction.
 * - `results`: results of tools; `parts` has them by tool.
 * - `user`, `assistant`: what the user and the model said. `calls`: calls of tools. `thinking`: the model's thinking.
 * - `other`: reminders of the host, pins, notices.
 */
export type ContextCategory =
  | "system"
  | "tools"
  | "instructions"
  | "memory"
  | "notes"
  | "summary"
  | "restored"
  | "results"
  | "user"
  | "assistant"
  | "calls"
  | "thinking"
  | "other";

/** One category of the window. */
interface ContextShare {
  readonly category: ContextCategory;
  readonly tokens: number;
  /** Blocks that are in it; 0 for system prompt and tools. */
  readonly blocks: number;
  /** The budget, and if it is exceeded; only `thinking` has one, which is counted by its text, without signatures. */
  readonly budgetTokens?: number;
  readonly isOverBudget?: boolean;
  /** The same by tool, the largest first; only of `results`. */
  readonly parts?: readonly { readonly name: string; readonly tokens: number; readonly blocks: number }[];
}

/** What fills the window. All sizes are in tokens of the model; `shares`, `freeTokens` and `reserveTokens` add up to the window. */
export interface ContextUse {
  readonly model: string;
  readonly windowTokens: number;
  /** The source of `windowTokens`: `option`, `vendor` (its endpoint), `learned` (from a refusal), `catalogue`, or `default` for an unknown model. */
  readonly windowSource: ModelLimits["windowSource"];
  /** The next request as it is now. */
  readonly usedTokens: number;
  /** The source of `usedTokens`: `reported`, `anchored` or `estimate`, as in `CallTokens`. */
  readonly source: string;
  /** Categories with something in them, in the order of the request. */
  readonly shares: readonly ContextShare[];
  /** Room until the window is compacted. */
  readonly freeTokens: number;
  /** Kept free for the summary and the answer. */
  readonly reserveTokens: number;
  /** Bytes, images and documents of the messages, which providers limit, too. */
  readonly body: BodySize;
  /** Sent, and left out by the provider before the model reads it: estimated, and no part of `usedTokens`. */
  readonly providerClearedTokens?: number;
  /** The size from which on the window is full, and is compacted whatever the policy. */
  readonly compactAtTokens: number;
  /** The last compaction; absent if there was none. */
  readonly lastCompaction?: LastCompaction;
}

/** A compaction that is in force. */
interface LastCompaction {
  /** Its entry in the log. */
  readonly seq: number;
  readonly layer: LayerEdit["kind"];
  readonly reason: string;
  /** The request that it was made for, of the kind of `ContextUse.usedTokens`: estimated from what it left and what it freed. */
  readonly usedTokens: number;
  /** One sentence: at which size, why, and how to have it otherwise. */
  readonly why: string;
}

export interface ContextUseInput {
  readonly model: string;
  readonly visible: readonly VisibleMessage[];
  readonly edits: readonly { readonly seq: number; readonly edit: EffectEdit }[];
  readonly callSeqs: readonly number[];
  readonly figures: CallTokens;
  readonly budget: Pick<ContextBudget, "windowTokens" | "autoCompactGateTokens">;
  readonly windowSource: ContextUse["windowSource"];
  /** Estimates of system prompt and tools, whose sum is scaled to `figures.fixed`. */
  readonly fixed: { readonly systemTokens: number; readonly toolsTokens: number };
  /** @defaultValue 0 */
  readonly clearedTokens?: number;
}

const ORDER: readonly ContextCategory[] = [
  ...(["system", "tools", "instructions", "memory", "notes", "summary", "restored"] as const),
  ...(["results", "user", "assistant", "calls", "thinking", "other"] as const),
];
/** How a home begins the blocks of a start context. */
const INSTRUCTIONS = /^(?:Instructions from |State of version control at the start:)/;

/** Adds up what fills the window. */
export function contextUse(input: ContextUseInput): ContextUse {
  const { figures, budget, fixed, model } = input;
  const sizes = new Map<ContextCategory, ContextShare>();
  const add = (category: ContextCategory, tokens: number, blocks: number): void => {
    const before = sizes.get(category);
    sizes.set(category, {
      category,
      tokens: (before?.tokens ?? 0) + tokens,
      blocks: (before?.blocks ?? 0) + blocks,
    });
  };
  const fixedScale = ratio(figures.fixed, fixed.systemTokens + fixed.toolsTokens);
  // A host may send a system prompt without passing it in here.
  const isKnown = fixed.systemTokens + fixed.toolsTokens > 0;
  add("system", isKnown ? fixed.systemTokens * fixedScale : figures.fixed, 0);
  add("tools", fixed.toolsTokens * fixedScale, 0);

  const blocks = input.visible.flatMap((message) => blocksOf(message, input));
  const scale = ratio(
    figures.total - figures.fixed,
    blocks.reduce((sum, { tokens }) => sum + tokens, 0),
  );
  const byTool = new Map<string, { tokens: number; blocks: number }>();
  const toolOf = callsById(input.visible);
  for (const { category, block, tokens } of blocks) {
    add(category, tokens * scale, 1);
    if (category !== "results" || block.type !== "tool_result") continue;
    const name = toolOf.get(block.tool_use_id) ?? "unknown tool";
    const before = byTool.get(name) ?? { tokens: 0, blocks: 0 };
    byTool.set(name, { tokens: before.tokens + tokens * scale, blocks: before.blocks + 1 });
  }
  return {
    model,
    windowTokens: budget.windowTokens,
    windowSource: input.windowSource,
    usedTokens: figures.total,
    source: figures.source,
    shares: ORDER.flatMap((category) => {
      const share = sizes.get(category);
      if (share === undefined || share.tokens < 0.5) return [];
      if (category === "results") return [rounded({ ...share, parts: partsOf(byTool) })];
      return [category === "thinking" ? withBudget(rounded(share), figures) : rounded(share)];
    }),
    freeTokens: Math.max(0, budget.autoCompactGateTokens - figures.total),
    reserveTokens: Math.max(0, budget.windowTokens - Math.max(figures.total, budget.autoCompactGateTokens)),
    compactAtTokens: budget.autoCompactGateTokens,
    body: bodySize(input.visible),
    ...((input.clearedTokens ?? 0) === 0 ? {} : { providerClearedTokens: input.clearedTokens }),
    ...lastCompaction(input, scale),
  };
}

/** The newest summary in force, explained from the log: `scale` makes tokens of the model of estimates. */
function lastCompaction(
  { visible, edits, callSeqs, figures, budget, model }: ContextUseInput,
  scale: number,
): Pick<ContextUse, "lastCompaction"> {
  const summaries = edits.flatMap(({ seq, edit }) => (isBoundary(edit) ? [{ seq, edit }] : []));
  const last = summaries.at(-1);
  if (last === undefined) return {};
  const { seq, edit } = last;
  // What is shown again came after the edit had freed its tokens.
  const left = visible.filter(({ insertedBy, origin, seq: at }) =>
    insertedBy === seq ? origin !== "restored" : at < seq,
  );
  const leftTokens = left.reduce(
    (sum, { blocks }) => sum + blocks.reduce((tokens, { block }) => tokens + estimateBlock(block, model), 0),
    0,
  );
  const usedTokens = Math.round(figures.fixed + leftTokens * scale + edit.freedTokens);
  const beforeSeq = summaries.at(-2)?.seq ?? 0;
  const why = explainCompaction(edit, {
    usedTokens,
    windowTokens: budget.windowTokens,
    compactAtTokens: budget.autoCompactGateTokens,
    callsCount: callSeqs.filter((call) => call > beforeSeq && call < seq).length,
  });
  return { lastCompaction: { seq, layer: edit.kind, reason: edit.reason, usedTokens, why } };
}

function withBudget(share: ContextShare, { thinkingBudget: budgetTokens }: CallTokens): ContextShare {
  return { ...share, budgetTokens, isOverBudget: share.tokens > budgetTokens };
}

interface SizedBlock {
  readonly category: ContextCategory;
  readonly block: ContentBlock;
  readonly tokens: number;
}

function blocksOf(message: VisibleMessage, { edits, model }: ContextUseInput): readonly SizedBlock[] {
  const editKind = edits.find(({ seq }) => seq === message.insertedBy)?.edit.kind;
  return message.blocks.map(({ block }) => ({
    category: categoryOf(message, block, editKind),
    block,
    tokens: estimateBlock(block, model),
  }));
}

function categoryOf(
  { origin, role }: VisibleMessage,
  block: ContentBlock,
  editKind: string | undefined,
): ContextCategory {
  if (block.type === "tool_result") return "results";
  if (block.type === "tool_use") return "calls";
  if (isThinking(block)) return "thinking";
  if ((origin === "host" || origin === "restored") && INSTRUCTIONS.test(blockText(block)))
    return "instructions";
  if (origin === "summary") return editKind === "session-memory" ? "notes" : "summary";
  if (origin === "recalled") return "memory";
  if (origin === "restored") return "restored";
  if (origin === "user") return "user";
  if (role === "assistant") return "assistant";
  return "other";
}

function callsById(visible: readonly VisibleMessage[]): ReadonlyMap<string, string> {
  return new Map(
    visible.flatMap(({ blocks }) =>
      blocks.flatMap(({ block }) => (block.type === "tool_use" ? [[block.id, block.name] as const] : [])),
    ),
  );
}

function partsOf(
  byTool: ReadonlyMap<string, { readonly tokens: number; readonly blocks: number }>,
): ContextShare["parts"] {
  return [...byTool]
    .map(([name, { tokens, blocks }]) => ({
      name: redactBroken(name).text,
      tokens: Math.round(tokens),
      blocks,
    }))
    .sort((one, other) => other.tokens - one.tokens || (one.name < other.name ? -1 : 1));
}

function rounded(share: ContextShare): ContextShare {
  return { ...share, tokens: Math.round(share.tokens) };
}

function ratio(total: number, estimated: number): number {
  return estimated > 0 ? Math.max(0, total) / estimated : 0;
}
