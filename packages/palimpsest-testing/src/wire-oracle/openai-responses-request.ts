/**
 * Checks a request against the rules that the OpenAI Responses API applies before it runs a model. Its input is a flat
 * list of items, in which calls and outputs are paired by `call_id`, wherever they are.
 */
import { judgeSurrogates } from "./lone-surrogates.ts";
import { judgeFunctionName } from "./openai-chat-request.ts";
import { judgeParts } from "./openai-parts.ts";
import { itemType, judgePairs, OUTPUT_OF, OUTPUTS } from "./openai-responses-pairs.ts";
import { OpenAIJudge, type OpenAIJudgeOptions, type OpenAIRule } from "./openai-rules.ts";
import { PROVIDER_LIMITS } from "./provider-limits.ts";
import { fieldOf, isRecord, kindOf, stringOf, type UnknownRecord, type Violation } from "./violation.ts";

/** Items that the model or a hosted tool produced. One of them, or a call, must follow reasoning. */
const HOSTED_ITEMS: ReadonlySet<string> = new Set([
  "web_search_call",
  "file_search_call",
  "code_interpreter_call",
  "image_generation_call",
  "tool_search_call",
  "mcp_call",
  "mcp_list_tools",
  "mcp_approval_request",
  "program",
  "compaction",
]);
const OTHER_ITEMS: ReadonlySet<string> = new Set([
  "tool_search_output",
  "additional_tools",
  "mcp_approval_response",
  "compaction_trigger",
  "item_reference",
  "program_output",
]);

/** Beginnings of the ids of items, by type. */
const ID_PREFIXES: ReadonlyMap<string, string> = new Map([
  ["function_call", "fc"],
  ["custom_tool_call", "ctc"],
  ["reasoning", "rs"],
  ["message", "msg"],
]);

/** Fields of a body that is only a conversation, not a whole request. */
const CONVERSATION: ReadonlySet<string> = new Set([
  "input",
  "instructions",
  "tools",
  "previous_response_id",
  "conversation",
]);

/**
 * Returns the rules of the OpenAI Responses API that `body` breaks; none if it would be accepted. Never throws, and
 * takes time linear in the body's size. If the request continues a stored conversation, calls and outputs are not
 * paired, because their counterparts may be there. A body with only the fields of {@link CONVERSATION} is judged as a
 * conversation, which needs no model.
 */
export function judgeOpenAIResponsesRequest(
  body: unknown,
  { kind }: OpenAIJudgeOptions = {},
): readonly Violation<OpenAIRule>[] {
  const judge = new OpenAIJudge();
  const { violations } = judge;
  if (!isRecord(body)) {
    judge.report(
      "body-shape",
      "body",
      "We could not parse the JSON body of your request: expected an object.",
    );
    return violations;
  }
  judgeSurrogates(body, "brackets", judge);
  // A stored prompt names its model.
  const isRequest = (kind ?? kindOf(body, CONVERSATION)) === "request" && !Object.hasOwn(body, "prompt");
  if (isRequest) judge.member(body, "model", "string");
  const instructions = fieldOf(body, "instructions");
  if (instructions !== undefined && instructions !== null && typeof instructions !== "string")
    judge.wrongType("instructions", "string");
  const input = fieldOf(body, "input");
  if (Array.isArray(input)) {
    const continues =
      typeof fieldOf(body, "previous_response_id") === "string" || Object.hasOwn(body, "conversation");
    judgeItems(input, continues, judge);
  } else if (input === undefined && Object.hasOwn(body, "prompt")) return violations;
  else if (input === undefined) judge.missing("input");
  else if (typeof input !== "string") judge.wrongType("input", "string or list");
  return violations;
}

function judgeItems(input: readonly unknown[], continues: boolean, judge: OpenAIJudge): void {
  if (input.length === 0) judge.emptyList("input");
  for (const [index, item] of input.entries()) judgeItem(item, `input[${index}]`, judge);
  judgeItemIds(input, judge);
  judgeReasoning(input, judge);
  if (!continues) judgePairs(input, judge);
}

function judgeItem(item: unknown, path: string, judge: OpenAIJudge): void {
  if (!isRecord(item)) {
    judge.wrongType(path, "object");
    return;
  }
  const type = itemType(item);
  if (type === "message") judgeMessage(item, path, judge);
  else if (type === "function_call") judgeFunctionCall(item, path, judge);
  else if (type === "reasoning") {
    if (!Array.isArray(fieldOf(item, "summary"))) judge.missing(`${path}.summary`);
  } else if (OUTPUTS.has(type)) judgeOutput(item, path, judge);
  else if (OUTPUT_OF.has(type)) judgeCallId(item, path, judge);
  else if (type === "tool_search_call" && !isRecord(fieldOf(item, "arguments")))
    judge.wrongType(`${path}.arguments`, "object");
  else if (type === "compaction" && stringOf(item, "encrypted_content") === undefined)
    judge.missing(`${path}.encrypted_content`);
  else if (!HOSTED_ITEMS.has(type) && !OTHER_ITEMS.has(type))
    judge.report(
      "item-type",
      `${path}.type`,
      `Invalid value: '${type}'. It is not the type of an input item.`,
    );
}

function judgeMessage(item: UnknownRecord, path: string, judge: OpenAIJudge): void {
  const role = stringOf(item, "role") ?? "";
  if (!["user", "assistant", "system", "developer"].includes(role))
    judge.report(
      "role",
      `${path}.role`,
      `Invalid value: '${role}'. Supported values are: 'assistant', 'system', 'developer', and 'user'.`,
    );
  const content = fieldOf(item, "content");
  const allowed =
    role === "assistant" ? ["output_text", "refusal"] : ["input_text", "input_image", "input_file"];
  if (Array.isArray(content)) judgeParts(content, allowed, `${path}.content`, judge);
  else if (typeof content !== "string") judge.missing(`${path}.content`, "missing-content");
}

function judgeFunctionCall(item: UnknownRecord, path: string, judge: OpenAIJudge): void {
  judgeCallId(item, path, judge);
  judgeFunctionName(fieldOf(item, "name"), `${path}.name`, judge);
  if (typeof fieldOf(item, "arguments") !== "string") judge.wrongType(`${path}.arguments`, "string");
}

function judgeOutput(item: UnknownRecord, path: string, judge: OpenAIJudge): void {
  judgeCallId(item, path, judge);
  const output = fieldOf(item, "output");
  const type = itemType(item);
  if (Array.isArray(output)) {
    if (type === "function_call_output" || type === "custom_tool_call_output")
      judgeParts(output, ["input_text", "input_image", "input_file"], `${path}.output`, judge);
  } else if (output === undefined) judge.missing(`${path}.output`);
  else if (typeof output !== "string" && (type === "function_call_output" || !isRecord(output)))
    judge.wrongType(`${path}.output`, "string or list");
}

function judgeCallId(item: UnknownRecord, path: string, judge: OpenAIJudge): void {
  const id = stringOf(item, "call_id") ?? "";
  const limit = PROVIDER_LIMITS.responsesCallIdLength;
  if (id === "") judge.missing(`${path}.call_id`, "call-id");
  else if (id.length > limit) judge.tooLong("call-id", `${path}.call_id`, { length: id.length, limit });
}

function judgeItemIds(input: readonly unknown[], judge: OpenAIJudge): void {
  const seen = new Set<string>();
  for (const [index, item] of input.entries()) {
    const id = isRecord(item) ? stringOf(item, "id") : undefined;
    if (!isRecord(item) || id === undefined || itemType(item) === "item_reference") continue;
    const prefix = ID_PREFIXES.get(itemType(item));
    if (prefix !== undefined && !id.startsWith(prefix))
      judge.report(
        "item-id",
        `input[${index}].id`,
        `Invalid 'input[${index}].id': '${id}'. Expected an ID that begins with '${prefix}'.`,
      );
    if (seen.has(id))
      judge.report(
        "duplicate-item-id",
        `input[${index}].id`,
        `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`,
      );
    seen.add(id);
  }
}

/** Reports reasoning that no item of the model follows. */
function judgeReasoning(input: readonly unknown[], judge: OpenAIJudge): void {
  for (const [index, item] of input.entries()) {
    if (!isRecord(item) || itemType(item) !== "reasoning") continue;
    const next = input[index + 1];
    if (isRecord(next) && isModelItem(next)) continue;
    judge.report(
      "reasoning-alone",
      `input[${index}]`,
      `Item '${stringOf(item, "id") ?? ""}' of type 'reasoning' was provided without its required following item.`,
    );
  }
}

function isModelItem(item: UnknownRecord): boolean {
  const type = itemType(item);
  if (type === "message") return fieldOf(item, "role") === "assistant";
  return type === "reasoning" || type === "item_reference" || OUTPUT_OF.has(type) || HOSTED_ITEMS.has(type);
}
