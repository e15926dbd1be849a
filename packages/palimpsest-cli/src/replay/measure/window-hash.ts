/**
 * A fingerprint of a window: equal windows have equal ones, to the byte.
 */

import type { RequestMessage } from "palimpsest";
import { nodeHasher } from "palimpsest";

const known = new WeakMap<RequestMessage, string>();

/** Messages that were in an earlier window are not hashed again. */
export function hashWindow(messages: readonly RequestMessage[]): string {
  return nodeHasher.sha256(messages.map(hashMessage).join());
}

function hashMessage(message: RequestMessage): string {
  const hash = known.get(message) ?? nodeHasher.sha256(JSON.stringify(message));
  known.set(message, hash);
  return hash;
}
