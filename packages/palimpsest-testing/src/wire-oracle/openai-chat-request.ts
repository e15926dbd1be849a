/**
 * Judges a request the way the OpenAI Chat Completions API would before it runs a model.
 */
import { reportLoneSurrogates } from "./lone-surrogates.ts";
import { judgeParts } from "./openai-parts.ts";
import {
  emptyListWords,
  OPENAI_WORDS,
  type OpenAIJudgeOptions,
  type OpenAIRule,
  tooLongWords,
} from "./openai-rules.ts";
import { PROVIDER_LIMITS } from "./provider-limits.ts";
import {
  collectViolations,
  fieldOf,
  isFilled,
  isRecord,
  judgeRequiredMembers,
  kindOf,
  type Report,
  type RequiredMember,
  shown,
  stringOf,
  type UnknownRecord,
  type Violation,
} from "./violation.ts";

type ChatRole = "system" | "developer" | "user" | "assistant" | "tool";
type ChatReport = Report<OpenAIRule>;

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
const MODEL: RequiredMember = {
  name: "model",
  isFit: isFilled,
  missing: "you must provide a model parameter",
  wrong: OPENAI_WORDS.type("model", "string"),
};

/**
 * Every rule of the OpenAI Chat Completions API that `body` breaks; an empty list is an accepted
 * request. A body of nothing but `messages` and `tools` is judged as a conversation. Never throws, and takes time linear in the body's size.
 */
export function judgeOpenAIChatRequest(
  body: unknown,
  { kind }: OpenAIJudgeOptions = {},
): readonly Violation<OpenAIRule>[] {
  const { violations, report } = collectViolations<OpenAIRule>();
  if (!isRecord(body)) {
    report("body-shape", "body", "We could not parse the JSON body of your request: expected an object.");
    return violations;
  }
  reportLoneSurrogates(body, "brackets", report);
  if ((kind ?? kindOf(body, CONVERSATION)) === "request") judgeRequiredMembers(body, [MODEL], report);
  const messages = fieldOf(body, "messages");
  if (messages === undefined) report("field-missing", "messages", OPENAI_WORDS.missing("messages"));
  else if (!Array.isArray(messages)) report("field-type", "messages", OPENAI_WORDS.type("messages", "list"));
  else {
    if (messages.length === 0) report("empty-list", "messages", emptyListWords("messages"));
    for (const [index, message] of messages.entries()) judgeMessage(message, `messages[${index}]`, report);
    judgePairs(messages, report);
  }
  return violations;
}

function judgeMessage(message: unknown, path: string, report: ChatReport): void {
  if (!isRecord(message)) {
    report("field-type", path, OPENAI_WORDS.type(path, "object"));
    return;
  }
  const role = roleOf(message);
  if (role === undefined) {
    const supported = Object.keys(MESSAGES)
      .map((known) => `'${known}'`)
      .join(", ");
    report(
      "role",
      `${path}.role`,
      `Invalid value: ${shown(fieldOf(message, "role"))}. Supported values are: ${supported}.`,
    );
    return;
  }
  for (const field of Object.keys(message))
    if (field !== "role" && field !== "content" && !MESSAGES[role].fields.includes(field))
      report("extra-field", `${path}.${field}`, OPENAI_WORDS.extra(`${path}.${field}`));
  judgeContent(message, role, path, report);
  judgeName(fieldOf(message, "name"), `${path}.name`, report);
  if (role === "assistant") judgeToolCalls(fieldOf(message, "tool_calls"), `${path}.tool_calls`, report);
  if (role === "tool" && (stringOf(message, "tool_call_id") ?? "") === "")
    report("field-missing", `${path}.tool_call_id`, OPENAI_WORDS.missing(`${path}.tool_call_id`));
}

function judgeContent(message: UnknownRecord, role: ChatRole, path: string, report: ChatReport): void {
  const content = fieldOf(message, "content");
  const at = `${path}.content`;
  if (Array.isArray(content)) judgeParts(content, MESSAGES[role].parts, at, report);
  else if (content === undefined || content === null) {
    const speaksOtherwise =
      role === "assistant" &&
      ["tool_calls", "function_call", "refusal", "audio"].some((field) => isGiven(message, field));
    if (!speaksOtherwise)
      report(
        "missing-content",
        at,
        `Invalid value for 'content': expected a string, got ${content === null ? "null" : "nothing"}.`,
      );
  } else if (typeof content !== "string") report("field-type", at, OPENAI_WORDS.type(at, "string or list"));
}

function judgeName(name: unknown, path: string, report: ChatReport): void {
  if (name === undefined) return;
  if (typeof name !== "string" || !/^[^\s<|\\/>]+$/.test(name))
    report(
      "name",
      path,
      `Invalid '${path}': string does not match pattern. Expected a string that matches the pattern '^[^\\s<|\\\\/>]+$'.`,
    );
}

function judgeToolCalls(calls: unknown, path: string, report: ChatReport): void {
  if (calls === undefined) return;
  if (!Array.isArray(calls)) {
    report("field-type", path, OPENAI_WORDS.type(path, "list"));
    return;
  }
  if (calls.length === 0) report("empty-list", path, emptyListWords(path));
  for (const [index, call] of calls.entries()) judgeToolCall(call, `${path}[${index}]`, report);
}

function judgeToolCall(call: unknown, path: string, report: ChatReport): void {
  if (!isRecord(call)) {
    report("field-type", path, OPENAI_WORDS.type(path, "object"));
    return;
  }
  const type = stringOf(call, "type");
  if (type !== "function" && type !== "custom")
    report(
      "item-type",
      `${path}.type`,
      `Invalid value: '${type ?? ""}'. Supported values are: 'function' and 'custom'.`,
    );
  for (const field of Object.keys(call))
    if (field !== "id" && field !== "type" && field !== type)
      report("extra-field", `${path}.${field}`, OPENAI_WORDS.extra(`${path}.${field}`));
  const id = stringOf(call, "id") ?? "";
  if (id === "") report("call-id", `${path}.id`, OPENAI_WORDS.missing(`${path}.id`));
  else if (id.length > PROVIDER_LIMITS.chatCallIdLength)
    report("call-id", `${path}.id`, tooLongWords(`${path}.id`, PROVIDER_LIMITS.chatCallIdLength, id.length));
  if (type === "function" || type === "custom")
    judgeCalled(fieldOf(call, type), type, `${path}.${type}`, report);
}

/** The called tool: a function with its arguments in JSON text, or a custom tool with its input. */
function judgeCalled(called: unknown, type: "function" | "custom", path: string, report: ChatReport): void {
  if (!isRecord(called)) {
    report("field-missing", path, OPENAI_WORDS.missing(path));
    return;
  }
  const argument = type === "function" ? "arguments" : "input";
  if (typeof fieldOf(called, argument) !== "string")
    report("field-type", `${path}.${argument}`, OPENAI_WORDS.type(`${path}.${argument}`, "string"));
  judgeFunctionName(fieldOf(called, "name"), `${path}.name`, report);
}

/** Judges the name of a called function, in either OpenAI API. @internal */
export function judgeFunctionName(name: unknown, path: string, report: ChatReport): void {
  const limit = PROVIDER_LIMITS.openAiFunctionNameLength;
  if (typeof name !== "string") report("field-missing", path, OPENAI_WORDS.missing(path));
  else if (name.length > limit) report("name", path, tooLongWords(path, limit, name.length));
  else if (!/^[a-zA-Z0-9_-]+$/.test(name))
    report(
      "name",
      path,
      `Invalid '${path}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
    );
}

/** Calls that wait for their answers, and whose answers came. */
interface OpenCalls {
  readonly path: string;
  readonly waiting: Set<string>;
  readonly answered: Set<string>;
}

function judgePairs(messages: readonly unknown[], report: ChatReport): void {
  let open: OpenCalls | undefined;
  for (const [index, message] of messages.entries()) {
    if (!isRecord(message)) continue;
    const path = `messages[${index}]`;
    if (fieldOf(message, "role") === "tool") {
      judgeAnswer(stringOf(message, "tool_call_id") ?? "", open, path, report);
      continue;
    }
    reportUnanswered(open, report);
    open = fieldOf(message, "role") === "assistant" ? openCalls(message, path, report) : undefined;
  }
  reportUnanswered(open, report);
}

/** An id may come again in a later message (recorded conversations do it), but not in the same one. */
function openCalls(message: UnknownRecord, path: string, report: ChatReport): OpenCalls | undefined {
  const calls = fieldOf(message, "tool_calls");
  if (!Array.isArray(calls) || calls.length === 0) return undefined;
  const waiting = new Set<string>();
  for (const [index, call] of calls.entries()) {
    const id = isRecord(call) ? stringOf(call, "id") : undefined;
    if (id === undefined) continue;
    const at = `${path}.tool_calls[${index}].id`;
    if (waiting.has(id))
      report("duplicate-call-id", at, `Duplicate value for 'tool_call_id' of '${id}' (at '${at}').`);
    waiting.add(id);
  }
  return { path, waiting, answered: new Set() };
}

function judgeAnswer(id: string, open: OpenCalls | undefined, path: string, report: ChatReport): void {
  if (open?.waiting.delete(id) === true) open.answered.add(id);
  else if (open?.answered.has(id) === true)
    report("duplicate-result", path, `Duplicate value for 'tool_call_id' of '${id}' (at '${path}').`);
  else
    report(
      "orphan-result",
      path,
      open === undefined
        ? "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
        : `Invalid parameter: 'tool_call_id' of '${id}' not found in 'tool_calls' of previous message.`,
    );
}

function reportUnanswered(open: OpenCalls | undefined, report: ChatReport): void {
  if (open === undefined || open.waiting.size === 0) return;
  report(
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
