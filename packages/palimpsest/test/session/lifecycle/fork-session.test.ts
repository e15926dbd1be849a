import { FakeClock, faultyFileSystem, InMemoryFileSystem, seededIds } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import type { FileSystem } from "#ports/file-system.ts";
import type { SessionLog, SessionStore } from "#ports/session-store.ts";
import type { SessionEvent } from "#session/events/events.ts";
import { forkSession } from "#session/lifecycle/fork-session.ts";
import { createSession, openSession } from "#session/lifecycle/open-session.ts";
import type { SessionOptions } from "#session/options/session-options.ts";
import { internalsOf, type Session } from "#session/session.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { assistant, user } from "#test/helpers/histories.ts";
import type { Entry } from "#transcript/entries.ts";
import { bySize } from "../../../../../test/helpers/size-of-run.ts";

const LARGE = "large ".repeat(15_000);
const ids = seededIds(3);

function optionsOf(store: SessionStore): SessionOptions {
  return { store, clock: new FakeClock(), ids, hasher: nodeHasher, durability: "process" };
}

function fileStore(fs: FileSystem): FileSessionStore {
  return new FileSessionStore({ root: "/sessions", fs, hasher: nodeHasher, ids });
}

/** A session with a blob, a call, a checkpoint in its middle, and something after it. */
async function aConversation(options: SessionOptions): Promise<Session> {
  const session = await createSession({ ...options, sessionId: "parent", workingCopy: "/app" });
  await session.append([user("first"), user(LARGE)]);
  await session.setMetadata("title", "The plan");
  await session.prepare({ model: "claude-opus-4-5", system: "be brief" });
  await session.record({ messages: [assistant("r1", "an answer")] });
  await internalsOf(session).settle();
  await session.append(user("last"));
  return session;
}

async function entriesOf(id: string, { store }: SessionOptions): Promise<readonly Entry[]> {
  const log = await store.open(id);
  const entries: Entry[] = [];
  for await (const batch of log.readAll()) entries.push(...batch.entries.map(({ entry }) => entry));
  await log.close();
  return entries;
}

const texts = (session: Session): readonly string[] =>
  session.visible.flatMap(({ blocks }) =>
    blocks.flatMap(({ block }) => (block.type === "text" ? [block.text.slice(0, 9)] : [])),
  );

describe("a fork", () => {
  it.each([
    ["in memory", () => new InMemorySessionStore()],
    ["in files", () => fileStore(new InMemoryFileSystem())],
  ])("has the notes of its parent as they are now, and goes on with its own: %s", async (_, makeStore) => {
    const options = optionsOf(makeStore());
    const session = await aConversation(options);
    await (await options.store.open("parent")).notes?.replace(undefined, "# Notes");
    const fork = await forkSession("parent", { ...options, sessionId: "fork", atSeq: 3 });
    const [ofParent, ofFork] = [await options.store.open("parent"), await options.store.open("fork")];
    expect(await ofFork.notes?.read()).toBe("# Notes");
    await ofFork.notes?.replace("# Notes", "# Notes of the fork");
    expect(await ofParent.notes?.read()).toBe("# Notes");
    const second = await forkSession("fork", { ...options, sessionId: "second" });
    expect(await (await options.store.open("second")).notes?.read()).toBe("# Notes of the fork");
    for (const one of [session, fork, second]) await one.close();
  });

  it("comes about without notes that cannot be read, and says so", async () => {
    const disk = new InMemoryFileSystem();
    const options = optionsOf(fileStore(disk));
    const session = await aConversation(options);
    disk.writeFile("/sessions/parent/notes.md", Buffer.from([0xff]));
    const events: SessionEvent[] = [];
    const observer = { onEvent: (event: SessionEvent) => void events.push(event) };
    const fork = await forkSession("parent", { ...options, observer, sessionId: "fork" });
    expect(events).toContainEqual({ type: "notes-unreadable", reason: "NOTES_UNREADABLE" });
    expect(disk.list("/sessions/fork")).not.toContain("notes.md");
    for (const one of [session, fork]) await one.close();
  });

  it("has the entries of its parent with their numbers, a header of its own, and a checkpoint", async () => {
    const options = optionsOf(new InMemorySessionStore());
    const session = await aConversation(options);
    const parent = await entriesOf("parent", options);
    const events: SessionEvent[] = [];
    const observer = { onEvent: (event: SessionEvent) => void events.push(event) };
    const fork = await forkSession("parent", {
      ...options,
      observer,
      sessionId: "fork",
      workingCopy: "/else",
    });
    const copied = await entriesOf("fork", options);

    const [header, ...rest] = copied;
    expect(header).toMatchObject({
      type: "header",
      sessionId: "fork",
      workingCopy: "/else",
      parent: { sessionId: "parent", entryId: parent.at(-1)!.id },
    });
    const sameButCheckpoints = (entry: Entry): unknown =>
      entry.type === "checkpoint" ? { ...entry, runs: [] } : entry;
    expect(rest.slice(0, parent.length - 1).map(sameButCheckpoints)).toEqual(
      parent.slice(1).map(sameButCheckpoints),
    );
    expect(copied.map(({ seq }) => seq)).toEqual(copied.map((_, index) => index + 1));
    expect(copied.slice(1).map(({ parentId }) => parentId)).toEqual(copied.slice(0, -1).map(({ id }) => id));
    expect(copied.slice(parent.length).map(({ type }) => type)).toContain("checkpoint");
    expect(fork.metadata["title"]).toBe("The plan (fork)");
    expect(fork.visible).toEqual(session.visible);
    expect(events).toEqual([
      { type: "forked", parentId: "parent", entries: parent.length + 2, missingBlobs: 0 },
    ]);
  });

  it("goes its own way, and so does its parent", async () => {
    const options = optionsOf(new InMemorySessionStore());
    const session = await aConversation(options);
    const fork = await forkSession("parent", options);
    await fork.append(user("here"));
    await session.append(user("there"));
    expect(texts(fork).slice(-2)).toEqual(["last", "here"]);
    expect(texts(session).slice(-2)).toEqual(["last", "there"]);
  });

  it("answers no call that its parent waits for", async () => {
    const options = optionsOf(new InMemorySessionStore());
    const session = await aConversation(options);
    const { callSeq } = await session.prepare({ model: "claude-opus-4-5" });
    const fork = await forkSession("parent", options);
    await fork.record({ messages: [assistant("r2", "for nobody")], stopReason: "end_turn" });
    expect((await entriesOf(fork.id, options)).filter(({ type }) => type === "answer")).toHaveLength(1);
    await session.record({ messages: [assistant("r2", "for the parent")], stopReason: "end_turn", callSeq });
    expect((await entriesOf("parent", options)).filter(({ type }) => type === "answer")).toHaveLength(2);
  });

  it.each([0, -1, 1.5, 99, Number.NaN])("is refused at entry %d, and leaves nothing", async (atSeq) => {
    const options = optionsOf(new InMemorySessionStore());
    await aConversation(options);
    await expect(forkSession("parent", { ...options, atSeq })).rejects.toMatchObject({
      code: "ENTRY_NOT_FOUND",
    });
    expect(await options.store.list()).toEqual(["parent"]);
  });

  it("is refused where the id is taken, and of a session that is not there", async () => {
    const options = optionsOf(new InMemorySessionStore());
    const session = await aConversation(options);
    const taken = forkSession("parent", { ...options, sessionId: "parent" });
    await expect(taken).rejects.toMatchObject({ code: "SESSION_EXISTS" });
    expect(texts(session)).toHaveLength(4);
    await expect(forkSession("gone", options)).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
  });

  it("that is stopped leaves nothing, whenever that is", async () => {
    for (let stopAt = 1; ; stopAt += bySize({ usual: 3, long: 2, soak: 1 })) {
      const options = optionsOf(new InMemorySessionStore());
      await (await aConversation(options)).close();
      const stop = new AbortController();
      let calls = 0;
      const counted = countingLogs(options.store, () => {
        if (++calls === stopAt) stop.abort();
      });
      const fork = forkSession("parent", { ...options, store: counted, signal: stop.signal });
      const outcome = await fork.then(
        () => "made",
        (error: { code: string }) => error.code,
      );
      if (outcome === "made") {
        expect(stopAt).toBeGreaterThan(5);
        return;
      }
      expect(outcome).toBe("ABORTED");
      expect(await options.store.list(), `stopped at call ${stopAt}`).toEqual(["parent"]);
      expect(await options.store.listTrash()).toEqual([]);
    }
  });

  it("that fails leaves nothing, whichever file operation fails, and the parent as it was", async () => {
    const sound = new InMemoryFileSystem();
    const options = optionsOf(fileStore(sound));
    await (await aConversation(options)).close();
    const before = await entriesOf("parent", options);
    for (let failAtCall = 1; ; failAtCall += bySize({ usual: 7, long: 3, soak: 1 })) {
      const fault = faultyFileSystem(sound, { failAtCall, error: "EIO" });
      const fork = forkSession("parent", { ...options, store: fileStore(fault), sessionId: "fork" });
      const isMade = await fork.then(
        () => true,
        () => false,
      );
      if (!fault.didFail()) return;
      const left = isMade ? ["fork", "parent"] : ["parent"];
      expect(await options.store.list(), `call ${failAtCall} failed`).toEqual(left);
      expect(await entriesOf("parent", options)).toEqual(before);
      if (!isMade) continue;
      await options.store.trash("fork", { at: 0, reason: "test" });
      await options.store.purge("fork");
    }
  });
});

describe("a fork of a damaged session", () => {
  it("has a mark in the place of each lost entry, so that every pointer stays true", async () => {
    const fs = new InMemoryFileSystem();
    const options = optionsOf(fileStore(fs));
    await (await aConversation(options)).close();
    const entries = await entriesOf("parent", options);
    damageLine(fs, "/sessions/parent.jsonl", 1);
    damageLine(
      fs,
      "/sessions/parent.jsonl",
      entries.findIndex(({ type }) => type === "answer"),
    );

    const parent = await openSession("parent", options);
    const fork = await forkSession("parent", { ...options, sessionId: "fork" });
    expect(fork.visible).toEqual(parent.visible);
    const copied = await entriesOf("fork", options);
    expect(copied.map(({ seq }) => seq)).toEqual(copied.map((_, index) => index + 1));
    expect(copied.slice(1).map(({ parentId }) => parentId)).toEqual(copied.slice(0, -1).map(({ id }) => id));
    for (const { seq, id, type } of entries.slice(2))
      if (type === "message") expect(copied[seq - 1]).toMatchObject({ type, id });
    await fork.close();
    expect((await openSession("fork", options)).visible).toEqual(parent.visible);
  });

  it("has a header where its parent has none any more", async () => {
    const fs = new InMemoryFileSystem();
    const options = optionsOf(fileStore(fs));
    await (await aConversation(options)).close();
    damageLine(fs, "/sessions/parent.jsonl", 0);
    const fork = await forkSession("parent", { ...options, sessionId: "fork" });
    expect((await entriesOf("fork", options))[0]).toMatchObject({ type: "header", sessionId: "fork" });
    expect(texts(fork).at(-1)).toBe("last");
  });

  it("does not refer to the digest of its parent, which is not copied", async () => {
    const options = optionsOf(fileStore(new InMemoryFileSystem()));
    await (await aConversation(options)).close();
    const log = await options.store.open("parent");
    const [checkpoint] = (await log.readTail()).entries;
    const last = (await log.readTail()).entries.at(-1)!.entry;
    const digest = { hash: "0".repeat(64), throughSeq: 3, position: 700 };
    const { seq, id } = last;
    const place = { seq: seq + 1, id: "with a digest", parentId: id };
    await log.append([
      { ...checkpoint!.entry, ...place, line: [{ from: 1, to: seq }], carried: { digest, kept: 1 } } as Entry,
    ]);
    await log.close();

    await (await forkSession("parent", { ...options, sessionId: "fork" })).close();
    const carried = (await entriesOf("fork", options)).flatMap((entry) =>
      entry.type === "checkpoint" ? [entry.carried] : [],
    );
    expect(carried[2]).toEqual({ kept: 1 });
    expect(JSON.stringify(carried)).not.toContain("digest");
    const fork = await openSession("fork", options);
    expect((await fork.history.search("answer")).length).toBeGreaterThan(0);
  });

  it("goes without blobs that are gone, and says how many", async () => {
    const fs = new InMemoryFileSystem();
    const options = optionsOf(fileStore(fs));
    await (await aConversation(options)).close();
    const blobs = fs.list("/sessions/parent/blobs");
    expect(blobs).toHaveLength(2);
    for (const name of blobs) fs.remove(`/sessions/parent/blobs/${name}`);
    const missing: number[] = [];
    const observer = {
      onEvent: (event: SessionEvent) => void (event.type === "forked" && missing.push(event.missingBlobs)),
    };
    const fork = await forkSession("parent", { ...options, observer });
    expect(missing).toEqual([2]);
    expect(texts(fork).at(-1)).toBe("last");
  });
});

/** A store whose logs report every call. */
function countingLogs(store: SessionStore, onCall: () => void): SessionStore {
  const counted = (log: SessionLog): SessionLog =>
    new Proxy(log, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== "function") return member;
        return (...args: readonly unknown[]) => {
          if (name !== "close") onCall();
          return Reflect.apply(member, target, args) as unknown;
        };
      },
    });
  return new Proxy(store, {
    get: (target, name) => {
      if (name === "create") return async (id: string) => counted(await target.create(id));
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

/** Changes one byte of a line, so that its checksum is wrong. */
function damageLine(fs: InMemoryFileSystem, path: string, line: number): void {
  const lines = Buffer.from(fs.readFile(path)).toString("utf8").split("\n");
  lines[line] = lines[line]!.replace('"v":1', '"v":2');
  fs.writeFile(path, Buffer.from(lines.join("\n"), "utf8"));
}
