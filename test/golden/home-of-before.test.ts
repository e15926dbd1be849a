/**
 * Opens a home that the code of commit 7c22482 wrote, compares its windows with those of that code, and continues its
 * sessions.
 *
 * `home-of-before.snapshot.json` holds the files of the home and hashes of its windows, notes and memories. Its
 * sessions were compacted by a model, from notes and by hand, and have pins, a rewind, a fork, blobs and checkpoints;
 * one session is in the trash and one memory in the archive. Do not write the snapshot again: `PALIMPSEST_WRITE=1`
 * creates it only if it is missing.
 */
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  createPalimpsest,
  functionModel,
  openHome,
  type Session,
  type SessionEvent,
} from "#palimpsest/entries/index.ts";
import { createMemory } from "#palimpsest/entries/memory.ts";
import type { PalimpsestHome } from "#palimpsest/host/home/home-types.ts";
import { FakeClock } from "#palimpsest-testing/entries/index.ts";
import { GOOD_PATCHES, GOOD_SUMMARY } from "../helpers/recorded-agent.ts";
import { never } from "./scripted-run.ts";
import { wordsOf } from "./scripted-work.ts";

interface HomeOfBefore {
  readonly endedAt: number;
  readonly trashed: string;
  /** By path below the home; binary files as Base64. */
  readonly files: Readonly<Record<string, string | { readonly base64: string }>>;
  /** By session: hashes of the visible messages, of the next request, and of metadata with pins. */
  readonly sessions: Readonly<Record<string, Seen>>;
  readonly notes: Readonly<Record<string, string>>;
  readonly memories: string;
}

interface Seen {
  readonly visible: string;
  readonly messages: string;
  readonly metadata: string;
}

const PATH = new URL("home-of-before.snapshot.json", import.meta.url).pathname;
const CALL = { model: "claude-opus-4-6", system: "Be exact." };
const WORKING_COPY = "/work-of-nobody/app";
const folder = mkdtempSync(join(tmpdir(), "palimpsest-before-"));
const events: SessionEvent[] = [];
let before: HomeOfBefore;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeAll(async () => {
  if (!existsSync(PATH) && process.env["PALIMPSEST_WRITE"] === "1")
    writeFileSync(PATH, `${JSON.stringify(await writeHome(), undefined, 1)}\n`);
  before = JSON.parse(readFileSync(PATH, "utf8")) as HomeOfBefore;
  for (const [path, content] of Object.entries(before.files)) {
    const file = join(folder, "read", path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const bytes = typeof content === "string" ? content : Buffer.from(content.base64, "base64");
    writeFileSync(file, bytes, { mode: 0o600 });
  }
});

const open = (name: string, clock: FakeClock): PalimpsestHome =>
  openHome({ home: join(folder, name), workingCopy: WORKING_COPY, env: {}, persistence: true, clock });

it("a home of before shows the same windows, and its sessions continue", async () => {
  const home = open("read", new FakeClock(before.endedAt));
  expect(Object.keys(before.sessions)).toHaveLength(4);
  for (const [id, seen] of Object.entries(before.sessions)) {
    const session = await resume(home, id);
    expect([id, await seenIn(session)]).toEqual([id, seen]);
    await session.append(user("And on it goes."));
    await session.close();
    const again = await resume(home, id);
    expect(JSON.stringify(again.visible.at(-1))).toContain("And on it goes.");
    await again.close();
  }
  expect(events.filter(({ type }) => type === "damage" || type === "mended")).toEqual([]);
  await home.close();
});

it("a home of before has its notes, memories and trash", async () => {
  const clock = new FakeClock(before.endedAt);
  const home = open("read", clock);
  expect(await notesIn(home, clock, Object.keys(before.sessions))).toEqual(before.notes);
  expect(Object.keys(before.notes).length).toBeGreaterThan(0);
  expect(await memoriesIn(home, clock)).toBe(before.memories);
  expect((await home.listTrash()).map(({ sessionId }) => sessionId)).toEqual([before.trashed]);
  await home.restore(before.trashed);
  const restored = await resume(home, before.trashed);
  expect(JSON.stringify(restored.visible)).toContain("This one goes to the trash.");
  await restored.close();
  await home.close();
});

const user = (text: string) => ({ role: "user", content: [{ type: "text", text }] }) as const;
const sha256 = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 32);

const resume = (home: PalimpsestHome, id: string): Promise<Session> =>
  home.resume(id, {
    window: { windowTokens: 16_000 },
    observer: { onEvent: (event) => void events.push(event) },
  });

async function seenIn(session: Session): Promise<Seen> {
  const visible = sha256(
    session.visible.map(({ blocks, role, seq }) => [role, seq, blocks.map(({ block }) => block)]),
  );
  const { messages } = await session.prepare(CALL);
  const metadata = sha256([session.metadata, session.pins]);
  return { visible, messages: sha256(messages), metadata };
}

async function notesIn(home: PalimpsestHome, clock: FakeClock, ids: readonly string[]) {
  const palimpsest = createPalimpsest({
    home,
    clock,
    deadline: never,
    model: functionModel(() => "Done.", { model: CALL.model }),
  });
  const found: Record<string, string> = {};
  for (const id of ids) {
    const notes = await (await palimpsest.open(id)).readNotes();
    if (notes !== undefined) found[id] = sha256(notes.text);
  }
  await palimpsest.close();
  return found;
}

async function memoriesIn(home: PalimpsestHome, clock: FakeClock): Promise<string> {
  const memory = createMemory({ home, clock, deadline: never });
  const found = sha256([await memory.export(), (await memory.recall("When can I deploy?")).text]);
  expect((await memory.recall("When can I deploy?")).text).toContain("Wednesdays");
  expect(await memory.archived()).toHaveLength(1);
  await memory.close();
  return found;
}

/** Writes a home with the current code. */
async function writeHome(): Promise<HomeOfBefore> {
  const clock = new FakeClock();
  const home = open("written", clock);
  const memory = createMemory({ home, clock, deadline: never });
  const model = functionModel(({ messages, system = "" }) => {
    clock.advance(5_000);
    const last = JSON.stringify(messages.at(-1));
    if (last.includes("<summary> tags")) return GOOD_SUMMARY;
    if (last.includes("notes up to date") || system.startsWith("You keep the notes")) return GOOD_PATCHES;
    return wordsOf("The answer is that", 300);
  }, CALL);
  const options = { home, clock, deadline: never, model, memory, window: { windowTokens: 16_000 } };
  const noted = createPalimpsest({ ...options, notes: { isGated: false, costShareCap: "off" } });
  const plain = createPalimpsest({ ...options, notes: "off" });
  const ids: string[] = [];
  for (const [palimpsest, title] of [
    [noted, "with notes"],
    [plain, "without notes"],
  ] as const) {
    const agent = await palimpsest.create();
    ids.push(agent.id);
    for (let turn = 0; turn < 14; turn++) {
      await agent.turn(`Question ${turn}: ${wordsOf("what of it", turn === 3 ? 5_000 : 250)}`);
      await agent.notesSettled();
      if (turn === 2) await agent.turn("Remember that the staging server is called otter.");
      if (turn === 3) await agent.turn("Always deploy on Wednesdays.");
      if (turn === 5) await agent.session.pinFact(`The ${title} house is blue.`);
      if (turn === 7) await agent.session.setMetadata("title", title);
      if (turn === 9) await agent.session.rewind(agent.session.visible.at(-2)!.seq!);
      await agent.memorySettled();
    }
    if (title === "without notes") await agent.compact({ instructions: "Keep the colour of the house." });
    await agent.close();
    // Without notes: a session that is resumed with them is given their path, which is a temporary one.
    const again = await plain.open(agent.id);
    await again.turn("Where were we?");
    await again.notesSettled();
    await again.close();
  }
  const fork = await home.fork(ids[0]!, { title: "a fork" });
  await fork.append(user("In the fork."));
  await fork.close();
  const small = await home.create({ metadata: { title: "a small one" } });
  await small.append([
    user("Look."),
    {
      role: "assistant",
      content: [{ type: "tool_use", id: "call", name: "Read", input: { file_path: "/a" } }],
    },
  ]);
  await small.close();
  const trash = await home.create();
  await trash.append(user("This one goes to the trash."));
  await trash.close();
  await home.trash(trash.id, "by hand");
  await memory.remember("The logo is red.", { source: "user" });
  await memory.forget((await memory.list()).memories.find(({ body }) => body.includes("logo"))!.path);
  await memory.close();
  await noted.close();
  await plain.close();
  await home.close();
  const files = filesBelow(join(folder, "written"));

  const endedAt = clock.nowMs();
  const reread = open("written", new FakeClock(endedAt));
  const sessions: Record<string, Seen> = {};
  const notes = await notesIn(reread, new FakeClock(endedAt), [...ids, fork.id, small.id]);
  for (const id of [...ids, fork.id, small.id]) {
    const session = await resume(reread, id);
    sessions[id] = await seenIn(session);
    await session.close();
  }
  const memories = await memoriesIn(reread, new FakeClock(endedAt));
  await reread.close();
  return { endedAt, trashed: trash.id, files, sessions, notes, memories };
}

function filesBelow(root: string): Record<string, string | { readonly base64: string }> {
  const paths = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".lock"))
    .map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(
    paths.sort().map((path) => {
      const bytes = readFileSync(path);
      const text = bytes.toString("utf8");
      const isText = Buffer.from(text).equals(bytes);
      return [path.slice(root.length + 1), isText ? text : { base64: bytes.toString("base64") }];
    }),
  );
}
