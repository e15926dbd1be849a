/** Failures of the disk are reported in words about memories, and with paths that a person knows. */
import { InMemoryFileSystem } from "palimpsest-testing";
import { expect, it } from "vitest";
import { memoryProcesses } from "#test/helpers/memory-stores.ts";

it("says that a memory directory is read-only, without the session's words and the path of a handle", async () => {
  class ReadOnly extends InMemoryFileSystem {
    override makeDirectory(): void {
      const message = "EROFS: read-only file system, mkdir '/proc/self/fd/18/.palimpsest'";
      throw Object.assign(new Error(message), { code: "EROFS" });
    }
  }
  const store = memoryProcesses().open(new ReadOnly(), "/memory");
  const change = store.apply([{ path: "a.md", base: undefined, text: "We deploy on Tuesdays." }]);
  await expect(change).rejects.toMatchObject({
    code: "STORE_FAILED",
    message: "/memory could not be changed: EROFS: read-only file system, mkdir '.palimpsest'",
    hint: "The file system is read-only; choose another memory directory.",
  });
  await expect(store.tryLock("dream")).rejects.toMatchObject({
    message: "The lock dream could not be taken: EROFS: read-only file system, mkdir '.palimpsest'",
  });
});
