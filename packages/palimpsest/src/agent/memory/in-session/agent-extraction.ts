/**
 * Extracts memories of a session in the background: after a turn, before a compaction hides messages, and at the
 * session's end.
 *
 * DESIGN. By rules: explicit requests in the user's own words, after each turn (`rule-extractor.ts`). By a model:
 * facts and decisions, once enough is new (`model-extraction.ts`); if it fails, the rules. By both, where the host says
 * nothing: requests at once, and the rest by the model within its share of the cost (`extraction-share.ts`). Only
 * closing the session waits for it, for a bounded time; errors go to the observer. Memories that the agent wrote itself
 * in a turn are not written again, but judged (`tool-writes.ts`).
 *
 * The log records how far this got (`memory-mark.ts`). Messages behind that, from before a crash, are read from the
 * log first, with their times, so that facts forgotten or corrected since stay so.
 */

import { MEMORY_EXTRACTION_DEFAULTS } from "../../../base/defaults/memory/extraction.ts";
import { MEMORY_SAFETY_DEFAULTS } from "../../../base/defaults/memory/safety.ts";
import type { JsonValue } from "../../../base/json/json.ts";
import { insertAll } from "../../../base/lists.ts";
import { formatPointer } from "../../../compaction/shared/pointer.ts";
import { isOver, type PastMemory } from "../../../memory/consolidation/past-memories.ts";
import { extractByRules } from "../../../memory/extraction/rule-extractor.ts";
import {
  type AttributedText,
  attributeTexts,
  type ConversationMessage,
} from "../../../memory/trust/attributed-text.ts";
import { type MemoryReceipt, rejected } from "../../../memory/write/memory-receipt.ts";
import type { FreshMemory } from "../../../memory/write/plan-remember.ts";
import type { ModelClient } from "../../../ports/model-client.ts";
import type { FileRestorer } from "../../../ports/restorer.ts";
import type { Deadline } from "../../../ports/runtime.ts";
import type { SessionEvent } from "../../../session/events/events.ts";
import { internalsOf, type Session } from "../../../session/session.ts";
import { estimateMessage, estimateVisibleMessage } from "../../../tokens/estimate/estimate-block.ts";
import type { ContentBlock } from "../../../transcript/blocks.ts";
import type { VisibleMessage } from "../../../transcript/window.ts";
import { codeStates } from "../extraction/code-facts.ts";
import { extractByModel } from "../extraction/model-extraction.ts";
import type { PersistentMemory } from "../persistent-memory.ts";
import type { ToolWrites } from "../tool/tool-writes.ts";
import type { ExtractionShare } from "./extraction-share.ts";
import { MemoryMark, memoryFailed, speakerIn } from "./memory-mark.ts";

/** Characters of the newest earlier messages that a claim is compared with. Our choice: about 75,000 tokens, read in a moment in which a session may well wait. */
const EARLIER_CHARACTERS = 300_000;

interface AgentExtractionOptions {
  readonly memory: PersistentMemory;
  /** Asked for what is to be remembered; without one the rules decide. */
  readonly client: ModelClient | undefined;
  /** Limits what the model costs; the rules keep explicit requests at once. Without one, it is asked whenever enough is new. */
  readonly share?: ExtractionShare | undefined;
  readonly deadline: Deadline;
  /** The working copy, where there is one: what it says is not remembered. */
  readonly files?: FileRestorer | undefined;
}

export class AgentExtraction {
  readonly #session: Session;
  readonly #mark: MemoryMark;
  readonly #options: AgentExtractionOptions;
  readonly #abort = new AbortController();
  /** Messages that are not extracted yet. */
  #pending: ConversationMessage[] = [];
  /** The newest extracted pieces: a claim of today may have been read yesterday. */
  #earlier: readonly AttributedText[];
  #pendingTokens = 0;
  /** Pending messages whose explicit requests are kept already. */
  readonly #heardByRules = new WeakSet<ConversationMessage>();
  #pendingThroughSeq: number;
  /** When missed messages were said, by their ids: what comes out of them may be known, or over, by now. */
  readonly #missedAtMs = new Map<string, number>();
  /** The state of messages missed before opening: unread, being read, heard, being extracted, or done. */
  #missed: "unread" | "reading" | "heard" | "begun" | "done";
  #reading: Promise<void> = Promise.resolve();
  /** Something could not be looked at: the mark stays, and the next process tries again. */
  #hasFailed = false;
  #isEnding = false;
  /** True if no turn runs while missed messages are being read: nothing has to be waited for then. */
  #isBetweenTurns = false;
  #running: Promise<void> = Promise.resolve();
  /** Memories that this session may still leave. */
  #left: number = MEMORY_SAFETY_DEFAULTS.extractedCount;
  /** The number of those that may still be quarantined. */
  #leftQuarantined: number = MEMORY_SAFETY_DEFAULTS.extractedQuarantinedCount;
  readonly #toolWrites: ToolWrites;
  /** True if the agent wrote into the memory since the last extraction. */
  #hasWrittenItself = false;
  /** Inputs of the agent's tool calls of this turn, or without a result, by call id. */
  readonly #calls = new Map<string, JsonValue>();
  readonly #answered = new Set<string>();

  constructor(session: Session, options: AgentExtractionOptions) {
    this.#session = session;
    this.#options = options;
    this.#toolWrites = options.memory.watchTool();
    this.#mark = new MemoryMark(session);
    const { throughSeq, mayHaveMissed } = this.#mark;
    const isNew = internalsOf(session).writer.isEmpty;
    if (isNew) this.#mark.begin();
    // Messages before opening were extracted then, as far as the log says so.
    this.#pendingThroughSeq = internalsOf(session).writer.nextSeq - 1;
    this.#missed = isNew || (throughSeq !== undefined && !mayHaveMissed) ? "done" : "unread";
    const seen = session.visible.filter(({ seq }) => throughSeq === undefined || seq <= throughSeq);
    this.#earlier = newestPieces(
      attributeTexts(seen.map((message) => conversationMessageOf(session, message))),
    );
  }

  /** Reads missed messages without waiting for a turn. Resolves with their number. Never rejects. */
  async resume(): Promise<number> {
    if (this.#missed !== "unread") return 0;
    this.#readMissed(this.#pendingThroughSeq);
    this.#isBetweenTurns = true;
    await this.#reading;
    return this.#missedAtMs.size;
  }

  /** Collects new messages while the window has them. */
  listen(): void {
    this.#isBetweenTurns = false;
    if (this.#missed === "unread") this.#readMissed(this.#pendingThroughSeq);
    for (const message of this.#session.visible) {
      const { seq, insertedBy } = message;
      if (insertedBy !== undefined || seq <= this.#pendingThroughSeq) continue;
      this.#pendingThroughSeq = seq;
      const heard = conversationMessageOf(this.#session, message);
      this.#pending.push(heard);
      this.#listenToCalls(heard.message.content);
      this.#pendingTokens += estimateVisibleMessage(message);
    }
  }

  /** In the background: what it finds is heard before anything else. */
  #readMissed(toSeq: number): void {
    this.#missed = "reading";
    const read = async (): Promise<void> => {
      // A log of an earlier version has no mark: from here on it has one.
      if (this.#mark.throughSeq === undefined) await this.#mark.move(toSeq, { isUrgent: true });
      const missed = await this.#mark.missed(toSeq);
      insertAll(this.#pending, 0, missed);
      for (const { id, message, statedAtMs } of missed) {
        this.#missedAtMs.set(id, statedAtMs);
        this.#pendingTokens += estimateMessage(message);
      }
      this.#missed = missed.length === 0 ? "done" : "heard";
      // In the middle of a turn its end is waited for: the agent may write into the memory by itself.
      if (missed.length > 0 && this.#isEnding) this.begin();
      else if (missed.length > 0 && this.#isBetweenTurns) this.#goOn();
    };
    this.#reading = read().catch((error: unknown) => memoryFailed(this.#session, error));
  }

  /** Extracts the pending messages once there are enough of them, and explicit requests in them at once. */
  #goOn(): void {
    const { client, share } = this.#options;
    const isEnough = client === undefined || this.#pendingTokens >= MEMORY_EXTRACTION_DEFAULTS.newTokens;
    if (isEnough && share?.allows(this.#pendingTokens) !== false) this.begin();
    else if (share !== undefined) this.#keepRequests();
  }

  /** The messages stay pending, for the model: what the rules kept, it finds among the memories. */
  #keepRequests(): void {
    const isNew = this.#hasWrittenItself ? this.#isMissed : () => true;
    const unheard = this.#pending.filter((one) => !this.#heardByRules.has(one) && isNew(one));
    for (const message of this.#pending) this.#heardByRules.add(message);
    if (unheard.length === 0) return;
    this.#running = this.#running.then(async () => {
      if (this.#left <= 0) return;
      const { isDone } = await this.#extract(unheard, [], { isByModel: false });
      // The next extraction tries again.
      if (!isDone) for (const message of unheard) this.#heardByRules.delete(message);
    });
  }

  readonly #isMissed = ({ id }: ConversationMessage): boolean => this.#missedAtMs.has(id);

  /** A turn has ended: begins where enough is new. Waits for nothing. */
  turnEnded(): void {
    this.listen();
    this.#judgeTool();
    for (const id of this.#answered) this.#calls.delete(id);
    this.#answered.clear();
    this.#isBetweenTurns = this.#missed === "reading";
    this.#goOn();
  }

  /** The session ends: extracts collected messages now, and those still being read as soon as possible. */
  end(): void {
    this.listen();
    this.#isEnding = true;
    this.begin();
  }

  /**
   * Extracts collected messages now, at the session's end or before a compaction. Waits for nothing. @param isHidden
   * - a compaction hides them: after a crash, all of them would be read from the log again
   */
  begin({ isHidden = false }: { readonly isHidden?: boolean } = {}): void {
    const conversation = this.#pending;
    const isByModel = this.#options.share?.allows(this.#pendingTokens) !== false;
    this.#judgeTool();
    const hasWrittenItself = this.#hasWrittenItself;
    this.#hasWrittenItself = false;
    this.#pending = [];
    this.#pendingTokens = 0;
    if (conversation.length === 0) return;
    const earlier = this.#earlier;
    const pieces = attributeTexts(conversation, earlier.at(-1)?.turn);
    this.#earlier = newestPieces([...earlier, ...pieces]);
    const throughSeq = this.#pendingThroughSeq;
    const endsMissed = this.#missed === "heard";
    if (endsMissed) this.#missed = "begun";
    // What the agent wrote by itself was of this turn, and says nothing of what was missed before.
    const all = hasWrittenItself ? conversation.filter(this.#isMissed) : conversation;
    this.#running = this.#running.then(async () => {
      const left = isByModel ? all : all.filter((one) => !this.#heardByRules.has(one));
      const isLeftOut = this.#left <= 0 || left.length === 0;
      const { isDone, isUrgent } = isLeftOut
        ? { isDone: true, isUrgent: hasWrittenItself }
        : await this.#extract(left, earlier, { isByModel });
      if (endsMissed) this.#missed = "done";
      if (isDone) await this.#moveMark(throughSeq, isUrgent || isHidden);
      else this.#hasFailed = true;
    });
  }

  /** Missed messages come first: until they are extracted, and after a failure, the mark stays. */
  async #moveMark(throughSeq: number, isUrgent: boolean): Promise<void> {
    if (this.#missed !== "done" || this.#hasFailed) return;
    await this.#mark
      .move(throughSeq, { isUrgent })
      .catch((error: unknown) => memoryFailed(this.#session, error));
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    await this.#reading;
    await this.#running;
  }

  /** Stops waiting for a model that is still being asked. */
  stop(): void {
    this.#toolWrites.close();
    this.#abort.abort();
  }

  #listenToCalls(content: readonly ContentBlock[]): void {
    for (const block of content) {
      if (block.type === "tool_use") this.#calls.set(block.id, block.input);
      if (block.type === "tool_result") this.#answered.add(block.tool_use_id);
    }
  }

  /** The agent may have copied what it wrote from something it read. */
  #judgeTool(): void {
    const written = this.#toolWrites.take([...this.#calls.values()]);
    if (written.size === 0) return;
    this.#hasWrittenItself = true;
    const earlier = this.#earlier;
    const pieces = attributeTexts(this.#pending, earlier.at(-1)?.turn);
    const judged = async (): Promise<void> => {
      const receipts = await this.#toolWrites.judge(written, { pieces, earlier });
      if (receipts.length > 0)
        internalsOf(this.#session).emit({ type: "memory-extracted", by: "tool", receipts });
    };
    this.#running = this.#running.then(judged).catch((error: unknown) => memoryFailed(this.#session, error));
  }

  async #extract(
    conversation: readonly ConversationMessage[],
    earlier: readonly AttributedText[],
    { isByModel }: { readonly isByModel: boolean },
  ): Promise<Extracted> {
    const client = isByModel ? this.#options.client : undefined;
    try {
      const past = conversation.some(({ id }) => this.#missedAtMs.has(id))
        ? await this.#options.memory.past(this.#session.id)
        : [];
      const isKnown = (fact: ExtractedFact): boolean => this.#isKnown(fact, past);
      const byModel =
        client === undefined ? undefined : await this.#byModel(client, conversation, { earlier, isKnown });
      const unheard = conversation.filter((one) => !this.#heardByRules.has(one) || !isByModel);
      return byModel ?? (await this.#byRules(unheard, isKnown));
    } catch (error) {
      memoryFailed(this.#session, error);
      return { isDone: false, isUrgent: false };
    }
  }

  /** True if a message from before the session was reopened was extracted then, or is outdated by now. */
  #isKnown({ body, messageId }: ExtractedFact, past: readonly PastMemory[]): boolean {
    const createdAtMs = this.#missedAtMs.get(messageId ?? "");
    return (
      createdAtMs !== undefined && isOver({ body, messageId, createdAtMs, sessionId: this.#session.id }, past)
    );
  }

  /** When a missed message was said, as far as it is one. */
  #timesOf(messageId: string | undefined): { readonly createdAtMs?: number } {
    const createdAtMs = this.#missedAtMs.get(messageId ?? "");
    return createdAtMs === undefined ? {} : { createdAtMs };
  }

  /** `undefined` where the model fails: then the rules do it. */
  async #byModel(
    client: ModelClient,
    conversation: readonly ConversationMessage[],
    known: {
      readonly earlier: readonly AttributedText[];
      readonly isKnown: (fact: ExtractedFact) => boolean;
    },
  ): Promise<Extracted | undefined> {
    const { memory, deadline, files } = this.#options;
    const { signal } = this.#abort;
    const world = { client, memory, deadline, files, sessionId: this.#session.id };
    try {
      const { receipts, usage, refused } = await extractByModel(world, conversation, {
        ...{ ...known, limit: this.#left, quarantinedLimit: this.#leftQuarantined, signal },
        timesOf: (messageId) => this.#timesOf(messageId),
      });
      this.#kept("model", receipts, { refused, usage });
      return { isDone: true, isUrgent: true };
    } catch (error) {
      memoryFailed(this.#session, error);
      return signal.aborted ? { isDone: false, isUrgent: false } : undefined;
    }
  }

  async #byRules(
    conversation: readonly ConversationMessage[],
    isKnown: (fact: ExtractedFact) => boolean,
  ): Promise<Extracted> {
    const { proposals, leftOut } = extractByRules(conversation, {
      limit: this.#left,
      keepsDerivable: true,
    });
    const receipts: MemoryReceipt[] = [];
    for (const { name, description, body, type, decays, messageId } of proposals) {
      if (isKnown({ body, messageId })) continue;
      const why = await codeStates(body, { ...this.#options, signal: this.#abort.signal });
      if (why !== undefined) {
        receipts.push(rejected(why, []));
        continue;
      }
      const sessionId = this.#session.id;
      const options = { name, description, type, decays, source: "user", sessionId, messageId } as const;
      const times = this.#timesOf(messageId);
      receipts.push(await this.#options.memory.remember(body, { ...options, ...times }));
    }
    this.#kept("rules", receipts, { leftOut });
    return { isDone: true, isUrgent: receipts.length > 0 };
  }

  #kept(
    by: "model" | "rules",
    receipts: readonly MemoryReceipt[],
    more: Partial<Pick<ExtractedEvent, "refused" | "usage" | "leftOut">>,
  ): void {
    // Known facts do not count against the limit.
    this.#left -= receipts.filter(({ status }) => status !== "merged" && status !== "rejected").length;
    this.#leftQuarantined -= receipts.filter(({ status }) => status === "quarantined").length;
    // A model that was asked has its cost, also where it found nothing.
    if (by === "model" || receipts.length > 0)
      internalsOf(this.#session).emit({ type: "memory-extracted", by, receipts, ...more });
  }
}

function conversationMessageOf(session: Session, shown: VisibleMessage): ConversationMessage {
  const { seq, role, blocks } = shown;
  const content = blocks.map(({ block }) => block);
  const origin = speakerIn(session, shown.origin);
  return { id: formatPointer({ seq, block: 0 }), message: { role, origin, content } };
}

/** As many as are kept to compare with. */
function newestPieces(pieces: readonly AttributedText[]): readonly AttributedText[] {
  let left: number = EARLIER_CHARACTERS;
  const from = pieces.findLastIndex(({ text }) => {
    left -= text.length;
    return left < 0;
  });
  return pieces.slice(from + 1);
}

/** The outcome of one extraction. */
interface Extracted {
  readonly isDone: boolean;
  /** A crash before the next checkpoint would have it done again, and it left something. */
  readonly isUrgent: boolean;
}

type ExtractedFact = Pick<FreshMemory, "body" | "messageId">;

type ExtractedEvent = Extract<SessionEvent, { readonly type: "memory-extracted" }>;
