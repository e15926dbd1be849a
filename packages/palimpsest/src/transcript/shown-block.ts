/**
 * The first form of a block in the window: as the log holds it, or repaired if no provider would accept that.
 *
 * The log keeps a block as it came. The window shows it without what makes a provider refuse a
 * request for good: empty text, an empty result, half a character, an unfinished call, thinking
 * that was cut off, a block in a message of a role that cannot say it. The form depends on the block
 * and its message alone, so it is the same on every call.
 */
import { isObject } from "../base/json/json.ts";
import { isWellFormed, toWellFormed } from "../base/text/text.ts";
import { type ContentBlock, type Message, type Role, toolResultText } from "./blocks.ts";
import type { MessageEntry, StoredBlock } from "./entries.ts";
import type { VisibleBlock, VisibleMessage } from "./window.ts";

/** Shown where a tool answered with nothing: an empty result is refused or read as a failure. */
export const EMPTY_RESULT_TEXT = "(no output)";

/** The author of a block, and whether it was cut off. */
export interface BlockAuthor {
  readonly role: Role;
  readonly isInterrupted: boolean;
}

/** The block as a provider can take it, or `undefined` where it is not shown at all. */
export function shownBlock(
  block: ContentBlock,
  { role, isInterrupted }: BlockAuthor,
): ContentBlock | undefined {
  if (!isInPlace(block, role)) return formOfMisplaced(block, role);
  switch (block.type) {
    case "text":
      return block.text.trim() === "" ? undefined : repaired(block);
    case "thinking":
      // Bound to its signature: sent back as it came or not at all.
      if (isInterrupted && block.signature === undefined) return undefined;
      return isWellFormed(block.thinking) && isWellFormed(block.signature ?? "") ? block : undefined;
    case "redacted_thinking":
      return block.data !== "" && isWellFormed(block.data) ? block : undefined;
    case "tool_use":
      // A call that was cut off never ran; its arguments arrive as nothing at all, or as half a text.
      return isInterrupted && !hasMembers(block.input) ? undefined : repaired(block);
    case "tool_result":
      return hasContent(block.content) ? repaired(block) : { ...block, content: EMPTY_RESULT_TEXT };
    case "opaque":
      // What no one knows is sent to no one, so it must not look as if a message said something.
      return block.provider === "unknown" ? undefined : block;
    case "compaction":
      return block;
    default:
      return repaired(block);
  }
}

/** Words and media anyone may say; results are the user's, all else is the model's. */
function isInPlace({ type }: ContentBlock, role: Role): boolean {
  if (type === "text" || type === "image" || type === "document" || type === "opaque") return true;
  return role === (type === "tool_result" ? "user" : "assistant");
}

/** Readable content goes as text; thinking and content that only a provider can read is not shown. */
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

/** Returns the same object if nothing had to be repaired, so that identity tells what is unchanged. */
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

/** The state of an entry in the window before any edit. */
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

/** The state of a message that an edit inserts. */
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
