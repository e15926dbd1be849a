/** File stores that tests look into. */
import { FileSessionStore } from "../../../src/adapters/files/file-session-store.ts";
import { nodeFileSystem } from "../../../src/adapters/node/node-file-system.ts";
import { nodeHasher } from "../../../src/adapters/node/node-hasher.ts";
import { randomIds } from "../../../src/adapters/node/random-ids.ts";
import type { FileSystem, OpenFile } from "../../../src/ports/file-system.ts";

/** The same sessions, and how many bytes were asked of their files. */
export function countingStore(root: string) {
  let readBytes = 0;
  const fs: FileSystem = {
    ...nodeFileSystem,
    open: (name, mode) => {
      const file = nodeFileSystem.open(name, mode);
      const counting: OpenFile = {
        read: (position, length) => {
          readBytes += length;
          return file.read(position, length);
        },
        write: (bytes) => file.write(bytes),
        size: () => file.size(),
        endsAt: (position) => file.endsAt(position),
        truncate: (size) => file.truncate(size),
        sync: () => file.sync(),
        close: () => file.close(),
      };
      return counting;
    },
  };
  const store = new FileSessionStore({ root, fs, hasher: nodeHasher, ids: randomIds });
  return { store, readBytes: () => readBytes };
}
