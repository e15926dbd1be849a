/** SHA-256 of the platform. */
import { createHash } from "node:crypto";
import type { Hasher } from "../../ports/hasher.ts";

/** Hashes with `node:crypto`. */
export const nodeHasher: Hasher = {
  sha256: (text) => createHash("sha256").update(text, "utf8").digest("hex"),
};
