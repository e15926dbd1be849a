/**
 * Numbers of the lists of sessions: how much of a log is read for them, and what their index keeps.
 */
import { assert } from "../assert.ts";

export const SESSION_LIST_DEFAULTS = {
  /** Sessions of a page. Source: our choice, more than a screen shows. */
  pageSessions: 50,
  /** Characters of a first prompt that are shown. Source: our choice. */
  promptChars: 200,
  /** Characters of a title in the list of all sessions. Source: our choice, so that 10,000 of them are read within milliseconds. */
  titleChars: 80,
  /** First bytes of a log that are read; most hold the first prompt. Source: `npm run bench:sessions`. */
  headBytes: 4_096,
  /** Bytes from the start of a log within which its first prompt is looked for. Source: our choice; a prompt with pasted files is cut at arrival long before. */
  headLimitBytes: 262_144,
  /** Last bytes of a log that are read: title and tags lie in them once a session was closed. Source: where other tools look, too. */
  tailBytes: 16_384,
  /** Bytes back from the end within which the last checkpoint is looked for, where the tail has none. Source: our choice, four times the distance of two checkpoints. */
  checkpointSearchBytes: 4_194_304,
  /** Metadata that a session may hold, in bytes of JSON and `metadataEntryBytes` for each key. Source: our choice; it is written again after each checkpoint, and has to fit into the last `tailBytes`. */
  metadataLimitBytes: 12_288,
  /** Bytes of a line of metadata beside key and value. Source: counted on our own lines, 230 with UUIDs. */
  metadataEntryBytes: 256,
  /** Lines behind an index's sorted part before it is sorted again; also, at least half of that part. Source: our choice, about 200 KB. */
  indexLooseLines: 1_000,
  /** Sessions found without an index, the newest, whose writers may be at work still: they are looked at again for each list. Source: our choice, far above the writers of one folder; under a millisecond. */
  indexUncertainSessions: 100,
  /** Age at which a half-made index was left by a crash, in milliseconds. Source: our choice; making one of 100,000 sessions takes under two seconds. */
  indexLockMs: 60_000,
} as const;

assert(
  SESSION_LIST_DEFAULTS.metadataLimitBytes < SESSION_LIST_DEFAULTS.tailBytes,
  "metadata that was written again lies in the bytes that a list reads",
);
assert(
  SESSION_LIST_DEFAULTS.headBytes <= SESSION_LIST_DEFAULTS.headLimitBytes,
  "a head is at least as long as what is read first",
);
