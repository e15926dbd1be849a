/** Digests of lists of messages, numbered from 1. */
import { addToDigest, createDigest, type Digest } from "#compaction/digest/digest.ts";
import type { Message } from "#transcript/blocks.ts";

const digests = new WeakMap<readonly Message[], Digest>();

/** The digest of a list, which is made once: planning only reads it. */
export function digestOf(messages: readonly Message[]): Digest {
  const known = digests.get(messages);
  if (known !== undefined) return known;
  const digest = createDigest();
  for (const [index, message] of messages.entries()) addToDigest(digest, index + 1, message);
  digests.set(messages, digest);
  return digest;
}
