/** Notes of a session on a disk of the tests, and what lies beside them: the base of the sweeps. */

import { FakeClock, InMemoryFileSystem, seededIds } from "palimpsest-testing";
import type { FileSystem, OpenFile } from "#ports/file-system.ts";
import type { NotesFile } from "#ports/session-store.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { message } from "./workload.ts";

const ROOT = "/home/user/sessions";
const SESSION = "session";
export const FOLDER = `${ROOT}/${SESSION}`;
export const NOTES = `${FOLDER}/notes.md`;
/** Longer than versions that were replaced are kept. */
const LATER_MS = 120_000;

/** A disk on which files have one name only. */
export function withoutLinks(fs: FileSystem): FileSystem {
  const { link: _none, ...rest } = bound(fs);
  return rest;
}

/** A process of this number, which begins `LATER_MS` after the one before. */
export async function notesOf(fs: FileSystem, processNumber: number): Promise<NotesFile> {
  const clock = new FakeClock(1_767_225_600_000 + processNumber * LATER_MS);
  const process = {
    pid: processNumber,
    host: "host",
    space: "space",
    startedAt: undefined,
    isAlive: () => false,
  };
  const lease = { clock, process, timer: { every: () => () => undefined } };
  const store = new FileSessionStore({
    ...{ root: ROOT, fs, hasher: nodeHasher, ids: seededIds(processNumber), lease },
  });
  const { notes } = await store.open(SESSION);
  if (notes === undefined) throw new RangeError("A store in files keeps notes.");
  return notes;
}

/** A disk with a session, whose notes are these. */
export async function diskWith(notes: string | undefined): Promise<InMemoryFileSystem> {
  const disk = new InMemoryFileSystem();
  const store = new FileSessionStore({ root: ROOT, fs: disk, hasher: nodeHasher, ids: seededIds() });
  const log = await store.create(SESSION);
  await log.append([message(1)]);
  await log.sync();
  await log.close();
  if (notes !== undefined) disk.writeFile(NOTES, Buffer.from(notes));
  return disk.crashedCopy("process");
}

export function textsIn(disk: InMemoryFileSystem): ReadonlyMap<string, string> {
  if (disk.stat(FOLDER) === undefined) return new Map();
  const names = disk.list(FOLDER).filter((name) => disk.stat(`${FOLDER}/${name}`)?.isDirectory === false);
  return new Map(
    names.map((name) => [name, Buffer.from(disk.readFile(`${FOLDER}/${name}`)).toString("utf8")]),
  );
}

/** Calls `meanwhile` before the operation of that number. */
export function interrupted(
  fs: FileSystem,
  at: number,
  meanwhile: () => void,
): FileSystem & { count(): number } {
  let count = 0;
  const step = <Result>(work: () => Result): Result => {
    if (++count === at) meanwhile();
    return work();
  };
  const file = (inner: OpenFile): OpenFile => ({
    write: (bytes) => step(() => inner.write(bytes)),
    read: (position, length) => step(() => inner.read(position, length)),
    size: () => step(() => inner.size()),
    ...(inner.stat && { stat: () => inner.stat!() }),
    endsAt: (position) => inner.endsAt(position),
    truncate: (size) => step(() => inner.truncate(size)),
    sync: () => step(() => inner.sync()),
    close: () => step(() => inner.close()),
  });
  const inner = bound(fs);
  const { link } = inner;
  return {
    ...inner,
    open: (path, mode) => file(step(() => inner.open(path, mode))),
    list: (path) => step(() => inner.list(path)),
    stat: (path) => step(() => inner.stat(path)),
    rename: (from, to) => step(() => inner.rename(from, to)),
    ...(link && { link: (existing: string, name: string) => step(() => link(existing, name)) }),
    remove: (path) => step(() => inner.remove(path)),
    syncDirectory: (path) => step(() => inner.syncDirectory(path)),
    count: () => count,
  };
}

function bound(fs: FileSystem): FileSystem {
  return {
    open: fs.open.bind(fs),
    makeDirectory: fs.makeDirectory.bind(fs),
    list: fs.list.bind(fs),
    stat: fs.stat.bind(fs),
    rename: fs.rename.bind(fs),
    ...(fs.link && { link: fs.link.bind(fs) }),
    remove: fs.remove.bind(fs),
    removeDirectory: fs.removeDirectory.bind(fs),
    touch: fs.touch.bind(fs),
    syncDirectory: fs.syncDirectory.bind(fs),
  };
}
