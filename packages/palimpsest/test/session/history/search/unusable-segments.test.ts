/** Derived files of the search index that a session did not write, or that cannot be read. */
import { InMemoryFileSystem } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import type { FileSystem } from "#ports/file-system.ts";
import type { DerivedFiles } from "#ports/session-store.ts";
import { openHistory } from "#session/history/stored-history.ts";
import { createSession, openSession } from "#session/lifecycle/open-session.ts";
import { internalsOf, type Session } from "#session/session.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { converse, counting, FOLDER, onDisk, optionsOf } from "#test/helpers/derived-files.ts";

async function answers({ history }: Session): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for (const query of ["line of part 7", "Question 12", "src/part-11.ts"])
    found.push(await history.search(query, { limit: 4 }));
  return found;
}

/** Makes a session with one segment, and returns its answers. */
async function saved(store: Parameters<typeof optionsOf>[0]): Promise<readonly unknown[]> {
  const session = await createSession({ ...optionsOf(store), sessionId: "s" });
  await session.history.search("a word");
  await converse(session, 0, 25);
  const found = await answers(session);
  await session.close();
  return found;
}

/** Writes the parts of the only segment as `change` makes them. */
async function forge(store: InMemorySessionStore, change: (parts: Uint8Array[]) => void): Promise<void> {
  const log = await store.open("s");
  const files = log.derived as Required<DerivedFiles>;
  const name = (await files.list()).find((one) => one.startsWith("segment-"))!;
  const parts: Uint8Array[] = [];
  for (;;) {
    const part = await files.readPart(name, parts.length);
    if (part === undefined) break;
    parts.push(part);
  }
  change(parts);
  await files.writeParts(name, parts);
  await log.close();
}

const withHead = (fields: object) => (parts: Uint8Array[]) => {
  const head = JSON.parse(new TextDecoder().decode(parts[0])) as object;
  parts[0] = new TextEncoder().encode(JSON.stringify({ ...head, ...fields }));
};

/** Each term has one place, of 2^42 that are announced, and no block has its number. */
const withoutEnd = (parts: Uint8Array[]): void => {
  for (let index = 3; index < parts.length; index += 2) {
    const terms = new TextDecoder().decode(parts[index - 1]).split("\n");
    parts[index] = Uint8Array.from(terms.flatMap(() => [128, 128, 128, 128, 128, 128, 1, 2, 254, 127]));
  }
};

/** The same disk, on which no segment, or none of this name, can be opened once `isOn` returns true. */
function unreadable(sound: FileSystem, isOn: () => boolean, segment = "segment-"): FileSystem {
  return new Proxy(sound, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown;
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        if (name === "open" && isOn() && String(args[0]).startsWith(`${FOLDER}/${segment}`))
          throw Object.assign(new Error("EIO: i/o error"), { code: "EIO" });
        return (value as (...given: unknown[]) => unknown).apply(target, args);
      };
    },
  });
}

describe("a segment that is not what a session wrote", () => {
  it.each([
    { why: "more blocks than its bytes can hold", fields: { blockCount: 400_000_000 } },
    { why: "another sum of terms", fields: { totalTerms: 1 } },
    { why: "the version before, in which blocks had other texts", fields: { version: 1, tools: ["old"] } },
  ])("is made again where its head has $why", async ({ fields }) => {
    const store = new InMemorySessionStore();
    const expected = await saved(store);
    await forge(store, withHead(fields));
    const session = await openSession("s", optionsOf(store, 2));
    expect(await answers(session)).toEqual(expected);
    await session.close();
  });

  it("neither stops a search nor names a block that there is not", async () => {
    const store = new InMemorySessionStore();
    await saved(store);
    await forge(store, withoutEnd);
    const session = await openSession("s", optionsOf(store, 2));
    expect(await answers(session)).toEqual([[], [], []]);
    await session.close();
  });
});

describe("a segment that cannot be read", () => {
  it("is made from the log again, also by a reader that is not the session", async () => {
    const sound = new InMemoryFileSystem();
    const expected = await saved(onDisk(sound));
    let isOn = false;
    const fs = unreadable(sound, () => isOn);
    const [session, stored] = [
      await openSession("s", optionsOf(onDisk(fs, 2), 2)),
      await openHistory(onDisk(fs, 3), "s"),
    ];
    await session.history.search("nothing here");
    isOn = true;
    expect(await answers(session)).toEqual(expected);
    expect((await stored.search("Question 12", { limit: 1 }))[0]?.snippet).toContain("Question 12");
    await stored.close();
    await session.close();
  });

  it("does not keep new ones from being written beside it", async () => {
    const sound = new InMemoryFileSystem();
    await saved(onDisk(sound));
    const segments = () => sound.list(FOLDER).filter((name) => name.startsWith("segment-"));
    const [first] = segments();
    let isOn = false;
    const fs = unreadable(sound, () => isOn, first);
    const session = await openSession("s", optionsOf(onDisk(fs, 2), 2));
    await session.history.search("nothing here");
    await converse(session, 25, 50);
    const expected = await answers(session);
    isOn = true;
    await session.close();
    expect(segments()).toEqual([first, expect.any(String)]);
    const { store, wholeReads } = counting(onDisk(sound, 3));
    const again = await openSession("s", optionsOf(store, 3));
    expect(await answers(again)).toEqual(expected);
    expect(wholeReads()).toBe(0);
    await again.close();
  });

  it("is made again once, and written, where several searches meet it", async () => {
    const fs = new InMemoryFileSystem();
    await saved(onDisk(fs));
    const path = `${FOLDER}/${fs.list(FOLDER).find((name) => name.startsWith("segment-"))}`;
    const file = fs.open(path, "read");
    const bytes = Buffer.from(file.read(0, file.size()));
    bytes[bytes.length - 10]! ^= 1;
    fs.writeFile(path, bytes);
    const { store, wholeReads } = counting(onDisk(fs, 2));
    const session = await openSession("s", optionsOf(store, 2));
    await Promise.all(["line 7", "part 12", "question"].map((query) => session.history.search(query)));
    expect(wholeReads()).toBe(1);
    await session.close();
    const again = counting(onDisk(fs, 3));
    const next = await openSession("s", optionsOf(again.store, 3));
    await answers(next);
    expect(again.wholeReads()).toBe(0);
    await next.close();
  });
});

describe("derived files of another log", () => {
  it("are no damage of this one, wherever their last entry would begin", async () => {
    const [one, other] = [new InMemoryFileSystem(), new InMemoryFileSystem()];
    await saved(onDisk(one));
    const session = await createSession({ ...optionsOf(onDisk(other, 9), 9), sessionId: "s" });
    // Longer numbers than in the other log, so its places are within lines of this one.
    await converse(session, 100, 130);
    await session.close();
    other.makeDirectory(FOLDER);
    for (const name of one.list(FOLDER)) {
      const file = one.open(`${FOLDER}/${name}`, "read");
      other.writeFile(`${FOLDER}/${name}`, Buffer.from(file.read(0, file.size())));
    }
    const again = await openSession("s", optionsOf(onDisk(other, 3), 3));
    await internalsOf(again).digest.get();
    const found = await again.history.runTool("history_search", { query: "Question 120" });
    expect(found).toContain("Question 120");
    expect(found).not.toContain("damaged");
    await again.close();
    const stored = await openHistory(onDisk(other, 4), "s");
    await stored.search("Question 120");
    expect(stored.lossCount).toBe(0);
    await stored.close();
  });
});
