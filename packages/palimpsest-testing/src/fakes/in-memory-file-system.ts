/**
 * A file system in memory that knows what a crash would take.
 *
 * DESIGN. A file has the bytes that were written and the bytes that were synced; a folder has the names
 * it shows and the names it showed when it was last synced. A killed process loses neither; a power
 * loss takes everything that was not synced: unsynced bytes, new names, renames and removals alike.
 * That is harsher than most file systems, so what survives here survives there.
 */

import type { FileSystem } from "palimpsest";

type OpenFile = ReturnType<FileSystem["open"]>;
type FileStat = NonNullable<ReturnType<FileSystem["stat"]>>;

/** An error with the `code` that the platform would give. */
export class FakeFileSystemError extends Error {
  override readonly name = "FakeFileSystemError";
  readonly code: string;

  constructor(code: string, what: string) {
    // Node's errors of files have no stack of use either, and collecting one takes longer than the operation.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(`${code}: ${what}`);
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
  }
}

/**
 * The cause of the loss of files: `process` (killed; the kernel lives), `power` (everything unsynced is
 * lost), `power-torn` (names survive, of the unsynced bytes of each file the first half).
 */
export type Crash = "process" | "power" | "power-torn";

interface FileNode {
  readonly type: "file";
  readonly id: number;
  /** Number of names it has. */
  linkCount: number;
  bytes: Uint8Array;
  size: number;
  synced: Uint8Array;
  modifiedMs: number;
}

interface FolderNode {
  readonly type: "folder";
  entries: Map<string, Node>;
  synced: Map<string, Node>;
}

type Node = FileNode | FolderNode;

const newFolder = (): FolderNode => ({ type: "folder", entries: new Map(), synced: new Map() });
let fileCount = 0;
const newFile = (bytes: Uint8Array): FileNode => ({
  type: "file",
  id: ++fileCount,
  linkCount: 1,
  bytes,
  size: bytes.length,
  synced: bytes.slice(),
  modifiedMs: 0,
});

/**
 * Implements the port on maps; paths are absolute, with slashes. A file that is written is as old as
 * `now` says; without it, times are those that `touch` gave.
 */
export class InMemoryFileSystem implements FileSystem {
  readonly #now: (() => number) | undefined;
  #root: FolderNode = newFolder();

  constructor(now?: () => number) {
    this.#now = now;
  }

  open(path: string, mode: "read" | "append" | "create"): OpenFile {
    const { folder, name } = this.#locate(path);
    const found = folder.entries.get(name);
    if (mode === "create" && found !== undefined) throw new FakeFileSystemError("EEXIST", path);
    if (found?.type === "folder") throw new FakeFileSystemError("EISDIR", path);
    if (found !== undefined) return new InMemoryFile(found, mode !== "read", this.#now);
    if (mode === "read") throw new FakeFileSystemError("ENOENT", path);

    const file = newFile(new Uint8Array(0));
    file.modifiedMs = this.#now?.() ?? 0;
    folder.entries.set(name, file);
    return new InMemoryFile(file, true, this.#now);
  }

  makeDirectory(path: string): void {
    let folder = this.#root;
    for (const name of split(path)) {
      const next = folder.entries.get(name) ?? newFolder();
      if (next.type === "file") throw new FakeFileSystemError("ENOTDIR", path);
      folder.entries.set(name, next);
      folder = next;
    }
  }

  list(path: string): readonly string[] {
    return [...this.#folderAt(path).entries.keys()];
  }

  listStats(path: string): ReadonlyMap<string, FileStat> {
    return new Map(Array.from(this.#folderAt(path).entries, ([name, node]) => [name, statOf(node)]));
  }

  listInParts(path: string): Iterable<ReadonlyMap<string, FileStat>> {
    return Array.from(this.listStats(path), (one) => new Map([one]));
  }

  stat(path: string): FileStat | undefined {
    const node = this.#find(path);
    return node === undefined ? undefined : statOf(node);
  }

  rename(from: string, to: string): void {
    const source = this.#locate(from);
    const target = this.#locate(to);
    const node = source.folder.entries.get(source.name);
    if (node === undefined) throw new FakeFileSystemError("ENOENT", from);
    // As POSIX has it: two names of one file stay as they are.
    if (target.folder.entries.get(target.name) === node) return;
    source.folder.entries.delete(source.name);
    unname(target.folder.entries.get(target.name));
    target.folder.entries.set(target.name, node);
  }

  link(existing: string, name: string): void {
    const node = this.#find(existing);
    if (node === undefined) throw new FakeFileSystemError("ENOENT", existing);
    if (node.type === "folder") throw new FakeFileSystemError("EPERM", existing);
    const target = this.#locate(name);
    if (target.folder.entries.has(target.name)) throw new FakeFileSystemError("EEXIST", name);
    target.folder.entries.set(target.name, node);
    node.linkCount++;
  }

  remove(path: string): void {
    const { folder, name } = this.#locate(path);
    if (folder.entries.get(name)?.type === "folder") throw new FakeFileSystemError("EISDIR", path);
    unname(folder.entries.get(name));
    if (!folder.entries.delete(name)) throw new FakeFileSystemError("ENOENT", path);
  }

  removeDirectory(path: string): void {
    if (this.#folderAt(path).entries.size > 0) throw new FakeFileSystemError("ENOTEMPTY", path);
    const { folder, name } = this.#locate(path);
    folder.entries.delete(name);
  }

  touch(path: string, atMs: number): void {
    const node = this.#find(path);
    if (node?.type !== "file") throw new FakeFileSystemError("ENOENT", path);
    node.modifiedMs = atMs;
  }

  async syncDirectory(path: string): Promise<void> {
    const folder = this.#folderAt(path);
    folder.synced = new Map(folder.entries);
  }

  /** The files after the crash; this file system goes on unharmed. */
  crashedCopy(crash: Crash): InMemoryFileSystem {
    const copy = new InMemoryFileSystem(this.#now);
    copy.#root = copyFolder(this.#root, crash, new Map());
    return copy;
  }

  /** The file's bytes, as a copy. */
  readFile(path: string): Uint8Array {
    const node = this.#find(path);
    if (node?.type !== "file") throw new FakeFileSystemError("ENOENT", path);
    return node.bytes.slice(0, node.size);
  }

  /** Puts a file there, folders and all, as if it had been there for long: it is synced. */
  writeFile(path: string, bytes: Uint8Array): void {
    const parts = split(path);
    this.makeDirectory(parts.slice(0, -1).join("/"));
    const { folder, name } = this.#locate(path);
    // A `Buffer` shares its bytes with its slices.
    unname(folder.entries.get(name));
    folder.entries.set(name, newFile(Uint8Array.from(bytes)));
    for (let depth = 0; depth < parts.length; depth++) {
      const parent = this.#folderAt(parts.slice(0, depth).join("/"));
      parent.synced = new Map(parent.entries);
    }
  }

  #locate(path: string): { readonly folder: FolderNode; readonly name: string } {
    const parts = split(path);
    const name = parts.at(-1);
    if (name === undefined) throw new FakeFileSystemError("EISDIR", path);
    return { folder: this.#folderAt(parts.slice(0, -1).join("/")), name };
  }

  #folderAt(path: string): FolderNode {
    const node = this.#find(path);
    if (node === undefined) throw new FakeFileSystemError("ENOENT", path);
    if (node.type === "file") throw new FakeFileSystemError("ENOTDIR", path);
    return node;
  }

  #find(path: string): Node | undefined {
    let node: Node | undefined = this.#root;
    for (const name of split(path)) node = node?.type === "folder" ? node.entries.get(name) : undefined;
    return node;
  }
}

class InMemoryFile implements OpenFile {
  readonly #node: FileNode;
  readonly #isWritable: boolean;
  readonly #now: (() => number) | undefined;
  #isClosed = false;

  constructor(node: FileNode, isWritable: boolean, now: (() => number) | undefined) {
    this.#node = node;
    this.#isWritable = isWritable;
    this.#now = now;
  }

  write(bytes: Uint8Array): number {
    const node = this.#writable();
    const size = node.size + bytes.length;
    if (size > node.bytes.length) {
      const larger = new Uint8Array(Math.max(size, node.bytes.length * 2));
      larger.set(node.bytes.subarray(0, node.size));
      node.bytes = larger;
    }
    node.bytes.set(bytes, node.size);
    node.size = size;
    node.modifiedMs = this.#now?.() ?? node.modifiedMs;
    return bytes.length;
  }

  read(position: number, length: number): Uint8Array {
    const node = this.#open();
    return node.bytes.slice(position, Math.min(node.size, position + length));
  }

  readInto(position: number, into: Uint8Array): number {
    const bytes = this.read(position, into.length);
    into.set(bytes);
    return bytes.length;
  }

  size(): number {
    return this.#open().size;
  }

  stat(): FileStat {
    return statOf(this.#open());
  }

  endsAt(position: number): boolean {
    return this.#open().size === position;
  }

  truncate(size: number): void {
    const node = this.#writable();
    node.size = Math.min(node.size, size);
  }

  async sync(): Promise<void> {
    const node = this.#open();
    node.synced = node.bytes.slice(0, node.size);
  }

  close(): void {
    this.#open();
    this.#isClosed = true;
  }

  #open(): FileNode {
    if (this.#isClosed) throw new FakeFileSystemError("EBADF", "the file was closed");
    return this.#node;
  }

  #writable(): FileNode {
    if (!this.#isWritable) throw new FakeFileSystemError("EBADF", "the file is open for reading");
    return this.#open();
  }
}

function statOf(node: Node): FileStat {
  if (node.type === "folder") return { size: 0, modifiedMs: 0, isDirectory: true };
  const { size, modifiedMs, id, linkCount } = node;
  return { size, modifiedMs, isDirectory: false, id: String(id), linkCount };
}

/** A name of it is gone. */
function unname(node: Node | undefined): void {
  if (node?.type === "file") node.linkCount--;
}

function split(path: string): readonly string[] {
  return path.split(/[\\/]/).filter((part) => part !== "" && part !== ".");
}

/** `files`: those that were copied already, under another name. */
function copyFolder(folder: FolderNode, crash: Crash, files: Map<FileNode, FileNode>): FolderNode {
  const copy = newFolder();
  for (const [name, node] of crash === "power" ? folder.synced : folder.entries) {
    if (node.type === "folder") copy.entries.set(name, copyFolder(node, crash, files));
    else {
      const known = files.get(node);
      const file = known ?? newFile(survivingBytes(node, crash));
      if (known !== undefined) known.linkCount++;
      file.modifiedMs = node.modifiedMs;
      files.set(node, file);
      copy.entries.set(name, file);
    }
  }
  copy.synced = new Map(copy.entries);
  return copy;
}

function survivingBytes({ bytes, size, synced }: FileNode, crash: Crash): Uint8Array {
  if (crash === "process") return bytes.slice(0, size);
  if (crash === "power") return synced.slice();
  return bytes.slice(0, synced.length + Math.ceil((size - synced.length) / 2));
}
