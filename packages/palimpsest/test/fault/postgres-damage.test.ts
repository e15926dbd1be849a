/**
 * Law: whatever happens to the rows of a session, every whole entry is read, every loss is reported to the
 * observer, reading changes no byte, the first request is one that providers take, and the session goes on.
 *
 * On a server where PALIMPSEST_POSTGRES_URL names one, otherwise in this process.
 */
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { FakeClock, seededIds } from "palimpsest-testing";
import { all } from "palimpsest-testing/internal";
import { afterAll, beforeAll, expect, it } from "vitest";
import { PalimpsestError } from "#base/errors.ts";
import type { LogDamage } from "#ports/session-store.ts";
import { createSession, openSession } from "#session/lifecycle/open-session.ts";
import type { Session } from "#session/session.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import type { PostgresSessionStore } from "#stores/postgres/postgres-session-store.ts";
import { assistant, user } from "#test/helpers/histories.ts";
import {
  embeddedDatabase,
  freshStore,
  SERVER_URL,
  serverDatabase,
  type TestDatabase,
} from "../../../../test/helpers/postgres.ts";
import { judgeRequest } from "./damaged-session/judge-kind.ts";
import { EARLIER, LATER, REQUEST, USAGE } from "./damaged-session/sound-session.ts";

const RUNS = 150;

interface Row {
  seq: number;
  readonly isCheckpoint: boolean;
  body: string;
  checksum: number | null;
}
interface Template {
  readonly rows: readonly Row[];
  readonly blobs: readonly Record<string, unknown>[];
  readonly session: Record<string, unknown>;
}

let database: TestDatabase;
let store: PostgresSessionStore;
let schema: string;
let template: Template;
/** The same session, gone on with by another writer from an early copy: same numbers, other ids. */
let rival: readonly Row[];
let sessionCount = 0;

beforeAll(async () => {
  database = SERVER_URL !== undefined ? serverDatabase() : await embeddedDatabase();
  ({ store, schema } = await freshStore(database));
  const session = await createSession({ ...optionsWith(1), sessionId: "sound" });
  await live(session, EARLIER);
  await session.setMetadata("title", "a bug");
  await session.pin({ seq: 2 });
  await session.close();
  const again = await openSession("sound", optionsWith(2));
  await live(again, LATER);
  await again.close();
  template = await stored("sound");
  rival = rivalOf(template.rows, 9);
});
afterAll(() => database?.end());

function optionsWith(seed: number) {
  const window = { windowTokens: 32_000 };
  return { store, clock: new FakeClock(), ids: seededIds(seed), hasher: nodeHasher, window };
}

async function live(session: Session, messages: typeof EARLIER): Promise<void> {
  for (const message of messages) {
    if (message.role === "assistant") {
      await session.prepare(REQUEST);
      await session.record({ messages: [message], usage: USAGE, stopReason: "end_turn" });
    } else await session.append(message);
  }
}

async function stored(id: string): Promise<Template> {
  const [session] = await database.run(`SELECT * FROM "${schema}".sessions WHERE session_id = $1`, [id]);
  const rows = await database.run(`SELECT * FROM "${schema}".entries WHERE session_key = $1 ORDER BY seq`, [
    session!["key"],
  ]);
  const blobs = await database.run(`SELECT * FROM "${schema}".blobs WHERE session_key = $1`, [
    session!["key"],
  ]);
  return {
    session: session!,
    blobs,
    rows: rows.map((row) => ({
      seq: Number(row["seq"]),
      isCheckpoint: row["is_checkpoint"] === true,
      body: String(row["body"]),
      checksum: Number(row["checksum"]),
    })),
  };
}

/** Rows behind number `from`, where the other writer left this history, as that would have written them. */
function rivalOf(rows: readonly Row[], from: number): readonly Row[] {
  const ids = new Set(rows.filter(({ seq }) => seq >= from).map(({ body }) => idOf(body)));
  return rows
    .filter(({ seq }) => seq > from)
    .map((row) => {
      const body = row.body.replace(/"(id|parentId)":"([^"]+)"/g, (whole, field, id) =>
        ids.has(id) ? `"${field}":"rival-${id}"` : whole,
      );
      return { ...row, body, checksum: crc32(body) };
    });
}

const idOf = (body: string): string => /"id":"([^"]+)"/.exec(body)![1]!;

const place = fc.double({ min: 0, max: 0.999_999, noNaN: true });
const misplacing = fc.oneof(
  fc.record({ do: fc.constant("swap" as const), at: place, with: place }),
  fc.record({ do: fc.constant("overwrite" as const), at: place, with: place }),
  fc.record({ do: fc.constant("move" as const), at: place, by: fc.integer({ min: 1, max: 500 }) }),
  fc.record({ do: fc.constant("repeat tail" as const), count: fc.integer({ min: 1, max: 12 }) }),
);
const losing = fc.oneof(
  fc.record({ do: fc.constant("flip" as const), at: place, byte: place, bit: fc.nat({ max: 4 }) }),
  fc.record({ do: fc.constant("delete" as const), at: place, count: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ do: fc.constant("cut tail" as const), count: fc.integer({ min: 1, max: 6 }) }),
  fc.record({ do: fc.constant("no checksum" as const), at: place }),
  fc.record({ do: fc.constant("last_seq" as const), by: fc.integer({ min: -60, max: 60 }) }),
);
const interleaving = fc.record({
  do: fc.constant("rival" as const),
  mask: fc.integer({ min: 1, max: 2 ** 30 }),
});
const damages = fc.oneof(
  fc.array(fc.oneof(misplacing, losing), { minLength: 1, maxLength: 6 }),
  fc.array(losing, { maxLength: 2 }).chain((others) => interleaving.map((one) => [one, ...others])),
);
type Damage = typeof damages extends fc.Arbitrary<readonly (infer One)[]> ? One : never;

interface State {
  rows: Row[];
  lastSeq: number;
}

function spoil(state: State, one: Damage): void {
  const { rows } = state;
  if (rows.length === 0) return;
  const at = "at" in one ? Math.floor(one.at * rows.length) : 0;
  const row = rows[at]!;
  switch (one.do) {
    case "flip": {
      if (row.checksum === null) return;
      const index = Math.floor(one.byte * row.body.length);
      const code = row.body.charCodeAt(index) ^ (1 << one.bit);
      if (code >= 0x20 && code < 0x7f)
        row.body = row.body.slice(0, index) + String.fromCharCode(code) + row.body.slice(index + 1);
      return;
    }
    case "delete":
      rows.splice(at, one.count);
      return;
    case "cut tail":
      rows.splice(-one.count);
      return;
    case "no checksum":
      if (row.checksum === crc32(row.body)) row.checksum = null;
      return;
    case "last_seq":
      state.lastSeq = Math.max(0, state.lastSeq + one.by);
      return;
    case "swap":
    case "overwrite": {
      const other = rows[Math.floor(one.with * rows.length)]!;
      const { body, checksum } = row;
      Object.assign(row, { body: other.body, checksum: other.checksum });
      if (one.do === "swap") Object.assign(other, { body, checksum });
      return;
    }
    case "move": {
      const seq = row.seq + one.by;
      if (!rows.some((each) => each.seq === seq)) row.seq = seq;
      return;
    }
    case "repeat tail": {
      const tail = rows.toSorted((a, b) => a.seq - b.seq).slice(-one.count);
      const end = tail.at(-1)!.seq;
      rows.push(...tail.map((each, index) => ({ ...each, seq: end + 1 + index })));
      return;
    }
    case "rival":
      for (const [index, foreign] of rival.entries())
        if ((one.mask >> (index % 30)) & 1)
          state.rows = state.rows.map((each) => (each.seq === foreign.seq ? { ...foreign } : each));
  }
}

async function store1({ rows, lastSeq }: State): Promise<{ readonly id: string; readonly key: unknown }> {
  const id = `damaged-${++sessionCount}`;
  const { session, blobs } = template;
  const [made] = await database.run(
    `INSERT INTO "${schema}".sessions (scope, session_id, last_seq, bytes, last_activity, header, metadata, first_prompt)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING key`,
    [
      ...[session["scope"], id, lastSeq, session["bytes"], session["last_activity"]],
      ...[session["header"], session["metadata"], session["first_prompt"]],
    ],
  );
  const key = made!["key"];
  await database.run(
    `INSERT INTO "${schema}".entries (session_key, seq, is_checkpoint, bytes, body, checksum)
      SELECT $1, seq, flag, octet_length(body), body, checksum
        FROM unnest($2::bigint[], $3::boolean[], $4::text[], $5::bigint[]) AS e (seq, flag, body, checksum)`,
    [
      ...[key, rows.map(({ seq }) => seq), rows.map(({ isCheckpoint }) => isCheckpoint)],
      ...[rows.map(({ body }) => body), rows.map(({ checksum }) => checksum)],
    ],
  );
  for (const blob of blobs)
    await database.run(`INSERT INTO "${schema}".blobs VALUES ($1, $2, $3)`, [
      key,
      blob["hash"],
      blob["content"],
    ]);
  return { id, key };
}

async function bytesOf(key: unknown, tables: readonly string[]): Promise<string> {
  const parts = [];
  for (const table of tables) {
    const column = table === "sessions" ? "key" : "session_key";
    parts.push(
      await database.run(
        `SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) AS md5 FROM "${schema}".${table} t WHERE ${column} = $1`,
        [key],
      ),
    );
  }
  return JSON.stringify(parts);
}

/** Every tick at once, and an end to wait for. */
function eagerTimer() {
  let end: Promise<void> = Promise.resolve();
  const every = (_ms: number, work: () => void) => {
    let isOver = false;
    end = new Promise((resolve) => {
      const tick = () => {
        if (isOver) return resolve();
        work();
        setImmediate(tick);
      };
      setImmediate(tick);
    });
    return () => {
      isOver = true;
    };
  };
  return { timer: { every }, ended: () => end };
}

/** Unreadable numbers of the session without a report. */
function unreported(
  lost: readonly number[],
  read: ReadonlyMap<number, string>,
  damage: readonly LogDamage[],
): readonly number[] {
  const sound = new Map(template.rows.map(({ seq, body }) => [seq, idOf(body)]));
  const isForeign = (seq: number) => read.has(seq) && read.get(seq) !== sound.get(seq);
  const covers = (seq: number) =>
    damage.some(({ position, reason }) => {
      if (position === seq) return true;
      if (!reason.startsWith("missing") || position > seq) return false;
      for (let at = position; at <= seq; at++) if (read.has(at)) return false;
      return true;
    });
  return lost.filter((seq) => {
    if (!isForeign(seq)) return !covers(seq);
    // Entries of the other writer that are read in its place: where they begin or end is reported.
    let [first, last] = [seq, seq];
    while (isForeign(first - 1)) first--;
    while (isForeign(last + 1)) last++;
    return ![first - 1, first, last + 1].some(covers);
  });
}

async function expectSendable(session: Session): Promise<void> {
  const prepared = await session.prepare(REQUEST).catch((error: unknown) => error);
  if (prepared instanceof Error) {
    expect(prepared).toBeInstanceOf(PalimpsestError);
    expect(prepared).toMatchObject({ code: "NO_MESSAGES" });
  } else expect(judgeRequest(prepared as never).complaints).toEqual([]);
}

it("a session in PostgreSQL survives any damage of its rows, and tells of it", async () => {
  let lostCount = 0;
  await fc.assert(
    fc.asyncProperty(damages, async (list) => {
      const state: State = { rows: template.rows.map((row) => ({ ...row })), lastSeq: template.rows.length };
      for (const one of list) spoil(state, one);
      const { id, key } = await store1(state);
      const everything = ["sessions", "entries", "blobs", "damage"];
      const before = await bytesOf(key, everything);
      const untouched = await bytesOf(key, ["entries", "blobs", "damage"]);

      if (state.lastSeq > 0 || state.rows.length > 0) {
        const log = await store.open(id);
        const { entries, damage } = await all(log);
        await log.readTail();
        await log.close();
        expect(await bytesOf(key, everything)).toBe(before);

        const whole = new Set(
          state.rows
            .filter((row) => row.checksum === null || row.checksum === crc32(row.body))
            .map(({ body }) => body),
        );
        const read = new Map(entries.map(({ entry }) => [entry.seq, entry.id]));
        const isRead = ({ seq, body }: Row) => read.get(seq) === idOf(body);
        const hidden = template.rows.filter((row) => whole.has(row.body) && !isRead(row));
        expect(hidden.map(({ seq }) => seq)).toEqual([]);
        // Rows after all others and after the recorded end leave no trace when they are lost.
        const end = Math.max(state.lastSeq, ...state.rows.map(({ seq }) => seq), ...read.keys());
        const lost = template.rows.filter((row) => !isRead(row) && row.seq <= end).map(({ seq }) => seq);
        lostCount += lost.length;
        expect(unreported(lost, read, damage)).toEqual([]);

        const reported: LogDamage[] = [];
        const observer = {
          onEvent: (event: { type: string; damage?: LogDamage }) => {
            if (event.type === "damage") reported.push(event.damage!);
          },
        };
        const { timer, ended } = eagerTimer();
        const session = await openSession(id, { ...optionsWith(5), observer, timer });
        await ended();
        expect(unreported(lost, read, reported)).toEqual([]);
        expect(await bytesOf(key, ["entries", "blobs", "damage"])).toBe(untouched);
        await expectSendable(session);
        await session.append(user("markmore"));
        await expectSendable(session);
        await session.record({ messages: [assistant("fresh", "markreply")], usage: USAGE });
        await session.close();
        const again = await openSession(id, optionsWith(6));
        expect(JSON.stringify(again.visible)).toContain("markreply");
        await expectSendable(again);
        await again.close();
      }
      await database.run(`DELETE FROM "${schema}".sessions WHERE key = $1`, [key]);
    }),
    { numRuns: RUNS },
  );
  expect(lostCount).toBeGreaterThan(0);
}, 300_000);
