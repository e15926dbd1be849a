/**
 * Reads bytes of a file, a pipe or the standard input in a way that can be stopped.
 *
 * DESIGN. Reading a pipe blocks one of Node's few threads until a writer comes, and a process with a blocked thread cannot
 * even exit. So a pipe is opened without waiting, and the event loop reads it like a socket. A pipe without a writer looks
 * like an ended one; only after a while is it considered ended.
 */
import { close, closeSync, constants, createReadStream, openSync, readSync } from "node:fs";
import { stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { InputError } from "../../base/errors.ts";
import { READ_CHUNK_BYTES } from "./text-encoding.ts";

/** Longest time that a pipe may stay without a writer, in milliseconds. Our choice: time for a shell to start the other side. */
const PIPE_WAIT_MS = 3_000;
/** Time between two looks at such a pipe, in milliseconds. Our choice. */
const PIPE_POLL_MS = 20;

/** @internal */
export interface InputBytes {
  readonly chunks: Readable;
  /** Size in bytes; 0 if unknown. */
  readonly totalBytes: number;
}

/** Names of the standard input. Opened by name it could not be read where it is a socket. */
const STANDARD_INPUT: ReadonlySet<string> = new Set(["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]);

/** Opens an input. @throws InputError for what is none; the platform's errors as they are. @internal */
export async function openInput(path: string, signal: AbortSignal | undefined): Promise<InputBytes> {
  if (STANDARD_INPUT.has(path)) return { chunks: process.stdin, totalBytes: 0 };
  const found = await stat(path);
  if (found.isDirectory())
    throw refused(
      path,
      "a folder, not a session",
      "Give the files in it, for example with a pattern such as *.jsonl.",
    );
  if (found.isFIFO()) return { chunks: await openPipe(path, signal), totalBytes: 0 };
  if (!found.isFile())
    throw refused(path, "a device, not a session", "Give a file, a pipe, or - for the standard input.");
  const chunks = createReadStream(path, { highWaterMark: READ_CHUNK_BYTES });
  return { chunks, totalBytes: found.size };
}

async function openPipe(path: string, signal: AbortSignal | undefined): Promise<Readable> {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const first = Buffer.alloc(READ_CHUNK_BYTES);
  try {
    for (let waitedMs = 0; waitedMs < PIPE_WAIT_MS; waitedMs += PIPE_POLL_MS) {
      const length = readNow(file, first);
      if (length === undefined || length > 0) {
        const { Socket } = await import("node:net"); // Few inputs are pipes.
        const socket = new Socket({ fd: file, readable: true, writable: false });
        if (length !== undefined) socket.unshift(first.subarray(0, length));
        return socket;
      }
      await setTimeout(PIPE_POLL_MS, undefined, signal === undefined ? {} : { signal });
    }
  } catch (error) {
    closeSync(file);
    throw error;
  }
  close(file);
  throw new InputError("INPUT_EMPTY", {
    message: `No data arrived on the pipe ${path} within ${PIPE_WAIT_MS} ms.`,
    hint: "Start the program that writes to it, or give the file itself.",
  });
}

/** Reads available bytes; `undefined` if a writer has none yet, 0 if there is no writer. */
function readNow(file: number, into: Buffer): number | undefined {
  try {
    return readSync(file, into);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EAGAIN") return undefined;
    throw error;
  }
}

function refused(path: string, what: string, hint: string): InputError {
  return new InputError("INPUT_UNREADABLE", { message: `${path} is ${what}.`, hint });
}
