/**
 * Judges who may speak when in an Anthropic request, and what a turn may begin and end with.
 */
import type { AnthropicJudge } from "./anthropic-rules.ts";
import type { Turn, TurnBlock } from "./anthropic-turns.ts";
import { stringOf } from "./violation.ts";

/** Reports turns that stand, begin or end where the API does not take them. @internal */
export function judgeAnthropicOrder(
  turns: readonly Turn[],
  options: { readonly thinking?: boolean; readonly allowsPrefill?: boolean },
  judge: AnthropicJudge,
): void {
  judgeFirstTurn(turns[0], judge);
  for (const [index, turn] of turns.entries()) {
    if (turn.role === "system")
      judgeSystemTurn(turn, { before: turns[index - 1], after: turns[index + 1] }, judge);
    else if (turn.role === "assistant") judgeEndOfThinking(turn, judge);
  }
  judgeSignedCompactions(turns, judge);
  judgeFinalTurn(turns.at(-1), options.allowsPrefill ?? true, judge);
  if (options.thinking === true) judgeThinkingFirst(turns, judge);
}

function judgeFirstTurn(first: Turn | undefined, judge: AnthropicJudge): void {
  if (first === undefined || first.role !== "assistant") return;
  if (first.blocks[0]?.type === "compaction") return;
  judge.report("first-message", first.path, 'messages: first message must use the "user" role');
}

/** A system message follows what the model has not answered yet, and nothing but its answer follows it. */
function judgeSystemTurn(
  turn: Turn,
  { before, after }: { readonly before: Turn | undefined; readonly after: Turn | undefined },
  judge: AnthropicJudge,
): void {
  const followsServerCall = before?.role === "assistant" && before.blocks.at(-1)?.type === "server_tool_use";
  if (before?.role !== "user" && !followsServerCall)
    judge.complain("system-place", turn.path, "role 'system' must follow a 'user' message");
  else if (after !== undefined && after.role !== "assistant")
    judge.complain(
      "system-place",
      turn.path,
      "role 'system' must be the last message or be followed by an 'assistant' message",
    );
}

function judgeEndOfThinking(turn: Turn, judge: AnthropicJudge): void {
  const last = turn.blocks.at(-1);
  if (last === undefined || !isThinking(last)) return;
  judge.complain(
    "thinking-last",
    last.messagePath,
    `The final block in an assistant message cannot be \`thinking\`.`,
  );
}

/** A compaction made on demand carries a signature over everything before it, so it stands first and alone. */
function judgeSignedCompactions(turns: readonly Turn[], judge: AnthropicJudge): void {
  for (const [index, turn] of turns.entries()) {
    for (const [position, placed] of turn.blocks.entries()) {
      const isSigned = placed.type === "compaction" && (stringOf(placed.block, "signature") ?? "") !== "";
      if (isSigned && (index !== 0 || position !== 0))
        judge.complain(
          "compaction-place",
          placed.path,
          "a signed compaction block must be the first block of the first message (compaction_block_misplaced)",
        );
    }
  }
}

function judgeFinalTurn(last: Turn | undefined, allowsPrefill: boolean, judge: AnthropicJudge): void {
  const final = last?.blocks.at(-1);
  if (last === undefined || last.role !== "assistant" || final === undefined) return;
  if (final.type === "text" && /\s$/.test(stringOf(final.block, "text") ?? ""))
    judge.report(
      "final-whitespace",
      final.path,
      "messages: final assistant content cannot end with trailing whitespace",
    );
  const isPaused = final.type === "server_tool_use" || final.type.endsWith("_tool_result");
  const isCompacted = final.type === "compaction";
  if (!allowsPrefill && !isPaused && !isCompacted)
    judge.report(
      "prefill",
      last.path,
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    );
}

/**
 * With a thinking budget, the exchange of calls and results that is still going on must have begun
 * with thinking. It began after the last user turn that was not only results.
 */
function judgeThinkingFirst(turns: readonly Turn[], judge: AnthropicJudge): void {
  let start = turns.length;
  while (start > 0 && !isFreshUserTurn(turns[start - 1])) start--;
  const first = turns.slice(start).find((turn) => turn.role === "assistant");
  const opening = first?.blocks[0];
  if (first === undefined || opening === undefined || isThinking(opening) || opening.type === "compaction")
    return;
  judge.report(
    "thinking-first",
    opening.path,
    `${opening.path}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${opening.type}\`. When ` +
      "`thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost " +
      "set of `tool_use` and `tool_result` blocks).",
  );
}

function isFreshUserTurn(turn: Turn | undefined): boolean {
  return turn?.role === "user" && turn.blocks.some((placed) => placed.type !== "tool_result");
}

function isThinking({ type }: TurnBlock): boolean {
  return type === "thinking" || type === "redacted_thinking";
}
