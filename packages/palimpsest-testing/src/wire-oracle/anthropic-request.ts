/**
 * Judges a request the way the Anthropic Messages API would before it runs a model: the same body
 * it would refuse with status 400 is a list of violations here, with its own error texts.
 *
 * It represents the provider in tests and in replays, where no provider may be called. What it
 * cannot know (whether a signature is genuine, which account flags are set) it does not judge.
 */
import { judgeAnthropicBlock } from "./anthropic-blocks.ts";
import { judgeAnthropicOrder } from "./anthropic-order.ts";
import { ANTHROPIC_WORDS, type AnthropicRule } from "./anthropic-rules.ts";
import { judgeServerToolPairs, judgeToolPairs } from "./anthropic-tool-pairs.ts";
import { judgeAnthropicTools } from "./anthropic-tools.ts";
import { isAnthropicRole, turnsOf } from "./anthropic-turns.ts";
import { reportLoneSurrogates } from "./lone-surrogates.ts";
import { PROVIDER_LIMITS } from "./provider-limits.ts";
import {
  type BodyKind,
  collectViolations,
  fieldOf,
  isCount,
  isFilled,
  isRecord,
  judgeRequiredMembers,
  kindOf,
  type Report,
  type RequiredMember,
  shown,
  type UnknownRecord,
  type Violation,
} from "./violation.ts";

/** Rules that depend on the request's model and configuration. */
export interface AnthropicJudgeOptions {
  /** Extended thinking with a budget is on: an open tool exchange must begin with thinking. */
  readonly thinking?: boolean;
  /** The model continues a last assistant message. Newer models refuse it. @defaultValue `true` */
  readonly allowsPrefill?: boolean;
  /** Kind of the body. @defaultValue `request`; `conversation` if it has nothing but `messages`, `system` and `tools` */
  readonly kind?: BodyKind;
}

const CONVERSATION: ReadonlySet<string> = new Set(["messages", "system", "tools", "cache_control"]);
const MODEL: RequiredMember = {
  name: "model",
  isFit: isFilled,
  missing: ANTHROPIC_WORDS.missing("model"),
  wrong: ANTHROPIC_WORDS.type("model", "string"),
};
const MAX_TOKENS: RequiredMember = {
  name: "max_tokens",
  isFit: isCount,
  missing: ANTHROPIC_WORDS.missing("max_tokens"),
  wrong: ANTHROPIC_WORDS.type("max_tokens", "integer"),
};

/**
 * Every rule of the Anthropic Messages API that `body` breaks; an empty list is an accepted request.
 * A request has `model` and `max_tokens`; a body of nothing but `messages`, `system` and `tools` is judged as a conversation.
 * Never throws: a value that is not a request at all is a violation. Takes time linear in the body's size.
 */
export function judgeAnthropicRequest(
  body: unknown,
  options: AnthropicJudgeOptions = {},
): readonly Violation<AnthropicRule>[] {
  const { violations, report } = collectViolations<AnthropicRule>();
  if (!isRecord(body)) {
    report("body-shape", "body", "The request body must be a JSON object");
    return violations;
  }
  reportLoneSurrogates(body, "dots", report);
  judgeRequiredMembers(body, requiredMembers(body, options.kind ?? kindOf(body, CONVERSATION)), report);
  judgeSystemPrompt(fieldOf(body, "system"), report);
  judgeAnthropicTools(fieldOf(body, "tools"), report);
  const messages = fieldOf(body, "messages");
  if (Array.isArray(messages)) judgeMessages(messages, options, report);
  else if (messages === undefined) report("field-missing", "messages", ANTHROPIC_WORDS.missing("messages"));
  else report("field-type", "messages", ANTHROPIC_WORDS.type("messages", "list"));
  judgeCacheMarks(body, report);
  return violations;
}

/** Bedrock and Vertex name the model in the address, and their version in the body. */
function requiredMembers(body: UnknownRecord, kind: BodyKind): readonly RequiredMember[] {
  if (kind === "conversation") return [];
  const named = fieldOf(body, "anthropic_version") === undefined ? [MODEL] : [];
  return kind === "count" ? named : [...named, MAX_TOKENS];
}

function judgeSystemPrompt(system: unknown, report: Report<AnthropicRule>): void {
  if (system === undefined || typeof system === "string") return;
  if (!Array.isArray(system)) {
    report("field-type", "system", ANTHROPIC_WORDS.type("system", "list"));
    return;
  }
  for (const [index, block] of system.entries())
    judgeAnthropicBlock(block, "system", `system.${index}`, report);
}

function judgeMessages(
  messages: readonly unknown[],
  options: AnthropicJudgeOptions,
  report: Report<AnthropicRule>,
): void {
  const limit = PROVIDER_LIMITS.anthropicMessageCount;
  if (messages.length === 0)
    report("message-count", "messages", "messages: at least one message is required");
  if (messages.length > limit)
    report(
      "message-count",
      "messages",
      `messages: List should have at most ${limit} items, not ${messages.length}`,
    );
  for (const [index, message] of messages.entries())
    judgeMessage(message, `messages.${index}`, { isFinal: index === messages.length - 1, report });
  const turns = turnsOf(messages);
  judgeAnthropicOrder(turns, options, report);
  judgeToolPairs(turns, report);
  judgeServerToolPairs(turns, report);
}

const MESSAGE_FIELDS: ReadonlySet<string> = new Set(["role", "content"]);
const SYSTEM_MESSAGE_FIELDS: ReadonlySet<string> = new Set(["role", "content", "clear_at", "output_config"]);

function judgeMessage(
  message: unknown,
  path: string,
  { isFinal, report }: { isFinal: boolean; report: Report<AnthropicRule> },
): void {
  if (!isRecord(message)) {
    report("field-type", path, ANTHROPIC_WORDS.type(path, "dictionary"));
    return;
  }
  const role = fieldOf(message, "role");
  if (!isAnthropicRole(role)) {
    const words =
      role === undefined
        ? ANTHROPIC_WORDS.missing(`${path}.role`)
        : `messages: Unexpected role ${shown(role)}. Allowed roles are "user", "assistant" or "system"`;
    report("role", `${path}.role`, words);
    return;
  }
  const fields = role === "system" ? SYSTEM_MESSAGE_FIELDS : MESSAGE_FIELDS;
  for (const field of Object.keys(message))
    if (!fields.has(field))
      report("extra-field", `${path}.${field}`, ANTHROPIC_WORDS.extra(`${path}.${field}`));
  const mayBeEmpty =
    role === "assistant" ? isFinal : role === "system" && hasEntries(message, "output_config");
  judgeContent(fieldOf(message, "content"), { role, path, mayBeEmpty, report });
}

function judgeContent(
  content: unknown,
  where: {
    readonly role: "user" | "assistant" | "system";
    readonly path: string;
    readonly mayBeEmpty: boolean;
    readonly report: Report<AnthropicRule>;
  },
): void {
  const { role, path, mayBeEmpty, report } = where;
  const at = `${path}.content`;
  if (content === undefined) {
    if (!(role === "system" && mayBeEmpty)) report("field-missing", at, ANTHROPIC_WORDS.missing(at));
  } else if (typeof content === "string" || Array.isArray(content)) {
    if (content.length === 0) {
      if (!mayBeEmpty)
        report(
          "empty-content",
          at,
          `${path}: all messages must have non-empty content except for the optional final assistant message`,
        );
    } else if (typeof content === "string")
      judgeAnthropicBlock({ type: "text", text: content }, role, at, report);
    else
      for (const [index, block] of content.entries())
        judgeAnthropicBlock(block, role, `${at}.${index}`, report);
  } else report("field-type", at, ANTHROPIC_WORDS.type(at, "list"));
}

function hasEntries(record: UnknownRecord, field: string): boolean {
  const value = fieldOf(record, field);
  return isRecord(value) && Object.keys(value).length > 0;
}

/** Counts the marks where the API counts them; a mark inside a call's input is only data. */
function judgeCacheMarks(body: UnknownRecord, report: Report<AnthropicRule>): void {
  let count = 0;
  const look = (holder: unknown, path: string): void => {
    const mark = isRecord(holder) ? fieldOf(holder, "cache_control") : undefined;
    if (mark === undefined || mark === null) return;
    count += 1;
    judgeCacheMark(mark, `${path}.cache_control`, report);
  };
  const lookAtAll = (list: unknown, path: string): void => {
    if (!Array.isArray(list)) return;
    for (const [index, item] of list.entries()) {
      look(item, `${path}.${index}`);
      if (isRecord(item)) lookAtAll(fieldOf(item, "content"), `${path}.${index}.content`);
    }
  };
  look(body, "body");
  lookAtAll(fieldOf(body, "tools"), "tools");
  lookAtAll(fieldOf(body, "system"), "system");
  lookAtAll(fieldOf(body, "messages"), "messages");
  const limit = PROVIDER_LIMITS.anthropicCacheMarkCount;
  if (count > limit)
    report(
      "cache-marks",
      "body",
      `A maximum of ${limit} blocks with cache_control may be provided. Found ${count}.`,
    );
}

function judgeCacheMark(mark: unknown, path: string, report: Report<AnthropicRule>): void {
  const ttl = isRecord(mark) ? fieldOf(mark, "ttl") : undefined;
  const isMark = isRecord(mark) && fieldOf(mark, "type") === "ephemeral";
  if (!isMark || (ttl !== undefined && ttl !== "5m" && ttl !== "1h"))
    report(
      "cache-marks",
      path,
      `${path}: Input should be {"type":"ephemeral"} with a ttl of '5m' or '1h' at most`,
    );
}
