/** Sessions whose logs have derived files beside them. */
import { FakeClock, InMemoryFileSystem, seededIds } from "palimpsest-testing";
import type { FileSystem } from "#ports/file-system.ts";
import type { SessionLog, SessionStore } from "#ports/session-store.ts";
import { openSession } from "#session/lifecycle/open-session.ts";
import type { Session } from "#session/session.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { assistant, call, result, user } from "#test/helpers/histories.ts";

export const ROOT = "/sessions";
/** The derived files of the session `s`. */
export const FOLDER = `${ROOT}/s/derived`;

/** A store whose sessions count how often their whole log is read. */
export function counting(store: SessionStore) {
  let wholeReads = 0;
  const watched = (log: SessionLog): SessionLog =>
    new Proxy(log, {
      get(target, name) {
        if (name === "readAll") wholeReads++;
        const value = Reflect.get(target, name, target) as unknown;
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  const counted = new Proxy(store, {
    get(target, name) {
      if (name === "create" || name === "open")
        return async (...args: Parameters<SessionStore["open"]>) => watched(await target[name](...args));
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return { store: counted, wholeReads: () => wholeReads };
}

export function optionsOf(store: SessionStore, seed = 1) {
  const window = { windowTokens: 1_000_000 };
  return { store, clock: new FakeClock(), ids: seededIds(seed), hasher: nodeHasher, window };
}

export const onDisk = (fs: FileSystem, seed = 1): SessionStore =>
  new FileSessionStore({ root: ROOT, fs, hasher: nodeHasher, ids: seededIds(seed + 50) });

/** Most of a result: files are written after so many characters, and signs are read far faster than words. */
const SIGNS = "~".repeat(13_900);

/** Some 15,000 characters a turn. */
export async function converse(session: Session, from: number, to: number): Promise<void> {
  for (let turn = from; turn < to; turn++) {
    await session.append(user(`Question ${turn} about src/part-${turn}.ts`));
    await session.append(
      assistant(`r${turn}`, call(`c${turn}`, "Read", { file_path: `src/part-${turn}.ts` })),
    );
    await session.append(user(result(`c${turn}`, `line of part ${turn}\n`.repeat(50) + SIGNS)));
  }
}

export function copyOf(from: InMemoryFileSystem): InMemoryFileSystem {
  const to = new InMemoryFileSystem();
  const copy = (path: string): void => {
    if (from.stat(path)!.isDirectory) {
      to.makeDirectory(path);
      for (const name of from.list(path)) copy(`${path}/${name}`);
      return;
    }
    const file = to.open(path, "create");
    file.write(bytesOf(from, path));
    file.close();
  };
  copy(ROOT);
  return to;
}

function bytesOf(fs: FileSystem, path: string): Uint8Array {
  const file = fs.open(path, "read");
  const bytes = Uint8Array.from(file.read(0, file.size()));
  file.close();
  return bytes;
}

/** Returns copies of a disk that is written once for each list of closings, because many tests begin with the same. */
export function writtenOnce(write: (store: SessionStore, closings: readonly number[]) => Promise<void>) {
  const disks = new Map<string, Promise<InMemoryFileSystem>>();
  const make = async (closings: readonly number[]): Promise<InMemoryFileSystem> => {
    const fs = new InMemoryFileSystem();
    await write(onDisk(fs), closings);
    return fs;
  };
  return async (closings: readonly number[]): Promise<InMemoryFileSystem> => {
    const disk = disks.get(`${closings}`) ?? make(closings);
    disks.set(`${closings}`, disk);
    return copyOf(await disk);
  };
}

/** Asks a session of each different log once, without the files derived from it. */
export function onceForEachLog<Answer>(ask: (session: Session) => Promise<Answer>) {
  const answers = new Map<string, Answer>();
  return async (fs: InMemoryFileSystem): Promise<Answer> => {
    const log = nodeHasher.sha256(Buffer.from(bytesOf(fs, `${ROOT}/s.jsonl`)).toString("latin1"));
    const known = answers.get(log);
    if (known !== undefined) return known;
    if (fs.stat(FOLDER) !== undefined) for (const name of fs.list(FOLDER)) fs.remove(`${FOLDER}/${name}`);
    const session = await openSession("s", optionsOf(onDisk(fs, 8), 8));
    const answer = await ask(session);
    await session.close();
    answers.set(log, answer);
    return answer;
  };
}

/** Sends operations on the folder of derived files to the faulty disk, and all others to the sound one. */
export function onlyDerived(sound: FileSystem, faulty: FileSystem, isOn: () => boolean): FileSystem {
  return new Proxy(sound, {
    get(target, name) {
      const of = (system: FileSystem): unknown => Reflect.get(system, name, system) as unknown;
      if (typeof of(target) !== "function") return of(target);
      return (...args: unknown[]) => {
        const system = isOn() && String(args[0]).startsWith(FOLDER) ? faulty : target;
        return (of(system) as (...given: unknown[]) => unknown).apply(system, args);
      };
    },
  });
}
