/** File stores that tests look into. */

import type { FileSystem, OpenFile } from "#ports/file-system.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeFileSystem } from "#stores/platform/node-file-system.ts";
import { nodeHasher, randomIds } from "#stores/platform/node-ports.ts";

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
