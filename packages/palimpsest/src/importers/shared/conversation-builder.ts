/**
 * Collects an imported conversation while its records are read one after the other, with what describes the
 * session and what has no part in it.
 *
 * A response may arrive in several records with other records between them; it becomes one message
 * at the place where it began. So items are drafts until everything has been read.
 */
import { asString, type JsonValue } from "../../base/json/json.ts";
import type { ContentBlock, Message, Usage } from "../../transcript/blocks.ts";
import { UNKNOWN_PROVIDER } from "../../wire/shared/well-formed-block.ts";
import type {
  ImportedItem,
  ImportedMessage,
  ImportedMetadata,
  LeftOutMessage,
  LeftOutReason,
  RecordedSession,
} from "./imported-session.ts";
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

interface BegunResponse {
  readonly parsed: ParsedMessage;
  readonly callIds: Set<string>;
}

export class ConversationBuilder {
  readonly repairs: RepairLog;
  readonly #items: ParsedItem[] = [];
  readonly #responses = new Map<string, BegunResponse>();
  readonly #metadata = new Map<string, ImportedMetadata>();
  readonly #skipped = new Map<string, number>();
  #hasMessages = false;

  constructor(repairs: RepairLog) {
    this.repairs = repairs;
  }

  /** True if the conversation has begun. */
  hasMessages(): boolean {
    return this.#hasMessages;
  }

  /** Adds a message, or part of a response that has begun already. */
  addMessage(parsed: ParsedMessage, leftOut?: LeftOutReason): void {
    if (leftOut === undefined) this.#hasMessages = true;
    const { responseId } = parsed.message;
    const begun = responseId === undefined ? undefined : this.#responses.get(responseId);
    if (begun === undefined) {
      this.#items.push({ type: "message", parsed, leftOut });
      if (responseId !== undefined)
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

  /** Sets what describes the session; the last value of a key counts. */
  setMetadata(key: string, value: unknown, line: number | undefined): void {
    if (value === undefined || value === null) return;
    this.#metadata.set(key, { type: "metadata", key, value: value as JsonValue, line });
  }

  /** The metadata of this key, if it is a text. */
  metadataText(key: string): string | undefined {
    return asString(this.#metadata.get(key)?.value);
  }

  /** Counts a record that has no part in the conversation, by its type. */
  skip(recordType: string, count = 1): void {
    this.#skipped.set(recordType, (this.#skipped.get(recordType) ?? 0) + count);
  }

  /** Reports a record of a type that this version does not know. */
  unknown(recordType: string, line: number | undefined): void {
    this.repairs.add("unknown-record", `unknown record type ${JSON.stringify(recordType)}; ignored`, line);
  }

  /** Items in the order of the records with metadata at the end, left-out messages, and counts of skipped records. */
  finish(): Pick<RecordedSession, "items" | "leftOut" | "skipped" | "repairs"> {
    const items: ImportedItem[] = [];
    const leftOut: LeftOutMessage[] = [];
    for (const entry of this.#items) {
      if (entry.type === "item") {
        items.push(entry.item);
        continue;
      }
      const { message, content, line, ...rest } = entry.parsed;
      const item: ImportedMessage = {
        type: "message",
        message: withContent(message, content),
        line,
        ...rest,
      };
      const isEmpty = saysNothing(content);
      if (isEmpty)
        this.repairs.add(
          "empty-message",
          `a message of the ${message.role} without ${content.length === 0 ? "" : "readable "}content is left out`,
          line,
        );
      const reason = entry.leftOut ?? (isEmpty ? "empty" : undefined);
      if (reason === undefined) items.push(item);
      else leftOut.push({ reason, item });
    }
    const skipped = [...this.#skipped].map(([recordType, count]) => ({ recordType, count }));
    return { items: [...items, ...this.#metadata.values()], leftOut, skipped, repairs: [] };
  }

  #addBlock(begun: BegunResponse, block: ContentBlock, line: number | undefined): void {
    const [id] = callId(block);
    if (id !== undefined && begun.callIds.has(id)) {
      this.repairs.add("duplicate-id", `the call ${id} is recorded twice in one response; kept once`, line);
      return;
    }
    if (id !== undefined) begun.callIds.add(id);
    begun.parsed.content.push(block);
  }
}

/** The message with its content, without fields that are not known. */
function withContent(message: ParsedMessage["message"], content: readonly ContentBlock[]): Message {
  const known: Record<string, unknown> = {};
  for (const key of Object.keys(message) as (keyof typeof message)[]) {
    if (message[key] !== undefined) known[key] = message[key];
  }
  return { ...(known as unknown as ParsedMessage["message"]), content };
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
