/**
 * Collects an imported conversation while its records are read one after the other.
 *
 * A response may arrive in several records with other records between them; it becomes one message
 * at the place where it began. So items are drafts until everything has been read.
 */
import type { ContentBlock } from "../../transcript/blocks.ts";
import type { Message, Usage } from "../../transcript/messages.ts";
import { UNKNOWN_PROVIDER } from "../../wire/shared/well-formed-block.ts";
import type { ImportedItem, ImportedMessage, LeftOutMessage, LeftOutReason } from "./imported-session.ts";
import type { RepairLog } from "./repair-log.ts";

/** A message as it is read from a record; `content` grows with further records of a response. @internal */
export interface MessageDraft {
  readonly message: Omit<Message, "content">;
  readonly content: ContentBlock[];
  readonly line?: number;
  readonly isAttachment?: boolean;
  readonly isSidechain?: boolean;
  usage?: Usage | undefined;
  stopReason?: string | undefined;
}

type DraftItem =
  | { readonly type: "draft"; readonly draft: MessageDraft; readonly leftOut: LeftOutReason | undefined }
  | { readonly type: "item"; readonly item: Exclude<ImportedItem, ImportedMessage> };

/** @internal */
export class ConversationBuilder {
  readonly #drafts: DraftItem[] = [];
  readonly #responses = new Map<string, { readonly draft: MessageDraft; readonly callIds: Set<string> }>();
  readonly #repairs: RepairLog;
  #hasMessages = false;

  constructor(repairs: RepairLog) {
    this.#repairs = repairs;
  }

  /** Whether the conversation has begun. */
  hasMessages(): boolean {
    return this.#hasMessages;
  }

  /** Adds a message, or part of a response that has begun already. */
  addMessage(draft: MessageDraft, leftOut?: LeftOutReason): void {
    if (leftOut === undefined) this.#hasMessages = true;
    const { responseId } = draft.message;
    if (responseId === undefined) {
      this.#drafts.push({ type: "draft", draft, leftOut });
      return;
    }
    const begun = this.#responses.get(responseId);
    if (begun === undefined) {
      this.#drafts.push({ type: "draft", draft, leftOut });
      this.#responses.set(responseId, { draft, callIds: new Set(draft.content.flatMap(callId)) });
      return;
    }
    for (const block of draft.content) this.#addBlock(begun, block, draft.line);
    // Every record repeats the usage of its response; the last one knows the whole answer.
    begun.draft.usage = laterUsage(begun.draft.usage, draft.usage);
    begun.draft.stopReason = draft.stopReason ?? begun.draft.stopReason;
  }

  addItem(item: Exclude<ImportedItem, ImportedMessage>): void {
    this.#drafts.push({ type: "item", item });
  }

  /** Finished items and what was left out, in the order of the records. */
  finish(): { readonly items: readonly ImportedItem[]; readonly leftOut: readonly LeftOutMessage[] } {
    const items: ImportedItem[] = [];
    const leftOut: LeftOutMessage[] = [];
    for (const entry of this.#drafts) {
      if (entry.type === "item") {
        items.push(entry.item);
        continue;
      }
      const item = finishMessage(entry.draft);
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
    begun: { readonly draft: MessageDraft; readonly callIds: Set<string> },
    block: ContentBlock,
    line: number | undefined,
  ): void {
    const [id] = callId(block);
    if (id !== undefined && begun.callIds.has(id)) {
      this.#repairs.add("duplicate-id", `the call ${id} is recorded twice in one response; kept once`, line);
      return;
    }
    if (id !== undefined) begun.callIds.add(id);
    begun.draft.content.push(block);
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

function finishMessage(draft: MessageDraft): ImportedMessage {
  const { message, content, line, isAttachment, isSidechain, usage, stopReason } = draft;
  return {
    type: "message",
    message: { ...message, content },
    ...(usage === undefined ? {} : { usage }),
    ...(stopReason === undefined ? {} : { stopReason }),
    ...(isAttachment === undefined ? {} : { isAttachment }),
    ...(isSidechain === undefined ? {} : { isSidechain }),
    ...(line === undefined ? {} : { line }),
  };
}
