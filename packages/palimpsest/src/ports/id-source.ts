/** Ids of entries and sessions. */
export interface IdSource {
  /** A UUID v4, for sessions. */
  sessionId(): string;
  /** A short id, unique within one session, for entries and calls. */
  entryId(): string;
}
