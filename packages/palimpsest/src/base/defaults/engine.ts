/**
 * Numbers of the engine: when it writes checkpoints, and when it gives up.
 */
import { assert } from "../assert.ts";

export const ENGINE_DEFAULTS = {
  /** A checkpoint is written after this many bytes of log and blobs. Source: where-the-numbers-come-from.md, "Stores and durability": parsing 1 MB of log takes about 2 ms. */
  checkpointBytes: 1_000_000,
  /** Entries up to which a log without a checkpoint is folded whole, so that anything in it can be undone. Source: our choice: about 20 MB of an agent's log, half a second. */
  foldedWholeEntries: 20_000,
  /** Entries after which the digest of a session is stored again, with a checkpoint. Source: our choice: about 20 MB of an agent's log, of which it takes some 5 %; folding as many again takes about two seconds. */
  digestStepEntries: 20_000,
  /** Entries between two checkpoints that are planned while a longer log is gone through. Source: our choice: about 5 MB; up to twice that is folded for real at its end. */
  outlineStepEntries: 5_000,
  /** Share of the window that system prompt and tools may take: beyond it there is no room to work and to summarise. Source: our choice. */
  maxFixedShare: 0.8,
  /** Share of the blocking limit that a last-resort peel aims at: room for one more message. Source: our choice. */
  truncateShare: 0.9,
  /** Share of the size of a request that was refused without figures which is taken to fit. Source: our choice: the estimate is rarely further off. */
  refusedShare: 0.75,
  /** Share of the window that a compaction has to free to count as one. Source: our choice; where-the-numbers-come-from.md, "Compaction targets". */
  usefulFreedShare: 0.2,
  /** Useless compactions in a row after which a session reports them. Source: our choice; where-the-numbers-come-from.md, "Compaction targets". */
  uselessCompactions: 3,
  /** Levels of nesting that a block may have; what lies deeper is kept as its JSON text. Source: our choice: far above the 12 levels of the deepest recorded line, far below the about 2,000 levels at which walks of the window overflowed. */
  maxNestingLevels: 256,
  /** Values (members of objects, items of lists) that one hand-over may hold. Source: our choice: a list that holds the same list over and over has no end otherwise; the longest recorded session has under 70,000. */
  maxValuesCount: 5_000_000,
  /** Steps of a path that a refusal spells out. Source: our choice: enough to find the place. */
  pathStepsShownCount: 12,
  /** Longest name in such a path, in UTF-16 units. Source: our choice. */
  pathStepChars: 60,
  /** Newest messages of a host's list that are read again on every `reconcile`, for hosts that change a streamed answer in place. Source: our choice: an answer, its results and what the user typed meanwhile. */
  rereadMessagesCount: 8,
  /** A message up to this length is compared by its text, in UTF-16 units; a longer one by its hash. Source: our choice: hashing a short text costs more than building it. */
  maxPlainKeyChars: 256,
  /** Pause between two pieces that the background verification of an opened log reads, in milliseconds. Source: our choice: a piece of `readChunkBytes` takes about 2 ms, so it is idle most of the time, and reads 50 MB a second. */
  verifyIntervalMs: 20,
  /** Members of an object up to which their names are sorted by insertion. Source: our choice: where it stops being faster than the platform's sort. */
  maxInsertionSortCount: 12,
} as const;

assert(ENGINE_DEFAULTS.maxFixedShare < 1, "a window holds more than system prompt and tools");
