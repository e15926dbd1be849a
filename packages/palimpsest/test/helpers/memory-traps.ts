/** Files that an attacker might put into a memory directory on a real disk, so that a store reads or writes elsewhere. */
import { execFileSync } from "node:child_process";
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { testFolder } from "../../../../test/helpers/compiled-once.ts";

export const SECRET = "# Not yours\n";

/** A memory directory with a plain memory in it, and beside it a folder that nothing may be read from or written to. */
export interface TrapPlace {
  readonly memory: string;
  readonly outside: string;
}

export function trapPlace(): TrapPlace {
  const root = testFolder();
  const place = { memory: join(root, "memory"), outside: join(root, "memory-evil") };
  mkdirSync(join(place.outside, "inner"), { recursive: true });
  for (const name of ["a.md", "secret.md", "inner/a.md"]) writeFileSync(join(place.outside, name), SECRET);
  mkdirSync(place.memory);
  writeFileSync(join(place.memory, "plain.md"), "# Plain\n");
  return place;
}

/** Everything outside, to be compared. */
export function outsideOf({ outside }: TrapPlace): readonly string[] {
  return readdirSync(outside, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return `${path} ${entry.isFile() ? readFileSync(path, "utf8") : "folder"}`;
    })
    .sort();
}

export interface Trap {
  readonly what: string;
  /** The path that leads into it. */
  readonly path: string;
  readonly set: (place: TrapPlace) => void;
}

const shell = (cwd: string, line: string) => execFileSync("sh", ["-c", line], { cwd, stdio: "ignore" });
const own = (memory: string, name: string): string => {
  mkdirSync(join(memory, ".palimpsest"), { recursive: true });
  return join(memory, ".palimpsest", name);
};

/** Forges a change, as if a process had died in the middle of it. */
function forgeWork({ memory, outside }: TrapPlace, state: string, path: string): void {
  const folder = join(own(memory, "work"), `1767225600000-forged.${state}`);
  mkdirSync(folder, { recursive: true });
  const items = [
    { path, base: "0".repeat(64) },
    { path: "other.md", next: "0".repeat(64) },
  ];
  writeFileSync(join(folder, "plan.json"), JSON.stringify({ v: 1, items, folders: ["inner"] }));
  linkSync(join(outside, "secret.md"), join(folder, "old.0"));
  symlinkSync(join(outside, "secret.md"), join(folder, "new.1"));
  symlinkSync(outside, join(folder, "gone.0"));
}

export const TRAPS: readonly Trap[] = [
  {
    what: "a link to a file",
    path: "a.md",
    set: ({ memory, outside }) => symlinkSync(join(outside, "secret.md"), join(memory, "a.md")),
  },
  {
    what: "a relative link to a file",
    path: "a.md",
    set: ({ memory }) => symlinkSync("../memory-evil/secret.md", join(memory, "a.md")),
  },
  {
    what: "a link that leads nowhere yet",
    path: "a.md",
    set: ({ memory, outside }) => symlinkSync(join(outside, "new.md"), join(memory, "a.md")),
  },
  {
    what: "a link to a folder, and a file in it",
    path: "sub/a.md",
    set: ({ memory, outside }) => symlinkSync(outside, join(memory, "sub")),
  },
  {
    what: "a link to a folder, and a new file in it",
    path: "sub/new.md",
    set: ({ memory, outside }) => symlinkSync(outside, join(memory, "sub")),
  },
  {
    what: "a link to a folder, and a new folder in it",
    path: "sub/new/er/a.md",
    set: ({ memory, outside }) => symlinkSync(outside, join(memory, "sub")),
  },
  {
    what: "a link further below",
    path: "x/y/inner/a.md",
    set: ({ memory, outside }) => {
      mkdirSync(join(memory, "x/y"), { recursive: true });
      symlinkSync(join(outside, "inner"), join(memory, "x/y/inner"));
    },
  },
  {
    what: "a link to the folder above",
    path: "up/memory-evil/a.md",
    set: ({ memory }) => symlinkSync("..", join(memory, "up")),
  },
  { what: "a link to itself", path: "a.md", set: ({ memory }) => symlinkSync("a.md", join(memory, "a.md")) },
  { what: "a folder in a loop", path: "l/l/a.md", set: ({ memory }) => symlinkSync(".", join(memory, "l")) },
  {
    what: "a second name of a file",
    path: "a.md",
    set: ({ memory, outside }) => linkSync(join(outside, "secret.md"), join(memory, "a.md")),
  },
  { what: "a pipe", path: "a.md", set: ({ memory }) => shell(memory, "mkfifo a.md") },
  { what: "a device", path: "a.md", set: ({ memory }) => shell(memory, "mknod a.md c 1 5 || mkfifo a.md") },
  {
    what: "a socket",
    path: "a.md",
    set: ({ memory }) => void createServer().listen(join(memory, "a.md")).unref(),
  },
  {
    what: "a link to a device without end",
    path: "a.md",
    set: ({ memory }) => symlinkSync("/dev/zero", join(memory, "a.md")),
  },
  {
    what: "a link to what the system tells",
    path: "a.md",
    set: ({ memory }) => symlinkSync("/proc/self/environ", join(memory, "a.md")),
  },
  {
    what: "a link to a folder of the system",
    path: "fd/0.md",
    set: ({ memory }) => symlinkSync("/proc/self/fd", join(memory, "fd")),
  },
  {
    what: "a folder with the name of a memory",
    path: "a.md",
    set: ({ memory }) => mkdirSync(join(memory, "a.md")),
  },
  {
    what: "a file in the place of a folder",
    path: "plain.md/a.md",
    set: () => undefined,
  },
  {
    what: "a huge file",
    path: "a.md",
    set: ({ memory }) => {
      writeFileSync(join(memory, "a.md"), "");
      truncateSync(join(memory, "a.md"), 2 ** 40);
    },
  },
  {
    what: "a file that is no text",
    path: "a.md",
    set: ({ memory }) => writeFileSync(join(memory, "a.md"), Buffer.from([0xc0, 0xae, 0xff])),
  },
  {
    what: "500 folders in one another",
    path: "d/d/d/d/d/d/d/a.md",
    set: ({ memory }) => void mkdirSync(join(memory, "d/".repeat(500)), { recursive: true }),
  },
  ...["", "work", "old", "lease.1", "locks", "records", "kept", "archive"].map(
    (name): Trap => ({
      what: `a link in the place of our own folder ${name}`,
      path: "a.md",
      set: ({ memory, outside }) => {
        symlinkSync(outside, name === "" ? join(memory, ".palimpsest") : own(memory, name));
      },
    }),
  ),
  ...["new", "doing", "undo", "done", "old"].map(
    (state): Trap => ({
      what: `a made up change that is ${state}`,
      path: "a.md",
      set: (place) => forgeWork(place, state, "a.md"),
    }),
  ),
  {
    what: "a made up change that leads out",
    path: "a.md",
    set: (place) => forgeWork(place, "doing", "../memory-evil/a.md"),
  },
  {
    what: "a record with a second name",
    path: "a.md",
    set: ({ memory, outside }) => {
      mkdirSync(own(memory, "records"));
      linkSync(join(outside, "secret.md"), join(own(memory, "records"), "log"));
    },
  },
  {
    what: "a lock with a second name",
    path: "a.md",
    set: ({ memory, outside }) => {
      linkSync(join(outside, "secret.md"), own(memory, "lease.1"));
    },
  },
];
