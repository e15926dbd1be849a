/**
 * Which items of a recorded Responses conversation may go back: the API refuses a whole request over one
 * item of a type that it does not know, one output without its call, or one id that came before.
 *
 * Source: `openai` SDK 7.55, `responses`, and the API's own refusals.
 */
import { isObject, type JsonObject, type JsonValue } from "../../base/json/json.ts";
import type { RequestMessage } from "../../transcript/window.ts";

type FieldCheck = (value: unknown) => boolean;
const isText: FieldCheck = (value) => typeof value === "string" && value !== "";
const isWord: FieldCheck = (value) => typeof value === "string";
const isGiven: FieldCheck = (value) => value !== undefined && value !== null;
const isFlag: FieldCheck = (value) => typeof value === "boolean";

const CALL = { call_id: isText };
const OUTPUT = { call_id: isText, output: isGiven };

/** Items by type, with the fields that the API does not do without. */
const ITEMS: ReadonlyMap<unknown, Readonly<Record<string, FieldCheck>>> = new Map(
  Object.entries<Readonly<Record<string, FieldCheck>>>({
    message: { role: isText, content: isGiven },
    reasoning: { summary: Array.isArray },
    function_call: { ...CALL, name: isText, arguments: isWord },
    custom_tool_call: { ...CALL, name: isText, input: isWord },
    computer_call: CALL,
    local_shell_call: CALL,
    shell_call: CALL,
    apply_patch_call: CALL,
    function_call_output: OUTPUT,
    custom_tool_call_output: OUTPUT,
    computer_call_output: { ...OUTPUT, output: isObject },
    local_shell_call_output: OUTPUT,
    shell_call_output: OUTPUT,
    apply_patch_call_output: OUTPUT,
    compaction: { encrypted_content: isText },
    program: CALL,
    program_output: CALL,
    tool_search_call: { arguments: isObject },
    tool_search_output: { tools: Array.isArray },
    mcp_approval_request: { id: isText },
    mcp_approval_response: { approval_request_id: isText, approve: isFlag },
    ...Object.fromEntries(
      [
        "web_search_call",
        "file_search_call",
        "code_interpreter_call",
        "image_generation_call",
        "mcp_call",
        "mcp_list_tools",
        "additional_tools",
        "compaction_trigger",
        "item_reference",
      ].map((type) => [type, {}]),
    ),
  }),
);

/** Types of calls and outputs, which are refused without each other. */
const PAIRED: ReadonlySet<unknown> = new Set(
  [...ITEMS].flatMap(([type, needs]) => ("call_id" in needs ? [type] : [])),
);
/** Those that blocks of our own become. */
const OWN_CALLS: ReadonlySet<unknown> = new Set(["function_call", "custom_tool_call"]);
const OWN_OUTPUTS: ReadonlySet<unknown> = new Set(["function_call_output", "custom_tool_call_output"]);

const ID_PREFIXES: ReadonlyMap<unknown, string> = new Map([
  ["function_call", "fc"],
  ["custom_tool_call", "ctc"],
  ["reasoning", "rs"],
  ["message", "msg"],
]);

/** True if a value is an item that the API takes. @internal */
export function isResponsesItem(value: unknown): value is JsonObject {
  if (!isObject(value)) return false;
  const needs = ITEMS.get(value["type"]);
  return needs !== undefined && Object.entries(needs).every(([field, check]) => check(value[field]));
}

/** The items without those that are refused because of the others. @internal */
export function fittingItems(
  messages: readonly RequestMessage[],
  items: readonly JsonObject[],
): readonly JsonObject[] {
  const strays = strayCalls(messages, items);
  const paired = strays.size === 0 ? items : items.filter((item) => !strays.has(item));
  const named = withoutRepeatedIds(paired);
  return named.some(({ type }) => type === "reasoning") ? withoutLoneReasoning(named) : named;
}

/** Items that came as they are, and whose other half did not come. Those of our own vocabulary are paired already. */
function strayCalls(
  messages: readonly RequestMessage[],
  items: readonly JsonObject[],
): ReadonlySet<JsonObject> {
  const strays = new Set<JsonObject>();
  const raw = rawPairs(messages);
  if (raw.size === 0) return strays;
  const own = new Set(items.flatMap(({ type, call_id: id }) => (OWN_CALLS.has(type) ? [id] : [])));
  // A request may be the server's, and only named here.
  const referred = new Set(
    items.flatMap(({ type, id }) => (type === "item_reference" ? [`approval ${String(id)}`] : [])),
  );
  const open = new Map<string, JsonObject>();
  const answered = new Set<string>();
  for (const item of items) {
    const half = halfOf(item);
    if (half === undefined || !raw.has(half.pair)) continue;
    const { pair, isAnswer } = half;
    const { type, call_id: callId } = item;
    // One id for two calls is refused: what came as it is gives way to what we know.
    if (callId !== undefined && own.has(callId) && !OWN_CALLS.has(type) && !OWN_OUTPUTS.has(type))
      strays.add(item);
    else if (isAnswer ? !open.delete(pair) && !referred.delete(pair) : open.has(pair) || answered.has(pair))
      strays.add(item);
    else if (isAnswer) answered.add(pair);
    else open.set(pair, item);
  }
  const running = new Set(items.map(({ caller }) => (isObject(caller) ? caller["caller_id"] : undefined)));
  for (const item of open.values())
    if (item["type"] !== "program" || !running.has(item["call_id"])) strays.add(item);
  return strays;
}

function rawPairs(messages: readonly RequestMessage[]): ReadonlySet<string> {
  const pairs = new Set<string>();
  for (const { content } of messages)
    for (const block of content)
      if (block.type === "opaque" && block.provider === "openai-responses" && isObject(block.value)) {
        const half = halfOf(block.value as JsonObject);
        if (half !== undefined) pairs.add(half.pair);
      }
  return pairs;
}

/**
 * One half of what the API refuses without the other: "No tool output found for tool search call …", "The
 * following MCP approval requests do not have an approval …". A search that the server ran stands alone. A
 * program runs until the calls that it made are answered, so that it may lack its output.
 */
function halfOf(item: JsonObject): { readonly pair: string; readonly isAnswer: boolean } | undefined {
  const { type, id, call_id: callId, approval_request_id: requestId } = item;
  if (type === "mcp_approval_request") return { pair: `approval ${String(id)}`, isAnswer: false };
  if (type === "mcp_approval_response") return { pair: `approval ${String(requestId)}`, isAnswer: true };
  if (typeof type !== "string" || typeof callId !== "string") return undefined;
  const isSearch = type.startsWith("tool_search_") && item["execution"] !== "server";
  if (!isSearch && !PAIRED.has(type)) return undefined;
  return { pair: `call ${callId}`, isAnswer: type.endsWith("_output") };
}

/** An id that is taken, or not of its type, is left out; reasoning cannot do without its own. */
function withoutRepeatedIds(items: readonly JsonObject[]): readonly JsonObject[] {
  const seen = new Set<JsonValue>();
  return items.flatMap((item) => {
    const { id, type } = item;
    if (id === undefined || type === "item_reference") return [item];
    const prefix = ID_PREFIXES.get(type) ?? "";
    const isFitting = typeof id === "string" && id.startsWith(prefix) && !seen.has(id);
    seen.add(id);
    if (isFitting) return [item];
    if (type === "reasoning") return [];
    const { id: _, ...rest } = item;
    return [rest];
  });
}

/** Reasoning goes with what it led to: the API takes none without it. @internal */
export function withoutLoneReasoning(items: readonly JsonObject[]): readonly JsonObject[] {
  let isLedTo = false;
  const kept = items.toReversed().filter((item) => {
    if (item["type"] === "reasoning") return isLedTo;
    isLedTo = isOfModel(item);
    return true;
  });
  return kept.length === items.length ? items : kept.reverse();
}

/** Items that the host adds, besides outputs. */
const OF_HOST: ReadonlySet<unknown> = new Set([
  "additional_tools",
  "compaction_trigger",
  "mcp_approval_response",
]);

function isOfModel({ type, role }: JsonObject): boolean {
  if (type === "message") return role === "assistant";
  return typeof type === "string" && !type.endsWith("_output") && !OF_HOST.has(type);
}
