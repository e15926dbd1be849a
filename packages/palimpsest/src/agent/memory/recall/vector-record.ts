/**
 * Vectors kept beside the memories, so that a text is sent to an embedding model once and not once per process.
 *
 * A vector is found by the version of its file: equal texts have equal versions. It is a cache: a line that cannot be
 * read, or a store that fails, costs another call of the model and nothing else.
 */
import { isObject, parseJson } from "../../../base/json/json.ts";
import { packVector, unpackVector } from "../../../memory/recall/vector-search.ts";
import type { MemoryStore } from "../../../ports/memory-store.ts";

/** The beginning of the names of such records. */
export const VECTOR_RECORDS = "vectors/";
const NAME_CHARACTERS = 80;

export class VectorRecord {
  readonly #store: MemoryStore;
  readonly #model: string;
  readonly #name: string;
  #reading: Promise<Map<string, Float32Array>> | undefined;
  /** Vectors were dropped that the record may still have. */
  #isBehind = false;

  constructor(store: MemoryStore, model: string) {
    this.#store = store;
    this.#model = model;
    const slug = model.toLowerCase().replace(/[^a-z0-9]+/g, "-");
    this.#name = `${VECTOR_RECORDS}${slug.replace(/^-|-$/g, "").slice(0, NAME_CHARACTERS) || "model"}.jsonl`;
  }

  /** The stored vectors, by version. */
  read(): Promise<ReadonlyMap<string, Float32Array>> {
    return this.#known();
  }

  #known(): Promise<Map<string, Float32Array>> {
    this.#reading ??= this.#readRecord();
    return this.#reading;
  }

  async #readRecord(): Promise<Map<string, Float32Array>> {
    const text = await this.#store.readRecord(this.#name).catch(() => undefined);
    const vectors = new Map<string, Float32Array>();
    for (const line of (text ?? "").split("\n")) {
      const parsed = parseJson(line);
      const value = parsed.ok ? parsed.value : undefined;
      // Two names of models can make one name of a record.
      if (!isObject(value) || value["model"] !== this.#model || !isObject(value["vectors"])) continue;
      for (const [version, packed] of Object.entries(value["vectors"])) {
        const vector = unpackVector(packed);
        if (vector !== undefined) vectors.set(version, vector);
      }
    }
    return vectors;
  }

  async add(fresh: ReadonlyMap<string, Float32Array>): Promise<void> {
    const known = await this.#known();
    if (fresh.size === 0) return;
    for (const [version, vector] of fresh) known.set(version, vector);
    await this.#store.appendRecord(this.#name, this.#line(fresh)).catch(() => undefined);
  }

  /** Drops the vectors of all other texts: they were forgotten or changed, and a vector tells much about its text. */
  async keep(versions: ReadonlySet<string>): Promise<void> {
    const known = await this.#known();
    for (const version of [...known.keys()])
      if (!versions.has(version)) this.#isBehind = known.delete(version);
    if (!this.#isBehind) return;
    const written = this.#store.writeRecord(this.#name, `${this.#line(known)}\n`);
    this.#isBehind = await written.then(
      () => false,
      () => true,
    );
  }

  /** Forgets all: they tell nothing. */
  async clear(): Promise<void> {
    (await this.#known()).clear();
    await this.#store.writeRecord(this.#name, "").catch(() => undefined);
  }

  #line(vectors: ReadonlyMap<string, Float32Array>): string {
    const packed = Object.fromEntries([...vectors].map(([version, vector]) => [version, packVector(vector)]));
    return JSON.stringify({ model: this.#model, vectors: packed });
  }
}
