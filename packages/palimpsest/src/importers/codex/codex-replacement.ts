/**
 * Reads a compaction of a Codex session: which earlier messages stayed, the summary, and what was inserted again.
 *
 * Codex records the whole new history (`replacement_history`), whose messages have no ids. So they are matched by content
 * with the conversation so far, from the newest backwards: of several with the same content, the newest stayed.
 */
import { asString, isObject, type JsonObject } from "../../base/json/json.ts";
import type { OpaqueBlock } from "../../transcript/blocks.ts";
import type { Fields } from "../shared/fields.ts";
import type { CodexConversation, CodexStep } from "./codex-conversation.ts";
import { codexItemKey, codexTexts } from "./codex-item.ts";

/** @internal */
interface CodexReplacement {
  /** Host ids of messages that stayed, in order; absent where the new history is not recorded. */
  readonly preserved?: readonly string[];
  readonly summary?: string;
  /** The summary where only OpenAI can read it. */
  readonly opaqueSummary?: OpaqueBlock;
  /** Items that are not in the conversation before, in order. */
  readonly restated: readonly Fields[];
  /** Elements that are not items. */
  readonly unreadableCount: number;
}

/** Codex's introduction of a summary to the model. Source: openai/codex, `core/templates/compact/summary_prefix.md`. */
const SUMMARY_BEGINNING = "Another language model started to solve this problem";
/** The mark that Codex leaves in the middle of a long message. Source: openai/codex, `core/src/truncate.rs`. */
const CUT_MARK = /…\d+ (?:tokens|chars) truncated…/;
/** Bookkeeping that is never shown to the model. */
const NOT_SHOWN: ReadonlySet<unknown> = new Set(["ghost_snapshot", "compaction_trigger"]);

/** Reads a `compacted` record against the conversation so far. @internal */
export function codexReplacement(payload: Fields, conversation: CodexConversation): CodexReplacement {
  const message = asString(payload["message"]) ?? "";
  const history = payload["replacement_history"];
  if (!Array.isArray(history)) {
    return { summary: message || undefined, restated: [], unreadableCount: 0 };
  }
  const reader = new HistoryReader(message, conversation);
  // From the end, so that the newest copies are matched first.
  for (let index = history.length - 1; index >= 0; index--) reader.read(history[index]);
  return reader.finish();
}

class HistoryReader {
  readonly #conversation: CodexConversation;
  readonly #used = new Map<string, number>();
  /** Newest first, as they are found. */
  readonly #preserved = new Set<string>();
  readonly #restated: Fields[] = [];
  #earliestUserTurn: number;
  #summary: string | undefined;
  #opaqueSummary: OpaqueBlock | undefined;
  #unreadableCount = 0;

  constructor(message: string, conversation: CodexConversation) {
    this.#summary = message === "" ? undefined : message;
    this.#conversation = conversation;
    this.#earliestUserTurn = conversation.userTurnsCount;
  }

  read(item: unknown): void {
    if (!isObject(item)) {
      this.#unreadableCount++;
      return;
    }
    if (NOT_SHOWN.has(item["type"]) || this.#isSummary(item)) return;
    const key = codexItemKey(item);
    const usedCount = this.#used.get(key) ?? 0;
    const step = this.#conversation.find(item, usedCount) ?? this.#findCut(item);
    if (step === undefined) {
      this.#restated.push(item);
      return;
    }
    this.#used.set(key, usedCount + 1);
    this.#preserved.add(step.hostId);
    this.#earliestUserTurn = Math.min(this.#earliestUserTurn, step.userTurn ?? this.#earliestUserTurn);
  }

  finish(): CodexReplacement {
    return {
      preserved: [...this.#preserved].reverse(),
      summary: this.#summary,
      opaqueSummary: this.#opaqueSummary,
      restated: this.#restated.reverse(),
      unreadableCount: this.#unreadableCount,
    };
  }

  #isSummary(item: Fields): boolean {
    if (isEncryptedSummary(item)) {
      // Earlier ones belong to earlier boundaries.
      this.#opaqueSummary ??= { type: "opaque", provider: "openai-responses", value: summaryItem(item) };
      return true;
    }
    if (item["type"] !== "message") return false;
    const text = codexTexts(item["content"]).join("\n");
    if (this.#summary !== undefined) return text !== "" && text.endsWith(this.#summary);
    if (item["role"] !== "user" || !text.startsWith(SUMMARY_BEGINNING)) return false;
    this.#summary = text;
    return true;
  }

  /** Finds the message of which `item` is a shortened copy: Codex may cut the oldest user message that stays. */
  #findCut(item: Fields): CodexStep | undefined {
    const text = codexTexts(item["content"]).join("\n");
    const cut = item["role"] === "user" ? CUT_MARK.exec(text) : null;
    const before = this.#conversation.userTurn(this.#earliestUserTurn - 1);
    if (cut === null || before === undefined) return undefined;
    const whole = before.content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
    const isSame =
      whole.startsWith(text.slice(0, cut.index)) && whole.endsWith(text.slice(cut.index + cut[0].length));
    return isSame ? before : undefined;
  }
}

const ENCRYPTED_SUMMARIES: ReadonlySet<unknown> = new Set([
  "compaction",
  "compaction_summary",
  "context_compaction",
]);

/** True if an item is a summary that only OpenAI can read. @internal */
export function isEncryptedSummary(item: Fields): boolean {
  return ENCRYPTED_SUMMARIES.has(item["type"]) && typeof item["encrypted_content"] === "string";
}

function summaryItem({ encrypted_content: encrypted }: Fields): JsonObject {
  return { type: "compaction", encrypted_content: encrypted as string };
}
