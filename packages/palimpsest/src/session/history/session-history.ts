/**
 * The session's history: search everything ever said or seen, and read any of it back whole,
 * whatever the window shows of it. For programs as methods, for the agent as two tools.
 */
import { COMPACTION_DEFAULTS } from "../../base/defaults/compaction/compaction.ts";
import { SessionError } from "../../base/errors.ts";
import { parsePointer } from "../../compaction/shared/pointer.ts";
import { blockText, type ContentBlock } from "../../transcript/blocks.ts";
import type { FoldedFromLog } from "./folded-from-log.ts";
import { type HistoryHit, type HistoryIndex, searchHistory } from "./history-search.ts";
import {
  formatLoss,
  formatReadAnswer,
  formatSearchAnswer,
  formatUnknownPointer,
  HISTORY_TOOLS,
  type HistoryPage,
  type HistoryTool,
  parseReadInput,
  parseSearchInput,
  readPage,
} from "./history-tools.ts";
import type { LogReader } from "./message-reader.ts";
import type { KnownDamage } from "./watched-log.ts";

/** Limits of a search. */
interface SearchOptions {
  /** @defaultValue `searchHits` */
  readonly limit?: number;
}

/** Which part of a block is read. */
export interface ReadOptions {
  /** Character to start at. @defaultValue 0 */
  readonly offset?: number;
  /** Characters of a page. @defaultValue `pageCharacters` */
  readonly limit?: number;
}

/**
 * Everything ever said in a session, for programs as methods and for the agent as two tools; it is
 * `session.history`. What the window has lost is found here, to the letter.
 */
export class SessionHistory {
  /** Definitions of `history_search` and `history_read`, to hand to a model. */
  readonly tools: readonly HistoryTool[] = HISTORY_TOOLS;
  readonly #reader: LogReader;
  readonly #index: FoldedFromLog<HistoryIndex>;
  readonly #damage: Pick<KnownDamage, "lossCount">;

  /** @internal */
  constructor(reader: LogReader, index: FoldedFromLog<HistoryIndex>, damage: Pick<KnownDamage, "lossCount">) {
    this.#reader = reader;
    this.#index = index;
    this.#damage = damage;
  }

  /** The blocks that match best, with a pointer each. */
  async search(
    query: string,
    { limit = COMPACTION_DEFAULTS.searchHits }: SearchOptions = {},
  ): Promise<readonly HistoryHit[]> {
    return searchHistory(await this.#index.get(), query, { limit });
  }

  /**
   * One page of a block as it was said. Pages read by `nextOffset` concatenate to the whole.
   * @throws `SessionError` `ENTRY_NOT_FOUND` where the pointer leads nowhere; `StoreError` `BLOB_MISSING`
   * where the block's blob is gone.
   */
  async read(
    pointer: string,
    { offset = 0, limit = COMPACTION_DEFAULTS.pageCharacters }: ReadOptions = {},
  ): Promise<HistoryPage> {
    const block = await this.block(pointer);
    if (block !== undefined) return readPage(blockText(block), { offset, limit });
    throw new SessionError("ENTRY_NOT_FOUND", {
      message: `There is no block ${JSON.stringify(pointer)} in this session's history.`,
      hint: "Pointers look like m12.0; `search` finds them.",
    });
  }

  /** The original block behind a pointer, or `undefined` where there is none. @throws `StoreError` `BLOB_MISSING`. */
  async block(pointer: string): Promise<ContentBlock | undefined> {
    const place = parsePointer(pointer);
    const entry = place === undefined ? undefined : await this.#reader.findMessage(place.seq);
    return entry === undefined ? undefined : this.#reader.wholeBlock(entry, place!.block);
  }

  /** Runs one of {@link tools} for a model; `undefined` where the name is not one of them. Bad input is answered in words. */
  async runTool(name: string, input: unknown): Promise<string | undefined> {
    if (name === "history_search") return this.#runSearch(input);
    if (name === "history_read") return this.#runRead(input);
    return undefined;
  }

  async #runSearch(value: unknown): Promise<string> {
    const parsed = parseSearchInput(value);
    if (!parsed.ok) return parsed.problem;
    const hits = await this.search(parsed.input.query, parsed.input);
    return this.#withLoss(formatSearchAnswer(parsed.input.query, hits));
  }

  async #runRead(value: unknown): Promise<string> {
    const parsed = parseReadInput(value);
    if (!parsed.ok) return parsed.problem;
    const block = await this.block(parsed.input.pointer);
    if (block === undefined) return this.#withLoss(formatUnknownPointer(parsed.input.pointer));
    return formatReadAnswer(parsed.input.pointer, readPage(blockText(block), parsed.input));
  }

  #withLoss(answer: string): string {
    const { lossCount } = this.#damage;
    return lossCount === 0 ? answer : `${answer}\n${formatLoss(lossCount)}`;
  }
}
