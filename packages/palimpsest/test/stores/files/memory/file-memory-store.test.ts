/** The memory store in files keeps the contract, on the machine's disk in both ways of confinement and in memory. */
import { join } from "node:path";
import { InMemoryFileSystem, memoryStoreContract } from "palimpsest-testing";
import { describe, it } from "vitest";
import type { FileSystem } from "#ports/file-system.ts";
import { confinedFileSystem } from "#stores/platform/confined-file-system.ts";
import { memoryProcesses } from "#test/helpers/memory-stores.ts";
import { testFolder } from "../../../../../../test/helpers/compiled-once.ts";

const DISKS: readonly { readonly where: string; readonly aDisk: () => FileSystem }[] = [
  { where: "on a real disk", aDisk: () => confinedFileSystem(join(testFolder(), "projects/p/memory")) },
  {
    where: "on a real disk without handles of folders",
    aDisk: () => confinedFileSystem(join(testFolder(), "memory"), { confinement: "looks" }),
  },
  { where: "on a file system in memory", aDisk: () => new InMemoryFileSystem(() => 1_767_225_600_000) },
];

describe.each(DISKS)("the memory store in files, $where", ({ aDisk }) => {
  for (const { name, run } of memoryStoreContract)
    it(name, () => {
      const disk = aDisk();
      const { open } = memoryProcesses();
      return run({ store: open(disk), reopen: () => open(disk) });
    });
});
