/**
 * Judges a request the way the Anthropic Messages API would before it runs a model: the same body
 * it would refuse with status 400 is a list of violations here, with its own error texts.
 *
 * It represents the provider in tests and in replays, where no provider may be called. What it
 * cannot know (whether a signature is genuine, which account flags are set) it does not judge.
 */
import { judgeAnthropicBlock } from "./anthropic-blocks.ts";
import { judgeAnthropicOrder } from "./anthropic-order.ts";
import { AnthropicJudge, type AnthropicRule } from "./anthropic-rules.ts";
import { judgeServerToolPairs, judgeToolPairs } from "./anthropic-tool-pairs.ts";
import { judgeAnthropicTools } from "./anthropic-tools.ts";
import { isAnthropicRole, turnsOf } from "./anthropic-turns.ts";
import { judgeSurrogates } from "./lone-surrogates.ts";
import { PROVIDER_LIMITS } from "./provider-limits.ts";
import {
  type BodyKind,
  fieldOf,
  isRecord,
  kindOf,
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

/**
 * Every rule of the Anthropic Messages API that `body` breaks; an empty list is an accepted request.
 * A request has `model` and `max_tokens`; a body of nothing but `messages`, `system` and `tools` is judged as a conversation.
 * Never throws: a value that is not a request at all is a violation. Takes time linear in the body's size.
 */
export function judgeAnthropicRequest(
  body: unknown,
  options: AnthropicJudgeOptions = {},
): readonly Violation<AnthropicRule>[] {
  const judge = new AnthropicJudge();
  const { violations } = judge;
  if (!isRecord(body)) {
    judge.report("body-shape", "body", "The request body must be a JSON object");
    return violations;
  }
  judgeSurrogates(body, "dots", judge);
  judgeMembers(body, options.kind ?? kindOf(body, CONVERSATION), judge);
  judgeSystemPrompt(fieldOf(body, "system"), judge);
  judgeAnthropicTools(fieldOf(body, "tools"), judge);
  const messages = fieldOf(body, "messages");
  if (Array.isArray(messages)) judgeMessages(messages, options, judge);
  else if (messages === undefined) judge.missing("messages");
  else judge.wrongType("messages", "list");
  judgeCacheMarks(body, judge);
  return violations;
}

/** Bedrock and Vertex name the model in the address, and their version in the body. */
function judgeMembers(body: UnknownRecord, kind: BodyKind, judge: AnthropicJudge): void {
  if (kind === "conversation") return;
  if (fieldOf(body, "anthropic_version") === undefined) judge.member(body, "model", "string");
  if (kind === "request") judge.member(body, "max_tokens", "integer");
}

function judgeSystemPrompt(system: unknown, judge: AnthropicJudge): void {
  if (system === undefined || typeof system === "string") return;
  if (!Array.isArray(system)) {
    judge.wrongType("system", "list");
    return;
  }
  for (const [index, block] of system.entries())
    judgeAnthropicBlock(block, "system", `system.${index}`, judge);
}

function judgeMessages(
  messages: readonly unknown[],
  options: AnthropicJudgeOptions,
  judge: AnthropicJudge,
): void {
  const limit = PROVIDER_LIMITS.anthropicMessageCount;
  if (messages.length === 0)
    judge.report("message-count", "messages", "messages: at least one message is required");
  if (messages.length > limit)
    judge.report(
      "message-count",
      "messages",
      `messages: List should have at most ${limit} items, not ${messages.length}`,
    );
  for (const [index, message] of messages.entries())
    judgeMessage(message, `messages.${index}`, { isFinal: index === messages.length - 1, judge });
  const turns = turnsOf(messages);
  judgeAnthropicOrder(turns, options, judge);
  judgeToolPairs(turns, judge);
  judgeServerToolPairs(turns, judge);
}

const MESSAGE_FIELDS = ["role", "content"];
const SYSTEM_MESSAGE_FIELDS = ["role", "content", "clear_at", "output_config"];

function judgeMessage(
  message: unknown,
  path: string,
  { isFinal, judge }: { isFinal: boolean; judge: AnthropicJudge },
): void {
  if (!isRecord(message)) {
    judge.wrongType(path, "dictionary");
    return;
  }
  const role = fieldOf(message, "role");
  if (!isAnthropicRole(role)) {
    const words = `messages: Unexpected role ${shown(role)}. Allowed roles are "user", "assistant" or "system"`;
    if (role === undefined) judge.missing(`${path}.role`, "role");
    else judge.report("role", `${path}.role`, words);
    return;
  }
  const fields = role === "system" ? SYSTEM_MESSAGE_FIELDS : MESSAGE_FIELDS;
  judge.onlyFields(message, fields, path);
  const mayBeEmpty =
    role === "assistant" ? isFinal : role === "system" && hasEntries(message, "output_config");
  judgeContent(fieldOf(message, "content"), { role, path, mayBeEmpty, judge });
}

function judgeContent(
  content: unknown,
  where: {
    readonly role: "user" | "assistant" | "system";
    readonly path: string;
    readonly mayBeEmpty: boolean;
    readonly judge: AnthropicJudge;
  },
): void {
  const { role, path, mayBeEmpty, judge } = where;
  const at = `${path}.content`;
  if (content === undefined) {
    if (!(role === "system" && mayBeEmpty)) judge.missing(at);
  } else if (typeof content === "string" || Array.isArray(content)) {
    if (content.length === 0) {
      if (!mayBeEmpty)
        judge.report(
          "empty-content",
          at,
          `${path}: all messages must have non-empty content except for the optional final assistant message`,
        );
    } else if (typeof content === "string")
      judgeAnthropicBlock({ type: "text", text: content }, role, at, judge);
    else
      for (const [index, block] of content.entries())
        judgeAnthropicBlock(block, role, `${at}.${index}`, judge);
  } else judge.wrongType(at, "list");
}

function hasEntries(record: UnknownRecord, field: string): boolean {
  const value = fieldOf(record, field);
  return isRecord(value) && Object.keys(value).length > 0;
}

/** Counts the marks where the API counts them; a mark inside a call's input is only data. */
function judgeCacheMarks(body: UnknownRecord, judge: AnthropicJudge): void {
  let count = 0;
  const look = (holder: unknown, path: string): void => {
    const mark = isRecord(holder) ? fieldOf(holder, "cache_control") : undefined;
    if (mark === undefined || mark === null) return;
    count += 1;
    judgeCacheMark(mark, `${path}.cache_control`, judge);
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
    judge.report(
      "cache-marks",
      "body",
      `A maximum of ${limit} blocks with cache_control may be provided. Found ${count}.`,
    );
}

function judgeCacheMark(mark: unknown, path: string, judge: AnthropicJudge): void {
  const ttl = isRecord(mark) ? fieldOf(mark, "ttl") : undefined;
  const isMark = isRecord(mark) && fieldOf(mark, "type") === "ephemeral";
  if (!isMark || (ttl !== undefined && ttl !== "5m" && ttl !== "1h"))
    judge.complain(
      "cache-marks",
      path,
      "Input should be {\"type\":\"ephemeral\"} with a ttl of '5m' or '1h' at most",
    );
}
