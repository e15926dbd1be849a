/**
 * A home that an earlier version wrote opens, shows what that version showed, is gone on with, and is repaired.
 *
 * `fixtures/earlier-home.snapshot.json` holds the files of such a home and the windows that the version itself made
 * of them: two sessions, one of them compacted, closed and gone on with; notes, blobs, an index, a memory, and a
 * session in the trash. It was written by the code of commit d53f85d.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { FakeClock } from "palimpsest-testing";
import { beforeEach, expect, it } from "vitest";
import { createMemory } from "#host/create-memory.ts";
import type { PalimpsestHome } from "#host/home/home-types.ts";
import { openHome } from "#host/home/open-home.ts";
import type { SessionEvent } from "#session/events/events.ts";
import type { Session } from "#session/session.ts";
import { user } from "#test/helpers/histories.ts";
import { texts } from "#test/helpers/homes.ts";
import { json, type StoredHome, storedHome } from "../../../../test/helpers/stored.ts";

interface EarlierHome {
  readonly endedAt: number;
  /** Id of the session in the trash. */
  readonly trashed: string;
  /** By path: what is text as text. */
  readonly files: Readonly<Record<string, string | { readonly base64: string }>>;
  /** By session: the messages of the next call. */
  readonly windows: Readonly<Record<string, unknown>>;
}

const FIXTURE = new URL("fixtures/earlier-home.snapshot.json", import.meta.url);
const EARLIER = JSON.parse(readFileSync(FIXTURE, "utf8")) as EarlierHome;
const [NORTH, SOUTH] = Object.keys(EARLIER.windows) as [string, string];
const PROJECT = dirname(Object.keys(EARLIER.files).find((path) => path.endsWith(`${NORTH}.jsonl`))!);
const WORKING_COPY = "/work-of-nobody/app";
const CALL = { model: "claude-sonnet-4-5", system: "Be exact." };

let place: StoredHome;
let events: SessionEvent[];

beforeEach(() => {
  events = [];
  place = storedHome();
  for (const [path, content] of Object.entries(EARLIER.files)) {
    const file = join(place.home, path);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const bytes = typeof content === "string" ? content : Buffer.from(content.base64, "base64");
    writeFileSync(file, bytes, { mode: 0o600 });
  }
});

const logOf = (id: string): string => join(place.home, PROJECT, `${id}.jsonl`);

function open(): PalimpsestHome {
  const clock = new FakeClock(EARLIER.endedAt);
  return openHome({ home: place.home, workingCopy: WORKING_COPY, env: {}, persistence: true, clock });
}

const resume = (home: PalimpsestHome, id: string): Promise<Session> =>
  home.resume(id, {
    window: { windowTokens: 32_000 },
    observer: { onEvent: (event) => void events.push(event) },
  });

const losses = () => events.filter(({ type }) => type === "damage" || type === "mended");

it("shows the windows that the earlier version showed, and changes no byte by that", async () => {
  const home = open();
  for (const id of [NORTH, SOUTH]) {
    const before = readFileSync(logOf(id));
    const session = await resume(home, id);
    expect(readFileSync(logOf(id)).equals(before)).toBe(true);
    expect((await session.prepare(CALL)).messages).toEqual(EARLIER.windows[id]);
    await session.close();
    expect(readFileSync(logOf(id)).subarray(0, before.length).equals(before)).toBe(true);
  }
  expect(losses()).toEqual([]);
  await home.close();
});

it("has its titles, notes, memories and trash", async () => {
  const home = open();
  const { sessions } = await home.list();
  expect(sessions.map(({ metadata }) => metadata["title"]).sort()).toEqual([
    "the north ledger",
    "the south ledger",
  ]);
  expect((await home.listTrash()).map(({ sessionId }) => sessionId)).toEqual([EARLIER.trashed]);
  await home.restore(EARLIER.trashed);
  const restored = await resume(home, EARLIER.trashed);
  expect(texts(restored)).toEqual(["This one goes to the trash."]);
  await restored.close();
  expect((await place.run(["notes", "show", NORTH])).out).toContain("The north ledger is being read.");
  const memory = createMemory({ home });
  expect((await memory.recall("When can I deploy?")).text).toContain("> We deploy on Tuesdays only.");
  await memory.close();
  await home.close();
});

it("is gone on with, and repaired where a line of it is damaged", async () => {
  const home = open();
  const session = await resume(home, NORTH);
  await session.append(user("What is missing is found."));
  await session.close();

  const bytes = readFileSync(logOf(NORTH));
  const at = bytes.indexOf("Add up the north ledger.");
  bytes[at]! ^= 0x20;
  writeFileSync(logOf(NORTH), bytes);
  const run = await place.run(["doctor", "--fix", "--json"]);
  // An index of another version is made again by the next list, and nothing to complain of.
  expect(json(run)["findings"]).toMatchObject([{ kind: "damage", isMended: true }]);
  expect(readFileSync(logOf(NORTH)).equals(bytes)).toBe(true);

  const again = await resume(home, NORTH);
  expect(texts(again).at(-1)).toBe("What is missing is found.");
  // The line was in view: the checkpoint that names it cannot be gone by.
  expect(losses()).toMatchObject([
    { type: "damage", damage: { reason: "bad-checksum", bytes: 193 } },
    { type: "damage", damage: { reason: "wrong-checkpoint" } },
  ]);
  await again.append(user("And so is this."));
  await again.close();
  events = [];
  const last = await resume(home, NORTH);
  expect(texts(last).slice(-2)).toEqual(["What is missing is found.", "And so is this."]);
  expect(losses()).toMatchObject([{ type: "damage", damage: { reason: "bad-checksum" } }]);
  await last.close();
  await home.close();
});
