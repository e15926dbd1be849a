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
 * @param taken - names, or paths, of files in its folder
 * @param hasKey - true for the {@link fileNameKey} of a further name in it
 */
export function memoryFileName(
  name: string,
  taken: Iterable<string>,
  hasKey: (key: string) => boolean = () => false,
): string {
  const keys = new Set(
    [...taken, INDEX_NAME].map((path) => fileNameKey(path.slice(path.lastIndexOf("/") + 1))),
  );
  const isFree = (file: string): boolean => !keys.has(fileNameKey(file)) && !hasKey(fileNameKey(file));
  const stem = stemOf(name);
  if (!RESERVED.test(stem) && isFree(`${stem}.md`)) return `${stem}.md`;
  for (let number = 2; ; number++) if (isFree(`${stem}-${number}.md`)) return `${stem}-${number}.md`;
}

/** Most names: forming their key is a hundred times faster. */
const ONLY_ASCII = /^[\x20-\x7e]*$/;

/** Equal for names that some system takes for one. */
export function fileNameKey(name: string): string {
  if (ONLY_ASCII.test(name)) return name.toLowerCase();
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
