/**
 * Judges a model's writes through the memory tool when its turn has ended: it may have obeyed a page.
 *
 * DESIGN. The tool's commands do not know the conversation, and a model may write anything at once. After the turn,
 * its new words are compared with the conversation. Words that a tool or the web said better than any other source
 * are reverted: a new file is quarantined, an existing one restored, and an index line removed. A model's own
 * conclusion stays. Files that another program changed meanwhile are left alone.
 *
 * Several sessions may share one memory and its tool, which cannot distinguish them: then a session judges the files
 * that its own calls name. A single session judges all, since a host may call the tool in any way.
 */
import { MEMORY_SAFETY_DEFAULTS } from "../../../base/defaults/memory/safety.ts";
import type { JsonValue } from "../../../base/json/json.ts";
import type { Memory } from "../../../memory/files/memory.ts";
import { parseMemoryFile, updateMemoryFile } from "../../../memory/files/memory-file.ts";
import { indexPathOf, isOwnIndex, mountOf, removeIndexLine } from "../../../memory/files/memory-index.ts";
import { sentenceWords, shareIn } from "../../../memory/trust/sentences.ts";
import { type JudgedConversation, judgeTrust, type TrustVerdict } from "../../../memory/trust/trust.ts";
import type { MemoryReceipt } from "../../../memory/write/memory-receipt.ts";
import type { MemoryChange, MemoryFile, MemoryStore } from "../../../ports/memory-store.ts";
import { MEMORIES_ROOT, type ToolChange } from "./memory-tool.ts";

const WRITTEN = "written";

interface WrittenFile {
  /** Its text before the first unjudged change. */
  readonly before: string | undefined;
  /** As the tool left it; absent where it is gone. */
  readonly text: string | undefined;
  /** This session wrote it, whether or not its talk says so. */
  readonly isOwn: boolean;
}

/** Files that were written, by path. */
type WrittenFiles = ReadonlyMap<string, WrittenFile>;

export class ToolWrites {
  readonly #store: MemoryStore;
  readonly #close: () => void;
  /** Files written since the last call of `take`. */
  #noted = new Map<string, WrittenFile>();
  /** Files taken and not judged yet. */
  readonly #taken = new Map<string, WrittenFile>();

  constructor(store: MemoryStore, close: () => void) {
    this.#store = store;
    this.#close = close;
  }

  /** Files this session wrote since the last call. @param calls - inputs of its model's tool calls meanwhile */
  take(calls: readonly JsonValue[]): WrittenFiles {
    if (this.#noted.size === 0) return new Map();
    const texts = calls.filter((input) => !isView(input)).map((input) => JSON.stringify(input));
    const noted = [...this.#noted];
    this.#noted = new Map();
    const own = noted.filter(([path, { isOwn }]) => isOwn || texts.some((text) => isNamedIn(text, path)));
    const written = own.map(([path, file]) => [path, { ...file, isOwn: true }] as const);
    for (const [path, file] of written) this.#taken.set(path, file);
    return new Map(written);
  }

  /** Stops noting writes. */
  close(): void {
    this.#close();
  }

  /** Takes note of a change; `isAlone` where no other session can have made it. */
  add({ changes, before, moved }: ToolChange, isAlone: boolean): void {
    for (const { path, text } of changes) {
      const from = moved?.get(path) ?? path;
      const earlier = this.#noted.get(from) ?? this.#taken.get(from);
      this.#noted.set(path, {
        before: earlier === undefined ? before?.get(path) : earlier.before,
        text,
        isOwn: isAlone || earlier?.isOwn === true,
      });
    }
  }

  /** Judges new writes and reverts untrusted ones. @throws `STORE_FAILED` */
  async judge(written: WrittenFiles, conversation: JudgedConversation): Promise<readonly MemoryReceipt[]> {
    const receipts: MemoryReceipt[] = [];
    for (const [path, entry] of written) {
      // A file written again since is judged as a whole after that turn.
      if (this.#noted.has(path) || this.#taken.get(path) !== entry) continue;
      const file = await this.#store.read(path);
      const judge = isOwnIndex(path) ? this.#judgeIndex : this.#judgeMemory;
      const receipt = file === undefined ? undefined : await judge.call(this, file, written, conversation);
      if (receipt !== undefined) receipts.push(receipt);
      if (this.#taken.get(path) === entry) this.#taken.delete(path);
    }
    return receipts;
  }

  async #judgeMemory(
    { path, text, version }: MemoryFile,
    written: WrittenFiles,
    conversation: JudgedConversation,
  ): Promise<MemoryReceipt | undefined> {
    const { before, text: left } = written.get(path)!;
    if (text !== left) return undefined;
    const { memory } = parseMemoryFile(path, text);
    const old = before === undefined ? [] : linesOf(parseMemoryFile(path, before).memory);
    const fresh = added(linesOf(memory), old);
    if (fresh.length === 0 || memory.isQuarantined) return undefined;
    const [verdict] = await this.#refusedOf([fresh.join("\n")], written, conversation);
    if (verdict === undefined) return undefined;
    const { source, why } = verdict;
    const reason =
      before === undefined
        ? `${why} It is kept, and shown to no model until a person confirms it.`
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
    conversation: JudgedConversation,
  ): Promise<MemoryReceipt | undefined> {
    const { before, text: left } = written.get(path)!;
    // Lines that another program added since stay.
    const stands = new Set(text.split("\n"));
    const fresh = added(left?.split("\n") ?? [], before?.split("\n") ?? []).filter((line) =>
      stands.has(line),
    );
    const verdicts = await this.#refusedOf(fresh, written, conversation);
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
    conversation: JudgedConversation,
  ): Promise<readonly (TrustVerdict | undefined)[]> {
    const verdicts = verdictsOn(texts, conversation);
    const refused: (TrustVerdict | undefined)[] = [];
    for (const [index, verdict] of verdicts.entries()) {
      const { source, isQuarantined, isRecalled } = verdict;
      const isRead = isQuarantined && (source === "tool" || source === "web");
      // A memory may be rewritten if it is one of these, and not another tool's file of that name.
      const isForeign = isRecalled && !(await this.#isKnown(texts[index]!, written));
      refused.push(isForeign ? { ...verdict, source: "tool" } : isRead ? verdict : undefined);
    }
    return refused;
  }

  /** True if a memory outside quarantine says it; written files count with their former text. */
  async #isKnown(text: string, written: WrittenFiles): Promise<boolean> {
    const { words } = sentenceWords(text);
    for (const { path: other } of (await this.#store.list()).files) {
      const known = written.has(other) ? written.get(other)?.before : (await this.#store.read(other))?.text;
      if (known === undefined || parseMemoryFile(other, known).memory.isQuarantined) continue;
      if (shareIn(words, sentenceWords(known).words) >= MEMORY_SAFETY_DEFAULTS.carriedShare) return true;
    }
    return false;
  }

  async #withoutLine(path: string): Promise<readonly MemoryChange[]> {
    const index = await this.#store.read(indexPathOf(path));
    if (index === undefined) return [];
    const text = removeIndexLine(index.text, path.slice(mountOf(path).length));
    return text === index.text ? [] : [{ path: index.path, base: index.version, text }];
  }

  async #apply(changes: readonly MemoryChange[]): Promise<boolean> {
    return (await this.#store.apply(changes)).isApplied;
  }
}

function verdictsOn(
  texts: readonly string[],
  { pieces, earlier = [] }: JudgedConversation,
): readonly TrustVerdict[] {
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

function isView(input: JsonValue): boolean {
  return typeof input === "object" && input !== null && "command" in input && input.command === "view";
}

/** True if a call's input, as JSON, names a file or its folder. */
function isNamedIn(input: string, path: string): boolean {
  const parts = path.split("/");
  return parts.some((_, index) => {
    const named = JSON.stringify(`${MEMORIES_ROOT}/${parts.slice(0, index + 1).join("/")}`).slice(0, -1);
    return input.includes(`${named}"`) || input.includes(`${named}/"`);
  });
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
