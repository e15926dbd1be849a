/**
 * The history of a stored session, for readers that are not the session: another agent, a server, a report.
 *
 * It takes no lease and writes nothing, so the session may be in use meanwhile. Its readers are others than those the
 * conversation was held with, so texts have no secrets, unlike in the session's own history.
 */

import { COMPACTION_DEFAULTS } from "../../base/defaults/compaction/compaction.ts";
import { SessionError } from "../../base/errors.ts";
import { checkOptions } from "../../base/options/check-options.ts";
import { parsePointer } from "../../compaction/shared/pointer.ts";
import type { SessionLog, SessionStore } from "../../ports/session-store.ts";
import { blockText, type Role } from "../../transcript/blocks.ts";
import type { Scope } from "../../transcript/entries.ts";
import { withoutSecrets } from "../../transcript/without-secrets.ts";
import { turnsOf } from "../turns/fair-turns.ts";
import { type HistoryPage, readPage } from "./history-tools.ts";
import { LastText } from "./last-text.ts";
import { LogReader } from "./message-reader.ts";
import type { HistoryHit } from "./search/history-search.ts";
import { SegmentFiles } from "./search/segment-files.ts";
import { SegmentedHistory } from "./search/segmented-history.ts";
import { READ_RULES, type ReadOptions, SEARCH_RULES } from "./session-history.ts";
import { KnownDamage, WatchedLog } from "./watched-log.ts";

/** A message of a stored session, in short. */
interface StoredMessage {
  readonly seq: number;
  readonly role: Role;
  /** When it was said, in milliseconds since the epoch. */
  readonly atMs: number;
  /** Text of its blocks in their order, without secrets. */
  readonly texts: readonly string[];
}

/** All stored histories take turns by one clock: they are read in the process of a host. */
const steadyMs = (): number => performance.now();

/** Opened by {@link openHistory}. Close it after use. */
class StoredHistory {
  readonly sessionId: string;
  readonly #log: SessionLog;
  readonly #damage: KnownDamage;
  readonly #reader: LogReader;
  readonly #lastText = new LastText();
  readonly #turns = turnsOf({ steadyMs });
  readonly #segments: SegmentFiles | undefined;

  /** @internal */
  constructor(log: SessionLog) {
    this.#damage = new KnownDamage(() => undefined);
    this.#log = new WatchedLog(log, this.#damage);
    this.sessionId = log.sessionId;
    this.#reader = new LogReader(this.#log);
    const hasLoss = (): boolean => this.lossCount > 0;
    const { derived: files } = this.#log;
    this.#segments = files && new SegmentFiles({ files, log: this.#log, turns: this.#turns, hasLoss });
  }

  /** Stretches that were met so far and cannot be read any longer. */
  get lossCount(): number {
    return this.#damage.lossCount;
  }

  /** The blocks that match best, with a pointer each. Reads what is behind the segments that the session has written, or the whole log. */
  async search(query: string, options: { readonly limit?: number } = {}): Promise<readonly HistoryHit[]> {
    checkOptions("search", options, SEARCH_RULES);
    const { limit = COMPACTION_DEFAULTS.searchHits } = options;
    const segments = (await this.#segments?.load()) ?? [];
    const index = new SegmentedHistory(segments);
    const last = segments.at(-1)?.head;
    for await (const { entry, content, position } of this.#reader.messages(last?.to, last?.position))
      await this.#turns.run(index.add(entry.seq, { ...entry, content }, position));
    const hits = await index.search(query, { limit, reader: this.#reader, turns: this.#turns });
    if (hits !== undefined) return hits;
    // The session has merged its segments meanwhile, or one is damaged.
    this.#segments?.distrust();
    return this.search(query, { limit });
  }

  /**
   * One page of a block, without secrets.
   * @throws `ENTRY_NOT_FOUND` where the pointer leads nowhere; `BLOB_MISSING` where the block's blob is gone
   */
  async read(pointer: string, options: ReadOptions = {}): Promise<HistoryPage> {
    checkOptions("read", options, READ_RULES);
    const { offset = 0, limit = COMPACTION_DEFAULTS.pageCharacters } = options;
    const text = await this.#lastText.of(pointer, async () => {
      const place = parsePointer(pointer);
      const entry = place === undefined ? undefined : await this.#reader.findMessage(place.seq);
      const block = entry === undefined ? undefined : await this.#reader.wholeBlock(entry, place!.block);
      return block && blockText(withoutSecrets(block));
    });
    if (text !== undefined) return readPage(text, { offset, limit });
    throw new SessionError("ENTRY_NOT_FOUND", {
      message: `There is no block ${JSON.stringify(pointer)} in the history of session ${this.sessionId}.`,
      hint: "Pointers look like m12.0; a search finds them.",
    });
  }

  /** All messages, the oldest first. */
  async *messages(): AsyncIterable<StoredMessage> {
    for await (const { entry, content } of this.#reader.messages())
      yield {
        seq: entry.seq,
        role: entry.role,
        atMs: entry.saidAt ?? entry.at,
        texts: content.map((block) => blockText(withoutSecrets(block))),
      };
  }

  close(): Promise<void> {
    return this.#log.close();
  }
}

/**
 * Opens the history of a stored session for reading.
 *
 * @example
 * ```ts
 * const history = await openHistory(home.storeOf(), sessionId);
 * const [hit] = await history.search("retry limit");
 * await history.close();
 * ```
 * @throws `SESSION_NOT_FOUND`, `STORE_FAILED`
 */
export async function openHistory(
  store: SessionStore,
  sessionId: string,
  scope?: Scope,
): Promise<StoredHistory> {
  return new StoredHistory(await store.open(sessionId, scope));
}
