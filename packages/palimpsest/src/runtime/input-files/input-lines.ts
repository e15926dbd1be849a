/**
 * Lines of a file, plain or gzip, one at a time: an exported session can be larger than memory.
 */
import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import { STORE_DEFAULTS } from "../../base/defaults/store.ts";
import { InputError } from "../../base/errors.ts";
import { READ_CHUNK_BYTES } from "./text-encoding.ts";

/** JSON writes a control character in six: a line of the log, or a text that lay beside it, cannot become longer. */
const LINE_LIMIT_BYTES = 6 * STORE_DEFAULTS.lineLimitBytes;
const NEWLINE = 0x0a;

/**
 * The lines of a regular file, without their ends.
 * @throws `InputError` `INPUT_NOT_FOUND`, `INPUT_UNREADABLE`, `INPUT_TOO_LARGE` where a line never ends. @internal
 */
export async function* readInputLines(path: string): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  let length = 0;
  const add = (piece: Buffer): void => {
    parts.push(piece);
    length += piece.length;
    if (length > LINE_LIMIT_BYTES) throw tooLong(path);
  };
  const take = (): string => {
    const line = Buffer.concat(parts, length).toString("utf8");
    parts = [];
    length = 0;
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  };
  try {
    for await (const chunk of await openBytes(path)) {
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
        add(chunk.subarray(from, end));
        yield take();
        from = end + 1;
      }
      add(chunk.subarray(from));
    }
  } catch (error) {
    throw inputError(path, error);
  }
  if (length > 0) yield take();
}

/** The first line, as far as the first piece of the file holds it; `undefined` where nothing can be read. @internal */
export async function peekFirstLine(path: string): Promise<string | undefined> {
  try {
    for await (const chunk of await openBytes(path)) {
      const end = chunk.indexOf(NEWLINE);
      return chunk.toString("utf8", 0, end === -1 ? chunk.length : end);
    }
  } catch {
    // Reading the whole file reports the problem.
  }
  return undefined;
}

async function openBytes(path: string): Promise<AsyncIterable<Buffer>> {
  const isCompressed = await isGzip(path);
  const bytes = createReadStream(path, { highWaterMark: READ_CHUNK_BYTES });
  // The reader of the last stream gets the errors of both.
  return isCompressed ? pipeline(bytes, createGunzip(), () => {}) : bytes;
}

async function isGzip(path: string): Promise<boolean> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
  } finally {
    await file.close();
  }
}

function tooLong(path: string): InputError {
  return new InputError("INPUT_TOO_LARGE", {
    message: `${path} has a line of more than ${LINE_LIMIT_BYTES} bytes.`,
    hint: "No exported session has such a line; give the file itself.",
  });
}

/** Errors of the file system and of decompression as ours; whatever a reader of the lines threw as it is. */
function inputError(path: string, error: unknown): unknown {
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  if (error instanceof InputError || typeof code !== "string" || !/^(?:E[A-Z]|Z_)/.test(code)) return error;
  const isMissing = code === "ENOENT" || code === "ENOTDIR";
  return new InputError(isMissing ? "INPUT_NOT_FOUND" : "INPUT_UNREADABLE", {
    message: isMissing ? `There is no file ${path}.` : `${path} cannot be read (${code}).`,
    hint: "Check the path, that it is a file, and that you may read it.",
    cause: error,
  });
}
