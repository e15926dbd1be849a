/**
 * Numbers of the lists of sessions: how much of a log is read for them, and what their index keeps.
 */
import { assert } from "../assert.ts";

export const SESSION_LIST_DEFAULTS = {
  /** Sessions of a page. Source: our choice, more than a screen shows. */
  pageSessions: 50,
  /** Last bytes of a log that are read: title and tags lie in them once a session was closed. Source: where other tools look, too. */
  tailBytes: 16_384,
  /** Metadata that a session may hold, in bytes of JSON and `metadataEntryBytes` for each key. Source: our choice; it is written again after each checkpoint, and has to fit into the last `tailBytes`. */
  metadataLimitBytes: 12_288,
  /** Bytes of a line of metadata beside key and value. Source: counted on our own lines, 230 with UUIDs. */
  metadataEntryBytes: 256,
} as const;

assert(
  SESSION_LIST_DEFAULTS.metadataLimitBytes < SESSION_LIST_DEFAULTS.tailBytes,
  "metadata that was written again lies in the bytes that a list reads",
);
