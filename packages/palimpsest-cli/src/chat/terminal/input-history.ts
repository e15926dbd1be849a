/**
 * The inputs of earlier chats in a project, for the arrow keys: one JSON string a line, the newest last, in a file of the
 * project's folder that only its user may read.
 */
import { appendFile, mkdir, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { readTextIfThere } from "../base/regular-file.ts";
import { safeText } from "../base/safe-text.ts";

const FILE = ".input-history.jsonl";
/** Largest file that is read, in bytes. Our choice: ten times what a day of chats leaves there. */
const FILE_BYTES = 20_000_000;
/** Inputs that are offered. Source: the terminal library keeps as many. */
const OFFERED = 100;
/** Lines from which on the file is written again with the newest ones. Our choice: once in a hundred inputs. */
const MOST_LINES = 2 * OFFERED;
/** Longer inputs are not kept, in characters. Our choice: they were pasted, and are in the session. */
const KEPT_CHARACTERS = 4_000;

export class InputHistory {
  #path: string | undefined;
  /** Inputs from before the file was opened. */
  #early: string[] | undefined = [];
  #last: string | undefined;
  #written: Promise<unknown> = Promise.resolve();

  /**
   * Returns the inputs of earlier chats and those of this one so far, oldest first. A file that cannot be read has none.
   * @param folder - of the project, in the home; `undefined` where nothing is stored
   */
  async open(folder: string | undefined): Promise<readonly string[]> {
    const path = folder === undefined ? undefined : join(folder, FILE);
    const text = path === undefined ? "" : await readTextIfThere(path, FILE_BYTES).catch(() => undefined);
    const lines = (text ?? "").split("\n");
    const kept = lines.flatMap(inputOf).slice(-OFFERED);
    if (path !== undefined && lines.length > MOST_LINES) await rewrite(path, kept).catch(() => undefined);
    const early = this.#early ?? [];
    this.#path = path;
    this.#early = undefined;
    this.#last = kept.at(-1);
    for (const input of early) this.add(input);
    return [...kept, ...early];
  }

  /** Keeps an input, unless it repeats the last one. One that cannot be written is only missing later. */
  add(input: string): void {
    const path = this.#path;
    this.#early?.push(input);
    if (path === undefined || input === this.#last || input.length > KEPT_CHARACTERS) return;
    this.#last = input;
    this.#written = this.#written.then(() => append(path, input)).catch(() => undefined);
  }

  /** Resolves when everything is written. */
  async settled(): Promise<void> {
    await this.#written;
  }
}

async function append(path: string, input: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await appendFile(path, `${JSON.stringify(input)}\n`, { mode: 0o600 });
}

async function rewrite(path: string, inputs: readonly string[]): Promise<void> {
  await writeFile(`${path}.new`, inputs.map((input) => `${JSON.stringify(input)}\n`).join(""), {
    mode: 0o600,
  });
  await rename(`${path}.new`, path);
}

/** The input of a line; none if it was cut off, or is something else. */
function inputOf(line: string): readonly string[] {
  try {
    const input: unknown = JSON.parse(line);
    return typeof input === "string" && input.trim() !== "" ? [safeText(input)] : [];
  } catch {
    return [];
  }
}
