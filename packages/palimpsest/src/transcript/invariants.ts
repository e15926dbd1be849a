/**
 * Checks that a request keeps the rules that all providers share, whatever was imported, cut off or edited before.
 *
 * Calls and results are paired by id, never by the name of a tool. A session runs this check before every request leaves.
 * The wire oracle of `palimpsest-testing` checks requests independently, as a provider would.
 */
import { isWellFormed } from "../base/text/text.ts";
import { type ContentBlock, isCompaction, isServerToolResult, isServerToolUse, programOf } from "./blocks.ts";
import type { RequestMessage } from "./window.ts";

/** The provider whose rules a request must keep. */
export type Provider = "anthropic" | "openai-chat" | "openai-responses" | "gemini";

/** The rules of {@link checkRequest}, each as a sentence that is true of a valid request. */
export type InvariantRule =
  | "first-message-is-user"
  | "last-message-is-not-assistant"
  | "message-has-content"
  | "text-is-not-empty"
  | "text-is-well-formed"
  | "call-is-answered-next"
  | "result-has-its-call"
  | "results-lead"
  | "ids-are-unique"
  | "server-tools-are-answered";

/** A rule that a request breaks, and where. */
export interface BrokenInvariant {
  readonly rule: InvariantRule;
  /** Index of the message in the request. */
  readonly message: number;
  /** The id of the call, if the rule is about one. */
  readonly callId?: string;
}

/** Returns the rules that the messages break at this provider; none if the request may be sent. Takes linear time. */
export function checkRequest(
  messages: readonly RequestMessage[],
  provider: Provider,
): readonly BrokenInvariant[] {
  const broken: BrokenInvariant[] = [];
  const seenCalls = new Set<string>();
  checkEnds(messages, provider, broken);
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]!;
    if (message.content.length === 0) broken.push({ rule: "message-has-content", message: index });
    checkBlocks(message, index, broken);
    if (message.role === "assistant") checkCalls(messages, index, seenCalls, broken);
    else checkResults(messages, index, broken);
  }
  return broken;
}

function checkEnds(messages: readonly RequestMessage[], provider: Provider, broken: BrokenInvariant[]): void {
  const first = messages[0];
  const opening = first?.content.find((block) => block.type !== "opaque" || isCompaction(block));
  const startsWithCompaction =
    provider === "anthropic" &&
    opening !== undefined &&
    (opening.type === "compaction" || isCompaction(opening));
  if (first !== undefined && first.role !== "user" && !startsWithCompaction)
    broken.push({ rule: "first-message-is-user", message: 0 });
  const last = messages.at(-1);
  // An answer that ends with a server tool's call was paused: sending it back continues it.
  const lastBlock = last?.content.at(-1);
  const isContinued = lastBlock !== undefined && isServerToolUse(lastBlock);
  if (last?.role === "assistant" && !isContinued)
    broken.push({ rule: "last-message-is-not-assistant", message: messages.length - 1 });
}

function checkBlocks(message: RequestMessage, index: number, broken: BrokenInvariant[]): void {
  message.content.forEach((block) => {
    if (block.type === "text" && block.text.trim() === "")
      broken.push({ rule: "text-is-not-empty", message: index });
    if (block.type === "text" && !isWellFormed(block.text))
      broken.push({ rule: "text-is-well-formed", message: index });
  });
}

function checkCalls(
  messages: readonly RequestMessage[],
  index: number,
  seenCalls: Set<string>,
  broken: BrokenInvariant[],
): void {
  checkServerCalls(messages, index, broken);
  const answers = resultIds(messages[index + 1]);
  for (const block of messages[index]!.content) {
    if (block.type !== "tool_use") continue;
    if (seenCalls.has(block.id)) broken.push({ rule: "ids-are-unique", message: index, callId: block.id });
    seenCalls.add(block.id);
    if (!answers.has(block.id))
      broken.push({ rule: "call-is-answered-next", message: index, callId: block.id });
  }
}

/**
 * Server tools' calls are answered in the same message. Beside calls that the host answers, or while a program has such
 * calls, they are answered in the next answer; until it comes, nothing but results may follow.
 */
function checkServerCalls(
  messages: readonly RequestMessage[],
  index: number,
  broken: BrokenInvariant[],
): void {
  const { content } = messages[index]!;
  const open = new Set([
    ...content.filter(isServerToolUse).map(({ id }) => id),
    ...content.flatMap((block) => programOf(block) ?? []),
  ]);
  for (const block of content) if (isServerToolResult(block)) open.delete(block.tool_use_id);
  if (open.size === 0 || index === messages.length - 1) return;
  const hasCalls = content.some(({ type }) => type === "tool_use");
  let next = index + 1;
  while (next < messages.length && messages[next]!.role !== "assistant") next++;
  const isLast = next === messages.length;
  const isUndisturbed =
    isLast &&
    messages.slice(index + 1).every((message) => message.content.every(({ type }) => type === "tool_result"));
  const goingOn = new Set(
    (messages[next]?.content ?? []).flatMap((block) =>
      isServerToolResult(block)
        ? [block.tool_use_id]
        : block.type === "tool_use"
          ? (programOf(block) ?? [])
          : [],
    ),
  );
  for (const callId of open)
    if (!hasCalls || (isLast ? !isUndisturbed : !goingOn.has(callId)))
      broken.push({ rule: "server-tools-are-answered", message: index, callId });
}

function checkResults(messages: readonly RequestMessage[], index: number, broken: BrokenInvariant[]): void {
  const before = messages[index - 1];
  const calls = new Set(
    before?.role === "assistant"
      ? before.content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []))
      : [],
  );
  const seen = new Set<string>();
  let hasOther = false;
  for (const block of messages[index]!.content) {
    if (block.type !== "tool_result") {
      hasOther = true;
      continue;
    }
    const callId = block.tool_use_id;
    if (!calls.has(callId)) broken.push({ rule: "result-has-its-call", message: index, callId });
    if (seen.has(callId)) broken.push({ rule: "ids-are-unique", message: index, callId });
    if (hasOther) broken.push({ rule: "results-lead", message: index, callId });
    seen.add(callId);
  }
}

function resultIds(message: RequestMessage | undefined): ReadonlySet<string> {
  const isResult = (block: ContentBlock) => block.type === "tool_result";
  if (message?.role !== "user") return new Set();
  return new Set(
    message.content.filter(isResult).map((block) => (block as { tool_use_id: string }).tool_use_id),
  );
}
