/** A session's title and tags: where they are stored, and that they are there after anything. */

import { FakeClock, InMemoryFileSystem, seededIds } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import { createSession, openSession } from "#session/lifecycle/open-session.ts";
import type { SessionOptions } from "#session/options/session-options.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { assistant, user } from "#test/helpers/histories.ts";
import type { Entry } from "#transcript/entries.ts";

const ID = "one";
const PATH = "/s/one.jsonl";
const MODEL = { model: "claude-opus-4-5" };
const LONG = "a line of a long answer\n".repeat(1_200);

function aDisk() {
  const disk = new InMemoryFileSystem();
  const options: SessionOptions = {
    store: new FileSessionStore({ root: "/s", fs: disk, hasher: nodeHasher, ids: seededIds(2) }),
    clock: new FakeClock(),
    ids: seededIds(3),
    hasher: nodeHasher,
    window: { policy: "off" },
  };
  return {
    disk,
    options,
    create: () => createSession({ ...options, sessionId: ID }),
    open: () => openSession(ID, options),
    text: () => Buffer.from(disk.readFile(PATH)).toString("utf8"),
    tail: () => Buffer.from(disk.readFile(PATH).slice(-16_384)).toString("utf8"),
  };
}

describe("metadata of a session", () => {
  it("has the last value of each key, before and after opening", async () => {
    const { create, open } = aDisk();
    const session = await create();
    await session.append(user("Hello"));
    await session.setMetadata("title", "First");
    await session.setMetadata("tags", ["a", "b"]);
    await session.setMetadata("title", "Second");
    expect(session.metadata).toEqual({ title: "Second", tags: ["a", "b"] });
    await session.close();
    expect((await open()).metadata).toEqual({ title: "Second", tags: ["a", "b"] });
  });

  it("lies in the last 16 KB after a close, however much was said since it was set", async () => {
    const { create, open, tail } = aDisk();
    const session = await create();
    await session.setMetadata("title", "Set long ago");
    for (let round = 0; round < 5; round++)
      await session.append([user("More"), assistant(`r${round}`, LONG)]);
    await session.close();
    expect(tail()).toContain('"key":"title","value":"Set long ago"');

    const again = await open();
    await again.append([user("And more"), assistant("r9", LONG)]);
    await again.close();
    expect(tail()).toContain('"key":"title","value":"Set long ago"');
  });

  it("is carried over checkpoints: opening does not read back to where it was set", async () => {
    const { create, open, options } = aDisk();
    const session = await create();
    await session.setMetadata("title", "Set long ago");
    await session.append([user("More"), assistant("r1", LONG)]);
    await session.close();
    const log = await options.store.open(ID);
    const { entries } = await log.readTail();
    await log.close();
    const carried = entries[0]?.entry;
    expect(carried?.type === "checkpoint" && carried.carried?.["metadata"]).toEqual({
      title: "Set long ago",
    });
    expect((await open()).metadata).toEqual({ title: "Set long ago" });
  });

  it("survives a process that was killed behind a checkpoint and before the metadata was written again", async () => {
    const { create, open, disk, text } = aDisk();
    const session = await create();
    await session.setMetadata("title", "Kept");
    await session.append([user("More"), assistant("r1", LONG)]);
    await session.close();
    const checkpoint = text().lastIndexOf('"type":"checkpoint"');
    const end = text().indexOf("\n", checkpoint) + 1;
    disk.writeFile(PATH, disk.readFile(PATH).slice(0, Buffer.byteLength(text().slice(0, end))));
    expect((await open()).metadata).toEqual({ title: "Kept" });
    const store = new FileSessionStore({ root: "/s", fs: disk, hasher: nodeHasher, ids: seededIds(4) });
    expect((await store.find(ID)).metadata).toEqual({ title: "Kept" });
  });

  it.each([
    { key: "palimpsest.lease", value: 1, why: "the key is the library's" },
    { key: "", value: 1, why: "a key is a word" },
    { key: "title", value: "x".repeat(20_000), why: "it would not fit into what lists read" },
    { key: "title", value: undefined as never, why: "it is no JSON" },
  ])("refuses $key: $why, and goes on", async ({ key, value }) => {
    const { create } = aDisk();
    const session = await create();
    await expect(session.setMetadata(key, value)).rejects.toMatchObject({ code: "OPTION_INVALID" });
    await session.setMetadata("title", "Fits");
    expect(session.metadata).toEqual({ title: "Fits" });
  });

  it("refuses a key too many, and says how much there would be", async () => {
    const { create } = aDisk();
    const session = await create();
    for (let index = 0; index < 10; index++) await session.setMetadata(`key${index}`, "v".repeat(900));
    await expect(session.setMetadata("one more", "v".repeat(900))).rejects.toThrow(/12\d\d\d bytes.*12288/);
    await session.setMetadata("key3", "short");
    await session.setMetadata("one more", "v".repeat(900));
  });

  it.each([
    { key: "recorded.summary", why: "a recording held it beside its messages" },
    { key: "recorded-boundary.7", why: "likewise" },
    { key: "memory.entry.e1", why: "it is about one message" },
    { key: "memory.summary.s1", why: "likewise" },
  ])("keeps a note in the log and carries it no further: $key, $why", async ({ key }) => {
    const { create, text } = aDisk();
    const session = await create();
    await session.append(user("Hello"));
    await session.setMetadata(key, "y".repeat(50_000));
    await session.close();
    expect(session.metadata).toEqual({});
    expect(text().split(key).length).toBe(2);
  });

  it("may be larger than what lies between two checkpoints: each still ends", async () => {
    const { options, create, open, text } = aDisk();
    const session = await create();
    await session.append(user("Hello"));
    await session.close();
    const log = await options.store.open(ID);
    const { seq, id } = (await log.readTail()).entries.at(-1)!.entry;
    const value = "x".repeat(1_200_000);
    const entry = { type: "metadata", seq: seq + 1, id: "big", parentId: id, v: 1, at: 0, key: "big", value };
    await log.append([entry as Entry]);
    await log.close();

    const again = await open();
    await again.append([user("More"), assistant("r", LONG)]);
    await again.close();
    expect(text().split('"type":"checkpoint"').length - 1).toBe(2);
    expect((await open()).metadata).toEqual({ big: value });
  });

  it("is not changed by what a host does with its objects", async () => {
    const { create } = aDisk();
    const session = await create();
    const tags = ["a"];
    const setting = session.setMetadata("tags", tags);
    tags.push("b");
    await setting;
    (session.metadata["tags"] as string[]).push("c");
    expect(session.metadata).toEqual({ tags: ["a"] });
  });
});

describe("closing a session", () => {
  it("writes nothing where nothing was said since it was opened", async () => {
    const { create, open, text } = aDisk();
    const session = await create();
    await session.setMetadata("title", "Read only");
    await session.append(user("Hello"));
    await session.close();
    const before = text();
    for (let round = 0; round < 2; round++) {
      const again = await open();
      expect(again.visible).toHaveLength(1);
      await again.close();
    }
    expect(text()).toBe(before);
  });

  it("writes nothing either into a log that was left without a checkpoint", async () => {
    const { create, open, disk, text } = aDisk();
    const session = await create();
    await session.append(user("Hello"));
    await session.prepare(MODEL);
    const left = disk.readFile(PATH);
    const again = await open();
    expect(again.visible).toHaveLength(1);
    await again.close();
    expect(text()).toBe(Buffer.from(left).toString("utf8"));
  });
});
