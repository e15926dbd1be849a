/**
 * Keeps what later sessions need of a session, in the background, when a turn has ended, before a compaction hides
 * it, and at the session's end.
 *
 * DESIGN. By rules: explicit requests in the user's own words, after each turn (`rule-extractor.ts`). By a model: once
 * enough is new, facts and decisions (`model-extraction.ts`); where it fails, the rules. Each message is looked at
 * once. Nobody waits for it but who closes the session, and that for a bounded time; what goes wrong is told to the
 * observer. What the agent wrote into the memory by itself in that turn is not written again, but judged
 * (`tool-writes.ts`).
 */
import { MEMORY_EXTRACTION_DEFAULTS } from "../../base/defaults/memory-extraction.ts";
import { MEMORY_SAFETY_DEFAULTS } from "../../base/defaults/memory-safety.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { JsonValue } from "../../base/json.ts";
import { formatPointer } from "../../compaction/pointer.ts";
import { extractByRules } from "../../memory/extraction/rule-extractor.ts";
import { type SpokenPiece, spokenPieces, type TalkMessage } from "../../memory/spoken-pieces.ts";
import type { Deadline } from "../../ports/deadline.ts";
import type { ModelClient } from "../../ports/model-client.ts";
import { estimateVisibleMessage } from "../../tokens/estimate-message.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";
import type { VisibleMessage } from "../../transcript/window.ts";
import { notify } from "../events.ts";
import type { Session } from "../session.ts";
import type { MemoryReceipt } from "./memory-receipt.ts";
import { extractByModel } from "./model-extraction.ts";
import type { PersistentMemory } from "./persistent-memory.ts";
import type { ToolWrites } from "./tool-writes.ts";

export interface AgentExtractionOptions {
  readonly memory: PersistentMemory;
  /** Asked for what is to be remembered; without one the rules decide. */
  readonly client: ModelClient | undefined;
  readonly deadline: Deadline;
}

export class AgentExtraction {
  readonly #session: Session;
  readonly #options: AgentExtractionOptions;
  readonly #abort = new AbortController();
  /** What was said and not looked at yet. */
  #heard: TalkMessage[] = [];
  /** What was looked at, the newest: a claim of today may have been read yesterday. */
  #earlier: readonly SpokenPiece[];
  #heardTokens = 0;
  #heardSeq: number;
  #running: Promise<void> = Promise.resolve();
  /** Memories that this session may still leave. */
  #left: number = MEMORY_SAFETY_DEFAULTS.extractedCount;
  /** Of those, the ones that may be quarantined. */
  #leftQuarantined: number = MEMORY_SAFETY_DEFAULTS.extractedQuarantinedCount;
  readonly #toolWrites: ToolWrites;
  /** Whether the agent has written into the memory since the last look. */
  #hasWrittenItself = false;
  /** The inputs of tools that the agent called in this turn, or that nothing has come back from, by the call's id. */
  readonly #calls = new Map<string, JsonValue>();
  readonly #answered = new Set<string>();

  constructor(session: Session, options: AgentExtractionOptions) {
    this.#session = session;
    this.#options = options;
    this.#toolWrites = options.memory.watchTool();
    // What was said before it was opened was looked at then.
    this.#heardSeq = session.parts.writer.nextSeq - 1;
    this.#earlier = newestPieces(spokenPieces(session.visible.map(talkMessageOf)));
  }

  /** Takes note of what is new in the window, as long as it is there. */
  listen(): void {
    for (const message of this.#session.visible) {
      const { seq, insertedBy } = message;
      if (insertedBy !== undefined || seq <= this.#heardSeq) continue;
      this.#heardSeq = seq;
      const heard = talkMessageOf(message);
      this.#heard.push(heard);
      this.#listenToCalls(heard.message.content);
      this.#heardTokens += estimateVisibleMessage(message);
    }
  }

  /** A turn has ended: begins where enough is new. Waits for nothing. */
  turnEnded(): void {
    this.listen();
    this.#judgeTool();
    for (const id of this.#answered) this.#calls.delete(id);
    this.#answered.clear();
    const { client } = this.#options;
    if (client !== undefined && this.#heardTokens < MEMORY_EXTRACTION_DEFAULTS.newTokens) return;
    this.begin();
  }

  /** What was heard is looked at now: the session ends, or a compaction hides it. Waits for nothing. */
  begin(): void {
    const talk = this.#heard;
    this.#judgeTool();
    const hasWrittenItself = this.#hasWrittenItself;
    this.#hasWrittenItself = false;
    this.#heard = [];
    this.#heardTokens = 0;
    if (talk.length === 0) return;
    const earlier = this.#earlier;
    const pieces = spokenPieces(talk, earlier.at(-1)?.turn);
    this.#earlier = newestPieces([...earlier, ...pieces]);
    if (this.#left <= 0 || hasWrittenItself) return;
    this.#running = this.#running.then(() => this.#extract(talk, earlier));
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    await this.#running;
  }

  /** A model that is still being asked is not waited for any more. */
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

  /** What the agent wrote by itself it may have read. */
  #judgeTool(): void {
    const written = this.#toolWrites.take([...this.#calls.values()]);
    if (written.size === 0) return;
    this.#hasWrittenItself = true;
    const earlier = this.#earlier;
    const pieces = spokenPieces(this.#heard, earlier.at(-1)?.turn);
    const judged = async (): Promise<void> => {
      const receipts = await this.#toolWrites.judge(written, { pieces, earlier });
      if (receipts.length > 0)
        notify(this.#session.parts.observer, { type: "memory-extracted", by: "tool", receipts });
    };
    this.#running = this.#running.then(judged).catch((error: unknown) => this.#failed(error));
  }

  async #extract(talk: readonly TalkMessage[], earlier: readonly SpokenPiece[]): Promise<void> {
    const { client } = this.#options;
    try {
      if (client !== undefined && (await this.#byModel(talk, { client, earlier }))) return;
      await this.#byRules(talk);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Whether the model did it: where it fails, the rules do. */
  async #byModel(
    talk: readonly TalkMessage[],
    { client, earlier }: { readonly client: ModelClient; readonly earlier: readonly SpokenPiece[] },
  ): Promise<boolean> {
    const { memory, deadline } = this.#options;
    const { signal } = this.#abort;
    const world = { client, memory, deadline, sessionId: this.#session.id };
    try {
      const { receipts, usage, refused } = await extractByModel(world, talk, {
        ...{ limit: this.#left, quarantinedLimit: this.#leftQuarantined, signal, earlier },
      });
      this.#kept("model", receipts, { refused, ...(usage === undefined ? {} : { usage }) });
      return true;
    } catch (error) {
      this.#failed(error);
      return signal.aborted;
    }
  }

  async #byRules(talk: readonly TalkMessage[]): Promise<void> {
    const { proposals, leftOut } = extractByRules(talk, { limit: this.#left });
    const receipts: MemoryReceipt[] = [];
    for (const { name, description, body, type, decays, messageId } of proposals) {
      const sessionId = this.#session.id;
      const options = { name, description, type, decays, source: "user", sessionId, messageId } as const;
      receipts.push(await this.#options.memory.remember(body, options));
    }
    this.#kept("rules", receipts, { leftOut });
  }

  #kept(
    by: "model" | "rules",
    receipts: readonly MemoryReceipt[],
    more: Partial<Pick<ExtractedEvent, "refused" | "usage" | "leftOut">>,
  ): void {
    // What was known already takes nobody's place.
    this.#left -= receipts.filter(({ status }) => status !== "merged" && status !== "rejected").length;
    this.#leftQuarantined -= receipts.filter(({ status }) => status === "quarantined").length;
    const hasNews = receipts.length > 0 || (more.refused?.length ?? 0) > 0 || more.usage !== undefined;
    if (hasNews) notify(this.#session.parts.observer, { type: "memory-extracted", by, receipts, ...more });
  }

  #failed(error: unknown): void {
    const reason = errorMessage(error);
    notify(this.#session.parts.observer, { type: "memory-failed", reason });
  }
}

function talkMessageOf({ seq, role, origin, blocks }: VisibleMessage): TalkMessage {
  const content = blocks.map(({ block }) => block);
  return { id: formatPointer({ seq, block: 0 }), message: { role, origin, content } };
}

/** As many as are kept to compare with. */
function newestPieces(pieces: readonly SpokenPiece[]): readonly SpokenPiece[] {
  let left: number = MEMORY_EXTRACTION_DEFAULTS.earlierCharacters;
  const from = pieces.findLastIndex(({ text }) => {
    left -= text.length;
    return left < 0;
  });
  return pieces.slice(from + 1);
}

type ExtractedEvent = Extract<Parameters<typeof notify>[1], { readonly type: "memory-extracted" }>;
