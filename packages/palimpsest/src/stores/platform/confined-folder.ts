/**
 * Opens folders below a root without following a link.
 *
 * The system resolves a path part by part, and another program with write access can replace a part by a link between two
 * checks. So this file resolves the path itself.
 *
 * - On Linux it opens the folder and reads the real path of the handle (`/proc/self/fd/<handle>`), which cannot be
 *   exchanged. If that differs from the expected path, it opens each part through the handle of its parent, with
 *   `O_NOFOLLOW`, to find the link. The last name is used through its folder's handle, so the checked folder is the used
 *   one, and no exchange can win the race.
 * - Elsewhere Node has no such way. There it checks every part of the path before and after, and compares an opened file
 *   with the one at the path several times before it reads or writes a byte. So a folder that is exchanged for a link and
 *   put back is neither read nor written through. If the file system's times are fine enough, this holds even for
 *   repeated exchanges, because each one changes the times of the parent folder. Two attacks remain possible. A creation,
 *   a rename or a removal hits the wrong folder if the exchange falls between the check and the call. With coarse times
 *   (a few milliseconds), a program that exchanges a folder and puts it back `AGREEING_LOOKS` times, each time exactly
 *   between two calls, can redirect a read.
 *
 * The caller is responsible for the root: links on the way to it, and in its place, are followed.
 */
import {
  type BigIntStats,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
} from "node:fs";
import { sep } from "node:path";

/** The error for a path that would lead elsewhere; has a `code` like the platform's errors. */
export class ConfinementError extends Error {
  override readonly name = "ConfinementError";
  readonly code = "ECONFINED";
}

/** A folder while something is done in it. */
export interface HeldFolder {
  /** A path of the name in it, for the platform. */
  at(name: string): string;
  /** For the folder itself. */
  readonly self: string;
  /** Throws where it may have been another folder than the one that was asked for. */
  verify(): void;
  /** The same for what was only read: nothing above the folder may have changed at all meanwhile. */
  verifyRead(): void;
  /** Throws unless the opened file is the one that has this name in the folder. */
  verifyOpened(name: string, handle: number): void;
  close(): void;
}

/** The method: `handles` is free of races, `looks` is the fallback without `/proc`. */
export type Confinement = "handles" | "looks";

/**
 * Looks after an open that all have to show the same folders and the opened file. Each of them takes two more
 * well-timed exchanges to deceive. Source: our choice; `packages/palimpsest/test/fault/exchanged-folder.test.ts` tries every moment.
 */
const AGREEING_LOOKS = 3;

/** Something was exchanged during the call: another try may find it settled. */
export class ExchangedError extends ConfinementError {}

const FOLDER_FLAGS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0);
/** Absent on Windows. */
export const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

export function bestConfinement(): Confinement {
  return process.platform === "linux" && existsSync("/proc/self/fd") ? "handles" : "looks";
}

/** Holds the folder that these names lead to from the root. Throws the platform's error, or `ConfinementError`. */
export function holdFolder(root: string, names: readonly string[], confinement: Confinement): HeldFolder {
  if (confinement === "looks") return walkByLooks(root, names);
  const handle = openByHandle(root, names);
  return heldBy(handle, () => closeSync(handle));
}

/** The parts of a path below the root; none for the root itself. */
export function partsOf(path: string): readonly string[] {
  const parts = (sep === "/" ? path : path.replaceAll(sep, "/")).split("/").filter((part) => part !== "");
  const odd = parts.find((part) => part === "." || part === ".." || part.includes("\0"));
  if (odd !== undefined || path.startsWith("/"))
    throw new ConfinementError(`ECONFINED: '${path}' is no path below a folder`);
  return parts;
}

/** A handle of the folder, for the caller to close. Throws the platform's error, or `ConfinementError`. */
export function openByHandle(root: string, names: readonly string[]): number {
  return (names.length > 0 ? openAtOnce(root, names) : undefined) ?? walkByHandles(root, names);
}

/** All parts in one step, which is most of the cost saved; `undefined` where it did not lead there. */
function openAtOnce(root: string, names: readonly string[]): number | undefined {
  const path = [root, ...names].join("/");
  let handle: number | undefined;
  try {
    handle = openSync(path, FOLDER_FLAGS | NO_FOLLOW);
    if (readlinkSync(`/proc/self/fd/${handle}`) === path) return handle;
  } catch {
    // Walking says what is wrong.
  }
  if (handle !== undefined) closeSync(handle);
  return undefined;
}

function walkByHandles(root: string, names: readonly string[]): number {
  let handle = openSync(root, FOLDER_FLAGS);
  for (const name of names) {
    const above = handle;
    try {
      handle = openSync(`/proc/self/fd/${above}/${name}`, FOLDER_FLAGS | NO_FOLLOW);
    } catch (error) {
      throw isInTheWay(error) ? inTheWay(names, name) : error;
    } finally {
      closeSync(above);
    }
  }
  return handle;
}

/** A folder by its handle, through which no exchange can lead elsewhere. */
export function heldBy(handle: number, close: () => void): HeldFolder {
  const self = `/proc/self/fd/${handle}`;
  return {
    at: (name) => `${self}/${name}`,
    self,
    verify: () => undefined,
    verifyRead: () => undefined,
    verifyOpened: () => undefined,
    close,
  };
}

/** True if the error comes from a link, or another thing that is not a folder. */
function isInTheWay(error: unknown): boolean {
  const { code } = error as { readonly code?: string };
  return code === "ELOOP" || code === "ENOTDIR";
}

function inTheWay(names: readonly string[], name: string): ConfinementError {
  return new ConfinementError(
    `ECONFINED: '${names.slice(0, names.indexOf(name) + 1).join("/")}' is a link, or no folder`,
  );
}

function walkByLooks(root: string, names: readonly string[]): HeldFolder {
  const start = realpathSync(root);
  const before = lookAt(start, names);
  const self = [start, ...names].join(sep);
  const exchanged = (name = "") =>
    new ExchangedError(`ECONFINED: '${[...names, name].join("/")}' was exchanged while it was used`);
  const verifyRead = () => {
    const after = lookAt(start, names);
    if (after.folders !== before.folders || after.times !== before.times) throw exchanged();
  };
  return {
    at: (name) => `${self}${sep}${name}`,
    self,
    verify: () => {
      if (lookAt(start, names).folders !== before.folders) throw exchanged();
    },
    verifyRead,
    verifyOpened: (name, handle) => {
      const opened = idOf(fstatSync(handle, { bigint: true }));
      for (let look = 0; look < AGREEING_LOOKS; look++) {
        const found = lstatSync(`${self}${sep}${name}`, { bigint: true, throwIfNoEntry: false });
        if (found === undefined || found.isSymbolicLink() || idOf(found) !== opened) throw exchanged(name);
        verifyRead();
      }
    },
    close: () => undefined,
  };
}

interface Look {
  /** The folders from the root to the last name. */
  readonly folders: string;
  /** When those above the last one were changed last: an exchange of a part changes the folder that it lies in. */
  readonly times: string;
}

function lookAt(start: string, names: readonly string[]): Look {
  const folders: string[] = [];
  const times: string[] = [];
  for (let depth = 0; depth <= names.length; depth++) {
    const path = [start, ...names.slice(0, depth)].join(sep);
    const stat = lstatSync(path, { bigint: true });
    if (!stat.isDirectory()) throw inTheWay(names, names[depth - 1] ?? "");
    folders.push(idOf(stat));
    if (depth < names.length) times.push(`${stat.mtimeNs}:${stat.ctimeNs}`);
  }
  return { folders: folders.join(" "), times: times.join(" ") };
}

function idOf(stat: BigIntStats): string {
  return `${stat.dev}:${stat.ino}`;
}
