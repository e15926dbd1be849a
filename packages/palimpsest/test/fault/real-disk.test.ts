/** A real disk that is full, limited or read-only: told in the same call, and gone on from without a restart. */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import type { SessionLog } from "#ports/session-store.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeFileSystem } from "#stores/platform/node-file-system.ts";
import { nodeHasher, randomIds, systemClock, systemTimer } from "#stores/platform/node-ports.ts";
import { nodeProcess } from "#stores/platform/node-process.ts";
import { compiledLibrary } from "../../../../test/helpers/compiled-once.ts";
import { anEntry } from "./leased-workload.ts";

const DISK_BYTES = 163_840;
const folder = mkdtempSync(join(tmpdir(), "palimpsest-disk-"));
const disk = join(folder, "disk");
const canMount = tryMount();

/** A disk of our own takes the rights of the superuser, on Linux. */
function tryMount(): boolean {
  if (process.platform !== "linux") return false;
  try {
    mkdirSync(disk);
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_BYTES}`, "none", disk], { stdio: "ignore" });
    return true;
  } catch {
    console.info("Not run: the full and the read-only disk, because this user may not mount one.");
    return false;
  }
}

afterAll(() => {
  if (canMount) execFileSync("umount", ["-l", disk]);
  rmSync(folder, { recursive: true, force: true });
});

function storeAt(root: string): FileSessionStore {
  const lease = { clock: systemClock, process: nodeProcess, timer: systemTimer };
  return new FileSessionStore({ root, fs: nodeFileSystem, hasher: nodeHasher, ids: randomIds, lease });
}

const entry = (seq: number) => anEntry(`e${seq}`, seq, seq === 1 ? "" : `e${seq - 1}`);

async function seqsIn(root: string): Promise<readonly number[]> {
  const log = await storeAt(root).open("s");
  const seqs: number[] = [];
  for await (const { entries } of log.readAll()) seqs.push(...entries.map(({ entry: one }) => one.seq));
  await log.close();
  return seqs;
}

/** Appends until it is refused; the number of the last entry that was taken. */
async function appendUntilRefused(log: SessionLog, from: number): Promise<number> {
  for (let seq = from; ; seq++)
    try {
      await log.append([entry(seq)]);
    } catch (error) {
      expect(error).toMatchObject({
        code: "STORE_FAILED",
        hint: expect.stringContaining("Free some disk space"),
      });
      return seq - 1;
    }
}

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

describe.runIf(canMount)("a disk of 160 KB", () => {
  it("that is full refuses in the same call, and goes on where it was once there is room", async () => {
    const root = join(disk, "full");
    writeFileSync(join(disk, "ballast"), Buffer.alloc(40_000));
    const log = await storeAt(root).create("s");
    const last = await appendUntilRefused(log, 1);
    expect(last).toBeGreaterThan(10);
    expect(statfsSync(disk).bfree).toBe(0);
    const text = "a blob that has no room ".repeat(200);
    await expect(log.putBlob(nodeHasher.sha256(text), text)).rejects.toMatchObject({ code: "STORE_FAILED" });
    expect(await seqsIn(root)).toEqual(upTo(last));
    // A new session has no room either, and leaves nothing.
    const other = await storeAt(root).create("t");
    await expect(other.append([entry(1)])).rejects.toMatchObject({ code: "STORE_FAILED" });
    expect(await storeAt(root).list()).not.toContain("t");

    rmSync(join(disk, "ballast"));
    await log.append([entry(last + 1)]);
    await log.putBlob(nodeHasher.sha256(text), text);
    await log.sync();
    await other.append([entry(1)]);
    await other.close();
    await log.close();
    expect(await seqsIn(root)).toEqual(upTo(last + 1));
    expect(nodeFileSystem.list(join(root, "s"))).toEqual(["blobs"]);
    rmSync(root, { recursive: true });
  });

  it("that is full or read-only leaves a session's notes as they are, and takes new ones once it may", async () => {
    const root = join(disk, "notes");
    const first = await storeAt(root).create("s");
    await first.append([entry(1)]);
    await first.notes?.replace(undefined, "# Old\n");
    await first.close();
    const log = await storeAt(root).open("s");
    const { notes } = log;
    const large = "# New\n".repeat(10_000);
    writeFileSync(join(disk, "ballast"), Buffer.alloc(130_000));
    await expect(notes?.replace("# Old\n", large)).rejects.toMatchObject({
      code: "STORE_FAILED",
      hint: expect.stringContaining("Free some disk space"),
    });
    expect(await notes?.read()).toBe("# Old\n");
    expect(nodeFileSystem.list(join(root, "s"))).toEqual(["notes.md"]);
    rmSync(join(disk, "ballast"));
    execFileSync("mount", ["-o", "remount,ro", disk]);
    await expect(notes?.replace("# Old\n", "# New\n")).rejects.toMatchObject({
      code: "STORE_FAILED",
      hint: expect.stringContaining("read-only"),
    });
    expect(await notes?.read()).toBe("# Old\n");
    execFileSync("mount", ["-o", "remount,rw", disk]);
    expect(await notes?.replace("# Old\n", large)).toBe(true);
    expect(await notes?.read()).toBe(large);
    await log.close();
    rmSync(root, { recursive: true });
  });

  it("that becomes read-only is read, says so when it is to be written, and goes on once it may", async () => {
    const root = join(disk, "readonly");
    const first = await storeAt(root).create("s");
    await first.append([entry(1)]);
    await first.close();
    execFileSync("mount", ["-o", "remount,ro", disk]);
    const log = await storeAt(root).open("s");
    expect(await seqsIn(root)).toEqual([1]);
    for (const use of [() => log.acquire(), () => log.append([entry(2)])])
      await expect(use()).rejects.toMatchObject({
        code: "STORE_FAILED",
        hint: expect.stringContaining("read-only"),
      });
    execFileSync("mount", ["-o", "remount,rw", disk]);
    await log.append([entry(2)]);
    await log.close();
    expect(await seqsIn(root)).toEqual([1, 2]);
  });
});

describe.runIf(process.platform === "linux")("a process that may not write large files", () => {
  it("is refused in the same call, and goes on with the same log once it may", async () => {
    const root = join(folder, "limited");
    const script = join(dirname(fileURLToPath(import.meta.url)), "fixtures/limited-child.mjs");
    const command = `ulimit -S -f 64; exec "$0" "$@"`;
    const args = ["-c", command, process.execPath, script, compiledLibrary(), root];
    const child = spawn("bash", args, { stdio: ["pipe", "pipe", "inherit"] });
    const [code, seq] = await new Promise<string[]>((done) => {
      child.stdout.setEncoding("utf8").once("data", (text: string) => done(text.trim().split(" ").slice(1)));
    });
    expect(code).toBe("STORE_FAILED");
    const last = Number(seq);
    expect(last).toBeGreaterThan(10);
    expect(await seqsIn(root)).toEqual(upTo(last));
    execFileSync("prlimit", ["--pid", String(child.pid), "--fsize=unlimited"]);
    child.stdin.write("\n");
    await new Promise((done) => child.once("close", done));
    expect(await seqsIn(root)).toEqual(upTo(last + 5));
  });
});
