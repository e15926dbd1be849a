/**
 * Numbers of the compaction layers: limits of a block at arrival, forms of old blocks, the
 * extractive summary and the history tools.
 *
 * Token numbers are pairs: `tokens` is the value in the reference window and scales down with the
 * window; `floor` is the least value that is still useful, which holds down to the window
 * `floorWindowTokens` and shrinks with the window below it (`compaction/shared/measure.ts`).
 */
import { assert } from "../../assert.ts";

export const COMPACTION_DEFAULTS = {
  /** Window down to which floors hold, in tokens. Source: where-the-numbers-come-from.md, "Arrival limits": the smallest window that was measured. */
  floorWindowTokens: 32_000,

  /** A block above this becomes a preview at arrival. Source: where-the-numbers-come-from.md, "Arrival limits": near recall stays within about a point of no limit. */
  arrivalBlock: { tokens: 12_000, floor: 10_000 },
  /** All results of one message together, in tokens. Source: our choice; where-the-numbers-come-from.md, "Arrival limits". */
  arrivalMessage: { tokens: 50_000, floor: 12_000 },
  /** UTF-8 bytes of one block; bytes do not scale, stores and requests are limited in bytes. Source: our choice; where-the-numbers-come-from.md, "Arrival limits". */
  arrivalBlockBytes: 100_000,
  /** Characters of one line: minified files and data dumps. Source: our choice; where-the-numbers-come-from.md, "Arrival limits". */
  arrivalLineCharacters: 20_000,
  /** Head and tail of a preview, in tokens. Source: where-the-numbers-come-from.md, "Arrival limits". */
  arrivalPreview: { tokens: 2_000, floor: 1_500 },
  /** Head and tail of an older block that gives way, in tokens. Source: where-the-numbers-come-from.md, "Offload and microcompact". */
  preview: { tokens: 1_000, floor: 400 },
  /** Media from this size on lie outside the log, in base64 characters. Source: our choice: about four log lines. */
  mediaOutsideCharacters: 4_096,
  /** Media above this are not shown at all, in base64 characters. Source: Anthropic docs, "Vision": 5 MB an image. */
  mediaShownCharacters: 5_000_000,

  /** A block above this gets its preview form once the window is above the offload gate. Source: our choice; where-the-numbers-come-from.md, "Offload and microcompact". */
  oldBlock: { tokens: 2_000, floor: 600 },
  /** Newest part of the window that usage layers leave alone. Source: our choice; where-the-numbers-come-from.md, "Offload and microcompact": 8K tokens of results were enough in simulation. */
  recentTail: { tokens: 20_000, floor: 4_000 },

  /** Newest clearable results that stay whole. Source: our choice; where-the-numbers-come-from.md, "Offload and microcompact". */
  resultsKeptCount: 5,
  /** The most that these take, as a share of the effective window; the newest stays in any case. Source: our choice. */
  resultsKeptShare: 0.2,
  /** Clearable results from this count on are cleared whatever the usage. Source: our choice; where-the-numbers-come-from.md, "Offload and microcompact". */
  clearableCountGate: 100,
  /** Tokens of the text that replaces a cleared result. Source: where-the-numbers-come-from.md, "Briefs". */
  briefTokens: 60,
  /** Distinctive strings named in a brief. Source: our choice; where-the-numbers-come-from.md, "Briefs". */
  briefStringCount: 4,
  /** A read-only result shorter than this, in characters, is cleared without a brief. Source: our choice; where-the-numbers-come-from.md, "Briefs". */
  smallResultCharacters: 1_000,
  /** Strings in old arguments above this are previewed, in tokens. Source: our choice; where-the-numbers-come-from.md, "Offload and microcompact": arguments were 138K of 516K. */
  oldArgument: { tokens: 400, floor: 120 },
  /** Head and tail that stay of such a string, in tokens. Source: our choice, not yet measured. */
  oldArgumentPreview: { tokens: 160, floor: 80 },
  /** Share of the effective window that a rewrite of old blocks must free where it does not reach its low-water mark. Source: where-the-numbers-come-from.md, "Offload and microcompact"; the value is our choice. */
  minFreedShare: 0.15,
  /** Growth after which layers that found nothing to do behind their gates look again, as a share of the effective window. Source: our choice: a look costs what the window holds, so about a hundred of them in a window cost each message a hundred glances. */
  lookAgainShare: 0.01,
  /** Low-water mark of offload, as a share of its gate: 45 % of the window where the gate is 60 %. Source: our choice; where-the-numbers-come-from.md, "Offload and microcompact". */
  offloadLowWater: 0.75,
  /** Low-water mark of microcompact, as a share of its gate: 55 % of the window where the gate is 80 %. Source: our choice; where-the-numbers-come-from.md, "Offload and microcompact". */
  microcompactLowWater: 0.69,

  /** Size of the window after an extractive compaction, as a share of the effective window. Source: where-the-numbers-come-from.md, "Compaction targets". */
  targetShare: 0.35,
  /** Most tokens that are kept or retold of the newest round. Source: our choice: its results are previews above it. */
  newestRound: { tokens: 8_000, floor: 2_000 },
  /** A newest round above this share of the target is peeled into previews. Source: our choice. */
  newestRoundShare: 0.6,
  /** A newest round that peeling leaves above this share of the target is not kept but told as text. Source: our choice: the summary needs the rest. */
  maxTailShare: 0.75,
  /** A summary above this share of what it replaces is refused. Source: gemini-cli issue 5432, where a summary doubled the context; the value is our choice. */
  maxSummaryShare: 0.9,

  /** The most that is pinned, in tokens. Source: our choice: a page or two, which every request pays for. */
  pins: { tokens: 4_000, floor: 1_000 },

  /** Literals that a digest remembers; the least valuable are forgotten. Source: our choice: some ten megabytes. */
  digestLiteralCount: 40_000,
  /** Literals of a digest that are stored with it. Source: our choice: several times what a string appendix holds, in about 1 MB. */
  savedDigestLiteralCount: 6_000,
  /** Messages of the user that are stored with a digest: the first and the newest. Source: our choice: far more than a summary quotes. */
  savedDigestUserWordsCount: 2_000,
  /** Files, commands and other facts that a digest remembers, of each kind. Source: our choice. */
  digestFactCount: 2_000,
  /** Characters of user words that a digest keeps whole; longer messages keep head and tail. Source: our choice, above `userWords`. */
  digestUserCharacters: 24_000,
  /** Characters that a digest keeps of all user messages together. Source: our choice: ten times the budget of `userWords`. */
  digestUserTotalCharacters: 400_000,

  /** Characters of one block that are indexed from its start. Source: our choice. */
  indexedHeadCharacters: 120_000,
  /** Characters of one block that are indexed from its end. Source: our choice. */
  indexedTailCharacters: 20_000,
  /** Characters of text an index holds; beyond it the oldest blocks keep a head of `indexedStubCharacters`. Source: our choice. */
  indexedTotalCharacters: 64_000_000,
  /** Characters of the oldest blocks that an index keeps where it is full. Source: our choice: a snippet. */
  indexedStubCharacters: 400,
  /** Postings an index holds; beyond it the commonest terms forget their oldest places. Source: our choice: some 64 MB. */
  indexedPostings: 8_000_000,
  /** Hits of a search, by default and at the most. Source: our choice. */
  searchHits: 8,
  /** Most hits of one search. Source: our choice. */
  searchHitsMax: 30,
  /** Characters of a hit's snippet. Source: our choice. */
  snippetCharacters: 240,
  /** Characters of a page of `history_read`, by default and at the most: below the arrival limit of most windows. Source: our choice. */
  pageCharacters: 6_000,
  /** Most characters of a page. Source: our choice. */
  pageCharactersMax: 24_000,
} as const;

assert(
  COMPACTION_DEFAULTS.preview.tokens < COMPACTION_DEFAULTS.oldBlock.tokens &&
    COMPACTION_DEFAULTS.preview.floor < COMPACTION_DEFAULTS.oldBlock.floor,
  "a preview is smaller than the blocks that get one, or offloading would find work for ever",
);
assert(
  COMPACTION_DEFAULTS.newestRoundShare < COMPACTION_DEFAULTS.maxTailShare &&
    COMPACTION_DEFAULTS.maxTailShare < 1,
  "a peeled round may miss its budget by a little, and leaves room for the summary",
);
assert(
  COMPACTION_DEFAULTS.oldArgumentPreview.tokens < COMPACTION_DEFAULTS.oldArgument.tokens &&
    COMPACTION_DEFAULTS.oldArgumentPreview.floor < COMPACTION_DEFAULTS.oldArgument.floor,
  "the preview of an argument is smaller than the arguments that get one",
);
