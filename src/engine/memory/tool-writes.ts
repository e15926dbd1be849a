/**
 * What a model has written with the memory tool, looked at when its turn has ended: it may have done as a page told it.
 *
 * DESIGN. The tool's commands know nothing of the talk, and a model may write what it likes at once. Behind the turn
 * its new words are compared with what was said. Those that a tool or the web said better than anybody else are taken
 * back: a new file is quarantined, one that was there is as it was, and a line goes out of the index. What a model
 * concluded by itself stays. What somebody else has changed meanwhile is left alone.
 */
import { MEMORY_SAFETY_DEFAULTS } from "../../base/defaults/memory-safety.ts";
import type { Memory } from "../../memory/memory.ts";
import { parseMemoryFile, updateMemoryFile } from "../../memory/memory-file.ts";
import { isIndexPath, removeIndexLine } from "../../memory/memory-index.ts";
import { saidWords, shareIn } from "../../memory/said-words.ts";
import { type JudgedTalk, judgeTrust, type TrustVerdict } from "../../memory/trust.ts";
import type { MemoryChange, MemoryFile, MemoryStore } from "../../ports/memory-store.ts";
import type { MemoryReceipt } from "./memory-receipt.ts";
import { mountOf } from "./mounted-store.ts";

const INDEX_OF = (path: string): string => `${mountOf(path)}MEMORY.md`;
const WRITTEN = "written";

/** Files that were written, with their texts before the first change. */
export type WrittenFiles = ReadonlyMap<string, string | undefined>;

export class ToolWrites {
  readonly #store: MemoryStore;
  readonly #close: () => void;
  /** Files that nobody has looked at yet, as they were before the first change. */
  #before = new Map<string, string | undefined>();
  #count = 0;

  constructor(store: MemoryStore, close: () => void) {
    this.#store = store;
    this.#close = close;
  }

  /** How often something was written. */
  get count(): number {
    return this.#count;
  }

  /** What was written since the last call. */
  take(): WrittenFiles {
    const written = this.#before;
    this.#before = new Map();
    return written;
  }

  /** Nothing is noted any more. */
  close(): void {
    this.#close();
  }

  /** Takes note of a change; `before` are the texts that the changed files came from. */
  add(changes: readonly MemoryChange[], before: ReadonlyMap<string, string>): void {
    this.#count++;
    for (const { path, text } of changes)
      if (text !== undefined && !this.#before.has(path)) this.#before.set(path, before.get(path));
  }

  /** Judges what is new, and takes back what is not to be believed. @throws `STORE_FAILED` */
  async judge(written: WrittenFiles, talk: JudgedTalk): Promise<readonly MemoryReceipt[]> {
    const receipts: MemoryReceipt[] = [];
    for (const path of written.keys()) {
      const file = await this.#store.read(path);
      if (file === undefined) continue;
      const receipt = isIndexPath(path)
        ? await this.#judgeIndex(file, written, talk)
        : await this.#judgeMemory(file, written, talk);
      if (receipt !== undefined) receipts.push(receipt);
    }
    return receipts;
  }

  async #judgeMemory(
    { path, text, version }: MemoryFile,
    written: WrittenFiles,
    talk: JudgedTalk,
  ): Promise<MemoryReceipt | undefined> {
    const before = written.get(path);
    const { memory } = parseMemoryFile(path, text);
    const old = before === undefined ? [] : linesOf(parseMemoryFile(path, before).memory);
    const [verdict] = await this.#refusedOf([added(linesOf(memory), old).join("\n")], written, talk);
    if (verdict === undefined || memory.isQuarantined) return undefined;
    const { source, why } = verdict;
    const reason =
      before === undefined
        ? `${why} It is kept, and shown to no model until somebody confirms it.`
        : `${why} The file is as it was.`;
    const isApplied = await this.#apply([
      { path, base: version, text: before ?? updateMemoryFile(text, { source, isQuarantined: true }) },
      ...(before === undefined ? await this.#withoutLine(path) : []),
    ]);
    return isApplied ? receiptOf(before === undefined ? "quarantined" : "rejected", path, reason) : undefined;
  }

  async #judgeIndex(
    { path, text, version }: MemoryFile,
    written: WrittenFiles,
    talk: JudgedTalk,
  ): Promise<MemoryReceipt | undefined> {
    const fresh = added(text.split("\n"), written.get(path)?.split("\n") ?? []);
    const verdicts = await this.#refusedOf(fresh, written, talk);
    const refused = new Set(fresh.filter((_, at) => verdicts[at] !== undefined));
    if (refused.size === 0) return undefined;
    const kept = text.split("\n").filter((line) => !refused.has(line));
    const isApplied = await this.#apply([{ path, base: version, text: kept.join("\n") }]);
    const { why } = verdicts.find((verdict) => verdict !== undefined)!;
    return isApplied
      ? receiptOf("rejected", path, `${why} Lines that were taken out of the index: ${refused.size}.`)
      : undefined;
  }

  /** For each text the verdict against it; `undefined` where it may stay. */
  async #refusedOf(
    texts: readonly string[],
    written: WrittenFiles,
    talk: JudgedTalk,
  ): Promise<readonly (TrustVerdict | undefined)[]> {
    const verdicts = verdictsOn(texts, talk);
    const refused: (TrustVerdict | undefined)[] = [];
    for (const [index, verdict] of verdicts.entries()) {
      const { source, isQuarantined, isRecalled } = verdict;
      const isRead = isQuarantined && (source === "tool" || source === "web");
      // A memory may be written anew, where it is one of these and not what some other tool calls so.
      const isForeign = isRecalled && !(await this.#isKnown(texts[index]!, written));
      refused.push(isForeign ? { ...verdict, source: "tool" } : isRead ? verdict : undefined);
    }
    return refused;
  }

  /** Whether a memory that is not quarantined says so; those that were written, as they were before. */
  async #isKnown(text: string, written: WrittenFiles): Promise<boolean> {
    const { words } = saidWords(text);
    for (const { path: other } of (await this.#store.list()).files) {
      const known = written.has(other) ? written.get(other) : (await this.#store.read(other))?.text;
      if (known === undefined || parseMemoryFile(other, known).memory.isQuarantined) continue;
      if (shareIn(words, saidWords(known).words) >= MEMORY_SAFETY_DEFAULTS.carriedShare) return true;
    }
    return false;
  }

  async #withoutLine(path: string): Promise<readonly MemoryChange[]> {
    const index = await this.#store.read(INDEX_OF(path));
    if (index === undefined) return [];
    const text = removeIndexLine(index.text, path.slice(mountOf(path).length));
    return text === index.text ? [] : [{ path: index.path, base: index.version, text }];
  }

  async #apply(changes: readonly MemoryChange[]): Promise<boolean> {
    return (await this.#store.apply(changes)).isApplied;
  }
}

function verdictsOn(texts: readonly string[], { pieces, earlier = [] }: JudgedTalk): readonly TrustVerdict[] {
  const turn = pieces.at(-1)?.turn ?? earlier.at(-1)?.turn ?? 0;
  const users = pieces.filter(({ source }) => source === "user").map(({ id }) => id);
  const messageIds = [...users, WRITTEN];
  // The model wrote it, so it is an agent's words; whether they are its own is the question.
  const own = texts.map((text) => ({ id: WRITTEN, source: "agent" as const, text, turn }));
  return judgeTrust(
    texts.map((text) => ({ text, type: "project" as const, messageIds })),
    { pieces: [...pieces, ...own], earlier },
  );
}

function linesOf({ name, description, body }: Memory): readonly string[] {
  return [name, description, ...body.split("\n")];
}

function added(lines: readonly string[], old: readonly string[]): readonly string[] {
  const known = new Set(old);
  return lines.filter((line) => line.trim() !== "" && !known.has(line));
}

function receiptOf(status: "quarantined" | "rejected", path: string, reason: string): MemoryReceipt {
  return { status, path, reason, superseded: [], cleaned: [], warnings: [] };
}
