/**
 * A file system whose n-th operation fails, to be put around another one in a sweep: fail the first,
 * then the second … until a run gets through.
 */

import type { FileSystem } from "palimpsest";
import { FakeFileSystemError } from "../fakes/in-memory-file-system.ts";

type OpenFile = ReturnType<FileSystem["open"]>;
type FileStat = NonNullable<ReturnType<FileSystem["stat"]>>;

/**
 * The kind of failure. The disk's errors are thrown, and a failing write leaves the first half of its bytes
 * behind. `short` writes the half without an error. `kill` and `torn` end the process: nothing works
 * afterwards; `kill` does nothing of the operation, `torn` half of a write.
 */
export type FileFault = "ENOSPC" | "EDQUOT" | "EIO" | "short" | "kill" | "torn";

/** Which operations fail, and how. */
export interface FaultPlan {
  /** The operation that fails, counted from 1 over all files and folders. */
  readonly failAtCall: number;
  readonly error: FileFault;
  /** Operations that fail from there on. @defaultValue 1 */
  readonly failCount?: number;
}

/** A file system with a fault to come. */
export interface FaultyFileSystem extends FileSystem {
  /** True if the fault has struck. */
  didFail(): boolean;
  /** Operations so far. */
  callCount(): number;
}

/** Puts the fault around a file system. */
export function faultyFileSystem(inner: FileSystem, plan: FaultPlan): FaultyFileSystem {
  const faults = new FaultCounter(plan);
  return {
    open: (path, mode) =>
      new FaultyFile(
        faults.run("open", () => inner.open(path, mode)),
        faults,
      ),
    makeDirectory: (path) => faults.run("makeDirectory", () => inner.makeDirectory(path)),
    list: (path) => faults.run("list", () => inner.list(path)),
    ...passedOn(inner, "listStats", faults),
    ...passedOn(inner, "listInParts", faults),
    stat: (path) => faults.run("stat", () => inner.stat(path)),
    rename: (from, to) => faults.run("rename", () => inner.rename(from, to)),
    ...(inner.link && { link: (existing, name) => faults.run("link", () => inner.link?.(existing, name)) }),
    remove: (path) => faults.run("remove", () => inner.remove(path)),
    removeDirectory: (path) => faults.run("removeDirectory", () => inner.removeDirectory(path)),
    touch: (path, atMs) => faults.run("touch", () => inner.touch(path, atMs)),
    syncDirectory: async (path) => faults.run("syncDirectory", () => inner.syncDirectory(path)),
    didFail: () => faults.didFail,
    callCount: () => faults.callCount,
  };
}

/** A listing that the file system may have, so that a sweep runs what a store does with it. */
function passedOn<Name extends "listStats" | "listInParts">(
  inner: FileSystem,
  name: Name,
  faults: FaultCounter,
): Pick<FileSystem, Name> | undefined {
  const list = inner[name]?.bind(inner) as ((path: string) => unknown) | undefined;
  if (list === undefined) return undefined;
  return { [name]: (path: string) => faults.run(name, () => list(path)) } as Pick<FileSystem, Name>;
}

class FaultCounter {
  readonly #plan: FaultPlan;
  callCount = 0;

  constructor(plan: FaultPlan) {
    this.#plan = plan;
  }

  get didFail(): boolean {
    return this.callCount >= this.#plan.failAtCall;
  }

  /** Counts the operation; does it or throws. */
  run<Result>(operation: string, work: () => Result): Result {
    if (this.strikes() && this.#plan.error !== "short") throw this.failure(operation);
    return work();
  }

  /** Counts the operation; whether it is one that fails. */
  strikes(): boolean {
    const { error, failAtCall, failCount = 1 } = this.#plan;
    this.callCount++;
    if (this.callCount < failAtCall) return false;
    return isFatal(error) || this.callCount < failAtCall + failCount;
  }

  /** Bytes of a failing write that arrive all the same. */
  landedBytes(length: number): number {
    const isDeadAlready = isFatal(this.#plan.error) && this.callCount > this.#plan.failAtCall;
    return this.#plan.error === "kill" || isDeadAlready ? 0 : Math.floor(length / 2);
  }

  get isShort(): boolean {
    return this.#plan.error === "short";
  }

  failure(operation: string): FakeFileSystemError {
    const { error } = this.#plan;
    return new FakeFileSystemError(isFatal(error) ? "EKILLED" : error, `injected into ${operation}`);
  }
}

function isFatal(error: FileFault): boolean {
  return error === "kill" || error === "torn";
}

class FaultyFile implements OpenFile {
  readonly #inner: OpenFile;
  readonly #faults: FaultCounter;
  readonly stat?: () => FileStat;
  readonly readInto?: (position: number, into: Uint8Array) => number;

  constructor(inner: OpenFile, faults: FaultCounter) {
    this.#inner = inner;
    this.#faults = faults;
    const stat = inner.stat?.bind(inner);
    if (stat !== undefined) this.stat = () => faults.run("stat", stat);
    const readInto = inner.readInto?.bind(inner);
    if (readInto !== undefined)
      this.readInto = (position, into) => faults.run("readInto", () => readInto(position, into));
  }

  write(bytes: Uint8Array): number {
    if (!this.#faults.strikes()) return this.#inner.write(bytes);
    const landed = this.#faults.landedBytes(bytes.length);
    if (landed > 0) this.#inner.write(bytes.subarray(0, landed));
    if (this.#faults.isShort) return landed;
    throw this.#faults.failure("write");
  }

  read(position: number, length: number): Uint8Array {
    return this.#faults.run("read", () => this.#inner.read(position, length));
  }

  size(): number {
    return this.#faults.run("size", () => this.#inner.size());
  }

  endsAt(position: number): boolean {
    return this.#faults.run("endsAt", () => this.#inner.endsAt(position));
  }

  truncate(size: number): void {
    this.#faults.run("truncate", () => this.#inner.truncate(size));
  }

  async sync(): Promise<void> {
    return this.#faults.run("sync", () => this.#inner.sync());
  }

  close(): void {
    this.#faults.run("close", () => this.#inner.close());
  }
}
