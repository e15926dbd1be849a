/** A check-up tells what is wrong with a stored session; mending it loses nothing and never touches the log. */

import { FakeClock, InMemoryFileSystem, seededIds } from "palimpsest-testing";
import { FakeProcess, FakeTimer } from "palimpsest-testing/internal";
import { beforeEach, describe, expect, it } from "vitest";
import { createSession } from "#session/lifecycle/open-session.ts";
import type { Session } from "#session/session.ts";
import { inspectSession } from "#stores/files/doctor/session-doctor.ts";
import type { DoctorOptions } from "#stores/files/doctor/session-findings.ts";
import { repairSession } from "#stores/files/doctor/session-repair.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { sessionPaths } from "#stores/shared/session-paths.ts";
import { assistant, call, result, user } from "#test/helpers/histories.ts";

const ROOT = "/home/sessions";
const LARGE = "a line of a large result\n".repeat(4_000);

let disk: InMemoryFileSystem;
let clock: FakeClock;
let living: Set<string>;
let session: Session;
let writer: FakeProcess;

const leaseOf = (process: FakeProcess) => ({ clock, process, timer: new FakeTimer() });

function doctorOptions(): DoctorOptions {
  const process = new FakeProcess({ pid: 99, living });
  const paths = sessionPaths(ROOT, session.id);
  return { sessionId: session.id, paths, fs: disk, hasher: nodeHasher, lease: leaseOf(process) };
}

beforeEach(async () => {
  disk = new InMemoryFileSystem();
  clock = new FakeClock();
  living = new Set();
  writer = new FakeProcess({ pid: 1, living });
  const ids = seededIds(3);
  const store = new FileSessionStore({
    root: ROOT,
    fs: disk,
    hasher: nodeHasher,
    ids,
    lease: leaseOf(writer),
  });
  session = await createSession({ store, clock, ids, hasher: nodeHasher, window: { windowTokens: 32_000 } });
  await session.append(user("Look at the log."));
  await session.append(assistant("r", call("c")));
  await session.append(user(result("c", LARGE)));
  await session.append(user("And now?"));
});

const logFile = () => `${ROOT}/${session.id}.jsonl`;
const blobFolder = () => `${ROOT}/${session.id}/blobs`;
const blobs = () => disk.list(blobFolder());

function rewrite(path: string, change: (bytes: Uint8Array) => Uint8Array): void {
  disk.writeFile(path, change(disk.readFile(path)));
}

/** As a process leaves one that is killed. */
function leaveLease(): void {
  const holder = { id: "x", pid: 4, host: "machine", space: "machine", ttlMs: 15_000 };
  const path = `${ROOT}/${session.id}/lease.7`;
  disk.writeFile(path, Buffer.from(JSON.stringify(holder)));
  disk.touch(path, clock.nowMs());
}

/** Every path below the root with its bytes. */
function everything(folder = ROOT): Record<string, string> {
  return Object.assign(
    {},
    ...disk.list(folder).map((name) => {
      const path = `${folder}/${name}`;
      if (disk.stat(path)?.isDirectory === true) return { [path]: "folder", ...everything(path) };
      return { [path]: Buffer.from(disk.readFile(path)).toString("latin1") };
    }),
  );
}

const kindsOf = (findings: readonly { readonly kind: string }[]) => findings.map(({ kind }) => kind);

describe("a check-up", () => {
  it("finds derived files that are damaged, half written or of entries that are not there, and removes them", async () => {
    await session.close();
    const store = new FileSessionStore({ root: ROOT, fs: disk, hasher: nodeHasher, ids: seededIds(8) });
    const log = await store.open(session.id);
    for (const name of ["digest-3", "words-3", "digest-4", "digest-4000"])
      await log.derived!.write(name, "a text that is long enough to be packed ".repeat(40));
    await log.close();
    const folder = `${ROOT}/${session.id}/derived`;
    rewrite(`${folder}/digest-4`, (bytes) => bytes.slice(0, -1));
    disk.writeFile(`${folder}/words-3.abc.tmp`, Buffer.from("half"));
    disk.writeFile(`${folder}/a person's`, Buffer.from("file"));
    const derived = async () =>
      (await inspectSession(doctorOptions())).findings
        .filter(({ path }) => path.startsWith(folder))
        .map(({ kind, path }) => `${kind} ${path.slice(folder.length + 1)}`);
    expect((await derived()).sort()).toEqual([
      "derived-outdated digest-4",
      "derived-outdated digest-4000",
      "litter words-3.abc.tmp",
    ]);
    expect((await repairSession(doctorOptions())).failed).toEqual([]);
    expect(await derived()).toEqual([]);
    expect([...disk.list(folder)].sort()).toEqual(["a person's", "digest-3", "words-3"]);
  });

  it("finds nothing in a sound session, and says what there is", async () => {
    await session.close();
    const checkup = await inspectSession(doctorOptions());
    expect(checkup).toMatchObject({ isInUse: false, findings: [], blobCount: 1 });
    expect(checkup.entryCount).toBeGreaterThanOrEqual(5);
    expect(checkup.logBytes).toBe(disk.readFile(logFile()).length);
  });

  it("tells that somebody writes the session, and changes nothing", async () => {
    const before = everything();
    expect(await inspectSession(doctorOptions())).toMatchObject({ isInUse: true, findings: [] });
    expect(everything()).toEqual(before);
  });

  it.each<{ kind: string; also?: string; why: string; harm: () => void }>([
    {
      kind: "damage",
      why: "a byte flipped in the middle of the log",
      harm: () => rewrite(logFile(), (bytes) => bytes.with(450, bytes[450]! ^ 1)),
    },
    {
      kind: "torn-tail",
      also: "missing-entries",
      why: "half a last line, of which all was durable",
      harm: () => rewrite(logFile(), (bytes) => bytes.slice(0, -20)),
    },
    {
      kind: "missing-entries",
      why: "the last line is gone",
      harm: () => rewrite(logFile(), (bytes) => bytes.slice(0, bytes.lastIndexOf(10, bytes.length - 2) + 1)),
    },
    // Without its only blob the folder is empty.
    {
      kind: "blob-missing",
      also: "litter",
      why: "a blob is gone",
      harm: () => disk.remove(`${blobFolder()}/${blobs()[0]}`),
    },
    {
      kind: "blob-damaged",
      why: "a blob has other bytes",
      harm: () =>
        rewrite(`${blobFolder()}/${blobs()[0]}`, (bytes) =>
          bytes.with(bytes.length >> 1, bytes[bytes.length >> 1]! ^ 1),
        ),
    },
    {
      kind: "blob-unreferenced",
      why: "a blob that no entry names",
      harm: () => disk.writeFile(`${blobFolder()}/${nodeHasher.sha256("x")}`, Buffer.from("x")),
    },
    {
      kind: "litter",
      why: "a blob half written",
      harm: () => disk.writeFile(`${blobFolder()}/${nodeHasher.sha256("x")}.ab.tmp`, Buffer.from("x")),
    },
    {
      kind: "litter",
      why: "an empty folder",
      harm: () => disk.makeDirectory(`${ROOT}/${session.id}/damage`),
    },
    {
      kind: "stale-lease",
      why: "the lease of a process that died",
      harm: leaveLease,
    },
  ])("finds $kind: $why", async ({ kind, also, harm }) => {
    await session.close();
    harm();
    const before = everything();
    const { findings } = await inspectSession(doctorOptions());
    expect(kindsOf(findings)).toEqual(also === undefined ? [kind] : [kind, also]);
    expect(findings[0]!.advice).toMatch(/\.$/);
    expect(everything()).toEqual(before);
  });
});

describe("mending", () => {
  it("copies what is damaged aside, leaves the log as it is, and knows it the next time", async () => {
    await session.close();
    rewrite(logFile(), (bytes) => bytes.with(450, bytes[450]! ^ 1));
    const log = disk.readFile(logFile());
    const { repaired, failed } = await repairSession(doctorOptions());
    expect([kindsOf(repaired), failed]).toEqual([["damage"], []]);
    const { position, bytes } = repaired[0]!;
    const copy = disk.readFile(`${ROOT}/${session.id}/damage/${position}.bad`);
    expect(Buffer.from(copy)).toEqual(Buffer.from(log.slice(position, position! + bytes)));
    expect(disk.readFile(logFile())).toEqual(log);
    const again = await inspectSession(doctorOptions());
    expect(again.findings).toMatchObject([{ kind: "damage", isQuarantined: true, isMendable: false }]);
    expect(kindsOf((await repairSession(doctorOptions())).left)).toEqual(["damage"]);
  });

  it("removes what a crash left, and nothing that an entry names", async () => {
    await session.close();
    const named = blobs();
    disk.writeFile(`${blobFolder()}/${nodeHasher.sha256("y")}.ab.tmp`, Buffer.from("y"));
    leaveLease();
    disk.makeDirectory(`${ROOT}/${session.id}/damage`);
    disk.writeFile(`${ROOT}/${session.id}/notes.md`, Buffer.from("kept"));
    const { failed, left } = await repairSession(doctorOptions());
    expect([failed, left]).toEqual([[], []]);
    expect([...disk.list(`${ROOT}/${session.id}`)].sort()).toEqual(["blobs", "notes.md"]);
    expect(blobs()).toEqual(named);
    expect((await inspectSession(doctorOptions())).findings).toEqual([]);
  });

  it.each([
    { why: "left by a crash", change: (bytes: Buffer) => bytes },
    { why: "a part of the log cannot be read", change: (bytes: Buffer) => bytes.with(450, bytes[450]! ^ 1) },
    { why: "the log was emptied", change: () => Buffer.alloc(0) },
    {
      why: "the log was cut at the end of a line",
      change: (bytes: Buffer) => bytes.subarray(0, bytes.indexOf(10) + 1),
    },
  ])("deletes no blob, whether an entry names it or not: $why", async ({ change }) => {
    await session.close();
    disk.writeFile(`${blobFolder()}/${nodeHasher.sha256("x")}`, Buffer.from("x"));
    const before = blobs();
    expect(before.length).toBeGreaterThan(1);
    disk.writeFile(logFile(), change(Buffer.from(disk.readFile(logFile()))));
    const { left, failed } = await repairSession(doctorOptions());
    expect(kindsOf(left)).toContain("blob-unreferenced");
    expect(failed).toEqual([]);
    expect(blobs()).toEqual(before);
    expect(disk.stat(logFile())).toBeDefined();
  });

  it("keeps the blobs of a session without a log", async () => {
    await session.close();
    disk.remove(logFile());
    const before = blobs();
    await repairSession(doctorOptions());
    expect(blobs()).toEqual(before);
  });

  it("replaces no damaged blob that was moved aside before", async () => {
    await session.close();
    const [hash] = blobs();
    for (const bytes of ["first", "second"]) {
      disk.writeFile(`${blobFolder()}/${hash}`, Buffer.from(bytes));
      await repairSession(doctorOptions());
    }
    const aside = disk.list(`${ROOT}/${session.id}/damage`).toSorted();
    expect(aside).toEqual([`${hash}.blob`, `${hash}.blob.2`]);
  });

  it("leaves a session alone that somebody writes", async () => {
    disk.writeFile(`${blobFolder()}/${nodeHasher.sha256("x")}`, Buffer.from("x"));
    const before = everything();
    await expect(repairSession(doctorOptions())).rejects.toMatchObject({ code: "SESSION_IN_USE" });
    expect(everything()).toEqual(before);
  });
});
