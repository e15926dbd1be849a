/**
 * Surveys a session in one pass over its log: figures, titles, prompts, damage. Of the messages, only the
 * beginnings of prompts are kept.
 */

import type { ContentBlock } from "palimpsest";
import type { StoredBlock } from "palimpsest/internal";
import { addAll, findLayer, isWithin, Line, MetadataFold, shorten, usageCostUsd } from "palimpsest/internal";
import { estimateBlock, estimateMessage } from "palimpsest/tokens";
import type {
  AnswerEntry,
  BlobBlock,
  Edit,
  Entry,
  LogContents,
  LogDamage,
  MessageEntry,
  Usage,
} from "palimpsest/transcript";

const PROMPT_CHARS = 120;
/** Prompts that are kept to jump to; a longer list is of no use to readers. */
const PROMPTS_KEPT = 1_000;

export class Survey {
  readonly metadata = new MetadataFold();
  readonly damage: LogDamage[] = [];
  readonly prompts: { readonly seq: number; readonly text: string }[] = [];
  readonly models = new Map<string, number>();
  readonly edits = new Map<string, number>();
  readonly counts = {
    entries: 0,
    user: 0,
    assistant: 0,
    tool: 0,
    other: 0,
    calls: 0,
    toolCalls: 0,
    toolErrors: 0,
  };
  /** Said in all, by our estimate, in reference tokens. */
  conversationTokens = 0;
  compactions = 0;
  usage: Usage | undefined;
  /** Answered calls whose usage was not reported: they are in neither usage nor cost. */
  unmeteredCalls = 0;
  /** Cost of the reported calls at list prices, in $; `undefined` once a model has no known price. */
  costUsd: number | undefined = 0;
  /** When the first thing and the last was said. */
  firstAt: number | undefined;
  lastAt: number | undefined;
  readonly #isEstimating: boolean;
  readonly #line = new Line();
  readonly #blobs = new Map<string, number>();
  readonly #calls = new Map<number, string>();
  #ranges: ReturnType<Line["ranges"]> | undefined;

  /** `isEstimating`: also measures the messages, which takes as long as reading them. */
  constructor({ isEstimating }: { readonly isEstimating: boolean }) {
    this.#isEstimating = isEstimating;
  }

  add({ entries, damage }: LogContents): void {
    for (const { entry } of entries) this.#add(entry);
    addAll(this.damage, damage);
  }

  get messages(): number {
    const { user, assistant, tool, other } = this.counts;
    return user + assistant + tool + other;
  }

  /** Texts beside the log that messages name, and what they take. */
  get blobs(): { readonly count: number; readonly bytes: number } {
    return {
      count: this.#blobs.size,
      bytes: [...this.#blobs.values()].reduce((sum, bytes) => sum + bytes, 0),
    };
  }

  /** True if no rewind removed the entry. */
  isOnLine(seq: number): boolean {
    this.#ranges ??= this.#line.ranges();
    return isWithin(this.#ranges, seq);
  }

  #add(entry: Entry): void {
    this.counts.entries++;
    this.#date(entry);
    this.#follow(entry);
    this.metadata.apply(entry);
    if (entry.type === "message") this.#addMessage(entry);
    else if (entry.type === "answer") this.#addAnswer(entry);
    else if (entry.type === "edit") this.#addEdit(entry.edit);
    else if (entry.type === "call") {
      this.counts.calls++;
      this.#calls.set(entry.seq, entry.model);
      this.models.set(entry.model, (this.models.get(entry.model) ?? 0) + 1);
    }
  }

  /** Imported messages are older than their entries. */
  #date(entry: Entry): void {
    const at = entry.type === "message" ? (entry.saidAt ?? entry.at) : entry.at;
    if (this.firstAt === undefined || (entry.type === "message" && this.messages === 0)) this.firstAt = at;
    if (this.lastAt === undefined || entry.type === "message") this.lastAt = at;
  }

  #follow(entry: Entry): void {
    const isRewind = entry.type === "edit" && entry.edit.kind === "rewind";
    if (isRewind && this.#line.canRewind(entry.edit.toSeq)) this.#line.rewind(entry.edit.toSeq, entry.seq);
    else this.#line.extend(entry.seq);
  }

  #addMessage({ seq, role, origin, content }: MessageEntry): void {
    const { counts } = this;
    if (origin === "tool") counts.tool++;
    else if (role === "assistant") counts.assistant++;
    else if (role === "user" && origin === "user") counts.user++;
    else counts.other++;
    if (this.#isEstimating) this.conversationTokens += estimateMessage({ content: [] });
    for (const stored of content) {
      const block = stored.type === "blob" ? stored.shown : stored;
      if (this.#isEstimating) this.conversationTokens += tokensOf(stored);
      if (stored.type === "blob") this.#blobs.set(stored.blob.hash, stored.blob.bytes);
      if (block.type === "tool_use") counts.toolCalls++;
      else if (block.type === "tool_result" && block.is_error === true) counts.toolErrors++;
    }
    if (role === "user" && origin === "user" && this.prompts.length < PROMPTS_KEPT) {
      const text = promptOf(content);
      if (text !== undefined) this.prompts.push({ seq, text });
    }
  }

  #addAnswer({ callSeq, usage, error }: AnswerEntry): void {
    const model = this.#calls.get(callSeq);
    this.#calls.delete(callSeq);
    if (usage === undefined) {
      if (error === undefined) this.unmeteredCalls++;
      return;
    }
    const before = this.usage;
    this.usage = {
      inputTokens: (before?.inputTokens ?? 0) + usage.inputTokens,
      cacheReadTokens: (before?.cacheReadTokens ?? 0) + usage.cacheReadTokens,
      cacheWriteTokens: (before?.cacheWriteTokens ?? 0) + usage.cacheWriteTokens,
      outputTokens: (before?.outputTokens ?? 0) + usage.outputTokens,
    };
    const cost = model === undefined ? undefined : usageCostUsd(usage, model);
    this.costUsd = cost === undefined || this.costUsd === undefined ? undefined : this.costUsd + cost;
  }

  #addEdit(edit: Edit): void {
    this.edits.set(edit.kind, (this.edits.get(edit.kind) ?? 0) + 1);
    if (findLayer(edit.kind)?.isCompaction === true) this.compactions++;
  }
}

/** A block beside the log weighs as much more than its preview as it is longer. */
function tokensOf(stored: StoredBlock): number {
  if (stored.type !== "blob") return estimateBlock(stored);
  const { shown, blob } = stored as BlobBlock;
  const shownBytes = Math.max(1, JSON.stringify(shown).length);
  return stored.view === "whole"
    ? estimateBlock(shown)
    : estimateBlock(shown) * Math.max(1, blob.bytes / shownBytes);
}

function promptOf(content: readonly StoredBlock[]): string | undefined {
  for (const stored of content) {
    const block: ContentBlock = stored.type === "blob" ? stored.shown : stored;
    if (block.type === "text" && block.text.trim() !== "")
      return shorten(block.text.trim().replace(/\s+/g, " "), PROMPT_CHARS);
  }
  return undefined;
}
