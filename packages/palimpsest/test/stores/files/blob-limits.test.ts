/** Limits of a session's blobs: the error has the figures, and stored blobs stay. */

import { faultyFileSystem, InMemoryFileSystem, seededIds } from "palimpsest-testing";
import { expect, it } from "vitest";
import type { FileSystem } from "#ports/file-system.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { anEntry } from "#test/fault/leased-workload.ts";

const storeOn = (fs: FileSystem) =>
  new FileSessionStore({ root: "/s", fs, hasher: nodeHasher, ids: seededIds(1), blobQuotaBytes: 1_000 });
const put = (log: Awaited<ReturnType<FileSessionStore["create"]>>, text: string) =>
  log.putBlob(nodeHasher.sha256(text), text);

it("refuses a blob beyond the quota, also one on its way, and what other opens of the session have stored counts", async () => {
  const disk = new InMemoryFileSystem();
  const log = await storeOn(disk).create("s");
  await log.append([anEntry("e1", 1, "")]);
  await put(log, "a".repeat(600));
  const both = await Promise.allSettled([put(log, "b".repeat(300)), put(log, "c".repeat(300))]);
  expect(both.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
  await log.close();
  const again = await storeOn(disk).open("s");
  await expect(put(again, "d".repeat(101))).rejects.toMatchObject({
    code: "STORE_FAILED",
    message: "A block of 101 bytes was not stored: the session has 900 bytes of blobs, and may have 1000.",
  });
  await put(again, "e".repeat(100));
  await put(again, "a".repeat(600));
  expect(disk.list("/s/s/blobs")).toHaveLength(3);
});

it("does not count a blob that could not be written", async () => {
  const disk = new InMemoryFileSystem();
  for (let failAtCall = 1; ; failAtCall++) {
    const fs = faultyFileSystem(disk, { failAtCall, error: "ENOSPC" });
    const log = await storeOn(fs)
      .create(`s${failAtCall}`)
      .catch(() => undefined);
    if (log === undefined) continue;
    await put(log, "a".repeat(900)).catch(() => put(log, "a".repeat(900)));
    await expect(put(log, "b".repeat(101))).rejects.toMatchObject({ code: "STORE_FAILED" });
    if (!fs.didFail()) return;
  }
});
