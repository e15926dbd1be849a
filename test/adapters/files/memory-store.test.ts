/** The memory store in files keeps the contract, on the machine's disk in both ways of confinement and in memory. */
import { join } from "node:path";
import { describe, it } from "vitest";
import { confinedFileSystem } from "../../../src/adapters/node/confined-file-system.ts";
import type { FileSystem } from "../../../src/ports/file-system.ts";
import { InMemoryFileSystem } from "../../../src/testing/in-memory-file-system.ts";
import { memoryStoreContract } from "../../../src/testing/memory-store-contract.ts";
import { testFolder } from "../../helpers/compiled-once.ts";
import { memoryProcesses } from "../../helpers/memory-stores.ts";

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
