/**
 * Embedding vectors of memories, for finding memories by meaning.
 *
 * A vector is requested when it is first needed and kept beside the memories, by the version of its file, so an
 * unchanged memory is never sent again. The vectors of a provider are checked: their number, lengths and values, and that they
 * are not all equal. If they are unusable, or the provider fails, this throws and the caller searches by words. Many
 * missing vectors are requested in the background: a recall waits for them no longer than for the vector of its
 * query, and the next recall finds those that are there by then.
 */
import { MEMORY_VECTOR_DEFAULTS } from "../../../base/defaults/memory/vectors.ts";
import { cutHead } from "../../../base/text/text.ts";
import type { KnownMemory } from "../../../memory/files/memory.ts";
import { meaningText } from "../../../memory/recall/search-fields.ts";
import {
  areAllEqual,
  closest,
  EVERYDAY_MESSAGES,
  leastNear,
  packVector,
  spreadOf,
  unpackVector,
} from "../../../memory/recall/vector-search.ts";
import type { MemoryStore } from "../../../ports/memory-store.ts";
import type { EmbeddedSide, EmbeddingClient } from "../../../ports/model-client.ts";
import type { Deadline } from "../../../ports/runtime.ts";
import { askWithin } from "../../../session/model/ask-within.ts";
import { embedInBatches, embedTexts, unusableVectors } from "../../../session/model/embed-texts.ts";
import { VectorRecord } from "./vector-record.ts";

/** Characters of a memory that are embedded. Our choice: within 2,000 tokens, which every common model takes. */
const EMBEDDED_CHARACTERS = 6_000;

interface ClosestMemories {
  /** The closest first. */
  readonly paths: readonly string[];
  /** The number of memories without a comparable vector; absent if all have one. */
  readonly withoutCount?: number;
}

/** Client, store and time for the vectors. */
interface VectorWorld {
  readonly client: EmbeddingClient;
  readonly store: MemoryStore;
  readonly deadline: Deadline;
  readonly yieldTurn: () => Promise<void>;
}

export class MemoryVectors {
  readonly #client: EmbeddingClient;
  readonly #deadline: Deadline;
  readonly #yieldTurn: () => Promise<void>;
  readonly #record: VectorRecord;
  #everyday: readonly Float32Array[] = [];
  #spread = 0;
  /** By path: the version of the file and its vector, absent if the provider returned none. */
  readonly #vectors = new Map<
    string,
    { readonly version: string; readonly vector: Float32Array | undefined }
  >();

  /** The vectors being made now, for the first recall that asked. */
  #indexing: Promise<void> | undefined;

  constructor({ client, store, deadline, yieldTurn }: VectorWorld) {
    this.#client = client;
    this.#deadline = deadline;
    this.#yieldTurn = yieldTurn;
    this.#record = new VectorRecord(store, client.model);
  }

  /**
   * Finds the memories that are closest in meaning to a text, the closest first.
   * @param nearness - `shown`: only what a model may be given unasked
   * @param present - the versions of all memories that there are, asked for or not: vectors of others are dropped
   * @throws `MODEL_FAILED` if the vectors are unusable or take too long; errors of the client
   */
  async closest(
    text: string,
    memories: readonly KnownMemory[],
    {
      nearness,
      present,
      signal,
    }: {
      readonly nearness: "shown" | "found";
      readonly present: Iterable<string>;
      readonly signal?: AbortSignal | undefined;
    },
  ): Promise<ClosestMemories> {
    const { embedTimeoutMs: timeoutMs, nearSpreads, closestCount } = MEMORY_VECTOR_DEFAULTS;
    const embedded = async (inner: AbortSignal) => {
      await this.#indexed(memories, present);
      return embedTexts(this.#client, [cutHead(text, EMBEDDED_CHARACTERS)], {
        deadline: this.#deadline,
        timeoutMs,
        signal: inner,
        side: "message",
      });
    };
    const [asked] = await askWithin(embedded, { deadline: this.#deadline, timeoutMs, signal });
    // In the same form as those that are kept: only so can it be seen that all are equal.
    const query = asked && unpackVector(packVector(asked));
    if (query === undefined) throw unusableVectors(this.#client, "It returned no vector for the message.");
    const vectors = new Map<string, Float32Array>();
    for (const { memory } of memories) {
      const vector = this.#vectors.get(memory.path)?.vector;
      if (vector !== undefined) vectors.set(memory.path, vector);
    }
    this.#assertUsable(query, [...vectors.values()]);
    const withoutCount = memories.length - vectors.size;
    const scale = { everyday: this.#everyday, spread: this.#spread, count: vectors.size };
    const { shownSpreads = nearSpreads.shown } = this.#client;
    const least = leastNear(query, scale, nearness === "shown" ? shownSpreads : nearSpreads.found);
    const near = closest(query, vectors, { least, count: closestCount });
    return { paths: near.map(({ id }) => id), ...(withoutCount === 0 ? {} : { withoutCount }) };
  }

  /** @throws `MODEL_FAILED` if these vectors are unusable; the next recall asks for all of them again */
  #assertUsable(query: Float32Array, vectors: readonly Float32Array[]): void {
    const unequal = vectors.find(({ length }) => length !== query.length);
    const problem =
      unequal !== undefined
        ? `It returned vectors of ${query.length} and ${unequal.length} numbers.`
        : areAllEqual([query, ...vectors])
          ? "It returned the same vector for every text."
          : undefined;
    if (problem === undefined) return;
    this.#vectors.clear();
    this.#everyday = [];
    void this.#record.clear();
    throw unusableVectors(this.#client, problem);
  }

  /** Resolves when all memories have been embedded. It continues after callers stop waiting. */
  async #indexed(memories: readonly KnownMemory[], present: Iterable<string>): Promise<void> {
    // A run that another recall began may not include all of these memories.
    while (this.#indexing !== undefined) await this.#indexing;
    this.#indexing = this.#index(memories, present).finally(() => {
      this.#indexing = undefined;
    });
    this.#indexing.catch(() => undefined);
    await this.#indexing;
  }

  async #index(memories: readonly KnownMemory[], present: Iterable<string>): Promise<void> {
    const stored = await this.#record.read();
    const fresh = memories.filter(({ memory, version }) => {
      if (this.#vectors.get(memory.path)?.version === version) return false;
      const vector = stored.get(version);
      if (vector !== undefined) this.#vectors.set(memory.path, { version, vector });
      return vector === undefined;
    });
    const made = await this.#embedAll(
      fresh.map(({ memory, version }) => ({
        version,
        text: cutHead(meaningText(memory), EMBEDDED_CHARACTERS),
      })),
      "memory",
      (batch, from) => {
        batch.forEach((vector, at) => {
          const { memory, version } = fresh[from + at]!;
          this.#vectors.set(memory.path, { version, vector });
        });
      },
    );
    const here = new Set(memories.map(({ memory }) => memory.path));
    for (const path of this.#vectors.keys()) if (!here.has(path)) this.#vectors.delete(path);
    if (memories.length > 0) await this.#compareWithEveryday(made > 0 || this.#everyday.length === 0);
    await this.#record.keep(new Set([...present, ...EVERYDAY_MESSAGES.map(everydayVersion)]));
  }

  /** Measures what similarities of this model mean. It is asked again where that failed. */
  async #compareWithEveryday(hasChanged: boolean): Promise<void> {
    if (this.#everyday.length === 0) {
      const wanted = EVERYDAY_MESSAGES.map((text) => ({ version: everydayVersion(text), text }));
      const stored = await this.#record.read();
      const missing = wanted.filter(({ version }) => !stored.has(version));
      await this.#embedAll(missing, "message", () => undefined);
      const all = await this.#record.read();
      this.#everyday = wanted.flatMap(({ version }) => all.get(version) ?? []);
    }
    if (!hasChanged) return;
    const vectors = [...this.#vectors.values()].flatMap(({ vector }) => vector ?? []);
    this.#spread = spreadOf(vectors, this.#everyday);
  }

  /** Embeds texts in batches, which are kept as they come. Returns how many there were. */
  async #embedAll(
    texts: readonly { readonly version: string; readonly text: string }[],
    side: EmbeddedSide,
    take: (vectors: readonly (Float32Array | undefined)[], from: number) => void,
  ): Promise<number> {
    const wanted = texts.map(({ text }) => text);
    for await (const { from, vectors: answered } of embedInBatches(this.#client, wanted, {
      deadline: this.#deadline,
      side,
    })) {
      // As they will be read again, so that a restart changes no order.
      const vectors = answered.map((vector) => vector && unpackVector(packVector(vector)));
      take(vectors, from);
      const usable = vectors.flatMap((vector, at) =>
        vector === undefined ? [] : [[texts[from + at]!.version, vector] as const],
      );
      await this.#record.add(new Map(usable));
      await this.#yieldTurn();
    }
    return texts.length;
  }
}

const everydayVersion = (text: string): string => `everyday: ${text}`;
