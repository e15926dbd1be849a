/**
 * Folders below a root, reached without following a link.
 *
 * A path is looked up by the system one part after the other, and whoever may write in the folder can put a
 * link in the place of a part between two looks. So it is walked part by part.
 *
 * - On Linux a folder is opened, and its handle is asked where it lies (`/proc/self/fd/<handle>`): that is beyond
 *   anybody's exchanging. Where it does not lie where it should, each part is opened by the handle of the one
 *   above it, with `O_NOFOLLOW`, which finds what is in the way. The last name is used through its folder's
 *   handle: what was looked at is what is used, and no exchange can win the race.
 * - Elsewhere Node has no such way. There every part of the path is looked at before and after, and an opened
 *   file is compared with the one that stands at the path, several times, before a byte is read or written. So a
 *   folder that is exchanged for a link and put back is not read through and not written through, and where the
 *   file system's times are fine enough neither is one that is exchanged over and over: every exchange changes the
 *   times of the folder above. Still possible: a creation, a renaming or a removal hits the wrong folder when the
 *   exchange falls between the look and the call. Where times are coarse (a few milliseconds), a program that
 *   exchanges a folder and puts it back `AGREEING_LOOKS` times, each time just between two calls, is read through.
 *
 * The root itself is the caller's word: links on the way to it, and in its place, are followed.
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

/** Something stands in the way that would lead elsewhere; with a `code`, as the platform's own errors have. */
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

/** How folders are reached: `handles` cannot be raced, `looks` is what is left without `/proc`. */
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
  return confinement === "handles" ? openByHandle(root, names) : walkByLooks(root, names);
}

/** The parts of a path below the root; none for the root itself. */
export function partsOf(path: string): readonly string[] {
  const parts = (sep === "/" ? path : path.replaceAll(sep, "/")).split("/").filter((part) => part !== "");
  const odd = parts.find((part) => part === "." || part === ".." || part.includes("\0"));
  if (odd !== undefined || path.startsWith("/"))
    throw new ConfinementError(`ECONFINED: '${path}' is no path below a folder`);
  return parts;
}

function openByHandle(root: string, names: readonly string[]): HeldFolder {
  return heldBy((names.length > 0 ? openAtOnce(root, names) : undefined) ?? walkByHandles(root, names));
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

function heldBy(handle: number): HeldFolder {
  const self = `/proc/self/fd/${handle}`;
  return {
    at: (name) => `${self}/${name}`,
    self,
    verify: () => undefined,
    verifyRead: () => undefined,
    verifyOpened: () => undefined,
    close: () => closeSync(handle),
  };
}

/** A link, or something else that is no folder. */
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
