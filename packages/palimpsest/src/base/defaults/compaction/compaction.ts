/**
 * Numbers of the compaction layers: limits of a block at arrival, forms of old blocks, the
 * extractive summary and the history tools.
 *
 * Token numbers are pairs: `tokens` is the value in the reference window and scales down with the
 * window; `floor` is the least value that is still useful, which holds down to the window
 * `FLOOR_WINDOW_TOKENS` and shrinks with the window below it (`compaction/shared/measure.ts`).
 */
import { assert } from "../../assert.ts";

export const COMPACTION_DEFAULTS = {
  /** All results of one message together at arrival, in tokens; a single block has its limit from the policy. Source: our choice; where-the-numbers-come-from.md, "Arrival limits". */
  arrivalMessage: { tokens: 50_000, floor: 12_000 },
  /** UTF-8 bytes of one block; bytes do not scale, stores and requests are limited in bytes. Source: our choice; where-the-numbers-come-from.md, "Arrival limits". */
  arrivalBlockBytes: 100_000,
  /** Characters of one line: minified files and data dumps. Source: our choice; where-the-numbers-come-from.md, "Arrival limits". */
  arrivalLineCharacters: 20_000,
  /** Head and tail of a preview, in tokens. Source: where-the-numbers-come-from.md, "Arrival limits". */
  arrivalPreview: { tokens: 2_000, floor: 1_500 },
  /** Head and tail of an older block that gives way, in tokens. Source: where-the-numbers-come-from.md, "Offload and microcompact". */
  preview: { tokens: 1_000, floor: 400 },

  /** A block above this gets its preview form once the window is above the offload gate. Source: our choice; where-the-numbers-come-from.md, "Offload and microcompact". */
  oldBlock: { tokens: 2_000, floor: 600 },
  /** Newest part of the window that usage layers leave alone. Source: our choice; where-the-numbers-come-from.md, "Offload and microcompact": 8K tokens of results were enough in simulation. */
  recentTail: { tokens: 20_000, floor: 4_000 },

  /** Newest clearable results that stay whole. Source: our choice; where-the-numbers-come-from.md, "Offload and microcompact". */
  resultsKeptCount: 5,
  /** Clearable results from this count on are cleared whatever the usage. Source: our choice; where-the-numbers-come-from.md, "Offload and microcompact". */
  clearableCountGate: 100,
  /** Tokens of the text that replaces a cleared result. Source: where-the-numbers-come-from.md, "Briefs". */
  briefTokens: 60,
  /** Distinctive strings named in a brief. Source: our choice; where-the-numbers-come-from.md, "Briefs". */
  briefStringCount: 4,
  /** A read-only result shorter than this, in characters, is cleared without a brief. Source: our choice; where-the-numbers-come-from.md, "Briefs". */
  smallResultCharacters: 1_000,

  /** The most that is pinned, in tokens. Source: our choice: a page or two, which every request pays for. */
  pins: { tokens: 4_000, floor: 1_000 },
  /** Hits of a search, by default and at the most. Source: our choice. */
  searchHits: 8,
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
