/** `doctor`: says what is wrong, mends what can be, and never touches a log. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { openHome } from "palimpsest";
import { describe, expect, it } from "vitest";
import { json, SECRET, type StoredHome, storedHome, storeSession } from "../../../../test/helpers/stored.ts";

interface Report {
  readonly sessions: number;
  readonly findings: readonly {
    readonly kind: string;
    readonly level: string;
    readonly isMended?: boolean;
    readonly isMendable: boolean;
  }[];
}

async function examined(place: StoredHome, ...args: readonly string[]) {
  const ran = await place.run(["doctor", "--json", ...args]);
  const { findings, sessions } = json<Report>(ran as Parameters<typeof json>[0]);
  return { code: ran.code, sessions, findings, kinds: findings.map(({ kind }) => kind).sort() };
}

const projectOf = (place: StoredHome): string =>
  join(place.home, "projects", readdirSync(join(place.home, "projects"))[0]!);

/** One of everything that can be mended, and one that cannot. */
async function aDamagedHome() {
  const place = storedHome();
  const id = await storeSession(place, { rounds: 4, resultLines: 2_000 });
  const folder = projectOf(place);
  const log = join(folder, `${id}.jsonl`);
  const bytes = readFileSync(log);
  bytes[Math.floor(bytes.length / 2)]! ^= 0x20;
  writeFileSync(log, Buffer.concat([bytes, Buffer.from('{"crc":"0000')]));
  const blobs = join(folder, id, "blobs");
  const [gone, damaged] = readdirSync(blobs);
  rmSync(join(blobs, gone!));
  writeFileSync(join(blobs, damaged!), "other bytes");
  writeFileSync(join(blobs, "half.tmp"), "half");
  writeFileSync(join(folder, id, "lease.1"), "{}");
  utimesSync(join(folder, id, "lease.1"), 1_000, 1_000);
  writeFileSync(join(folder, ".index.jsonl"), "no index");
  mkdirSync(join(folder, "orphan", "blobs"), { recursive: true, mode: 0o700 });
  utimesSync(join(folder, "orphan"), 1_000_000_000, 1_000_000_000);
  for (const name of [log, blobs]) chmodSync(name, 0o755);
  return { place, folder, id, log };
}

describe("doctor", () => {
  it("finds nothing wrong with a sound home, and none where there is no home yet", async () => {
    const place = storedHome();
    expect(await examined(place)).toMatchObject({ code: 0, findings: [] });
    await storeSession(place, { resultLines: 4_000 });
    const { code, out } = await place.run(["doctor"]);
    expect(code).toBe(0);
    expect(out.replace(/\s+/g, " ")).toMatch(
      /Looked at 1 session in 1 project of .* free\. Nothing is wrong\. $/,
    );
  });

  it("tells all that is wrong and changes nothing of it", async () => {
    const { place, log, folder } = await aDamagedHome();
    const before = readFileSync(log);
    const { code, kinds } = await examined(place);
    expect(code).toBe(1);
    for (const kind of [
      "blob-damaged",
      "blob-missing",
      "damage",
      "index",
      "litter",
      "mode",
      "stale-lease",
      "torn-tail",
    ])
      expect(kinds).toContain(kind);
    expect(readFileSync(log)).toEqual(before);
    expect(existsSync(join(folder, "orphan"))).toBe(true);
    const { out } = await place.run(["doctor"]);
    expect(out).toMatch(/ --fix repairs \d+ of them\.\n$/);
    // A repair that has not run is not reported as done.
    expect(out.replace(/\s+/g, " ")).toMatch(/with --fix, removed/);
    expect(out.replace(/\s+/g, " ")).not.toMatch(/ ! [^!]*: (removed|copied aside|moved aside|made private)/);
  });

  it("mends what can be with --fix, leaves every byte of the log, and finds it done afterwards", async () => {
    const { place, log, folder, id } = await aDamagedHome();
    const before = readFileSync(log);
    const { findings } = await examined(place, "--fix");
    for (const { kind, isMended, isMendable } of findings) expect(isMended === true, kind).toBe(isMendable);
    expect(readFileSync(log)).toEqual(before);
    expect(statSync(log).mode & 0o777).toBe(0o600);
    expect(existsSync(join(folder, "orphan"))).toBe(false);
    expect(readdirSync(join(folder, id, "damage")).some((name) => name.endsWith(".bad"))).toBe(true);

    const after = await examined(place);
    const open = after.findings.filter(({ level }) => level === "problem");
    // Two blobs are lost for good: the removed one, and the one whose bytes were moved aside.
    expect(open.map(({ kind }) => kind)).toEqual(["blob-missing", "blob-missing"]);
    expect(after.code).toBe(1);
    expect((await place.run(["sessions", "show", id])).code).toBe(0);
  });

  it("is content once everything was mended", async () => {
    const place = storedHome();
    const id = await storeSession(place);
    writeFileSync(join(projectOf(place), id, "lease.1"), "{}", { flag: "w" });
    utimesSync(join(projectOf(place), id, "lease.1"), 1_000, 1_000);
    expect((await examined(place)).code).toBe(1);
    expect((await place.run(["doctor", "--fix"])).code).toBe(0);
    expect(await examined(place)).toMatchObject({ code: 0, findings: [] });
  });

  it("only looks at a session that is open", async () => {
    const place = storedHome();
    const id = await storeSession(place, { resultLines: 4_000 });
    const opened = openHome({ home: place.home, workingCopy: place.folder, persistence: true });
    const session = await opened.resume(id);
    const half = join(projectOf(place), id, "blobs", "half.tmp");
    writeFileSync(half, "half", { mode: 0o600 });
    const { code, findings } = await examined(place, "--fix");
    expect(code).toBe(0);
    expect(findings).toMatchObject([{ kind: "litter", level: "note", isMendable: false }]);
    expect(existsSync(half)).toBe(true);
    await session.close();
  });

  it("tells settings that are not used, and looks at one project or at a plain folder", async () => {
    const place = storedHome();
    await storeSession(place);
    await storeSession(place, { workingCopy: place.home });
    writeFileSync(join(place.home, "settings.json"), "{", { mode: 0o600 });
    expect(await examined(place)).toMatchObject({ code: 1, kinds: ["settings"], sessions: 2 });
    expect((await examined(place, "--project", ".")).sessions).toBe(1);
    expect(await examined(place, "--folder", projectOf(place))).toMatchObject({ code: 0, sessions: 1 });
    expect((await place.run(["doctor", "--folder", "x", "--home", "y"])).code).toBe(2);
  });

  it("tells what is wrong with a project's memories, and leaves it to a person", async () => {
    const place = storedHome();
    await storeSession(place);
    await place.run(["memory", "add", "We deploy on Tuesdays only."]);
    expect(await examined(place)).toMatchObject({ code: 0, kinds: [] });
    const folder = (await place.run(["memory", "path"])).out.trimEnd();
    writeFileSync(join(folder, "key.md"), `token ${SECRET}`, { mode: 0o600 });
    const { code, findings } = await examined(place, "--fix");
    expect(code).toBe(1);
    expect(findings).toMatchObject([
      { kind: "memory", level: "problem", isMendable: false, path: join(folder, "key.md") },
      { kind: "memory", level: "note", isMendable: false },
    ]);
    expect(JSON.stringify(findings)).not.toContain(SECRET);
  });

  it.each([
    ["--folder"],
    ["--home"],
  ])("touches nothing that is not ours where %s names a wrong folder", async (option) => {
    const place = storedHome();
    const { folder } = place;
    for (const name of ["empty", "projects", "trash", "config", `cache/blobs/${"ab".repeat(32)}`])
      mkdirSync(join(folder, name), { recursive: true, mode: 0o755 });
    writeFileSync(join(folder, "settings.json"), "{}", { mode: 0o644 });
    writeFileSync(join(folder, "notes.txt"), "mine", { mode: 0o644 });
    if (option === "--folder") writeFileSync(join(folder, "rows.jsonl"), '{"row":1}\n', { mode: 0o644 });
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
    for (const name of ["", ...names]) {
      chmodSync(join(folder, name), name.includes(".") ? 0o644 : 0o755);
      utimesSync(join(folder, name), 1_000_000_000, 1_000_000_000);
    }
    const state = () => ["", ...names].map((name) => [name, statSync(join(folder, name)).mode]);
    const before = state();
    const { findings } = await examined(place, "--fix", option, ".");
    expect(findings.filter(({ isMended, isMendable }) => isMended === true || isMendable)).toEqual([]);
    expect(findings.map(({ kind }) => kind)).toEqual(option === "--folder" ? ["unreadable"] : []);
    expect(state()).toEqual(before);
    expect(readdirSync(folder, { recursive: true, encoding: "utf8" })).toEqual(names);
  });
});
