/**
 * Items of the OpenAI Responses API that need each other: a call of the client's and its output, a request for approval
 * and its answer. They are paired by id, wherever they are.
 */
import type { OpenAIJudge } from "./openai-rules.ts";
import { fieldOf, isRecord, stringOf, type UnknownRecord } from "./violation.ts";

/** Types of calls that the client answers, with the type of the answering item. Source: `openai` 7.55, `responses`. */
export const OUTPUT_OF: ReadonlyMap<string, string> = new Map([
  ["function_call", "function_call_output"],
  ["custom_tool_call", "custom_tool_call_output"],
  ["computer_call", "computer_call_output"],
  ["local_shell_call", "local_shell_call_output"],
  ["shell_call", "shell_call_output"],
  ["apply_patch_call", "apply_patch_call_output"],
]);
export const OUTPUTS: ReadonlySet<string> = new Set(OUTPUT_OF.values());

/** One item of a pair. */
interface Half {
  readonly id: string;
  /** An approval may have the id of a call: they do not share ids. */
  readonly kind: "call" | "approval" | "program";
  /** The type of the answering item. */
  readonly answer: string;
  readonly isAnswer: boolean;
  readonly words: PairWords;
}

/** The texts of the API about a half without its other half. */
interface PairWords {
  readonly unanswered: (id: string) => string;
  readonly orphan: (id: string) => string;
}

const CALL_WORDS: PairWords = {
  unanswered: (id) => `No tool output found for function call ${id}.`,
  orphan: (id) => `No tool call found for function call output with call_id ${id}.`,
};
/** Source: refusals quoted in Cloudgeni-ai/opengeni pull request 174. */
const SEARCH_WORDS: PairWords = {
  unanswered: (id) => `No tool output found for tool search call ${id}.`,
  orphan: (id) => `No tool call found for tool search output with call_id ${id}.`,
};
/** Source: refusals quoted in the thread 1365706 of community.openai.com, and in programs that catch them. */
const APPROVAL_WORDS: PairWords = {
  unanswered: (id) => `The following MCP approval requests do not have an approval: ${id}`,
  orphan: (id) =>
    `The following MCP approval requests have approval responses but weren't passed as input: ${id}`,
};

/** Reports halves without their other half, and ids that are used twice. */
export function judgePairs(input: readonly unknown[], judge: OpenAIJudge): void {
  const calls = new Map<string, Half & { readonly path: string; isAnswered: boolean }>();
  // The server has the items that are only named here.
  const referred = new Set(
    input.flatMap((item) =>
      isRecord(item) && itemType(item) === "item_reference" ? [stringOf(item, "id")] : [],
    ),
  );
  for (const [index, item] of input.entries()) {
    const half = isRecord(item) ? halfOf(item) : undefined;
    if (half === undefined) continue;
    const { id, kind, answer, isAnswer, words } = half;
    const path = `input[${index}]`;
    const key = `${kind === "approval" ? kind : "call"} ${id}`;
    const call = calls.get(key);
    if (!isAnswer) {
      if (call !== undefined)
        judge.report("duplicate-call-id", path, `Duplicate function call with call_id ${id}.`);
      else calls.set(key, { ...half, path, isAnswered: false });
    } else if (call === undefined && kind === "approval" && referred.has(id)) referred.delete(id);
    else if (call === undefined || call.answer !== answer)
      judge.report("orphan-result", path, words.orphan(id));
    else if (call.isAnswered)
      judge.report("duplicate-result", path, `Duplicate output for function call ${id}.`);
    else call.isAnswered = true;
  }
  for (const { id, kind, path, words, isAnswered } of calls.values())
    if (!isAnswered && kind !== "program") judge.report("unanswered-call", path, words.unanswered(id));
}

/** A search of tools is the client's to answer if it says so; a program may still run while its calls are answered. */
function halfOf(item: UnknownRecord): Half | undefined {
  const type = itemType(item);
  if (type === "mcp_approval_request" || type === "mcp_approval_response") {
    const isAnswer = type === "mcp_approval_response";
    const id = stringOf(item, isAnswer ? "approval_request_id" : "id") ?? "";
    return { id, kind: "approval", answer: "mcp_approval_response", isAnswer, words: APPROVAL_WORDS };
  }
  const id = stringOf(item, "call_id");
  if (id === undefined) return undefined;
  if (type === "tool_search_call" || type === "tool_search_output") {
    if (fieldOf(item, "execution") !== "client") return undefined;
    const isAnswer = type === "tool_search_output";
    return { id, kind: "call", answer: "tool_search_output", isAnswer, words: SEARCH_WORDS };
  }
  if (type === "program" || type === "program_output") {
    const isAnswer = type === "program_output";
    return { id, kind: "program", answer: "program_output", isAnswer, words: CALL_WORDS };
  }
  const answer = OUTPUT_OF.get(type);
  if (answer !== undefined) return { id, kind: "call", answer, isAnswer: false, words: CALL_WORDS };
  if (!OUTPUTS.has(type)) return undefined;
  return { id, kind: "call", answer: type, isAnswer: true, words: CALL_WORDS };
}

/** Returns the type of an item. A message may leave it out. */
export function itemType(item: UnknownRecord): string {
  return stringOf(item, "type") ?? (Object.hasOwn(item, "role") ? "message" : "");
}
