/**
 * The form in which the window first shows a block: as it is in the log, or repaired if providers would refuse it.
 *
 * The log keeps every block unchanged. Providers refuse a whole request because of an empty text, an empty result, half a
 * surrogate pair, an unfinished call, thinking that was cut off, or a block that its role may not have. The window shows
 * such a block repaired or not at all. The form depends on the block and its message alone, so it is the same on every
 * call.
 */
import { isObject } from "../base/json/json.ts";
import { isWellFormed, toWellFormed } from "../base/text/text.ts";
import { type ContentBlock, type Message, type Role, toolResultText } from "./blocks.ts";
import type { MessageEntry, StoredBlock } from "./entries.ts";
import type { VisibleBlock, VisibleMessage } from "./window.ts";

/** Shown in the place of an empty tool result, which providers refuse or models read as a failure. */
export const EMPTY_RESULT_TEXT = "(no output)";

/** The role of a block's message, and if the message was cut off. */
export interface BlockAuthor {
  readonly role: Role;
  readonly isInterrupted: boolean;
}

/** Returns the block in a form that providers accept, or `undefined` if it is not shown at all. */
export function shownBlock(
  block: ContentBlock,
  { role, isInterrupted }: BlockAuthor,
): ContentBlock | undefined {
  if (!isAllowedIn(block, role)) return formOfMisplaced(block, role);
  switch (block.type) {
    case "text":
      return block.text.trim() === "" ? undefined : repaired(block);
    case "thinking":
      // Thinking is bound to its signature: it is sent back unchanged or not at all.
      if (isInterrupted && block.signature === undefined) return undefined;
      return isWellFormed(block.thinking) && isWellFormed(block.signature ?? "") ? block : undefined;
    case "redacted_thinking":
      return block.data !== "" && isWellFormed(block.data) ? block : undefined;
    case "tool_use":
      // A call that was cut off never ran. Its arguments are empty or an unfinished text, not an object.
      return isInterrupted && !hasMembers(block.input) ? undefined : repaired(block);
    case "tool_result":
      return hasContent(block.content) ? repaired(block) : { ...block, content: EMPTY_RESULT_TEXT };
    case "opaque":
      // A block of an unknown provider is never sent, so it must not make its message look non-empty.
      return block.provider === "unknown" ? undefined : repaired(block);
    default:
      return repaired(block);
  }
}

/** Any role may have text, media and opaque blocks; only the user has results, and only the assistant all others. */
function isAllowedIn({ type }: ContentBlock, role: Role): boolean {
  if (type === "text" || type === "image" || type === "document" || type === "opaque") return true;
  return role === (type === "tool_result" ? "user" : "assistant");
}

/** Returns a block that its role may not have as text, or `undefined` for thinking and content without a readable text. */
function formOfMisplaced(block: ContentBlock, role: Role): ContentBlock | undefined {
  const asText = (text: string): ContentBlock => ({ type: "text", text: toWellFormed(text) });
  switch (block.type) {
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use":
      return asText(`[Tool call in a message of the ${role}:]\n${block.name} ${JSON.stringify(block.input)}`);
    case "tool_result":
      return asText(
        `[Result of tool call ${block.tool_use_id}, in a message of the ${role}:]\n${toolResultText(block)}`,
      );
    case "compaction":
      return (block.content ?? "").trim() === "" ? undefined : asText(block.content ?? "");
    default:
      return undefined;
  }
}

function hasMembers(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length > 0;
}

function hasContent(content: unknown): boolean {
  if (typeof content === "string") return content.trim() !== "";
  if (!Array.isArray(content)) return false;
  return content.some(
    (part) => !isObject(part) || part["type"] !== "text" || String(part["text"] ?? "").trim() !== "",
  );
}

/** Returns the block without empty parts and lone surrogates; the same object if nothing had to be repaired. */
function repaired(block: ContentBlock): ContentBlock {
  const withoutEmptyParts = dropEmptyParts(block);
  return isWellFormedDeep(withoutEmptyParts)
    ? withoutEmptyParts
    : (repairDeep(withoutEmptyParts) as ContentBlock);
}

function dropEmptyParts(block: ContentBlock): ContentBlock {
  if (block.type !== "tool_result" || typeof block.content === "string" || block.content === undefined)
    return block;
  const isEmpty = (part: { readonly type: string }): boolean =>
    part.type === "text" && String((part as { text?: unknown }).text ?? "").trim() === "";
  return block.content.some(isEmpty)
    ? { ...block, content: block.content.filter((part) => !isEmpty(part)) }
    : block;
}

function isWellFormedDeep(value: unknown): boolean {
  if (typeof value === "string") return isWellFormed(value);
  if (Array.isArray(value)) return value.every(isWellFormedDeep);
  if (!isObject(value)) return true;
  for (const key in value) if (!isWellFormed(key) || !isWellFormedDeep(value[key])) return false;
  return true;
}

function repairDeep(value: unknown): unknown {
  if (typeof value === "string") return toWellFormed(value);
  if (Array.isArray(value)) return value.map(repairDeep);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [toWellFormed(key), repairDeep(member)]),
  );
}

function visibleBlock(stored: StoredBlock, index: number, by: BlockAuthor): VisibleBlock | undefined {
  const isBlob = stored.type === "blob";
  const block = shownBlock(isBlob ? stored.shown : stored, by);
  if (block === undefined) return undefined;
  return isBlob ? { index, block, form: "preview", blob: stored.blob } : { index, block, form: "original" };
}

function visibleBlocks(content: readonly StoredBlock[], by: BlockAuthor): readonly VisibleBlock[] {
  const blocks: VisibleBlock[] = [];
  for (let index = 0; index < content.length; index++) {
    const block = visibleBlock(content[index]!, index, by);
    if (block !== undefined) blocks.push(block);
  }
  return blocks;
}

/** Returns a message entry as the window shows it before any edit. */
export function visibleMessage(entry: MessageEntry): VisibleMessage {
  return {
    seq: entry.seq,
    role: entry.role,
    origin: entry.origin,
    ...(entry.responseId === undefined ? {} : { responseId: entry.responseId }),
    ...(entry.model === undefined ? {} : { model: entry.model }),
    ...(entry.answerTo === undefined ? {} : { answerTo: entry.answerTo }),
    at: entry.saidAt ?? entry.at,
    blocks: visibleBlocks(entry.content, { role: entry.role, isInterrupted: entry.interrupted === true }),
  };
}

/** Returns a message that the edit `editSeq` inserted after the entry `afterSeq`, as the window shows it. */
export function insertedMessage(
  message: Message,
  afterSeq: number,
  editSeq: number,
  at: number,
): VisibleMessage {
  return {
    seq: afterSeq,
    insertedBy: editSeq,
    role: message.role,
    origin: message.origin ?? "engine",
    ...(message.responseId === undefined ? {} : { responseId: message.responseId }),
    at: message.at ?? at,
    blocks: visibleBlocks(message.content, { role: message.role, isInterrupted: false }),
  };
}
