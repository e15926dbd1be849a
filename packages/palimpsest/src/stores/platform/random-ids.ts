/** Ids from the platform's source of randomness. */
import { randomUUID } from "node:crypto";
import type { IdSource } from "../../ports/id-source.ts";

/**
 * Sessions get a UUID v4. Entries get 16 hex digits of one: two of a million entries of a session
 * share an id about once in 40 million sessions, and the entry's line stays short.
 */
export const randomIds: IdSource = {
  sessionId: () => randomUUID(),
  entryId: () => {
    const uuid = randomUUID();
    return uuid.slice(0, 8) + uuid.slice(28);
  },
};
