/**
 * Standard streams of a command.
 *
 * Node connects children by sockets. A command cannot open those by name, so that `tee /dev/stderr` fails, and bash
 * takes a socket for a remote login. A pipe that has a name for a moment has none of this. If it is opened by name, it
 * waits for a writer: so a text that is known from the start is a file.
 */
import { execFileSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Both ends as file descriptors, for the caller to close. */
interface Pipe {
  readonly readEnd: number;
  readonly writeEnd: number;
}

const { O_RDONLY, O_RDWR, O_WRONLY, O_NONBLOCK } = constants;

/** Opens a pipe. `ours`: the end that this process keeps; the other one blocks, as commands expect. */
export function openPipe(ours: "read" | "write"): Pipe {
  const opened: number[] = [];
  try {
    return withName((path) => {
      const open = (flags: number) => {
        opened.push(openSync(path, flags));
        return opened.at(-1)!;
      };
      execFileSync("mkfifo", ["-m", "600", path], { stdio: "ignore" });
      // While it is open both ways, opening one end does not wait for the other.
      const both = open(O_RDWR | O_NONBLOCK);
      const readEnd = open(O_RDONLY | (ours === "read" ? O_NONBLOCK : 0));
      const writeEnd = open(O_WRONLY | (ours === "write" ? O_NONBLOCK : 0));
      closeSync(both);
      return { readEnd, writeEnd };
    });
  } catch (error) {
    for (const handle of opened) closeSync(handle);
    throw error;
  }
}

/** Opens the text for reading, as a file descriptor. */
export function openText(text: string): number {
  return withName((path) => {
    writeFileSync(path, text, { mode: 0o600 });
    return openSync(path, O_RDONLY);
  });
}

/** Gives a path that is gone afterwards; what was opened by it stays. */
function withName<Result>(work: (path: string) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), "palimpsest-task-"));
  try {
    return work(join(folder, "stream"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
