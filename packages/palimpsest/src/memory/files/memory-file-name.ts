/**
 * A file's name for a memory: readable in every script, the same on every system, and not that of another one.
 *
 * Systems differ in what they take for the same name (large and small letters, composed and decomposed ones) and
 * in which names they refuse. A name from here is small letters, digits and hyphens, composed, of no reserved
 * word, and compared in the way of the least precise system.
 */
import { utf8Bytes } from "../../base/text/text.ts";
import { INDEX_NAME } from "./memory-index.ts";

/** Characters of a file's name that are taken from the memory's name. Our choice: what a listing shows on one line. */
const FILE_NAME_CHARACTERS = 60;
/** Bytes of a file's name. Our choice: half of the 255 that file systems allow, as encrypted ones have room for 143. */
const FILE_NAME_BYTES = 120;

/** Replaces a name without letters and digits. */
const NAMELESS = "note";
/** Names of devices on Windows, with any ending. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d|conin|conout|clock)$/;

/**
 * The name of a new file, with `.md`.
 * @param taken - names, or paths, of the files in its folder
 */
export function memoryFileName(name: string, taken: Iterable<string>): string {
  const keys = [nameKey(INDEX_NAME), ...[...taken].map(keyOfPath)];
  const stem = stemOf(name);
  if (!RESERVED.test(stem) && !keys.includes(nameKey(`${stem}.md`))) return `${stem}.md`;
  const all = new Set(keys);
  for (let number = 2; ; number++) {
    const numbered = `${stem}-${number}.md`;
    if (!all.has(nameKey(numbered))) return numbered;
  }
}

/** Keys of known paths: forming one costs a hundred times as much as comparing it, and each new memory is compared with all. */
const keysOfPaths = new Map<string, string>();
/** Keys that are kept. Our choice: a few megabytes. */
const KEYS_COUNT = 20_000;

function keyOfPath(path: string): string {
  let key = keysOfPaths.get(path);
  if (key === undefined) {
    if (keysOfPaths.size >= KEYS_COUNT) keysOfPaths.clear();
    key = nameKey(path.slice(path.lastIndexOf("/") + 1));
    keysOfPaths.set(path, key);
  }
  return key;
}

/** Equal for names that some system takes for one. */
function nameKey(name: string): string {
  return name.normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC");
}

function stemOf(name: string): string {
  const words = name
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    // No script puts more marks on a letter; stores refuse names with many of them.
    .replace(/(\p{M}{4})\p{M}+/gu, "$1")
    .split(/[^\p{L}\p{M}\p{Nd}]+/u)
    // A mark that stands on no letter is drawn on whatever comes before.
    .map((word) => word.replace(/^\p{M}+/u, ""))
    .filter((word) => word !== "");
  return cutToName(words.join("-")) || NAMELESS;
}

function cutToName(stem: string): string {
  let end = 0;
  let bytes = 0;
  let wordEnd = 0;
  for (const character of stem) {
    bytes += utf8Bytes(character);
    if (end + character.length > FILE_NAME_CHARACTERS || bytes > FILE_NAME_BYTES) {
      // Whole words, unless the first one is longer than all of it.
      return stem.slice(0, wordEnd > FILE_NAME_CHARACTERS / 2 ? wordEnd : end).replace(/-$/, "");
    }
    if (character === "-") wordEnd = end;
    end += character.length;
  }
  return stem;
}
