/**
 * A law of the index: whatever happens to sessions and to the index itself, a list with it is the list
 * that reading every session through gives.
 */
import fc from "fast-check";
import { FakeClock, faultyFileSystem, InMemoryFileSystem, seededIds } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import type { SessionInfo, SessionLog } from "#ports/session-store.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { pageOf, SessionInfoBuilder } from "#stores/shared/session-info.ts";
import type { Entry } from "#transcript/entries.ts";
import { bySize } from "../../../../../../test/helpers/size-of-run.ts";

const ROOT = "/s";
const INDEX = `${ROOT}/.index.jsonl`;
const RUNS = bySize({ usual: 30, long: 800, soak: 20_000 });

interface Write {
  readonly do: "say" | "title";
  readonly session: number;
  readonly process: number;
  readonly size: number;
}

type Step =
  | Write
  | { readonly do: "close"; readonly session: number; readonly process: number }
  | { readonly do: "crash"; readonly process: number }
  | { readonly do: "trash" | "restore"; readonly session: number }
  | { readonly do: "list"; readonly limit: number }
  | { readonly do: "damage"; readonly how: "remove" | "cut" | "flip" | "junk" | "forge"; readonly at: number }
  | { readonly do: "wait"; readonly ms: number };

const session = fc.nat({ max: 5 });
const process_ = fc.nat({ max: 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("say" as const),
      session,
      process: process_,
      size: fc.constantFrom(5, 200, 9_000, 30_000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("title" as const),
      session,
      process: process_,
      size: fc.nat({ max: 200 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("close" as const), session, process: process_ }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("crash" as const), process: process_ }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("trash" as const, "restore" as const), session }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("list" as const), limit: fc.integer({ min: 1, max: 7 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("damage" as const),
      how: fc.constantFrom(
        "remove" as const,
        "cut" as const,
        "flip" as const,
        "junk" as const,
        "forge" as const,
      ),
      at: fc.nat({ max: 5_000 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("wait" as const), ms: fc.nat({ max: 5_000 }) }) },
);

/** A disk with two processes that write sessions, and a third that changes the index. */
class World {
  readonly clock = new FakeClock();
  readonly disk = new InMemoryFileSystem(() => this.clock.nowMs());
  #seed = 1;
  readonly #stores = [this.#store(), this.#store()];
  readonly #logs = [new Map<string, SessionLog>(), new Map<string, SessionLog>()];

  #store(isIndexed = true): FileSessionStore {
    return new FileSessionStore({
      root: ROOT,
      fs: this.disk,
      hasher: nodeHasher,
      ids: seededIds(this.#seed++),
      isIndexed,
    });
  }

  async take(one: Step): Promise<void> {
    this.clock.advance(1);
    if (one.do === "wait") this.clock.advance(one.ms);
    else if (one.do === "list") await this.check(one.limit);
    else if (one.do === "damage") this.#damage(one.how, one.at);
    else if (one.do === "crash") {
      this.#logs[one.process]!.clear();
      this.#stores[one.process] = this.#store();
    } else if (one.do === "trash" || one.do === "restore") await this.#move(one.do, `s${one.session}`);
    else if (one.do === "close") await this.#close(one.process, `s${one.session}`);
    else if (one.do === "say" || one.do === "title") await this.#write(one);
  }

  async #write(one: Write): Promise<void> {
    const id = `s${one.session}`;
    const log = await this.#open(one.process, id);
    const last = (await this.#readAll(log)).at(-1);
    const base = {
      seq: (last?.seq ?? 0) + 1,
      id: `e${this.#seed++}`,
      ...(last === undefined ? {} : { parentId: last.id }),
      v: 1,
      at: this.clock.nowMs(),
    };
    const text = `${id} says ${base.seq} ${"x".repeat(one.size)}`;
    const entry: Entry =
      one.do === "title"
        ? { type: "metadata", ...base, key: "title", value: `t${one.size}` }
        : { type: "message", ...base, role: "user", origin: "user", content: [{ type: "text", text }] };
    await log.append([entry]);
  }

  async #open(process: number, id: string): Promise<SessionLog> {
    const known = this.#logs[process]!.get(id);
    if (known !== undefined) return known;
    // A session has one writer: the lease of the other has to be given up before.
    await this.#close(1 - process, id);
    const store = this.#stores[process]!;
    const isThere = (await store.list()).includes(id);
    const log = await (isThere ? store.open(id) : store.create(id));
    this.#logs[process]!.set(id, log);
    return log;
  }

  async #close(process: number, id: string): Promise<void> {
    await this.#logs[process]!.get(id)?.close();
    this.#logs[process]!.delete(id);
  }

  async #move(what: "trash" | "restore", id: string): Promise<void> {
    for (const process of [0, 1]) await this.#close(process, id);
    try {
      if (what === "trash") await this.#stores[0]!.trash(id, { at: this.clock.nowMs(), reason: "law" });
      else await this.#stores[1]!.restore(id);
    } catch (error) {
      expect(["SESSION_NOT_FOUND", "SESSION_EXISTS"]).toContain((error as { code?: string }).code);
    }
  }

  #damage(how: "remove" | "cut" | "flip" | "junk" | "forge", at: number): void {
    if (this.disk.stat(INDEX) === undefined) return;
    const bytes = Buffer.from(this.disk.readFile(INDEX));
    const place = bytes.length === 0 ? 0 : at % bytes.length;
    if (how === "remove") this.disk.remove(INDEX);
    // Not between two lines: that a whole line is gone cannot be seen, and no crash of ours does it.
    else if (how === "cut")
      this.disk.writeFile(INDEX, bytes.subarray(0, bytes[place - 1] === 0x0a ? place + 1 : place));
    else if (how === "flip") {
      bytes[place] = bytes[place]! ^ (1 << (at % 8));
      this.disk.writeFile(INDEX, bytes);
    } else {
      const line = how === "junk" ? '{"crc":"00000000","on":"gone","id":"s1"}\n' : "\u0000\u0000\n[]\n";
      this.disk.writeFile(INDEX, Buffer.concat([bytes, Buffer.from(line, "latin1")]));
    }
  }

  async #readAll(log: SessionLog): Promise<Entry[]> {
    const entries: Entry[] = [];
    for await (const part of log.readAll()) entries.push(...part.entries.map(({ entry }) => entry));
    return entries;
  }

  /** By reading every session through. */
  async truth(): Promise<readonly SessionInfo[]> {
    const plain = this.#store(false);
    const infos: SessionInfo[] = [];
    for (const sessionId of await plain.list()) {
      const log = await plain.open(sessionId);
      const info = new SessionInfoBuilder();
      for (const entry of await this.#readAll(log)) info.add(entry);
      await log.close();
      const { size, modifiedMs } = this.disk.stat(`${ROOT}/${sessionId}.jsonl`)!;
      infos.push(info.info({ sessionId, bytes: size, isInUse: false }, modifiedMs));
    }
    return pageOf(infos, { limit: Number.POSITIVE_INFINITY }).sessions;
  }

  async check(limit: number): Promise<void> {
    const wanted = await this.truth();
    const store = this.#store();
    const found: SessionInfo[] = [];
    let after: string | undefined;
    do {
      const page = await store.describe({ limit, ...(after === undefined ? {} : { after }) });
      expect(page.sessions.length).toBeLessThanOrEqual(limit);
      found.push(...page.sessions);
      after = page.next;
    } while (after !== undefined && found.length <= wanted.length);
    expect(found).toEqual(wanted);
    expect((await store.overview()).map(({ sessionId, bytes }) => [sessionId, bytes])).toEqual(
      wanted.map(({ sessionId, bytes }) => [sessionId, bytes]),
    );
  }
}

describe("a list by the index", () => {
  it("is the list that reading everything gives, whatever happened", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
        const world = new World();
        for (const one of steps) await world.take(one);
        await world.check(3);
        await world.check(Number.POSITIVE_INFINITY);
      }),
      { numRuns: RUNS },
    );
  });

  it("fails nobody where the index cannot be written, whichever of its operations fails", async () => {
    for (let failAtCall = 1; failAtCall < 60; failAtCall++) {
      const world = new World();
      const fs = faultyFileSystem(world.disk, { failAtCall, error: "ENOSPC", failCount: 10_000 });
      const store = new FileSessionStore({
        root: ROOT,
        fs: routed(world.disk, fs),
        hasher: nodeHasher,
        ids: seededIds(9),
        isIndexed: true,
      });
      for (const id of ["a", "b"]) {
        world.clock.advance(5);
        const log = await store.create(id);
        const message = { role: "user", origin: "user", content: [{ type: "text", text: id }] } as const;
        await log.append([{ type: "message", seq: 1, id: "e1", v: 1, at: world.clock.nowMs(), ...message }]);
        await log.sync();
        await store.describe();
        await log.close();
      }
      const { sessions } = await store.describe();
      expect(sessions.map(({ sessionId }) => sessionId)).toEqual(["b", "a"]);
      if (!fs.didFail()) {
        expect(failAtCall).toBeGreaterThan(10);
        return;
      }
      await world.check(1);
    }
  });
});

const isIndexPath = (path: string): boolean => path.includes(".index.jsonl");

/** Sends operations on the index to `faulty`, all others to the disk. */
function routed(disk: InMemoryFileSystem, faulty: ReturnType<typeof faultyFileSystem>) {
  const of = (path: string) => (isIndexPath(path) ? faulty : disk);
  return {
    open: (path: string, mode: "read" | "append" | "create") => of(path).open(path, mode),
    makeDirectory: (path: string) => disk.makeDirectory(path),
    list: (path: string) => disk.list(path),
    stat: (path: string) => of(path).stat(path),
    rename: (from: string, to: string) => of(from).rename(from, to),
    remove: (path: string) => of(path).remove(path),
    removeDirectory: (path: string) => disk.removeDirectory(path),
    touch: (path: string, atMs: number) => disk.touch(path, atMs),
    syncDirectory: (path: string) => disk.syncDirectory(path),
  };
}
