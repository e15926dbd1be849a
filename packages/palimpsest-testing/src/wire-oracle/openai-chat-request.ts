/**
 * Judges a request the way the OpenAI Chat Completions API would before it runs a model.
 */
import { judgeSurrogates } from "./lone-surrogates.ts";
import { judgeParts } from "./openai-parts.ts";
import { OpenAIJudge, type OpenAIJudgeOptions, type OpenAIRule } from "./openai-rules.ts";
import { PROVIDER_LIMITS } from "./provider-limits.ts";
import {
  fieldOf,
  isRecord,
  kindOf,
  shown,
  stringOf,
  type UnknownRecord,
  type Violation,
} from "./violation.ts";

type ChatRole = "system" | "developer" | "user" | "assistant" | "tool";
/** Fields and content parts that a message of each role may have. */
const MESSAGES: Readonly<
  Record<ChatRole, { readonly fields: readonly string[]; readonly parts: readonly string[] }>
> = {
  system: { fields: ["name"], parts: ["text"] },
  developer: { fields: ["name"], parts: ["text"] },
  user: { fields: ["name"], parts: ["text", "image_url", "input_audio", "file"] },
  assistant: {
    fields: ["name", "audio", "function_call", "refusal", "tool_calls"],
    parts: ["text", "refusal"],
  },
  tool: { fields: ["tool_call_id", "name"], parts: ["text"] },
};

const CONVERSATION: ReadonlySet<string> = new Set(["messages", "tools"]);

/**
 * Every rule of the OpenAI Chat Completions API that `body` breaks; an empty list is an accepted
 * request. A body of nothing but `messages` and `tools` is judged as a conversation. Never throws, and takes time linear in the body's size.
 */
export function judgeOpenAIChatRequest(
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
  if ((kind ?? kindOf(body, CONVERSATION)) === "request")
    judge.member(body, "model", "string", "you must provide a model parameter");
  const messages = fieldOf(body, "messages");
  if (messages === undefined) judge.missing("messages");
  else if (!Array.isArray(messages)) judge.wrongType("messages", "list");
  else {
    if (messages.length === 0) judge.emptyList("messages");
    for (const [index, message] of messages.entries()) judgeMessage(message, `messages[${index}]`, judge);
    judgePairs(messages, judge);
  }
  return violations;
}

function judgeMessage(message: unknown, path: string, judge: OpenAIJudge): void {
  if (!isRecord(message)) {
    judge.wrongType(path, "object");
    return;
  }
  const role = roleOf(message);
  if (role === undefined) {
    const supported = Object.keys(MESSAGES)
      .map((known) => `'${known}'`)
      .join(", ");
    judge.report(
      "role",
      `${path}.role`,
      `Invalid value: ${shown(fieldOf(message, "role"))}. Supported values are: ${supported}.`,
    );
    return;
  }
  judge.onlyFields(message, ["role", "content", ...MESSAGES[role].fields], path);
  judgeContent(message, role, path, judge);
  judgeName(fieldOf(message, "name"), `${path}.name`, judge);
  if (role === "assistant") judgeToolCalls(fieldOf(message, "tool_calls"), `${path}.tool_calls`, judge);
  if (role === "tool" && (stringOf(message, "tool_call_id") ?? "") === "")
    judge.missing(`${path}.tool_call_id`);
}

function judgeContent(message: UnknownRecord, role: ChatRole, path: string, judge: OpenAIJudge): void {
  const content = fieldOf(message, "content");
  const at = `${path}.content`;
  if (Array.isArray(content)) judgeParts(content, MESSAGES[role].parts, at, judge);
  else if (content === undefined || content === null) {
    const speaksOtherwise =
      role === "assistant" &&
      ["tool_calls", "function_call", "refusal", "audio"].some((field) => isGiven(message, field));
    if (!speaksOtherwise)
      judge.report(
        "missing-content",
        at,
        `Invalid value for 'content': expected a string, got ${content === null ? "null" : "nothing"}.`,
      );
  } else if (typeof content !== "string") judge.wrongType(at, "string or list");
}

function judgeName(name: unknown, path: string, judge: OpenAIJudge): void {
  if (name === undefined) return;
  if (typeof name !== "string" || !/^[^\s<|\\/>]+$/.test(name)) judge.mismatch(path, "^[^\\s<|\\\\/>]+$");
}

function judgeToolCalls(calls: unknown, path: string, judge: OpenAIJudge): void {
  if (calls === undefined) return;
  if (!Array.isArray(calls)) {
    judge.wrongType(path, "list");
    return;
  }
  if (calls.length === 0) judge.emptyList(path);
  for (const [index, call] of calls.entries()) judgeToolCall(call, `${path}[${index}]`, judge);
}

function judgeToolCall(call: unknown, path: string, judge: OpenAIJudge): void {
  if (!isRecord(call)) {
    judge.wrongType(path, "object");
    return;
  }
  const type = stringOf(call, "type");
  if (type !== "function" && type !== "custom")
    judge.report(
      "item-type",
      `${path}.type`,
      `Invalid value: '${type ?? ""}'. Supported values are: 'function' and 'custom'.`,
    );
  judge.onlyFields(call, ["id", "type", type ?? ""], path);
  const id = stringOf(call, "id") ?? "";
  if (id === "") judge.missing(`${path}.id`, "call-id");
  else if (id.length > PROVIDER_LIMITS.chatCallIdLength)
    judge.tooLong("call-id", `${path}.id`, { length: id.length, limit: PROVIDER_LIMITS.chatCallIdLength });
  if (type === "function" || type === "custom")
    judgeCalled(fieldOf(call, type), type, `${path}.${type}`, judge);
}

/** The called tool: a function with its arguments in JSON text, or a custom tool with its input. */
function judgeCalled(called: unknown, type: "function" | "custom", path: string, judge: OpenAIJudge): void {
  if (!isRecord(called)) {
    judge.missing(path);
    return;
  }
  const argument = type === "function" ? "arguments" : "input";
  if (typeof fieldOf(called, argument) !== "string") judge.wrongType(`${path}.${argument}`, "string");
  judgeFunctionName(fieldOf(called, "name"), `${path}.name`, judge);
}

/** Judges the name of a called function, in either OpenAI API. @internal */
export function judgeFunctionName(name: unknown, path: string, judge: OpenAIJudge): void {
  const limit = PROVIDER_LIMITS.openAiFunctionNameLength;
  if (typeof name !== "string") judge.missing(path);
  else if (name.length > limit) judge.tooLong("name", path, { length: name.length, limit });
  else if (!/^[a-zA-Z0-9_-]+$/.test(name)) judge.mismatch(path, "^[a-zA-Z0-9_-]+$");
}

/** Calls that wait for their answers, and whose answers came. */
interface OpenCalls {
  readonly path: string;
  readonly waiting: Set<string>;
  readonly answered: Set<string>;
}

function judgePairs(messages: readonly unknown[], judge: OpenAIJudge): void {
  let open: OpenCalls | undefined;
  for (const [index, message] of messages.entries()) {
    if (!isRecord(message)) continue;
    const path = `messages[${index}]`;
    if (fieldOf(message, "role") === "tool") {
      judgeAnswer(stringOf(message, "tool_call_id") ?? "", open, path, judge);
      continue;
    }
    reportUnanswered(open, judge);
    open = fieldOf(message, "role") === "assistant" ? openCalls(message, path, judge) : undefined;
  }
  reportUnanswered(open, judge);
}

/** An id may come again in a later message (recorded conversations do it), but not in the same one. */
function openCalls(message: UnknownRecord, path: string, judge: OpenAIJudge): OpenCalls | undefined {
  const calls = fieldOf(message, "tool_calls");
  if (!Array.isArray(calls) || calls.length === 0) return undefined;
  const waiting = new Set<string>();
  for (const [index, call] of calls.entries()) {
    const id = isRecord(call) ? stringOf(call, "id") : undefined;
    if (id === undefined) continue;
    const at = `${path}.tool_calls[${index}].id`;
    if (waiting.has(id))
      judge.report("duplicate-call-id", at, `Duplicate value for 'tool_call_id' of '${id}' (at '${at}').`);
    waiting.add(id);
  }
  return { path, waiting, answered: new Set() };
}

function judgeAnswer(id: string, open: OpenCalls | undefined, path: string, judge: OpenAIJudge): void {
  if (open?.waiting.delete(id) === true) open.answered.add(id);
  else if (open?.answered.has(id) === true)
    judge.report("duplicate-result", path, `Duplicate value for 'tool_call_id' of '${id}' (at '${path}').`);
  else
    judge.report(
      "orphan-result",
      path,
      open === undefined
        ? "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
        : `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`,
    );
}

function reportUnanswered(open: OpenCalls | undefined, judge: OpenAIJudge): void {
  if (open === undefined || open.waiting.size === 0) return;
  judge.report(
    "unanswered-call",
    open.path,
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
      `The following tool_call_ids did not have response messages: ${[...open.waiting].join(", ")}`,
  );
}

function roleOf(message: UnknownRecord): ChatRole | undefined {
  const role = stringOf(message, "role");
  return role !== undefined && Object.hasOwn(MESSAGES, role) ? (role as ChatRole) : undefined;
}

function isGiven(message: UnknownRecord, field: string): boolean {
  const value = fieldOf(message, field);
  return value !== undefined && value !== null;
}
