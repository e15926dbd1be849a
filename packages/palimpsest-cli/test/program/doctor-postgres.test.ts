/** `doctor --postgres`: says what is wrong with sessions in a database, and repairs it without deleting anything. */

import type { StoredBlock } from "palimpsest/internal";
import type { PostgresSessionStore } from "palimpsest/postgres";
import type { Scope } from "palimpsest/transcript";
import { all, checkpoint, message, seqs } from "palimpsest-testing/internal";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCli } from "#program/program.ts";
import type { ConnectedPostgres } from "#terminal/terminal.ts";
import { cliDouble } from "../../../../test/helpers/cli-double.ts";
import {
  embeddedDatabase,
  freshSchema,
  freshStore,
  SERVER_URL,
  serverDatabase,
  type TestDatabase,
} from "../../../../test/helpers/postgres.ts";
import { testFolder } from "../../../../test/helpers/recordings.ts";
import { json } from "../../../../test/helpers/stored.ts";

interface Report {
  readonly folder: string;
  readonly sessions: number;
  readonly projects: number;
  readonly findings: readonly {
    readonly kind: string;
    readonly level: string;
    readonly path: string;
    readonly position?: number;
    readonly isMended?: boolean;
  }[];
}

let database: TestDatabase;
beforeAll(async () => {
  database = SERVER_URL === undefined ? await embeddedDatabase() : serverDatabase();
});
afterAll(() => database.end());

async function doctor(schema: string, ...args: readonly string[]) {
  const asked: (string | undefined)[] = [];
  const connectPostgres = async (url: string | undefined): Promise<ConnectedPostgres> => {
    asked.push(url);
    return { pool: database.pool, place: "db.internal/agent", end: async () => {} };
  };
  const double = cliDouble({
    folder: testFolder(),
    columns: 100,
    env: { PALIMPSEST_POSTGRES_URL: "postgres://a@b/c" },
  });
  const code = await runCli(
    ["doctor", "--schema", schema, ...args],
    Object.assign(double, { connectPostgres }),
    "1.2.3",
  );
  return { code, asked, ...double.written };
}

async function findings(schema: string, ...args: readonly string[]) {
  const ran = await doctor(schema, "--postgres", "--json", ...args);
  const report = json<Report>(ran as Parameters<typeof json>[0]);
  const findingLines = report.findings.map(
    ({ kind, level, position, isMended }) =>
      `${level} ${kind}${position === undefined ? "" : ` ${position}`}${isMended === true ? " mended" : ""}`,
  );
  return { ...ran, ...report, findingLines };
}

async function store8(store: PostgresSessionStore, id: string, scope?: Scope): Promise<void> {
  const log = await store.create(id, scope);
  await log.append(
    [1, 2, 3, 4, 5, 6, 7, 8].map((seq) => (seq === 4 ? checkpoint(seq) : message(seq, `text ${seq}`))),
  );
  await log.close();
}

describe("doctor --postgres", () => {
  it("finds nothing wrong with sound sessions, in every scope", async () => {
    const { store, schema } = await freshStore(database);
    await store8(store, "one");
    await store8(store, "two", { tenant: "acme" });
    const { code, findingLines, sessions, projects, folder, asked } = await findings(schema);
    expect({ code, findingLines, sessions, projects }).toEqual({
      code: 0,
      findingLines: [],
      sessions: 2,
      projects: 2,
    });
    expect(folder).toBe(`db.internal/agent, schema ${schema}`);
    expect(asked).toEqual(["postgres://a@b/c"]);
  });

  it("says what is wrong, repairs it with --fix, and knows it afterwards; nothing is deleted", async () => {
    const { store, schema } = await freshStore(database);
    const run = (text: string) => database.run(text.replace("ENTRIES", `"${schema}".entries`));
    for (const id of ["changed", "gap", "tail", "behind", "swapped", "copies"]) await store8(store, id);
    const at = (id: string) =>
      `session_key = (SELECT key FROM "${schema}".sessions WHERE session_id = '${id}')`;
    await run(
      `UPDATE ENTRIES SET body = replace(body, 'text 3', 'TEXT 3') WHERE seq = 3 AND ${at("changed")}`,
    );
    await run(`DELETE FROM ENTRIES WHERE seq IN (5, 6) AND ${at("gap")}`);
    await run(`DELETE FROM ENTRIES WHERE seq > 6 AND ${at("tail")}`);
    await database.run(`UPDATE "${schema}".sessions SET last_seq = 0 WHERE session_id = 'behind'`);
    await run(`UPDATE ENTRIES SET seq = -seq WHERE seq IN (2, 7) AND ${at("swapped")}`);
    await run(`UPDATE ENTRIES SET seq = 9 + seq WHERE seq < 0 AND ${at("swapped")}`);
    await run(
      `INSERT INTO "${schema}".entries SELECT session_key, seq + 2, false, bytes, body, checksum FROM ENTRIES WHERE seq > 6 AND ${at("copies")}`,
    );
    const rows = async () =>
      Number(
        (
          await database.run(
            `SELECT (SELECT count(*) FROM "${schema}".entries) + (SELECT count(*) FROM "${schema}".damage WHERE is_moved) AS n`,
          )
        )[0]?.["n"],
      );
    const before = await rows();

    const looked = await findings(schema);
    expect(looked.code).toBe(1);
    expect(looked.findingLines).toEqual([
      "problem damage 3",
      "problem missing-entries 5",
      "problem missing-entries 7",
      "problem wrong-end 0",
      "problem damage 2",
      "problem damage 7",
      "problem late-entries 9",
      "problem late-entries 10",
    ]);
    expect(await findings(schema)).toMatchObject({ findingLines: looked.findingLines });
    expect(await store.list()).not.toContain("behind");

    const fixed = await findings(schema, "--fix");
    expect(fixed.code).toBe(0);
    expect(fixed.findingLines).toEqual(looked.findingLines.map((one) => `${one} mended`));
    expect(await rows()).toBe(before);

    const again = await findings(schema);
    expect(again.code).toBe(0);
    expect(again.findingLines).toEqual(["note damage 3", "note missing-entries 5"]);
    expect((await findings(schema, "--fix")).findingLines).toEqual(again.findingLines);
    const whole = [1, 2, 3, 4, 5, 6, 7, 8];
    for (const [id, expected] of [
      ["changed", whole.filter((seq) => seq !== 3)],
      ["gap", whole.filter((seq) => seq !== 5 && seq !== 6)],
      ["tail", whole.slice(0, 6)],
      ["behind", whole],
      ["swapped", whole],
      ["copies", whole],
    ] as const) {
      const log = await store.open(id);
      expect(seqs(await all(log)), id).toEqual(expected);
      await log.append([{ ...message((expected.at(-1) ?? 0) + 1, "more"), id: "more" }]);
      await log.close();
    }
    expect(await store.list()).toContain("behind");
  });

  it("says in words what --fix does, and leaves alone what is open now or of which nothing is left", async () => {
    const { store, schema } = await freshStore(database);
    await store8(store, "open");
    await store8(store, "lost");
    await database.run(`DELETE FROM "${schema}".entries WHERE seq = 3 OR session_key = 2`);
    const log = await store.open("open");
    await log.acquire();
    const ran = await doctor(schema, "--postgres", "--fix");
    const words = ran.out.replace(/\s+/g, " ");
    expect(words).toContain("a backup may have them. (Its session is open now: try again later.)");
    expect(words).toContain("No entry can be read");
    await log.close();
    const { out } = await doctor(schema, "--postgres", "postgres://user:secret@db.internal/agent");
    expect(out.replace(/\s+/g, " ")).toContain("a backup may have them; with --fix, recorded");
    expect(out).not.toContain("secret");
    expect(await database.run(`SELECT * FROM "${schema}".damage`)).toEqual([]);
  });

  it("tells of damaged and missing blobs, and of rows without a checksum", async () => {
    const { store, schema } = await freshStore(database);
    const log = await store.create("one");
    const blob = (hash: string): StoredBlock => ({
      type: "blob",
      blob: { hash, bytes: 1 },
      view: "preview",
      shown: { type: "text", text: "…" },
    });
    const [there, gone] = ["a".repeat(64), "b".repeat(64)];
    await log.append([{ ...message(1, "x"), content: [blob(there), blob(gone)] }]);
    await log.close();
    await database.run(`INSERT INTO "${schema}".blobs VALUES (1, $1, 'other')`, [there]);
    await database.run(`UPDATE "${schema}".entries SET checksum = NULL`);
    expect((await findings(schema, "--fix")).findingLines).toEqual([
      "note no-checksum",
      "problem blob-damaged",
      "problem blob-missing",
    ]);
  });

  it("brings tables of an earlier version up to date with --fix, and says where there are none", async () => {
    const { store, schema } = await freshStore(database);
    await store8(store, "one");
    await database.run(`DROP TABLE "${schema}".damage`);
    await database.run(`ALTER TABLE "${schema}".entries DROP COLUMN checksum`);
    await database.run(`DELETE FROM "${schema}".versions WHERE version = 3`);
    expect((await findings(schema)).findingLines).toEqual(["problem tables"]);
    expect((await findings(schema, "--fix")).findingLines).toEqual(["problem tables mended"]);
    expect((await findings(schema)).findingLines).toEqual(["note no-checksum"]);
    expect((await findings(freshSchema(), "--fix")).findingLines).toEqual(["problem tables"]);
  });

  it("is refused beside a home or a folder", async () => {
    const ran = await doctor("palimpsest", "--postgres", "--folder", "x");
    expect(ran.code).toBe(2);
    expect(ran.err).toContain("--postgres cannot be combined with --folder");
  });

  it.runIf(SERVER_URL !== undefined)("connects with pg to the server that a URL names", async () => {
    const server = serverDatabase();
    const { store, schema } = await freshStore(server);
    await store8(store, "one");
    const double = cliDouble({ folder: testFolder(), columns: 100, env: {} });
    const code = await runCli(
      ["doctor", "--postgres", SERVER_URL!, "--schema", schema, "--json"],
      double,
      "1.2.3",
    );
    expect(code).toBe(0);
    expect(double.written.out).toContain('"sessions": 1');
    const wrong = cliDouble({ folder: testFolder(), columns: 100, env: {} });
    expect(await runCli(["doctor", "--postgres", "mysql://x:secret@y/z"], wrong, "1.2.3")).toBe(2);
    expect(wrong.written.err).not.toContain("secret");
    await server.end();
  });
});
