/**
 * Rules for the path of a memory, independent of the disk.
 *
 * A path may come from a model, from another program's memory, or from an index that another person wrote. So a path
 * is refused if it leads out of the directory, and also if another system or a person would read it differently:
 * encoded separators, device names of Windows, invisible characters. Each rule applies to the name and to its
 * compatibility normalisation, which finds wide and small forms of dots and slashes.
 */
import { MEMORY_STORE_DEFAULTS } from "../../base/defaults/memory/store.ts";
import { MemoryError } from "../../base/errors.ts";
import { showHidden, showOnOneLine } from "../../base/text/hidden-characters.ts";
import { shorten, utf8Bytes } from "../../base/text/text.ts";

/** Longest name of a file or folder, in bytes. Source: the limit of the file systems in common use. */
const NAME_LIMIT_BYTES = 255;

const ENDING = ".md";
/** Most characters of a path in a message. */
const SHOWN_CHARS = 120;

/** Names that are devices on Windows, whatever ending they have. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$|clock\$)\s*(?:\.|$)/i;

const NAME_RULES: readonly { readonly pattern: RegExp; readonly why: string }[] = [
  { pattern: /^$/, why: "a part of it is empty" },
  { pattern: /^\.\.?$/, why: "it leads out of the memory directory" },
  { pattern: /^\./, why: "a part of it begins with a dot, as hidden files do" },
  { pattern: /[\\/]/, why: "it has separators that some systems know" },
  { pattern: /:/, why: "it has a colon, which some systems read as a drive or a stream" },
  { pattern: /^~|~\d/, why: "it has a tilde, which some systems read as a home or a short name" },
  { pattern: /%[0-9a-f]{2}/i, why: "it has characters in percent encoding" },
  { pattern: /^\s|[\s.]$/u, why: "a part of it begins with a blank, or ends with one or with a dot" },
  { pattern: DEVICE, why: "a part of it is the name of a device on Windows" },
];

/** Returns the reason why a value cannot be the path of a memory; `undefined` if it can. */
export function memoryPathProblem(path: unknown): string | undefined {
  if (typeof path !== "string") return "it is not a text";
  const names = path.split("/");
  if (names.length > MEMORY_STORE_DEFAULTS.depthLimitCount)
    return `it has ${names.length} parts, and may have ${MEMORY_STORE_DEFAULTS.depthLimitCount}`;
  for (const name of names) {
    const problem = memoryNameProblem(name);
    if (problem !== undefined) return problem;
  }
  return path.endsWith(ENDING) ? undefined : `it does not end in ${ENDING}`;
}

/** Most names, which break no rule: a listing asks about each of its files. */
const PLAIN_NAME = /^(?!(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$))[0-9a-z][\w-]*(?:\.[\w-]+)*$/i;

/** Returns the reason why a text cannot be the name of a file or folder in a path; `undefined` if it can. */
export function memoryNameProblem(name: string): string | undefined {
  if (name.length <= NAME_LIMIT_BYTES && PLAIN_NAME.test(name)) return undefined;
  const bytes = utf8Bytes(name);
  if (bytes > NAME_LIMIT_BYTES) return `a part of it has ${bytes} bytes, and may have ${NAME_LIMIT_BYTES}`;
  if (/\p{Cc}/u.test(name) || showHidden(name) !== name) return "it has invisible characters";
  const normalised = name.normalize("NFKC");
  const forms = normalised === name ? [name] : [name, normalised];
  return NAME_RULES.find(({ pattern }) => forms.some((form) => pattern.test(form)))?.why;
}

/** Returns the parts of a valid path. @throws `MEMORY_PATH_REFUSED` */
export function checkMemoryPath(path: string): readonly string[] {
  const problem = memoryPathProblem(path);
  if (problem !== undefined) throw memoryPathRefused(path, problem);
  return path.split("/");
}

/** Most names: forming their key is a hundred times faster. */
const ONLY_ASCII = /^[\x20-\x7e]*$/;

/** Returns a key that is equal for names which some file system takes for the same name. */
export function memoryNameKey(name: string): string {
  return ONLY_ASCII.test(name) ? name.toLowerCase() : name.normalize("NFKC").toLowerCase().normalize("NFKC");
}

export function isMemoryName(name: string): boolean {
  return name.endsWith(ENDING);
}

export function memoryPathRefused(path: unknown, why: string, cause?: unknown): MemoryError {
  const shown = typeof path === "string" ? `"${shorten(showOnOneLine(path), SHOWN_CHARS)}"` : typeof path;
  return new MemoryError("MEMORY_PATH_REFUSED", {
    message: `${shown} is refused as a memory: ${why}.`,
    hint: "Name a plain text file inside the memory directory, as the list of memories does; it ends in .md.",
    cause,
  });
}
