/**
 * The implementation of `MemoryManager`: conversation memory in a few calls, kept as sessions in a store.
 *
 * The log of a session is the truth: an added entry is a message in it, a compression is an edit. A mirror in memory
 * makes readers synchronous; the first asynchronous method of a session fills it, and `loadSession` does only that.
 * Calls about one session run in their order, but a model that writes a summary delays nothing: entries that are added
 * meanwhile are stored at once.
 */
import { CONVERSATION_MEMORY_DEFAULTS } from "../base/defaults/conversation-memory.ts";
import type { JsonObject } from "../base/json/json.ts";
import { checkOptions, func, type OptionRule } from "../base/options/check-options.ts";
import type { Clock, Deadline, Hasher, IdSource } from "../ports/runtime.ts";
import type { SessionStore } from "../ports/session-store.ts";
import type { SessionObserver } from "../session/events/events.ts";
import { validateJson } from "../session/input/copy-input.ts";
import type { Scope } from "../transcript/entries.ts";
import { compressMemory } from "./compress-conversation.ts";
import {
  changeMemoryConfig,
  DEFAULT_MEMORY_CONFIG,
  type MemoryConfig,
} from "./compression/compression-config.ts";
import type {
  CompressionRefused,
  CompressionTrigger,
  SummarizeCallback,
} from "./compression/compression-report.ts";
import { countEligible, findTrigger } from "./compression/plan-compression.ts";
import { MemoryEventSource } from "./conversation-events.ts";
import { ConversationStore, type Generation } from "./conversation-store.ts";
import {
  type ConversationEntry,
  type ConversationStats,
  copyEntry,
  copySummary,
  type MemoryContext,
  type MemorySessionState,
  type MemorySummary,
  summaryEntry,
} from "./entries/conversation-entry.ts";
import { MemoryMirror } from "./entries/conversation-mirror.ts";
import { renderContext } from "./entries/entry-text.ts";
import { parseMemoryState } from "./entries/parse-state.ts";
import { ConversationEntryFactory, type EntryInTurn, validateName } from "./entry-maker.ts";

const EMPTY = new MemoryMirror();
/** Beyond it the platform's timers fire at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;
const TIMEOUT: OptionRule = {
  isFit: (value) => typeof value === "number" && value > 0 && value <= LONGEST_TIMEOUT_MS,
  says: `a number of milliseconds above 0 and at most ${LONGEST_TIMEOUT_MS}`,
};

/** Settings of a manager, and the ports it uses. */
export interface ConversationMemoryOptions extends Partial<MemoryConfig> {
  /** Keeps the sessions. */
  readonly store: SessionStore;
  /** The time of entries. */
  readonly clock: Clock;
  /** Ids of entries and summaries. */
  readonly ids: IdSource;
  /** Names blobs, and sessions whose id no store could take. */
  readonly hasher: Hasher;
  /** Ends a summary that takes too long. */
  readonly deadline: Deadline;
  /** Tenant and project: part of every session's name in the store. */
  readonly scope?: Scope;
  /** Receives the events of the sessions, such as damage that was found. */
  readonly observer?: SessionObserver;
  /**
   * The time limit of the summarize callback in milliseconds; then the heuristic writes the summary.
   * @defaultValue `summarizeTimeoutMs`, 120,000
   */
  readonly summarizeTimeoutMs?: number;
}

/**
 * The memory of conversations: what was said, called and brought in, by session; old entries are compressed
 * into summaries, and `getContextForLLM` gives the context for a model. Every session lies in a store as
 * the log of a session of this library, so nothing is lost by a summary.
 *
 * Methods that add are asynchronous: they resolve once the store has acknowledged the entry. Readers are
 * synchronous and answer from memory; a session that is in the store and was not used yet reads as empty
 * until `loadSession` or the first `add…` or `compress` has resolved.
 *
 * @throws `OptionError` where an argument has the wrong type; `StoreError` from asynchronous methods, where the
 * store could not keep or read something: nothing was added then.
 */
export class ConversationMemory extends MemoryEventSource {
  readonly #options: ConversationMemoryOptions;
  readonly #factory: ConversationEntryFactory;
  readonly #timeoutMs: number;
  readonly #conversations = new Map<string, ConversationStore>();
  #config: MemoryConfig;
  #callback: SummarizeCallback | undefined;

  /** @throws `OptionError` for a setting that does not exist or cannot be used. */
  constructor(options: ConversationMemoryOptions) {
    const { store, clock, ids, hasher, deadline, scope, observer, summarizeTimeoutMs, ...settings } = options;
    super();
    this.#options = options;
    this.#factory = new ConversationEntryFactory(options);
    this.#config = changeMemoryConfig(DEFAULT_MEMORY_CONFIG, settings);
    checkOptions("MemoryManager", { summarizeTimeoutMs }, { summarizeTimeoutMs: TIMEOUT });
    this.#timeoutMs = summarizeTimeoutMs ?? CONVERSATION_MEMORY_DEFAULTS.summarizeTimeoutMs;
  }

  /** Adds what the user said. `metadata` is kept with the entry. */
  async addUserMessage(sessionId: string, text: string, metadata?: JsonObject): Promise<ConversationEntry> {
    return this.#add(sessionId, this.#factory.message("user", text, metadata));
  }

  /** Adds what the model said. */
  async addAssistantMessage(
    sessionId: string,
    text: string,
    metadata?: JsonObject,
  ): Promise<ConversationEntry> {
    return this.#add(sessionId, this.#factory.message("assistant", text, metadata));
  }

  /**
   * Adds a call of a tool with its arguments, which are data as JSON has it. The provider's id of the call can be
   * given as `metadata.callId`; else it is the entry's.
   */
  async addToolCall(
    sessionId: string,
    tool: string,
    args?: unknown,
    metadata?: JsonObject,
  ): Promise<ConversationEntry> {
    return this.#add(sessionId, this.#factory.toolCall(tool, args, metadata));
  }

  /**
   * Adds what a tool answered: text, or data that is kept as its JSON; an `Error` is a failure, and so is what has
   * `metadata.isError`. It answers the call `metadata.callId`, else the oldest call of this tool without an answer.
   */
  async addToolResult(
    sessionId: string,
    tool: string,
    output: unknown,
    metadata?: JsonObject,
  ): Promise<ConversationEntry> {
    return this.#add(sessionId, this.#factory.toolResult(tool, output, metadata));
  }

  /** Adds text that is brought in from elsewhere, such as a document that was retrieved; `source` says from where. */
  async addContext(
    sessionId: string,
    content: string,
    source: string,
    metadata?: JsonObject,
  ): Promise<ConversationEntry> {
    return this.#add(sessionId, this.#factory.context(content, source, metadata));
  }

  /**
   * Compresses every entry that is older than the recent window into one summary. Resolves with it, or, where nothing
   * was compressed, with the reason: fewer than `minEntriesToCompress` entries are old enough, no summary would be
   * smaller than they are, or the session was replaced meanwhile. Never fails because of the callback.
   */
  async compress(sessionId: string): Promise<MemorySummary | CompressionRefused> {
    return this.#compress(validateName(sessionId, "sessionId"), "manual");
  }

  /**
   * The context for a model as text: the summaries, then the active entries, each on a line or more. Empty without
   * entries.
   */
  getContextForLLM(sessionId: string): string {
    const { summaries, active } = this.#mirrorOf(sessionId);
    return renderContext({ summaries, entries: active });
  }

  /** The same context as data: summaries and active entries. */
  getContextData(sessionId: string): MemoryContext {
    return this.#mirrorOf(sessionId).context();
  }

  /** Entries that are not compressed, oldest first. */
  getActiveEntries(sessionId: string): readonly ConversationEntry[] {
    return this.#mirrorOf(sessionId).active.map(copyEntry);
  }

  /** Figures of a session. */
  getStats(sessionId: string): ConversationStats {
    return this.#mirrorOf(sessionId).stats();
  }

  /** A copy of a session: every entry, compressed or not, and the summaries. `JSON.stringify` may have it. */
  exportSession(sessionId: string): MemorySessionState {
    return this.#mirrorOf(sessionId).state(sessionId);
  }

  /**
   * Replaces a session by a state from `exportSession`, which may have been through JSON. Readers see it at once;
   * `flush` resolves when it is in the store.
   * @throws `InputError` `INPUT_UNREADABLE` where the state cannot be used; nothing is changed then.
   */
  importSession(state: MemorySessionState): void {
    const { sessionId, entries, summaries } = parseMemoryState(validateJson(state, "state"));
    this.#replace(sessionId, { entries, summaries });
  }

  /**
   * Forgets a session: it reads as empty at once, and starts empty again. Its log in the store keeps what was
   * said, and the session goes back to it with `rewind`; to erase it, delete the session from the store.
   */
  clearSession(sessionId: string): void {
    this.#replace(validateName(sessionId, "sessionId"), { entries: [], summaries: [] });
    this.emit("session:cleared", () => [sessionId]);
  }

  /**
   * Changes settings, for every session, from the next call on. What is left out stays.
   * @throws `OptionError` for a setting that does not exist or cannot be used; none is changed then.
   */
  updateConfig(changes: Partial<MemoryConfig>): void {
    this.#config = changeMemoryConfig(this.#config, changes);
  }

  /**
   * Has summaries written by your model; `undefined` takes it back. Whatever the callback does, there is a summary: where
   * it throws, takes longer than `summarizeTimeoutMs`, or gives nothing smaller, the heuristic writes it.
   */
  setSummarizeCallback(callback: SummarizeCallback | undefined): void {
    checkOptions("setSummarizeCallback", { callback }, { callback: func });
    this.#callback = callback;
  }

  /**
   * Reads a session from the store, so that readers see it; again, where it was read before and nothing was added
   * since. Other writers are not blocked. Resolves with true if the store has it.
   */
  async loadSession(sessionId: string): Promise<boolean> {
    return this.#conversation(sessionId).load();
  }

  /** Resolves once everything that was asked for so far is in the store and durable, imports and clearings among it. */
  async flush(): Promise<void> {
    await settleAll([...this.#conversations.values()].map((conversation) => conversation.flush()));
  }

  /**
   * Writes what is left and lets go of a session, or of all of them: of its memory, and of its place as the session's
   * writer. The next call about it opens it again.
   */
  async close(sessionId?: string): Promise<void> {
    const chosen = [...this.#conversations].filter(([id]) => sessionId === undefined || id === sessionId);
    await settleAll(
      chosen.map(async ([id, conversation]) => {
        await conversation.close();
        if (conversation.isIdle) this.#conversations.delete(id);
      }),
    );
  }

  async #add(sessionId: string, made: ConversationEntry | EntryInTurn): Promise<ConversationEntry> {
    const conversation = this.#conversation(sessionId);
    const { entry, generation } = await conversation.add(typeof made === "function" ? made : () => made);
    if (generation === conversation.current) this.emit("entry:added", () => [sessionId, copyEntry(entry)]);
    if (!conversation.isCompressing && this.#trigger(generation) !== undefined) {
      // The entry is in the store: whatever happens now must not make its caller add it again.
      await this.#compress(sessionId, "auto").catch((error: unknown) =>
        this.#reportFailure(sessionId, error),
      );
    }
    return copyEntry(entry);
  }

  /** Returns the reason to compress the session now, if there is one. */
  #trigger({ mirror, refusedAtCount }: Generation): CompressionTrigger | undefined {
    const config = this.#config;
    if (!config.autoCompress) return undefined;
    const leastCount = config.minEntriesToCompress + refusedAtCount;
    return countEligible(mirror, config) < leastCount ? undefined : findTrigger(mirror, config);
  }

  #compress(sessionId: string, asked: "manual" | "auto"): Promise<MemorySummary | CompressionRefused> {
    const conversation = this.#conversation(sessionId);
    return conversation.runCompression(async () => {
      const reason = asked === "manual" ? asked : this.#trigger(conversation.current);
      // An earlier compression has made room since this one was asked for.
      if (reason === undefined)
        return { refused: "too-few-entries", reason: "The session is within its limits." };
      const { clock, ids, deadline } = this.#options;
      const report = await compressMemory(conversation, reason, {
        clock,
        ids,
        deadline,
        timeoutMs: this.#timeoutMs,
        config: this.#config,
        callback: this.#callback,
      });
      if ("refused" in report) return report;
      this.emit("entry:added", () => [sessionId, summaryEntry(report.summary)]);
      this.emit("compressed", () => [sessionId, { ...report, summary: copySummary(report.summary) }]);
      return report.summary;
    });
  }

  #replace(sessionId: string, state: Pick<MemorySessionState, "entries" | "summaries">): void {
    this.#conversation(sessionId)
      .replace(state)
      .catch((error: unknown) => this.#reportFailure(sessionId, error));
  }

  #reportFailure(sessionId: string, error: unknown): void {
    this.emit("background:failed", () => [sessionId, error]);
  }

  #conversation(sessionId: string): ConversationStore {
    const known = this.#conversations.get(validateName(sessionId, "sessionId"));
    if (known !== undefined) return known;
    const { store, clock, ids, hasher, scope, observer } = this.#options;
    const options = { store, clock, ids, hasher, scope, observer };
    const conversation = new ConversationStore(sessionId, options);
    this.#conversations.set(sessionId, conversation);
    return conversation;
  }

  #mirrorOf(sessionId: string): MemoryMirror {
    return this.#conversations.get(validateName(sessionId, "sessionId"))?.current.mirror ?? EMPTY;
  }
}

/** Waits for all of them, and fails like the first that failed. */
async function settleAll(all: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(all)).find(({ status }) => status === "rejected");
  if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
}
