/**
 * Judges calls and their results in an Anthropic request: every call is answered where the API
 * looks for the answer, and nothing is answered that was not asked.
 */
import type { AnthropicJudge } from "./anthropic-rules.ts";
import type { Turn, TurnBlock } from "./anthropic-turns.ts";
import { fieldOf, isRecord, stringOf } from "./violation.ts";

/** Judges calls that the client answers: in the next user turn, before anything else in it. @internal */
export function judgeToolPairs(turns: readonly Turn[], judge: AnthropicJudge): void {
  judgeUniqueCalls(turns, judge);
  for (const [index, turn] of turns.entries()) {
    if (turn.role === "assistant") judgeAnswered(turn, userTurnAfter(turns, index), judge);
    else if (turn.role === "user") judgeResults(turn, assistantTurnBefore(turns, index), judge);
    else judgeSystemBetween(turn, { before: turns[index - 1], after: turns[index + 1] }, judge);
  }
}

function judgeUniqueCalls(turns: readonly Turn[], judge: AnthropicJudge): void {
  const seen = new Set<string>();
  for (const turn of turns) {
    for (const call of turn.blocks.filter(isAnyCall)) {
      const id = stringOf(call.block, "id");
      if (id === undefined) continue;
      if (seen.has(id)) judge.complain("duplicate-call-id", call.path, `\`${call.type}\` ids must be unique`);
      seen.add(id);
    }
  }
}

function judgeAnswered(turn: Turn, next: Turn | undefined, judge: AnthropicJudge): void {
  const answered = new Set((next?.blocks ?? []).filter(isResult).map((result) => idOfCall(result)));
  const unanswered = turn.blocks.filter(
    (placed) => isCall(placed) && !answered.has(stringOf(placed.block, "id")),
  );
  const first = unanswered[0];
  if (first === undefined) return;
  const ids = unanswered.map((call) => stringOf(call.block, "id") ?? "(no id)").join(", ");
  judge.report(
    "unanswered-call",
    first.messagePath,
    `${first.messagePath}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}. ` +
      "Each `tool_use` block must have a corresponding `tool_result` block in the next message.",
  );
}

function judgeResults(turn: Turn, previous: Turn | undefined, judge: AnthropicJudge): void {
  const calls = new Set((previous?.blocks ?? []).filter(isCall).map((call) => stringOf(call.block, "id")));
  const answered = new Set<string | undefined>();
  let hasOtherContent = false;
  for (const placed of turn.blocks) {
    if (!isResult(placed)) {
      hasOtherContent = true;
      continue;
    }
    const id = idOfCall(placed);
    if (!calls.has(id))
      judge.report(
        "orphan-result",
        placed.path,
        `${placed.path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` ` +
          "block must have a corresponding `tool_use` block in the previous message.",
      );
    else if (answered.has(id))
      judge.complain(
        "duplicate-result",
        placed.path,
        `each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
      );
    else if (hasOtherContent)
      judge.report(
        "late-result",
        placed.path,
        `${turn.path}: Did not find ${calls.size} \`tool_result\` block(s) at the beginning of this message`,
      );
    answered.add(id);
  }
}

/** A system message that pushes the results away from their calls. */
function judgeSystemBetween(
  turn: Turn,
  { before, after }: { before: Turn | undefined; after: Turn | undefined },
  judge: AnthropicJudge,
): void {
  const isAfterCall = before?.role === "assistant" && before.blocks.some(isCall);
  if (isAfterCall && after?.role === "user" && after.blocks.some(isResult))
    judge.complain(
      "system-in-tool-exchange",
      turn.path,
      `role 'system' must not stand between a \`tool_use\` and its \`tool_result\``,
    );
}

/**
 * Judges calls that the API answers itself: call and result are in one assistant turn, the call first. A call may stay
 * open in a last, paused turn, and in a turn with calls that the client answers. In the second case the next assistant
 * turn has the result, or again calls of the same program (`caller`). Until then only the client's results may follow.
 * Source: Anthropic docs, "Handle tool calls" and "Programmatic tool calling".
 * @internal
 */
export function judgeServerToolPairs(turns: readonly Turn[], judge: AnthropicJudge): void {
  const open = new Map<string, TurnBlock>();
  const newest = turns.findLastIndex(({ role }) => role === "assistant");
  for (const [index, turn] of turns.entries()) {
    if (turn.role !== "assistant") continue;
    const carried = new Set(open.keys());
    for (const placed of turn.blocks) {
      if (isServerCall(placed)) open.set(stringOf(placed.block, "id") ?? "", placed);
      else if (isServerResult(placed)) closeServerCall(open, placed, judge);
    }
    const isPaused = index === turns.length - 1;
    if (isPaused) return;
    const isDisturbed =
      index === newest && turns.slice(index + 1).some(({ blocks }) => !blocks.every(isResult));
    const callers = callersIn(turn);
    const hasCalls = turn.blocks.some(isCall);
    for (const [id, call] of open) {
      const isWaiting = carried.has(id) ? callers.has(id) : hasCalls;
      if (isWaiting && !isDisturbed) continue;
      open.delete(id);
      reportOpenServerCall(id, call, judge);
    }
  }
}

function closeServerCall(open: Map<string, TurnBlock>, result: TurnBlock, judge: AnthropicJudge): void {
  const id = idOfCall(result) ?? "";
  if (open.delete(id)) return;
  const callType = result.type === "mcp_tool_result" ? "mcp_tool_use" : "server_tool_use";
  judge.report(
    "orphan-server-result",
    result.path,
    `${result.path}: unexpected \`tool_use_id\` found in \`${result.type}\` blocks: ${id}. Each \`${result.type}\` ` +
      `block must have a corresponding \`${callType}\` block before it.`,
  );
}

function reportOpenServerCall(id: string, call: TurnBlock, judge: AnthropicJudge): void {
  const name = stringOf(call.block, "name") ?? call.type;
  judge.report(
    "unanswered-server-call",
    call.path,
    `${call.messagePath}: \`${name}\` tool use with id \`${id}\` was found without a corresponding \`${name}_tool_result\` block`,
  );
}

/** Ids of the server calls that wait for a client's answer. */
function callersIn(turn: Turn): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { block } of turn.blocks.filter(isCall)) {
    const caller = fieldOf(block, "caller");
    const id = isRecord(caller) ? stringOf(caller, "tool_id") : undefined;
    if (id !== undefined) ids.add(id);
  }
  return ids;
}

function userTurnAfter(turns: readonly Turn[], index: number): Turn | undefined {
  const next = turns[index + 1]?.role === "system" ? turns[index + 2] : turns[index + 1];
  return next?.role === "user" ? next : undefined;
}

function assistantTurnBefore(turns: readonly Turn[], index: number): Turn | undefined {
  const previous = turns[index - 1]?.role === "system" ? turns[index - 2] : turns[index - 1];
  return previous?.role === "assistant" ? previous : undefined;
}

const isCall = ({ type }: TurnBlock): boolean => type === "tool_use";
const isResult = ({ type }: TurnBlock): boolean => type === "tool_result";
const isServerCall = ({ type }: TurnBlock): boolean => type === "server_tool_use" || type === "mcp_tool_use";
const isServerResult = ({ type }: TurnBlock): boolean => type.endsWith("_tool_result");
const isAnyCall = (placed: TurnBlock): boolean => isCall(placed) || isServerCall(placed);
const idOfCall = ({ block }: TurnBlock): string | undefined => stringOf(block, "tool_use_id");
