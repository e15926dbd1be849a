/**
 * Long-term memory as the store of LangGraph: items by namespace and key, each of them a memory that people can read.
 *
 * DESIGN. An item is a file: its namespace is the folder, its key the name. The text of the value is the text of the
 * memory, the rest of it a line of JSON below, so that sessions recall items as they recall every memory, and every
 * memory is an item. What a program stores counts as a conclusion of the model, and is cleaned like one. Deleted items go
 * to the archive.
 */
import type { PersistentMemory } from "../../agent/memory/persistent-memory.ts";
import type { ListedMemory } from "../../agent/memory/store/listed-memory.ts";
import { OptionError } from "../../base/errors.ts";
import { isObject } from "../../base/json/json.ts";
import { parseBounded } from "../../base/json/parse-bounded.ts";
import { cleanMemoryText } from "../../memory/trust/clean-memory.ts";

type Value = Record<string, unknown>;

/** An item as LangGraph has it. */
interface StoreItem {
  value: Value;
  key: string;
  namespace: string[];
  createdAt: Date;
  updatedAt: Date;
  /** The match with a query; larger is better, comparable within one search only. */
  score?: number;
}

/** An operation of a batch: to get, to search, to put or delete, or to list namespaces. */
interface StoreOperation {
  readonly namespace?: string[];
  readonly key?: string;
  readonly value?: Value | null;
  readonly namespacePrefix?: string[];
  readonly filter?: Value | undefined;
  readonly query?: string | undefined;
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly matchConditions?: readonly {
    readonly matchType: "prefix" | "suffix";
    readonly path: readonly string[];
  }[];
  readonly maxDepth?: number | undefined;
}

type SearchOptions = Pick<StoreOperation, "filter" | "query" | "limit" | "offset">;

/** A `BaseStore` of LangGraph. */
export interface LangGraphStore {
  /** The results are in the order of the operations. */
  batch<Results>(operations: readonly StoreOperation[]): Promise<Results>;
  get(namespace: string[], key: string): Promise<StoreItem | null>;
  search(namespacePrefix: string[], options?: SearchOptions): Promise<StoreItem[]>;
  put(namespace: string[], key: string, value: Value): Promise<void>;
  delete(namespace: string[], key: string): Promise<void>;
  listNamespaces(options?: {
    prefix?: string[];
    suffix?: string[];
    maxDepth?: number;
    limit?: number;
    offset?: number;
  }): Promise<string[][]>;
  start(): void;
  stop(): void;
}

/** Items of a search without a limit. Source: LangGraph's own stores. */
const FOUND_COUNT = 10;
/** Namespaces of a list without a limit. Source: LangGraph's own stores. */
const LISTED_COUNT = 100;

/**
 * Makes a `store` for `createAgent`, `StateGraph` and deep agents of long-term memory.
 *
 * @example
 * ```ts
 * const agent = createAgent({ model, tools, store: memoryStore(createMemory()) });
 * ```
 */
export function memoryStore(memory: PersistentMemory): LangGraphStore {
  const items = new MemoryItems(memory);
  return {
    batch: async <Results>(operations: readonly StoreOperation[]) => {
      const results: unknown[] = [];
      for (const operation of operations) results.push(await items.run(operation));
      return results as Results;
    },
    get: (namespace, key) => items.get(namespace, key),
    search: (namespacePrefix, options) => items.search({ ...options, namespacePrefix }),
    put: (namespace, key, value) => items.put(namespace, key, value),
    delete: (namespace, key) => items.put(namespace, key, null),
    listNamespaces: ({ prefix, suffix, ...options } = {}) =>
      items.list({
        ...options,
        matchConditions: [
          ...(prefix === undefined ? [] : [{ matchType: "prefix" as const, path: prefix }]),
          ...(suffix === undefined ? [] : [{ matchType: "suffix" as const, path: suffix }]),
        ],
      }),
    start: () => undefined,
    stop: () => undefined,
  };
}

class MemoryItems {
  readonly #memory: PersistentMemory;
  #last: Promise<unknown> = Promise.resolve();

  constructor(memory: PersistentMemory) {
    this.#memory = memory;
  }

  async run(operation: StoreOperation): Promise<unknown> {
    const { namespace, key, value } = operation;
    if (operation.namespacePrefix !== undefined) return this.search(operation);
    if (namespace === undefined || key === undefined) return this.list(operation);
    return value === undefined ? this.get(namespace, key) : this.put(namespace, key, value);
  }

  async get(namespace: readonly string[], key: string): Promise<StoreItem | null> {
    const found = await this.#find(pathOf(namespace, key));
    return found === undefined ? null : itemOf(found);
  }

  async search({
    namespacePrefix = [],
    filter = {},
    query,
    limit = FOUND_COUNT,
    offset = 0,
  }: StoreOperation) {
    const { memories } = await this.#memory.list({ state: "active" });
    const found =
      query === undefined || query === ""
        ? memories
        : (await this.#memory.search(query, { limit: memories.length })).filter(
            ({ state }) => state === "active",
          );
    return found
      .map(itemOf)
      .filter(({ namespace }) => matches(namespace, { matchType: "prefix", path: namespacePrefix }))
      .filter(({ value }) => Object.entries(filter).every(([field, wanted]) => fits(value[field], wanted)))
      .slice(offset, offset + limit);
  }

  /** One after the other: of several values for one key, the last stays. */
  put(namespace: readonly string[], key: string, value: Value | null): Promise<void> {
    const done = this.#last.then(() => this.#put(pathOf(namespace, key), value));
    this.#last = done.catch(() => undefined);
    return done;
  }

  async #put(path: string, value: Value | null): Promise<void> {
    if (value !== null) checkSize(path, value);
    const tool = this.#memory.tool();
    const known = await this.#find(path);
    const full = `/memories/${path}`;
    if (known !== undefined && value !== null && readBody(known.body) !== undefined) {
      await tool.str_replace({ path: full, old_str: known.body, new_str: writeBody(value) });
      return;
    }
    if (known !== undefined) await tool.delete({ path: full });
    if (value !== null) await tool.create({ path: full, file_text: `${writeBody(value)}\n` });
  }

  async list({ matchConditions = [], maxDepth, limit = LISTED_COUNT, offset = 0 }: StoreOperation) {
    const { memories } = await this.#memory.list({ state: "active" });
    const all = memories.map(({ path }) => placeOf(path).namespace).filter(({ length }) => length > 0);
    const found = all
      .filter((namespace) => matchConditions.every((condition) => matches(namespace, condition)))
      .map((namespace) => namespace.slice(0, maxDepth));
    const distinct = new Map(found.map((namespace) => [JSON.stringify(namespace), namespace]));
    return [...distinct.values()].slice(offset, offset + limit);
  }

  async #find(path: string): Promise<ListedMemory | undefined> {
    const { memories } = await this.#memory.list();
    return memories.find((memory) => memory.path === path);
  }
}

function itemOf(memory: ListedMemory & { readonly score?: number }): StoreItem {
  const { path, body, createdAtMs = 0, updatedAtMs = createdAtMs, score } = memory;
  return {
    ...placeOf(path),
    value: readBody(body) ?? { text: body },
    createdAt: new Date(createdAtMs),
    updatedAt: new Date(updatedAtMs),
    ...(score === undefined ? {} : { score }),
  };
}

/** Fields of a value that hold its text, in this order. Source: the documentation of LangGraph and LangMem. */
const TEXT_FIELDS = ["text", "content", "memory", "data"];
/** Escapes of JSON, and backslashes that begin none. */
const ESCAPES = /\\(?:["\\/bfnrt]|u[\da-f]{4})?/gi;
/** A mark in the JSON for the text above it. */
const TEXT_MARK = "$text";
const BODY = /^(?:([\s\S]*)\n\n)?```json\n([^\n]*)\n```\s*$/;

function writeBody(value: Value): string {
  const field = TEXT_FIELDS.find((name) => typeof value[name] === "string" && isPlainText(value[name]));
  const text = field === undefined ? "" : `${value[field]}\n\n`;
  const rest = field === undefined ? value : { ...value, [field]: TEXT_MARK };
  return `${text}\`\`\`json\n${JSON.stringify(rest)}\n\`\`\``;
}

/** @throws `OptionError` where the file of a memory would hold a part of the value only */
function checkSize(path: string, value: Value): void {
  if (readBody(cleanMemoryText(writeBody(value), "body").text) !== undefined) return;
  throw new OptionError({
    message: `The value of ${path} does not fit into a memory.`,
    hint: "A memory has 32,000 characters at most: store several items, or keep a file and store its path.",
  });
}

/** True if a text is the same after it was written into a file. */
function isPlainText(text: string): boolean {
  return text !== "" && text === text.trim() && !text.startsWith("---") && !/```|\r/.test(text);
}

/** The value of an item; `undefined` for a memory that did not come from here. */
function readBody(body: string): Value | undefined {
  const [, text, json = ""] = BODY.exec(body) ?? [];
  // Cleaning escapes with backslashes that JSON does not know, such as `!\[`.
  const parsed = parseBounded(json.replace(ESCAPES, (found) => (found === "\\" ? "\\\\" : found)));
  if (!parsed.ok || !isObject(parsed.value)) return undefined;
  const field = TEXT_FIELDS.find((name) => (parsed.value as Value)[name] === TEXT_MARK);
  return text === undefined || field === undefined ? parsed.value : { ...parsed.value, [field]: text };
}

/** Names that a file of memory cannot have, or that are taken. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d|clock|memory)$/;

/** A part of a path that is the same on every system: other characters than these are written as their bytes. */
function encode(name: string): string {
  const bytes = (text: string): string =>
    [...new TextEncoder().encode(text)].map((byte) => `=${byte.toString(16).padStart(2, "0")}`).join("");
  const encoded = name.replace(/[^a-z0-9_-]+/g, bytes);
  return RESERVED.test(encoded) ? bytes(encoded) : encoded;
}

function decode(part: string): string {
  return part.replace(/(?:=[0-9a-f]{2})+/g, (codes) => {
    const bytes = codes
      .slice(1)
      .split("=")
      .map((code) => Number.parseInt(code, 16));
    return new TextDecoder().decode(Uint8Array.from(bytes));
  });
}

const pathOf = (namespace: readonly string[], key: string): string =>
  `${[...namespace, key].map(encode).join("/")}.md`;

function placeOf(path: string): { readonly namespace: string[]; readonly key: string } {
  const namespace = path.replace(/\.md$/, "").split("/").map(decode);
  const key = namespace.pop() ?? "";
  return { namespace, key };
}

function matches(
  namespace: readonly string[],
  { matchType, path }: NonNullable<StoreOperation["matchConditions"]>[number],
): boolean {
  if (path.length > namespace.length) return false;
  const part = matchType === "prefix" ? namespace.slice(0, path.length) : namespace.slice(-path.length);
  return path.length === 0 || path.every((label, index) => label === "*" || label === part[index]);
}

const OPERATORS: Readonly<Record<string, (value: unknown, wanted: unknown) => boolean>> = {
  $eq: (value, wanted) => isEqual(value, wanted),
  $ne: (value, wanted) => !isEqual(value, wanted),
  $gt: (value, wanted) => Number(value) > Number(wanted),
  $gte: (value, wanted) => Number(value) >= Number(wanted),
  $lt: (value, wanted) => Number(value) < Number(wanted),
  $lte: (value, wanted) => Number(value) <= Number(wanted),
};

function fits(value: unknown, wanted: unknown): boolean {
  const tests = isObject(wanted) ? Object.entries(wanted) : [];
  if (!tests.some(([name]) => name.startsWith("$"))) return isEqual(value, wanted);
  return tests.every(([name, operand]) => OPERATORS[name]?.(value, operand) === true);
}

const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
