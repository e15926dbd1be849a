/**
 * The contents of a memory directory: which entries are memories, which are folders to look into, and which are problems
 * that people are shown. Nothing that may be meant as a memory is left out without a word.
 */
import { MEMORY_STORE_DEFAULTS } from "../../../base/defaults/memory/store.ts";
import type { FileStat } from "../../../ports/file-system.ts";
import type { ListingProblem, MemoryFileHead, MemoryListing } from "../../../ports/memory-store.ts";
import { isMemoryName, memoryNameProblem } from "../../shared/memory-path.ts";
import type { MemoryFiles } from "./memory-file-steps.ts";

/** Most problems that one listing reports. Source: our choice; more of them have one cause. */
const LISTED_PROBLEMS_COUNT = 100;

/** The kind of an entry of a folder. */
type Judged =
  | { readonly type: "memory" | "folder" | "ignored" }
  | { readonly type: "problem"; readonly detail: string };

const MEMORY: Judged = { type: "memory" };
const FOLDER: Judged = { type: "folder" };
const IGNORED: Judged = { type: "ignored" };

/** An entry of a folder: its path, the last part of that, and the number of parts. */
interface WalkedEntry {
  readonly path: string;
  readonly name: string;
  readonly depth: number;
}

/** The entry of that name in a folder with `depth` parts. */
export function entryIn(folder: string, depth: number, name: string): WalkedEntry {
  return { path: folder === "" ? name : `${folder}/${name}`, name, depth: depth + 1 };
}

/** Judges an entry of the directory. */
export function judgeEntry(files: MemoryFiles, entry: WalkedEntry, stat: FileStat): Judged {
  const { name } = entry;
  // Hidden files belong to editors, version control, or us.
  if (name.startsWith(".")) return IGNORED;
  if (stat.isDirectory) return judgeFolder(entry);
  if (isMemoryName(name)) return judgeFile(files, entry, stat);
  return stat.isLink ? problem("It is a link, which is not followed.") : IGNORED;
}

function judgeFolder({ name, depth }: WalkedEntry): Judged {
  const { depthLimitCount } = MEMORY_STORE_DEFAULTS;
  const nameProblem = memoryNameProblem(name);
  if (nameProblem !== undefined) return problem(`It is not looked into: ${nameProblem}.`);
  if (depth < depthLimitCount) return FOLDER;
  return problem(`It is not looked into: paths have ${depthLimitCount} parts at the most.`);
}

function judgeFile(files: MemoryFiles, { path, name }: WalkedEntry, stat: FileStat): Judged {
  const { fileLimitBytes } = MEMORY_STORE_DEFAULTS;
  const nameProblem = memoryNameProblem(name);
  if (nameProblem !== undefined) return problem(`It is not read: ${nameProblem}.`);
  if (stat.isLink) return problem("It is a link, which is not followed.");
  if (stat.isSpecial) return problem("It is not a plain file.");
  if (stat.size > fileLimitBytes)
    return problem(`It has ${stat.size} bytes, and may have ${fileLimitBytes}.`);
  if (!files.isOurs(stat, path)) return problem("It has another hard link, possibly outside the folder.");
  return MEMORY;
}

function problem(detail: string): Judged {
  return { type: "problem", detail };
}

interface WalkOptions<Head> {
  readonly listedFilesCount: number;
  readonly headOf: (path: string, stat: FileStat) => Head;
}

/** A look at the tree of the memory directory. */
export class Walk<Head = MemoryFileHead> {
  readonly files = new Map<string, Head>();
  readonly problems = new Map<string, ListingProblem>();
  readonly #files: MemoryFiles;
  readonly #options: WalkOptions<Head>;
  /** Files and folders that were passed over because the listing was full. */
  #leftOutCount = 0;

  constructor(files: MemoryFiles, options: WalkOptions<Head>) {
    this.#files = files;
    this.#options = options;
  }

  /** Says what a full listing leaves out, and that it is full before it leaves out anything. */
  limitProblems(): readonly ListingProblem[] {
    return limitProblems(this.files.size, this.#options.listedFilesCount, this.#leftOutCount);
  }

  /** Takes in a folder whose path has `depth` parts, and all below it. */
  folder(path: string, depth: number): void {
    for (const [name, stat] of this.#files.stats(path)) {
      const entry = entryIn(path, depth, name);
      if (this.take(entry, stat)) this.folder(entry.path, entry.depth);
    }
  }

  /** Takes in one entry. Returns true for a folder to look into. */
  take(entry: WalkedEntry, stat: FileStat): boolean {
    const { path, name } = entry;
    if (this.files.size >= this.#options.listedFilesCount) {
      if (!name.startsWith(".") && (stat.isDirectory || isMemoryName(name))) this.#leftOutCount++;
      return false;
    }
    const judged = judgeEntry(this.#files, entry, stat);
    if (judged.type === "memory") this.files.set(path, this.#options.headOf(path, stat));
    if (judged.type === "problem") this.problems.set(path, { path, detail: judged.detail });
    return judged.type === "folder";
  }
}

function limitProblems(count: number, limitCount: number, leftOutCount: number): readonly ListingProblem[] {
  if (count < limitCount) return [];
  const rest =
    leftOutCount === 0
      ? "What is added is not read, and not found."
      : `${leftOutCount} more files and folders are not read, and nothing in them is found.`;
  const detail = `There are ${limitCount} files, as many as are read. ${rest} Move some to another directory.`;
  return [{ path: ".", detail, isOverLimit: true }];
}

/** Sorted by path, with the first problems only. */
export function listingOf({ files, problems }: MemoryListing): MemoryListing {
  return { files: [...files].sort(byPath), problems: listedProblems(problems) };
}

/** The first ones, and how many more there are; what says that a limit was reached is among them. */
export function listedProblems(unsorted: readonly ListingProblem[]): readonly ListingProblem[] {
  const problems = [...unsorted].sort(byPath);
  if (problems.length <= LISTED_PROBLEMS_COUNT) return problems;
  const first = [
    ...problems.filter(({ isOverLimit }) => isOverLimit === true),
    ...problems.filter(({ isOverLimit }) => isOverLimit !== true),
  ].slice(0, LISTED_PROBLEMS_COUNT - 1);
  return [...first, { path: ".", detail: `${problems.length - first.length} more problems are not listed.` }];
}

const byPath = (one: { readonly path: string }, other: { readonly path: string }): number =>
  one.path < other.path ? -1 : 1;
