/**
 * Opens a database that the code of commit 1c5d0d2 wrote, compares its windows with those of that code, and continues
 * its sessions.
 *
 * `database-of-before.snapshot.json` holds the statement that created the tables (version 3), their rows, and hashes of
 * the windows and notes. Do not write the snapshot again: `PALIMPSEST_WRITE=1` creates it only if it is missing.
 */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  createPalimpsest,
  createSession,
  functionModel,
  nodeHasher,
  openSession,
  randomIds,
  type Session,
  type SessionEvent,
} from "#palimpsest/entries/index.ts";
import { PostgresSessionStore } from "#palimpsest/entries/postgres.ts";
import { FakeClock } from "#palimpsest-testing/entries/index.ts";
import { embeddedDatabase, type TestDatabase } from "../helpers/postgres.ts";
import { GOOD_PATCHES, GOOD_SUMMARY } from "../helpers/recorded-agent.ts";
import { never } from "./scripted-run.ts";
import { wordsOf } from "./scripted-work.ts";

interface DatabaseOfBefore {
  readonly endedAt: number;
  readonly statements: readonly string[];
  readonly rows: Readonly<Record<string, readonly object[]>>;
  readonly windows: Readonly<Record<string, string>>;
  readonly notes: string;
}

const PATH = new URL("database-of-before.snapshot.json", import.meta.url).pathname;
const SCHEMA = "golden_before";
const TABLES = ["versions", "sessions", "entries", "blobs", "notes", "damage"];
const CALL = { model: "claude-opus-4-6", system: "Be exact." };
const WINDOW = { windowTokens: 16_000 };
const SCOPE = { tenant: "acme", project: "parser" };
const events: SessionEvent[] = [];
let database: TestDatabase;
let before: DatabaseOfBefore;

beforeAll(async () => {
  database = await embeddedDatabase();
  if (!existsSync(PATH) && process.env["PALIMPSEST_WRITE"] === "1") {
    writeFileSync(PATH, `${JSON.stringify(await writeDatabase(), undefined, 1)}\n`);
    await database.run(`DROP SCHEMA "${SCHEMA}" CASCADE`);
  }
  before = JSON.parse(readFileSync(PATH, "utf8")) as DatabaseOfBefore;
  for (const statement of before.statements) await database.run(statement);
  for (const [table, rows] of Object.entries(before.rows)) {
    const named = `"${SCHEMA}"."${table}"`;
    await database.run(`DELETE FROM ${named}`);
    await database.run(
      `INSERT INTO ${named} OVERRIDING SYSTEM VALUE SELECT * FROM json_populate_recordset(NULL::${named}, $1::json)`,
      [JSON.stringify(rows)],
    );
  }
});

afterAll(async () => {
  await database.run(`DROP SCHEMA IF EXISTS "${SCHEMA}" CASCADE`);
  await database.end();
});

const storeIn = (): PostgresSessionStore =>
  new PostgresSessionStore({
    ...{ pool: database.pool, hasher: nodeHasher, schema: SCHEMA, lease: false, allowWeakDurability: true },
  });

const wired = (store: PostgresSessionStore, clock: FakeClock) => ({
  ...{ store, clock, ids: randomIds, hasher: nodeHasher, scope: SCOPE, window: WINDOW },
  observer: { onEvent: (event: SessionEvent) => void events.push(event) },
});

it("a database of before shows the same windows, and its sessions continue", async () => {
  const store = storeIn();
  await store.migrate();
  const shared = wired(store, new FakeClock(before.endedAt));
  expect(Object.keys(before.windows)).toEqual(["noted", "small"]);
  for (const [id, window] of Object.entries(before.windows)) {
    const session = await openSession(id, shared);
    expect([id, await windowOf(session)]).toEqual([id, window]);
    await session.append(user("And on it goes."));
    await session.close();
    const again = await openSession(id, shared);
    expect(JSON.stringify(again.visible.at(-1))).toContain("And on it goes.");
    await again.close();
  }
  expect(events.filter(({ type }) => type === "damage" || type === "mended")).toEqual([]);
});

it("a database of before has its notes and its trash", async () => {
  const store = storeIn();
  const clock = new FakeClock(before.endedAt);
  expect(await notesOf(store, clock)).toBe(before.notes);
  expect((await store.listTrash(SCOPE)).map(({ sessionId }) => sessionId)).toEqual(["trashed"]);
  await store.restore("trashed", SCOPE);
  const restored = await openSession("trashed", wired(store, clock));
  expect(JSON.stringify(restored.visible)).toContain("This one goes to the trash.");
  await restored.close();
});

const user = (text: string) => ({ role: "user", content: [{ type: "text", text }] }) as const;
const sha256 = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 32);

async function windowOf(session: Session): Promise<string> {
  const visible = session.visible.map(({ blocks, role, seq }) => [
    role,
    seq,
    blocks.map(({ block }) => block),
  ]);
  const { messages } = await session.prepare(CALL);
  return sha256([visible, messages, session.metadata, session.pins]);
}

async function notesOf(store: PostgresSessionStore, clock: FakeClock): Promise<string> {
  const model = functionModel(() => "Done.", { model: CALL.model });
  const palimpsest = createPalimpsest({ store, clock, scope: SCOPE, deadline: never, model });
  const notes = await (await palimpsest.open("noted")).readNotes();
  expect(notes?.text).toContain("read, changed and tested");
  await palimpsest.close();
  return sha256(notes?.text);
}

/** Writes a database with the current code. */
async function writeDatabase(): Promise<DatabaseOfBefore> {
  const clock = new FakeClock();
  const statements: string[] = [];
  const { pool } = database;
  const query = "query" in pool ? pool.query.bind(pool) : undefined;
  const recording = {
    query: (text: string, values?: unknown[]) => {
      statements.push(text);
      return query!(text, values);
    },
  };
  const options = { hasher: nodeHasher, schema: SCHEMA, allowWeakDurability: true, lease: false } as const;
  await new PostgresSessionStore({ ...options, pool: recording }).migrate();
  const store = storeIn();
  const shared = wired(store, clock);
  const model = functionModel(({ messages, system = "" }) => {
    clock.advance(5_000);
    const last = JSON.stringify(messages.at(-1));
    if (last.includes("<summary> tags")) return GOOD_SUMMARY;
    if (last.includes("notes up to date") || system.startsWith("You keep the notes")) return GOOD_PATCHES;
    return wordsOf("The answer is that", 300);
  }, CALL);
  const palimpsest = createPalimpsest({
    ...{ store, clock, scope: SCOPE, deadline: never, model, window: WINDOW },
    notes: { isGated: false, costShareCap: "off" },
  });
  const agent = await palimpsest.create({ sessionId: "noted" });
  for (let turn = 0; turn < 14; turn++) {
    await agent.turn(`Question ${turn}\u0000: ${wordsOf("what of it", turn === 3 ? 5_000 : 250)}`);
    await agent.notesSettled();
    if (turn === 5) await agent.session.pinFact("The house is blue.");
    if (turn === 7) await agent.session.setMetadata("title", "with notes");
    if (turn === 9) await agent.session.rewind(agent.session.visible.at(-2)!.seq!);
  }
  await agent.compact();
  await palimpsest.close();
  for (const sessionId of ["small", "trashed"]) {
    const session = await createSession({ ...shared, sessionId });
    await session.append(user(sessionId === "small" ? "Look." : "This one goes to the trash."));
    await session.close();
  }
  await store.trash("trashed", { at: clock.nowMs(), reason: "by hand" }, SCOPE);

  const rows: Record<string, readonly object[]> = {};
  for (const table of TABLES) {
    const [found] = await database.run(`SELECT json_agg(t) AS "rows" FROM "${SCHEMA}"."${table}" t`);
    rows[table] = (found?.["rows"] ?? []) as readonly object[];
  }
  const endedAt = clock.nowMs();
  const windows: Record<string, string> = {};
  for (const id of ["noted", "small"]) {
    const session = await openSession(id, wired(store, new FakeClock(endedAt)));
    windows[id] = await windowOf(session);
    await session.close();
  }
  const notes = await notesOf(store, new FakeClock(endedAt));
  return { endedAt, statements: statements.filter((text) => text.startsWith("DO ")), rows, windows, notes };
}
