/**
 * The messages of one opencode session, in order, and the places where opencode made its context
 * smaller.
 *
 * DESIGN. A compaction is a message of the user with a `compaction` part, answered by a message
 * marked as its `summary`: together they are a boundary, and only together, for one without a
 * finished answer had no effect. `tail_start_id` names the first message that stayed. Old versions
 * wrote the summary alone. Results that were cleared are marked with the time of it
 * (`time.compacted`) and keep their text. A reverted message is gone with all after it.
 */

import { asNumber, asString, isObject } from "../../base/json/json.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";
import type { ParsedMessage } from "../shared/conversation-builder.ts";
import { type Fields, fieldsOf, parseTimestamp } from "../shared/fields.ts";
import type { ImportedBoundary, LeftOutReason } from "../shared/imported-session.ts";
import { orderedParts, type Part } from "./opencode-part.ts";

/** A message as it is stored: what is known of it, and its parts in order. @internal */
export interface OpencodeMessage {
  readonly info: Fields;
  readonly parts: readonly Part[];
  readonly line?: number;
  readonly id?: string;
  readonly at?: number;
}

/** @internal */
export function opencodeMessage(value: unknown, line: number | undefined): OpencodeMessage | undefined {
  if (!isObject(value) || !isObject(value["info"]) || !Array.isArray(value["parts"])) return undefined;
  const { info } = value;
  return {
    info,
    parts: orderedParts(value["parts"].filter(isObject)),
    line,
    id: asString(info["id"]),
    at: parseTimestamp(fieldsOf(info["time"])["created"]),
  };
}

/** An item before a message in the record of the tool's own edits. @internal */
export interface Clearing {
  readonly at: number;
  readonly toolUseId: string;
}

/** Results that were cleared, in the order of the clearing. @internal */
export function clearings(messages: readonly OpencodeMessage[]): readonly Clearing[] {
  const found = messages.flatMap(({ parts }) =>
    parts.flatMap((part): readonly Clearing[] => {
      const at = asNumber(fieldsOf(fieldsOf(part["state"])["time"])["compacted"]);
      const toolUseId = asString(part["callID"]);
      return at === undefined || toolUseId === undefined ? [] : [{ at, toolUseId }];
    }),
  );
  return found.sort((left, right) => left.at - right.at);
}

/** A finished summary, by the compaction it answers. @internal */
export function summariesByParent(
  messages: readonly OpencodeMessage[],
): ReadonlyMap<string, OpencodeMessage> {
  const found = new Map<string, OpencodeMessage>();
  for (const message of messages) {
    const parentId = asString(message.info["parentID"]);
    if (parentId !== undefined && isSummary(message) && message.info["error"] === undefined)
      found.set(parentId, message);
  }
  return found;
}

/** @internal */
export function isSummary({ info }: OpencodeMessage): boolean {
  return info["role"] === "assistant" && (info["summary"] === true || info["mode"] === "compaction");
}

/** @internal */
export function compactionPart({ info, parts }: OpencodeMessage): Part | undefined {
  return info["role"] === "user" ? parts.find((part) => part["type"] === "compaction") : undefined;
}

/** The boundary of a compaction; `part` is missing in old versions. @internal */
export function opencodeBoundary(
  summary: OpencodeMessage,
  { part, message }: { readonly part?: Part | undefined; readonly message: OpencodeMessage },
): ImportedBoundary {
  const auto = part?.["auto"];
  const { id, at, line } = message;
  return {
    type: "boundary",
    trigger: auto === true ? "auto" : auto === false ? "manual" : "unknown",
    summary: wordsOf(summary) || undefined,
    firstPreserved: asString(part?.["tail_start_id"]),
    hostId: id,
    at,
    line,
  };
}

/** All texts of a message, in one piece. @internal */
export function wordsOf({ parts }: OpencodeMessage): string {
  return parts
    .flatMap((part) => (part["type"] === "text" ? [asString(part["text"]) ?? ""] : []))
    .filter((text) => text !== "")
    .join("\n");
}

/** Index of the first message that was reverted. @internal */
export function revertedFrom(info: Fields, messages: readonly OpencodeMessage[]): number {
  const revert = fieldsOf(info["revert"]);
  const index = messages.findIndex(({ id }) => id !== undefined && id === revert["messageID"]);
  if (index === -1) return messages.length;
  // With a part's id, the message stays up to that part; what it said is not taken apart here.
  return typeof revert["partID"] === "string" ? index + 1 : index;
}

/** Why opencode does not send an answer again; `undefined` where it does. @internal */
export function whyNotSent({ info, parts }: OpencodeMessage): LeftOutReason | undefined {
  if (info["role"] !== "assistant" || !isObject(info["error"])) return undefined;
  const isAborted = info["error"]["name"] === "MessageAbortedError";
  const saysSomething = parts.some(({ type }) => type !== "step-start" && type !== "reasoning");
  return isAborted && saysSomething ? undefined : "api-error";
}

/** The words of an error, for an answer that has no others. @internal */
export function errorBlock({ info }: OpencodeMessage): ContentBlock {
  const { data, name } = fieldsOf(info["error"]);
  return { type: "text", text: asString(fieldsOf(data)["message"]) ?? asString(name) ?? "error" };
}

/** Fields that our message takes over from the stored one. @internal */
export function parsedMessage(
  { id, at, line }: OpencodeMessage,
  { role, origin }: Pick<ParsedMessage["message"], "role" | "origin">,
): { readonly message: ParsedMessage["message"]; readonly line?: number } {
  return {
    message: { role, origin, hostId: id, at },
    line,
  };
}
