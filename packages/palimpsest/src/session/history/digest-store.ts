/**
 * Stores the digest of a very long session beside its log: at some checkpoints, read when the digest is first used
 * after opening. It is a blob, so its name reveals damage; then the digest is folded from the log again.
 */
import { asString, isObject, type JsonObject } from "../../base/json/json.ts";
import type { Digest } from "../../compaction/digest/digest.ts";
import { readDigest, writeDigest } from "../../compaction/digest/saved-digest.ts";
import type { Hasher } from "../../ports/runtime.ts";
import type { SessionLog } from "../../ports/session-store.ts";
import type { CheckpointEntry } from "../../transcript/entries.ts";

/** Entries after which the digest of a session is stored again, with a checkpoint. Our choice: about 20 MB of an agent's log, of which it takes some 5 %; folding as many again takes about two seconds. */
const DIGEST_STEP_ENTRIES = 20_000;

/** A digest that lies in the store: of everything up to an entry, and where that lies. */
export interface StoredDigest {
  readonly hash: string;
  readonly throughSeq: number;
  readonly position: number;
}

export class DigestStore {
  readonly #log: Pick<SessionLog, "getBlob" | "putBlob">;
  readonly #hasher: Hasher;
  #stored: StoredDigest | undefined;

  constructor(
    log: Pick<SessionLog, "getBlob" | "putBlob">,
    { hasher, stored }: { readonly hasher: Hasher; readonly stored: StoredDigest | undefined },
  ) {
    this.#log = log;
    this.#hasher = hasher;
    this.#stored = stored;
  }

  /** The part in a checkpoint. */
  get carried(): { readonly digest?: JsonObject } {
    return this.#stored === undefined ? {} : { digest: { ...this.#stored } };
  }

  /** After a rewind, or after the host removed messages, the stored digest is invalid. */
  invalidate(): void {
    this.#stored = undefined;
  }

  /** True if enough was appended since the last one was stored. */
  isDue(throughSeq: number): boolean {
    return throughSeq - (this.#stored?.throughSeq ?? 0) >= DIGEST_STEP_ENTRIES;
  }

  /** The stored digest, and the position from where the log continues; `undefined` without a readable one. */
  async load(): Promise<(StoredDigest & { readonly state: Digest }) | undefined> {
    if (this.#stored === undefined) return undefined;
    try {
      const text = await this.#log.getBlob(this.#stored.hash);
      const state = text === undefined ? undefined : readDigest(text);
      return state === undefined ? undefined : { ...this.#stored, state };
    } catch {
      // A damaged blob costs time, nothing else: the log holds all that it was made of.
      return undefined;
    }
  }

  async save(digest: Digest, place: Pick<StoredDigest, "throughSeq" | "position">): Promise<void> {
    const text = writeDigest(digest);
    const hash = this.#hasher.sha256(text);
    await this.#log.putBlob(hash, text);
    this.#stored = { hash, ...place };
  }
}

/** Reads the digest in a checkpoint, if it has the expected form. */
export function carriedDigest(checkpoint: CheckpointEntry | undefined): StoredDigest | undefined {
  const carried = checkpoint?.carried?.["digest"];
  if (!isObject(carried)) return undefined;
  const { throughSeq, position } = carried;
  const hash = asString(carried["hash"]);
  const isPlace = Number.isSafeInteger(throughSeq) && Number.isSafeInteger(position);
  if (hash === undefined || !isPlace || (throughSeq as number) > checkpoint!.seq) return undefined;
  return { hash, throughSeq: throughSeq as number, position: position as number };
}

/** The checkpoint for another log, where the digest lies neither in the store nor at that position. */
export function withoutDigest(checkpoint: CheckpointEntry): CheckpointEntry {
  if (checkpoint.carried?.["digest"] === undefined) return checkpoint;
  const { digest: _, ...carried } = checkpoint.carried;
  return { ...checkpoint, carried };
}
