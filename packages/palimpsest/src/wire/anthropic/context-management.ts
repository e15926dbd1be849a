/**
 * Context management of the Messages API, both ways: the edits that a request asks for, and those that an answer reports.
 *
 * The server edits each request by itself: the client sends the whole conversation every time, and the log is not touched. A
 * plan names how many of the newest uses stay, so that the same old ones are cleared on every request, and the cached
 * prefix holds, until the plan changes.
 *
 * Sources: Anthropic SDK 1.12, `resources/beta/messages`; Anthropic docs, "Context editing" (thinking comes first in the
 * list), "Compaction at a token threshold" and "Compaction on demand".
 */
import { asNumber, asString, isObject, type JsonObject } from "../../base/json/json.ts";
import type { AppliedProviderEdits, ProviderEditPlan } from "../../ports/model-client.ts";
import { type ContentBlock, sumUsage, type Usage } from "../../transcript/blocks.ts";
import type { RequestMessage } from "../../transcript/window.ts";
import { eachOnce } from "../shared/render-once.ts";

const CLEAR_BETA = "context-management-2025-06-27";
const COMPACT_BETA = "compact-2026-01-12";
const SUMMARIZE_BETA = "compact-2026-09-04";
/** A size that no prompt reaches, in tokens: the API refuses compaction blocks if the request does not name their strategy. */
const NEVER_TOKENS = 10_000_000;

/** The fields and beta features with which a request asks for edits. @internal */
interface ContextManagement {
  readonly fields: JsonObject;
  readonly betas: readonly string[];
}

/** Returns what a request needs for the edits of its plan, and for the compaction blocks that it carries. @internal */
export function contextManagement({
  messages,
  providerEdits = {},
}: {
  readonly messages: readonly RequestMessage[];
  readonly providerEdits?: ProviderEditPlan | undefined;
}): ContextManagement {
  const carried = carriedCompaction(messages);
  const { clearResults, clearThinking, compactAtTokens } = providerEdits;
  const edits: JsonObject[] = [];
  if (clearThinking !== undefined)
    edits.push({
      type: "clear_thinking_20251015",
      keep: { type: "thinking_turns", value: clearThinking.keptTurns },
    });
  if (clearResults !== undefined) edits.push(clearToolUses(clearResults));
  const clears = edits.length > 0;
  if (compactAtTokens !== undefined || carried === "threshold")
    edits.push({
      type: "compact_20260112",
      trigger: { type: "input_tokens", value: compactAtTokens ?? NEVER_TOKENS },
    });
  return {
    fields: edits.length === 0 ? {} : { context_management: { edits } },
    betas: [
      ...(clears ? [CLEAR_BETA] : []),
      ...(hasCompact(edits) ? [COMPACT_BETA] : []),
      ...(carried === "signed" ? [SUMMARIZE_BETA] : []),
    ],
  };
}

/** Beta features of a request for a summary alone, and of each that carries it. @internal */
export const SUMMARIZE_BETAS: readonly string[] = [SUMMARIZE_BETA];

/** Fields that the API refuses beside a request for a summary. Source: Anthropic docs, "Compaction on demand". */
const NOT_WITH_SUMMARIZE = ["context_management", "stop_sequences", "tool_choice", "output_config"];

/** Returns the body with which a conversation is summarised, and not answered. @internal */
export function summarizeBody<Body extends JsonObject>(body: Body): Body {
  const kept = Object.entries(body).filter(([field]) => !NOT_WITH_SUMMARIZE.includes(field));
  return { ...Object.fromEntries(kept), compaction: { type: "summarize" } } as unknown as Body;
}

function hasCompact(edits: readonly JsonObject[]): boolean {
  return edits.some(({ type }) => type === "compact_20260112");
}

function clearToolUses({
  keptCount,
  clearedCount,
  keptTools = [],
}: NonNullable<ProviderEditPlan["clearResults"]>): JsonObject {
  return {
    type: "clear_tool_uses_20250919",
    // Met as long as there is something to clear: what was cleared once stays so.
    trigger: { type: "tool_uses", value: Math.max(1, clearedCount) },
    keep: { type: "tool_uses", value: keptCount },
    ...(keptTools.length === 0 ? {} : { exclude_tools: [...keptTools] }),
  };
}

/** The newest compaction block of a request: made on demand, which is signed, or at a threshold. */
function carriedCompaction(messages: readonly RequestMessage[]): "signed" | "threshold" | undefined {
  const newest = haveCompactions(messages).lastIndexOf(true);
  const found = messages[newest]?.content.findLast(isCompactionBlock);
  if (found === undefined) return undefined;
  const { signature } = found as { readonly signature?: unknown };
  return typeof signature === "string" && signature !== "" ? "signed" : "threshold";
}

const isCompactionBlock = ({ type }: ContentBlock): boolean => type === "compaction";

const haveCompactions = eachOnce(({ content }) => content.some(isCompactionBlock));

/** Reads the edits that a message reports; `undefined` if there are none. @internal */
export function appliedEdits(
  message: Readonly<Record<string, unknown>>,
  usageOf: (fields: Readonly<Record<string, unknown>>) => Usage,
): AppliedProviderEdits | undefined {
  const { context_management: managed, usage } = message;
  const reported = isObject(managed) ? listOf(managed["applied_edits"]) : [];
  const compactions = isObject(usage)
    ? listOf(usage["iterations"]).filter(({ type }) => type === "compaction")
    : [];
  if (reported.length === 0 && compactions.length === 0) return undefined;
  const sum = (field: string): number =>
    reported.reduce((total, edit) => total + Math.max(0, asNumber(edit[field]) ?? 0), 0);
  return {
    clearedResults: sum("cleared_tool_uses"),
    clearedThinkingTurns: sum("cleared_thinking_turns"),
    clearedTokens: sum("cleared_input_tokens"),
    ...(compactions.length === 0 ? {} : { compactionUsage: sumUsage(compactions.map(usageOf)) }),
    reported: reported.filter(({ type }) => asString(type) !== undefined),
  };
}

function listOf(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? (value.filter(isObject) as readonly JsonObject[]) : [];
}
