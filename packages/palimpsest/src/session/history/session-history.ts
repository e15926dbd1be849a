/**
 * The session's history: search everything ever said or seen, and read any of it back whole,
 * whatever the window shows of it. For programs as methods, for the agent as two tools.
 */
import { COMPACTION_DEFAULTS } from "../../base/defaults/compaction/compaction.ts";
import { SessionError } from "../../base/errors.ts";
import { checkOptions, checkText, number, type OptionRules } from "../../base/options/check-options.ts";
import { parsePointer } from "../../compaction/shared/pointer.ts";
import { fuseFound } from "../../memory/recall/vector-search.ts";
import { cleanErrorMessage } from "../../memory/trust/clean-memory.ts";
import { blockText, type ContentBlock } from "../../transcript/blocks.ts";
import type { FairTurns } from "../turns/fair-turns.ts";
import type { FoldedFromLog } from "./folded-from-log.ts";
import {
  formatFallback,
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
import type { HistoryText, HistoryVectors } from "./history-vectors.ts";
import { LastText } from "./last-text.ts";
import type { LogReader } from "./message-reader.ts";
import { cutSnippet, parseQuery } from "./search/history-query.ts";
import type { HistoryHit } from "./search/history-search.ts";
import type { SegmentedHistory } from "./search/segmented-history.ts";
import type { KnownDamage } from "./watched-log.ts";

/** Limits of a search. */
interface SearchOptions {
  /** @defaultValue `searchHits` */
  readonly limit?: number;
}

/** Vectors of what was said, and a place to report that they could not be used. */
interface SearchByMeaning {
  readonly vectors: Pick<HistoryVectors, "closest" | "close">;
  readonly onFallback: (reason: string) => void;
}

interface HistoryOptions {
  readonly reader: LogReader;
  readonly index: FoldedFromLog<SegmentedHistory>;
  readonly damage: Pick<KnownDamage, "lossCount">;
  readonly turns: FairTurns;
  readonly meaning?: SearchByMeaning | undefined;
}

interface FoundHistory {
  readonly hits: readonly HistoryHit[];
  /** Why meanings were not compared, although they were to be. */
  readonly fellBack?: string;
}

/** Hits by words that are fused with those by meaning. Our choice: as many as of memories. */
const FUSED_COUNT = 40;

/** Both rankings in one, by rank; what only the meaning found shows its beginning, or the place of the query's words. */
function fuseHits(
  query: string,
  hits: readonly HistoryHit[],
  near: readonly HistoryText[],
): readonly HistoryHit[] {
  const known = new Map(hits.map((hit) => [hit.pointer, hit]));
  const parsed = parseQuery(query);
  for (const { text, ...place } of near)
    if (!known.has(place.pointer)) {
      const snippet = cutSnippet(text, parsed);
      known.set(place.pointer, {
        pointer: place.pointer,
        seq: place.seq,
        role: place.role,
        snippet,
        score: 0,
      });
    }
  const ranked = hits.map(({ pointer: id, score }) => ({ id, score }));
  return fuseFound(
    ranked,
    near.map(({ pointer }) => pointer),
  ).map(({ id, score }) => ({ ...known.get(id)!, score }));
}

/** Which part of a block is read. */
export interface ReadOptions {
  /** Character to start at. @defaultValue 0 */
  readonly offset?: number;
  /** Characters of a page. @defaultValue `pageCharacters` */
  readonly limit?: number;
}

export const SEARCH_RULES: OptionRules<SearchOptions> = { limit: number };
export const READ_RULES: OptionRules<ReadOptions> = { offset: number, limit: number };

/**
 * Everything ever said in a session, for programs as methods and for the agent as two tools; it is
 * `session.history`. What the window has lost is found here, to the letter.
 */
export class SessionHistory {
  /** Definitions of `history_search` and `history_read`, to hand to a model. */
  readonly tools: readonly HistoryTool[] = HISTORY_TOOLS;
  readonly #reader: LogReader;
  readonly #index: FoldedFromLog<SegmentedHistory>;
  readonly #damage: Pick<KnownDamage, "lossCount">;
  readonly #turns: FairTurns;
  readonly #meaning: SearchByMeaning | undefined;
  /** The last index with a segment that could not be read. */
  #damaged: SegmentedHistory | undefined;
  readonly #lastText = new LastText();

  /** @internal */
  constructor({ reader, index, damage, turns, meaning }: HistoryOptions) {
    this.#meaning = meaning;
    this.#reader = reader;
    this.#index = index;
    this.#damage = damage;
    this.#turns = turns;
  }

  /**
   * The blocks that match best, with a pointer each: by their words and, where the session has `embeddings`, by meaning.
   * If meanings cannot be compared, by words alone, with the event `history-fell-back`.
   */
  async search(query: string, options: SearchOptions = {}): Promise<readonly HistoryHit[]> {
    checkText("search", "query", query);
    checkOptions("search", options, SEARCH_RULES);
    const { limit = COMPACTION_DEFAULTS.searchHits } = options;
    return (await this.#find(query, limit)).hits;
  }

  async #find(query: string, limit: number): Promise<FoundHistory> {
    if (this.#meaning === undefined) return { hits: await this.#findByWords(query, limit) };
    const hits = await this.#findByWords(query, Math.max(limit, FUSED_COUNT));
    try {
      const near = await this.#meaning.vectors.closest(query);
      return { hits: fuseHits(query, hits, near).slice(0, limit) };
    } catch (error) {
      const fellBack = cleanErrorMessage(error);
      this.#meaning.onFallback(fellBack);
      return { hits: hits.slice(0, limit), fellBack };
    }
  }

  async #findByWords(query: string, limit: number): Promise<readonly HistoryHit[]> {
    for (;;) {
      const index = await this.#index.get();
      const { segments } = index;
      const hits = await index.search(query, { limit, reader: this.#reader, turns: this.#turns });
      if (hits !== undefined) return hits;
      // A segment that was read has been merged with others meanwhile; or it is damaged, and all is read from the log.
      if (index.segments !== segments || this.#damaged === index) continue;
      // Once for all searches that met it.
      this.#damaged = index;
      this.#index.invalidate();
    }
  }

  /**
   * One page of a block as it was said. Pages read by `nextOffset` concatenate to the whole.
   * @throws `SessionError` `ENTRY_NOT_FOUND` where the pointer leads nowhere; `StoreError` `BLOB_MISSING`
   * where the block's blob is gone.
   */
  async read(pointer: string, options: ReadOptions = {}): Promise<HistoryPage> {
    checkText("read", "pointer", pointer);
    checkOptions("read", options, READ_RULES);
    const { offset = 0, limit = COMPACTION_DEFAULTS.pageCharacters } = options;
    const text = await this.#textOf(pointer);
    if (text !== undefined) return readPage(text, { offset, limit });
    throw new SessionError("ENTRY_NOT_FOUND", {
      message: `There is no block ${JSON.stringify(pointer)} in this session's history.`,
      hint: "Pointers look like m12.0; `search` finds them.",
    });
  }

  /** The original block behind a pointer, or `undefined` where there is none. @throws `StoreError` `BLOB_MISSING`. */
  async block(pointer: string): Promise<ContentBlock | undefined> {
    checkText("block", "pointer", pointer);
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

  /** @internal Stops asking for vectors. */
  close(): void {
    this.#meaning?.vectors.close();
  }

  async #runSearch(value: unknown): Promise<string> {
    const parsed = parseSearchInput(value);
    if (!parsed.ok) return parsed.problem;
    const { hits, fellBack } = await this.#find(parsed.input.query, parsed.input.limit);
    const answer = formatSearchAnswer(parsed.input.query, hits);
    return this.#withLoss(fellBack === undefined ? answer : `${answer}\n${formatFallback(fellBack)}`);
  }

  async #runRead(value: unknown): Promise<string> {
    const parsed = parseReadInput(value);
    if (!parsed.ok) return parsed.problem;
    const text = await this.#textOf(parsed.input.pointer);
    if (text === undefined) return this.#withLoss(formatUnknownPointer(parsed.input.pointer));
    return formatReadAnswer(parsed.input.pointer, readPage(text, parsed.input));
  }

  #textOf(pointer: string): Promise<string | undefined> {
    return this.#lastText.of(pointer, async () => {
      const block = await this.block(pointer);
      return block && blockText(block);
    });
  }

  #withLoss(answer: string): string {
    const { lossCount } = this.#damage;
    return lossCount === 0 ? answer : `${answer}\n${formatLoss(lossCount)}`;
  }
}
