/**
 * Keeps what a session's user asks to be remembered, in the background, when a turn has ended.
 *
 * DESIGN. It goes by rules: explicit requests in the user's own words, and nothing else (`rule-extractor.ts`). Each
 * message is looked at once. Nobody waits for it but who closes the session, and that for a bounded time; what goes
 * wrong is told to the observer. What the agent wrote into the memory by itself in that turn is not written again.
 */
import { MEMORY_SAFETY_DEFAULTS } from "../../base/defaults/memory-safety.ts";
import { extractByRules } from "../../memory/extraction/rule-extractor.ts";
import type { TalkMessage } from "../../memory/spoken-pieces.ts";
import { notify } from "../events.ts";
import type { Session } from "../session.ts";
import type { MemoryReceipt } from "./memory-receipt.ts";
import type { PersistentMemory } from "./persistent-memory.ts";

export class AgentExtraction {
  readonly #session: Session;
  readonly #memory: PersistentMemory;
  /** What was said and not looked at yet. */
  #heard: TalkMessage[] = [];
  #running: Promise<void> = Promise.resolve();
  /** Memories that this session may still leave. */
  #left: number = MEMORY_SAFETY_DEFAULTS.extractedCount;
  #toolWrites: number;

  constructor(session: Session, memory: PersistentMemory) {
    this.#session = session;
    this.#memory = memory;
    this.#toolWrites = memory.toolWritesCount;
  }

  /** Messages that came, by the numbers of their entries. */
  heard(talk: readonly TalkMessage[]): void {
    this.#heard.push(...talk);
  }

  /** A turn has ended, or the session does. Waits for nothing. */
  turnEnded(): void {
    const talk = this.#heard;
    this.#heard = [];
    const hasWrittenItself = this.#memory.toolWritesCount > this.#toolWrites;
    this.#toolWrites = this.#memory.toolWritesCount;
    if (talk.length === 0 || this.#left <= 0 || hasWrittenItself) return;
    this.#running = this.#running.then(() => this.#extract(talk));
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    await this.#running;
  }

  async #extract(talk: readonly TalkMessage[]): Promise<void> {
    const { observer } = this.#session.parts;
    try {
      const { proposals, leftOut } = extractByRules(talk, { limit: this.#left });
      const receipts: MemoryReceipt[] = [];
      for (const { name, description, body, type, decays, messageId } of proposals) {
        const sessionId = this.#session.id;
        const options = { name, description, type, decays, source: "user", sessionId, messageId } as const;
        receipts.push(await this.#memory.remember(body, options));
      }
      this.#left -= receipts.length;
      if (receipts.length > 0) notify(observer, { type: "memory-extracted", by: "rules", receipts, leftOut });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      notify(observer, { type: "memory-failed", reason });
    }
  }
}
