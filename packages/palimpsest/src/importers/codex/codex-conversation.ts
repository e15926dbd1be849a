/**
 * The conversation of a Codex rollout while its records are read one after the other.
 *
 * A response of the model is written item by item; it becomes one message. It ends with the first
 * result of its calls, with anything else that is said to the model, and with its token count,
 * which may come before or after the results. What was said can be taken back later (a rollback),
 * so steps stay open until everything has been read.
 */
import { addAll } from "../../base/lists.ts";
import { type ContentBlock, promptTokens, type Usage } from "../../transcript/blocks.ts";
import type { ConversationBuilder, ParsedMessage } from "../shared/conversation-builder.ts";
import type { Fields } from "../shared/fields.ts";
import type { ImportedBoundary, LeftOutReason } from "../shared/imported-session.ts";
import type { CodexItem } from "./codex-item.ts";
import type { CodexRecord } from "./codex-record.ts";
import { ItemIndex } from "./item-index.ts";

/** An item with what is known about it beyond what it says. @internal */
interface CodexEntry {
  readonly item: CodexItem;
  /** The item as it was recorded, or what is enough to find it. */
  readonly raw: Fields;
  readonly record: Pick<CodexRecord, "hostId" | "line" | "at">;
  /** Index among several messages of one record. */
  readonly hostId?: string;
  /** The model that answers in this turn. */
  readonly model?: string | undefined;
}

/** A message; `content` grows with the items of a response. @internal */
export interface CodexStep {
  readonly type: "message";
  readonly entry: CodexEntry;
  readonly hostId: string;
  readonly content: ContentBlock[];
  /** The items that it was made from, as they were recorded. */
  readonly recorded: Fields[];
  /** Its place among what the user said, from 0; absent of everything else. */
  readonly userTurn?: number;
  usage?: Usage;
  responseId?: string;
  isInterrupted?: boolean;
  leftOut?: LeftOutReason;
}

interface BoundaryStep {
  readonly type: "boundary";
  item: ImportedBoundary;
  /** Host ids of messages that stayed, in the order of the record. */
  readonly preserved: Set<string>;
  isTakenBack: boolean;
}

/** @internal */
export class CodexConversation {
  readonly #steps: (CodexStep | BoundaryStep)[] = [];
  /** The items that were not withdrawn, in order. */
  readonly #live: (CodexStep | BoundaryStep)[] = [];
  /** Live messages by the items that they were made from. */
  readonly #byItem = new ItemIndex<CodexStep>();
  readonly #userTurns: CodexStep[] = [];
  /** The response that the next item of the model belongs to. */
  #open: CodexStep | undefined;
  /** The newest response, until it is billed. */
  #unbilled: CodexStep | undefined;
  #lastBilled: CodexStep | undefined;
  /** The boundary after which the model has not spoken yet. */
  #fresh: BoundaryStep | undefined;
  /** Answers of the turn; `undefined` where the file does not say when turns begin. */
  #turnAnswersCount: number | undefined;

  /** Adds an item: to the open response, or as a separate message. */
  add(entry: CodexEntry): void {
    const { item, record } = entry;
    const isAnswer = item.role === "assistant";
    if (isAnswer && this.#open !== undefined) {
      addAll(this.#open.content, item.content);
      this.#remember(this.#open, entry.raw);
      return;
    }
    const step: CodexStep = {
      type: "message",
      entry,
      hostId: entry.hostId ?? record.hostId,
      content: [...item.content],
      recorded: [],
      ...(item.origin === "user" ? { userTurn: this.#userTurns.length } : {}),
    };
    this.#push(step);
    this.#remember(step, entry.raw);
    if (step.userTurn !== undefined) this.#userTurns.push(step);
    this.#open = isAnswer ? step : undefined;
    if (!isAnswer) return;
    this.#unbilled = step;
    this.#fresh = undefined;
    if (this.#turnAnswersCount !== undefined) this.#turnAnswersCount++;
  }

  /** The message with this item that was not taken back; the newest one, or `skipCount` before it. */
  find(item: Fields, skipCount = 0): CodexStep | undefined {
    return this.#byItem.find(item, skipCount);
  }

  /** The user's messages, by their place among all. */
  userTurn(index: number): CodexStep | undefined {
    return this.#userTurns[index];
  }

  get userTurnsCount(): number {
    return this.#userTurns.length;
  }

  /** True if Codex writes its instructions again after a compaction: those that are known already stayed. */
  isWrittenAgain({ item, raw }: CodexEntry): boolean {
    const fresh = this.#fresh;
    const known = fresh === undefined || !item.isContext ? undefined : this.find(raw);
    if (fresh === undefined || known === undefined) return false;
    fresh.preserved.add(known.hostId);
    return true;
  }

  /** Gives the newest response what was billed for it; whether there was one that waited for it. */
  bill(usage: Usage, responseId?: string): boolean {
    const step = this.#unbilled;
    this.#open = undefined;
    this.#unbilled = undefined;
    if (step === undefined) return false;
    step.usage = usage;
    if (responseId !== undefined) step.responseId = responseId;
    this.#lastBilled = step;
    return true;
  }

  startTurn(): void {
    this.#open = undefined;
    this.#turnAnswersCount = 0;
  }

  /** The user stopped the turn; an answer that was being written is not whole. */
  abortTurn(): void {
    if (this.#open !== undefined) this.#open.isInterrupted = true;
    this.#open = undefined;
  }

  /** The user took back the last turns: they are a branch that was abandoned. */
  rollBack(turnsCount: number): void {
    this.closeResponse();
    this.#fresh = undefined;
    this.#lastBilled = undefined;
    const first = this.#userTurns[Math.max(0, this.#userTurns.length - turnsCount)];
    if (first === undefined) return;
    for (let step = this.#live.pop(); step !== undefined; step = this.#live.pop()) {
      if (step.type === "boundary") step.isTakenBack = true;
      else this.#takeBack(step);
      if (step === first) break;
    }
    this.#userTurns.length = first.userTurn!;
  }

  /**
   * The answer to a compaction's own request, where it was recorded as the last thing said. It is
   * part of the boundary, so it is taken out of the conversation.
   */
  takeSummaryAnswer(isSummary: (step: CodexStep) => boolean): void {
    const last = this.#live.at(-1);
    if (last?.type !== "message" || last.entry.item.role !== "assistant" || !isSummary(last)) return;
    last.leftOut = "transcript-only";
    if (this.#turnAnswersCount !== undefined) this.#turnAnswersCount--;
  }

  /** Adds a boundary, with what is known here about how it came about. */
  addBoundary(item: Omit<ImportedBoundary, "trigger" | "preTokens">): void {
    // In the middle of a turn no one can ask for it; between turns it is not recorded who did.
    const trigger = (this.#turnAnswersCount ?? 0) > 0 ? "auto" : "unknown";
    this.closeResponse();
    this.#fresh = {
      type: "boundary",
      item: { ...item, trigger, preTokens: this.#contextTokens() },
      preserved: new Set(item.preserved),
      isTakenBack: false,
    };
    this.#push(this.#fresh);
    this.#lastBilled = undefined;
  }

  /** Ends a response: later items belong to another one, and are billed to it. */
  closeResponse(): void {
    this.#open = undefined;
    this.#unbilled = undefined;
  }

  /** Size of the context after a compaction, as Codex counted it; whether it was one. */
  contextCounted(postTokens: number): boolean {
    if (this.#fresh === undefined) return false;
    this.#fresh.item = { ...this.#fresh.item, postTokens };
    return true;
  }

  /** Hands everything over in order; returns how many boundaries were taken back. */
  finish(builder: ConversationBuilder, { isSidechain }: { readonly isSidechain: boolean }): number {
    let takenBackCount = 0;
    for (const step of this.#steps) {
      if (step.type === "message") builder.addMessage(parsedMessage(step, isSidechain), step.leftOut);
      else if (step.isTakenBack) takenBackCount++;
      else
        builder.addItem(
          step.preserved.size === 0 ? step.item : { ...step.item, preserved: [...step.preserved] },
        );
    }
    return takenBackCount;
  }

  #push(step: CodexStep | BoundaryStep): void {
    this.#steps.push(step);
    this.#live.push(step);
  }

  #remember(step: CodexStep, item: Fields): void {
    step.recorded.push(item);
    this.#byItem.add(item, step);
  }

  /** Steps are taken back from the newest on. */
  #takeBack(step: CodexStep): void {
    step.leftOut ??= "abandoned-branch";
    for (const item of [...step.recorded].reverse()) this.#byItem.removeNewest(item);
  }

  /** Prompt and answer of the last call; the prompt of the call that summarised is the compacted content. */
  #contextTokens(): number | undefined {
    const { usage, leftOut } = this.#lastBilled ?? {};
    if (usage === undefined) return undefined;
    return promptTokens(usage) + (leftOut === "transcript-only" ? 0 : usage.outputTokens);
  }
}

function parsedMessage(step: CodexStep, isSidechain: boolean): ParsedMessage {
  const { entry, hostId, content, usage, responseId, isInterrupted } = step;
  const { item, record, model } = entry;
  return {
    message: {
      role: item.role,
      origin: item.origin,
      hostId,
      responseId,
      at: record.at,
      interrupted: isInterrupted,
      model: item.role === "assistant" ? model : undefined,
    },
    content,
    usage,
    ...(item.isContext ? { isAttachment: true } : {}),
    ...(isSidechain ? { isSidechain: true } : {}),
    line: record.line,
  };
}
