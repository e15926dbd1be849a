/**
 * A memory directory as one file of JSON lines, and back without a byte lost: every file with its path and text,
 * indexes and files without frontmatter included.
 *
 *     {"type":"palimpsest-memories","version":1}
 *     {"path":"MEMORY.md","text":"…"}
 *     {"path":"deploy-days.md","text":"…"}
 *     {"type":"end","files":2}
 *
 * Without its last line it was cut off, and the reader says so. Paths are as they stand there, and may be
 * anything: a store judges them.
 */
import { asNumber, asString, isObject } from "../../base/json/json.ts";
import { parseBounded } from "../../base/json/parse-bounded.ts";
import { ImportLog, type NotCarried } from "./imported-memory.ts";

const OPENING = "palimpsest-memories";
const VERSION = 1;

export interface BundledFile {
  readonly path: string;
  readonly text: string;
}

interface MemoryBundle {
  readonly files: readonly BundledFile[];
  /** Unreadable parts, including a cut-off end. */
  readonly notCarried: readonly NotCarried[];
  readonly notCarriedCount: number;
}

/** The bundle of some files, as they are given. */
export function formatMemoryBundle(files: readonly BundledFile[]): string {
  const lines = [
    { type: OPENING, version: VERSION },
    ...files.map(({ path, text }) => ({ path, text })),
    { type: "end", files: files.length },
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** True if a text is such a bundle. */
export function isMemoryBundle(text: string): boolean {
  const first = parseBounded(text.slice(0, Math.max(0, text.indexOf("\n"))));
  return first.ok && isObject(first.value) && first.value["type"] === OPENING;
}

/** Reads a bundle; damaged parts are left out and reported. Never throws. */
export function parseMemoryBundle(text: string): MemoryBundle {
  const log = new ImportLog();
  const files = new Map<string, BundledFile>();
  let endsAfter: number | undefined;
  text.split("\n").forEach((line, index) => {
    if (line.trim() === "" || index === 0) return;
    const origin = `line ${index + 1}`;
    const parsed = parseBounded(line);
    const value = parsed.ok && isObject(parsed.value) ? parsed.value : {};
    const path = asString(value["path"]);
    const fileText = asString(value["text"]);
    if (path !== undefined && fileText !== undefined) {
      if (files.has(path)) log.leave(origin, `${path} once more; the first one counts`);
      else files.set(path, { path, text: fileText });
    } else if (value["type"] === "end") endsAfter = asNumber(value["files"]) ?? files.size;
    else log.leave(origin, "it is not a file with a path and a text");
  });
  if (!isMemoryBundle(text)) log.leave("line 1", "it does not say that this is a bundle of memories");
  if (endsAfter === undefined) log.leave("end", "the bundle was cut off");
  else if (endsAfter !== files.size)
    log.leave("end", `it should have ${endsAfter} files and has ${files.size}`);
  const { notCarried, notCarriedCount } = log.end("palimpsest");
  return { files: [...files.values()], notCarried, notCarriedCount };
}
