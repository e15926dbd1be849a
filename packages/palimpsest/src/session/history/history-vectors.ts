/**
 * Finds what was said in a session by its meaning, beside the search by words.
 *
 * Vectors are made from the first search on, in the background: a search waits for them no longer than for the vector of
 * its query, and the next one finds by those that are there by then. What people and the agent said is sent: the newest
 * texts, their beginnings, without secrets. Calls and results of tools are searched by their words. Vectors are known by
 * the hash of their text and kept beside the session, where the store has a place for what can be made again.
 */
import { MEMORY_VECTOR_DEFAULTS } from "../../base/defaults/memory/vectors.ts";
import { isObject, parseJson } from "../../base/json/json.ts";
import { cutHead } from "../../base/text/text.ts";
import { formatPointer } from "../../compaction/shared/pointer.ts";
import {
  areAllEqual,
  closest,
  EVERYDAY_MESSAGES,
  leastNear,
  packVector,
  spreadOf,
  unpackVector,
} from "../../memory/recall/vector-search.ts";
import type { EmbeddingClient } from "../../ports/model-client.ts";
import type { Deadline, Hasher } from "../../ports/runtime.ts";
import { blockText, type Role } from "../../transcript/blocks.ts";
import { withoutSecrets } from "../../transcript/without-secrets.ts";
import { askWithin } from "../model/ask-within.ts";
import { embedInBatches, embedTexts, unusableVectors } from "../model/embed-texts.ts";
import type { LogReader } from "./message-reader.ts";

/** Texts of a session that are compared, the newest ones. Our choice: some weeks of conversation, and two megabytes. */
const COMPARED_TEXTS_COUNT = 2_000;
/** Characters of a text that are embedded. Our choice: what it is about stands at its beginning. */
const EMBEDDED_CHARACTERS = 1_000;
/** Shorter texts, such as “go on”, mean nothing by themselves. */
const LEAST_CHARACTERS = 20;

/** A text of a message, or its beginning. */
export interface HistoryText {
  readonly pointer: string;
  readonly seq: number;
  readonly role: Role;
  readonly text: string;
}

/** A place for the vectors of a session; it may lose them at any time. */
interface VectorFile {
  read(): Promise<string | undefined>;
  write(text: string, throughSeq: number): Promise<void>;
}

interface HistoryVectorParts {
  readonly client: EmbeddingClient;
  readonly reader: Pick<LogReader, "messages">;
  readonly positionOf: (seq: number) => number | undefined;
  readonly hasher: Hasher;
  readonly deadline: Deadline;
  readonly file?: VectorFile | undefined;
}

export class HistoryVectors {
  readonly #parts: HistoryVectorParts;
  readonly #closing = new AbortController();
  #texts: (HistoryText & { readonly hash: string })[] = [];
  #throughSeq = 0;
  /** By the hash of the text. */
  #vectors: Map<string, Float32Array> | undefined;
  #spread = 0;
  #indexing: Promise<void> | undefined;

  constructor(parts: HistoryVectorParts) {
    this.#parts = parts;
  }

  /**
   * The texts that are closest in meaning to a query, the closest first.
   * @throws `MODEL_FAILED` if the vectors are unusable or take too long; errors of the client and of the store
   */
  async closest(query: string): Promise<readonly HistoryText[]> {
    const { client, deadline } = this.#parts;
    const { embedTimeoutMs: timeoutMs, nearSpreads, closestCount } = MEMORY_VECTOR_DEFAULTS;
    const limits = { deadline, timeoutMs, signal: this.#closing.signal };
    const embedded = async (signal: AbortSignal) => {
      await this.#indexed();
      return embedTexts(client, [cutHead(query, EMBEDDED_CHARACTERS)], { deadline, timeoutMs, signal });
    };
    const [asked] = await askWithin(embedded, limits);
    if (asked === undefined) throw unusableVectors(client, "It returned no vector for the query.");
    const known = this.#vectors!;
    const vectors = new Map<string, Float32Array>();
    const texts = new Map<string, HistoryText>();
    for (const text of this.#texts) {
      const vector = known.get(text.hash);
      if (vector === undefined) continue;
      vectors.set(text.pointer, vector);
      texts.set(text.pointer, text);
    }
    if (areAllEqual([asked, ...vectors.values()]))
      throw unusableVectors(client, "It returned the same vector for every text.");
    const everyday = EVERYDAY_MESSAGES.flatMap((text) => known.get(this.#hashOf(text)) ?? []);
    const scale = { everyday, spread: this.#spread, count: vectors.size };
    const near = closest(asked, vectors, {
      least: leastNear(asked, scale, nearSpreads.found),
      count: closestCount,
    });
    return near.map(({ id }) => texts.get(id)!);
  }

  /** Stops what is under way. */
  close(): void {
    this.#closing.abort();
  }

  /** Resolves when all that was said has a vector. It continues after callers stop waiting. */
  async #indexed(): Promise<void> {
    // A run that another search began may not have the newest messages.
    while (this.#indexing !== undefined) await this.#indexing;
    this.#indexing = this.#index().finally(() => {
      this.#indexing = undefined;
    });
    this.#indexing.catch(() => undefined);
    await this.#indexing;
  }

  async #index(): Promise<void> {
    this.#vectors ??= await this.#readFile();
    await this.#readMessages();
    const known = this.#vectors;
    const wanted = new Map(EVERYDAY_MESSAGES.map((text) => [this.#hashOf(text), text]));
    for (const { hash, text } of this.#texts) wanted.set(hash, text);
    const missing = [...wanted].filter(([hash]) => !known.has(hash));
    if (missing.length > 0) await this.#embedAll(missing, known);
    if (missing.length > 0 || this.#spread === 0) {
      const everyday = EVERYDAY_MESSAGES.flatMap((text) => known.get(this.#hashOf(text)) ?? []);
      this.#spread = spreadOf(
        this.#texts.flatMap(({ hash }) => known.get(hash) ?? []),
        everyday,
      );
    }
  }

  async #readMessages(): Promise<void> {
    const { reader, positionOf } = this.#parts;
    const after = this.#throughSeq;
    for await (const { entry, content } of reader.messages(
      after,
      after === 0 ? undefined : positionOf(after),
    )) {
      this.#closing.signal.throwIfAborted();
      content.forEach((block, position) => {
        if (block.type !== "text") return;
        const text = cutHead(blockText(withoutSecrets(block)).trim(), EMBEDDED_CHARACTERS);
        if (text.length < LEAST_CHARACTERS) return;
        const pointer = formatPointer({ seq: entry.seq, block: position });
        this.#texts.push({ pointer, seq: entry.seq, role: entry.role, text, hash: this.#hashOf(text) });
      });
      if (this.#texts.length > 2 * COMPARED_TEXTS_COUNT)
        this.#texts = this.#texts.slice(-COMPARED_TEXTS_COUNT);
      this.#throughSeq = entry.seq;
    }
    this.#texts = this.#texts.slice(-COMPARED_TEXTS_COUNT);
  }

  /** The newest first, so that a search that does not wait has those. */
  async #embedAll(
    missing: readonly (readonly [hash: string, text: string])[],
    known: Map<string, Float32Array>,
  ): Promise<void> {
    const { client, deadline } = this.#parts;
    const newest = missing.toReversed();
    const texts = newest.map(([, text]) => text);
    const limits = { deadline, signal: this.#closing.signal };
    try {
      for await (const { from, vectors } of embedInBatches(client, texts, limits))
        for (const [at, vector] of vectors.entries())
          if (vector !== undefined) known.set(newest[from + at]![0], vector);
    } finally {
      await this.#writeFile(known);
    }
  }

  async #readFile(): Promise<Map<string, Float32Array>> {
    const vectors = new Map<string, Float32Array>();
    const parsed = parseJson((await this.#parts.file?.read().catch(() => undefined)) ?? "");
    const value = parsed.ok ? parsed.value : undefined;
    if (!isObject(value) || value["model"] !== this.#parts.client.model) return vectors;
    for (const [hash, packed] of Object.entries(isObject(value["vectors"]) ? value["vectors"] : {})) {
      const vector = unpackVector(packed);
      if (vector !== undefined) vectors.set(hash, vector);
    }
    return vectors;
  }

  async #writeFile(known: ReadonlyMap<string, Float32Array>): Promise<void> {
    const hashes = [
      ...EVERYDAY_MESSAGES.map((text) => this.#hashOf(text)),
      ...this.#texts.map(({ hash }) => hash),
    ];
    const vectors = Object.fromEntries(
      hashes.flatMap((hash) => {
        const vector = known.get(hash);
        return vector === undefined ? [] : [[hash, packVector(vector)]];
      }),
    );
    const text = JSON.stringify({ model: this.#parts.client.model, vectors });
    // It can be made again.
    await this.#parts.file?.write(text, this.#throughSeq).catch(() => undefined);
  }

  #hashOf(text: string): string {
    return this.#parts.hasher.sha256(text).slice(0, HASH_CHARACTERS);
  }
}

/** Characters of a hash that tell texts of one session apart. */
const HASH_CHARACTERS = 32;
