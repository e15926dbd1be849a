/**
 * Collects an imported conversation while its records are read one after the other.
 *
 * A response may arrive in several records with other records between them; it becomes one message
 * at the place where it began. So items are drafts until everything has been read.
 */
import type { ContentBlock, Message, Usage } from "../../transcript/blocks.ts";
import { UNKNOWN_PROVIDER } from "../../wire/shared/well-formed-block.ts";
import type { ImportedItem, ImportedMessage, LeftOutMessage, LeftOutReason } from "./imported-session.ts";
import type { RepairLog } from "./repair-log.ts";

/** A message as it is read from a record; `content` grows with further records of a response. */
export interface ParsedMessage {
  readonly message: Omit<Message, "content">;
  readonly content: ContentBlock[];
  readonly line?: number;
  readonly isAttachment?: boolean;
  readonly isSidechain?: boolean;
  usage?: Usage | undefined;
  stopReason?: string | undefined;
}

type ParsedItem =
  | { readonly type: "message"; readonly parsed: ParsedMessage; readonly leftOut: LeftOutReason | undefined }
  | { readonly type: "item"; readonly item: Exclude<ImportedItem, ImportedMessage> };

export class ConversationBuilder {
  readonly #items: ParsedItem[] = [];
  readonly #responses = new Map<string, { readonly parsed: ParsedMessage; readonly callIds: Set<string> }>();
  readonly #repairs: RepairLog;
  #hasMessages = false;

  constructor(repairs: RepairLog) {
    this.#repairs = repairs;
  }

  /** True if the conversation has begun. */
  hasMessages(): boolean {
    return this.#hasMessages;
  }

  /** Adds a message, or part of a response that has begun already. */
  addMessage(parsed: ParsedMessage, leftOut?: LeftOutReason): void {
    if (leftOut === undefined) this.#hasMessages = true;
    const { responseId } = parsed.message;
    if (responseId === undefined) {
      this.#items.push({ type: "message", parsed, leftOut });
      return;
    }
    const begun = this.#responses.get(responseId);
    if (begun === undefined) {
      this.#items.push({ type: "message", parsed, leftOut });
      this.#responses.set(responseId, { parsed, callIds: new Set(parsed.content.flatMap(callId)) });
      return;
    }
    for (const block of parsed.content) this.#addBlock(begun, block, parsed.line);
    // Every record repeats the usage of its response; the last one knows the whole answer.
    begun.parsed.usage = laterUsage(begun.parsed.usage, parsed.usage);
    begun.parsed.stopReason = parsed.stopReason ?? begun.parsed.stopReason;
  }

  addItem(item: Exclude<ImportedItem, ImportedMessage>): void {
    this.#items.push({ type: "item", item });
  }

  /** Finished items and what was left out, in the order of the records. */
  finish(): { readonly items: readonly ImportedItem[]; readonly leftOut: readonly LeftOutMessage[] } {
    const items: ImportedItem[] = [];
    const leftOut: LeftOutMessage[] = [];
    for (const entry of this.#items) {
      if (entry.type === "item") {
        items.push(entry.item);
        continue;
      }
      const item = finishMessage(entry.parsed);
      const isEmpty = saysNothing(item.message.content);
      if (isEmpty)
        this.#repairs.add(
          "empty-message",
          `a message of the ${item.message.role} without ${item.message.content.length === 0 ? "" : "readable "}content is left out`,
          item.line,
        );
      const reason = entry.leftOut ?? (isEmpty ? "empty" : undefined);
      if (reason === undefined) items.push(item);
      else leftOut.push({ reason, item });
    }
    return { items, leftOut };
  }

  #addBlock(
    begun: { readonly parsed: ParsedMessage; readonly callIds: Set<string> },
    block: ContentBlock,
    line: number | undefined,
  ): void {
    const [id] = callId(block);
    if (id !== undefined && begun.callIds.has(id)) {
      this.#repairs.add("duplicate-id", `the call ${id} is recorded twice in one response; kept once`, line);
      return;
    }
    if (id !== undefined) begun.callIds.add(id);
    begun.parsed.content.push(block);
  }
}

/** Nothing at all, or nothing beside blocks that no provider gets. */
function saysNothing(content: readonly ContentBlock[]): boolean {
  if (content.length > 0 && !content.some(isUnreadable)) return false;
  return content.every((block) => isUnreadable(block) || (block.type === "text" && block.text.trim() === ""));
}

function isUnreadable(block: ContentBlock): boolean {
  return block.type === "opaque" && block.provider === UNKNOWN_PROVIDER;
}

function callId(block: ContentBlock): readonly string[] {
  return block.type === "tool_use" ? [block.id] : [];
}

function laterUsage(earlier: Usage | undefined, later: Usage | undefined): Usage | undefined {
  if (earlier === undefined || later === undefined) return later ?? earlier;
  return later.outputTokens >= earlier.outputTokens ? later : earlier;
}

function finishMessage(parsed: ParsedMessage): ImportedMessage {
  const { message, content, line, isAttachment, isSidechain, usage, stopReason } = parsed;
  return {
    type: "message",
    message: { ...message, content },
    usage,
    stopReason,
    isAttachment,
    isSidechain,
    line,
  };
}
