/**
 * Anthropic's memory tool over a memory directory: the six commands under `/memories`, with the answers and errors
 * that Claude was trained on.
 *
 * Its handlers are plain functions named after the commands, so they fit the vendor's `betaMemoryTool` and the AI
 * SDK's `memory_20250818`. Deleted files go to the archive, written text is cleaned and counts as the model's own
 * conclusion, and a change that conflicts with another writer's is repeated on the new state. Source of the answers:
 * Anthropic's documentation of the memory tool, and its TypeScript SDK's own implementation.
 */

import { MemoryError, type PalimpsestError } from "../../../base/errors.ts";
import { redactBroken } from "../../../base/redaction/broken-secrets.ts";
import { showHidden, writeOutRoleMarks } from "../../../base/text/hidden-characters.ts";
import { parseMemoryFile } from "../../../memory/files/memory-file.ts";
import { isOwnIndex } from "../../../memory/files/memory-index.ts";
import { asWritten, cleanToolFile, cleanToolPart, keepTrust } from "../../../memory/write/tool-edit.ts";
import type { MemoryChange, MemoryFile, MemoryStore } from "../../../ports/memory-store.ts";

/** Attempts at a change that another writer's change precedes. Our choice: two programs that edit one file meet now and then, never so often. */
const TRIES_COUNT = 8;
/** Places of a text that is not unique that the model gets. Our choice: enough to see that it must say more. */
const PLACES_COUNT = 20;

/** Handlers by command; malformed input is refused with a message for the model. */
export interface MemoryToolHandlers {
  view(command: { readonly path: string; readonly view_range?: readonly number[] }): Promise<string>;
  create(command: { readonly path: string; readonly file_text: string }): Promise<string>;
  str_replace(command: {
    readonly path: string;
    readonly old_str: string;
    readonly new_str: string;
  }): Promise<string>;
  insert(command: {
    readonly path: string;
    readonly insert_line: number;
    readonly insert_text: string;
  }): Promise<string>;
  delete(command: { readonly path: string }): Promise<string>;
  rename(command: { readonly old_path: string; readonly new_path: string }): Promise<string>;
}

interface MemoryToolWorld {
  readonly store: MemoryStore;
  readonly now: () => number;
  /** Called after every change, once it is durable. */
  readonly onChange?: (change: ToolChange) => void;
}

/** The change of one command. */
export interface ToolChange {
  readonly changes: readonly MemoryChange[];
  /** The texts that the changed files came from. */
  readonly before?: ReadonlyMap<string, string>;
  /** The paths that renamed files had, by those that they have. */
  readonly moved?: ReadonlyMap<string, string>;
}

/** The path of the directory for a model. */
export const MEMORIES_ROOT = "/memories";
const LINE_NUMBER_WIDTH = 6;
/** Lines of a snippet before and behind what was replaced. */
const SNIPPET_LINES = 2;
/** Levels of folders that a listing shows. */
const LISTED_LEVELS = 2;

/** The handlers, over this store. */
export function memoryToolHandlers(world: MemoryToolWorld): MemoryToolHandlers {
  const tool = new MemoryTool(world);
  return {
    view: async ({ path, view_range }) => tool.view(asText(path, "path"), view_range),
    create: async ({ path, file_text }) => tool.create(asText(path, "path"), asText(file_text, "file_text")),
    str_replace: async ({ path, old_str, new_str }) =>
      tool.replace(asText(path, "path"), {
        old: asText(old_str, "old_str"),
        fresh: asText(new_str ?? "", "new_str"),
      }),
    insert: async ({ path, insert_line, insert_text }) =>
      tool.insert(asText(path, "path"), { line: insert_line, text: asText(insert_text, "insert_text") }),
    delete: async ({ path }) => tool.delete(asText(path, "path")),
    rename: async ({ old_path, new_path }) =>
      tool.rename({ from: asText(old_path, "old_path"), to: asText(new_path, "new_path") }),
  };
}

class MemoryTool {
  readonly #world: MemoryToolWorld;

  constructor(world: MemoryToolWorld) {
    this.#world = world;
  }

  async view(path: string, range: readonly number[] | undefined): Promise<string> {
    const inside = insideOf(path);
    const file = inside === "" ? undefined : await this.#find(inside);
    if (file !== undefined) return showFile(path, showable(path, file), range);
    const below = await this.#below(inside);
    if (inside !== "" && below.length === 0) throw notThere(path);
    return showFolder(path, inside, below);
  }

  create(path: string, text: string): Promise<string> {
    const inside = insideOf(path);
    return this.#change(async () => {
      if ((await this.#find(inside)) !== undefined) throw refused(`File ${path} already exists`);
      const change = { path: inside, base: undefined, text: cleanToolFile(inside, text, this.#world.now()) };
      return { changes: [change], answer: `File created successfully at: ${path}` };
    });
  }

  replace(path: string, { old, fresh }: { readonly old: string; readonly fresh: string }): Promise<string> {
    return this.#edit(path, (raw) => {
      // Text that was escaped for a model is matched in its escaped form.
      const text = raw.includes(old) ? raw : shown(raw);
      const at = old === "" ? -1 : text.indexOf(old);
      if (at === -1)
        throw refused(`No replacement was performed, old_str \`${old}\` did not appear verbatim in ${path}.`);
      const places = placesOf(text, old);
      if (places.length > 1)
        throw refused(
          `No replacement was performed. Multiple occurrences of old_str \`${old}\` in lines: ${places.join(", ")}. Please ensure it is unique`,
        );
      const edited = text.slice(0, at) + cleanToolPart(fresh) + text.slice(at + old.length);
      const snippet = showSnippet(shown(edited), { from: lineOf(text, at), lines: fresh.split("\n").length });
      return {
        text: edited,
        answer: `The memory file has been edited. Here is the snippet showing the change (with line numbers):\n${snippet}`,
      };
    });
  }

  insert(
    path: string,
    { line, text: added }: { readonly line: number; readonly text: string },
  ): Promise<string> {
    return this.#edit(path, (text) => {
      const lines = text.split("\n");
      if (!Number.isInteger(line) || line < 0 || line > lines.length)
        throw refused(
          `Invalid \`insert_line\` parameter: ${line}. It should be within the range of lines of the file: [0, ${lines.length}]`,
        );
      lines.splice(line, 0, cleanToolPart(added).replace(/\n$/, ""));
      return { text: lines.join("\n"), answer: `The file ${path} has been edited.` };
    });
  }

  delete(path: string): Promise<string> {
    const inside = insideOf(path);
    if (inside === "") throw refused(`Cannot delete the ${MEMORIES_ROOT} directory itself`);
    return this.#change(async () => {
      const files = await this.#filesOf(inside);
      if (files.length === 0) throw refused(`The path ${path} does not exist`);
      const changes = files.map((file) => ({ path: file.path, base: file.version, text: undefined }));
      return { changes, answer: `Successfully deleted ${path}` };
    });
  }

  rename({ from, to }: { readonly from: string; readonly to: string }): Promise<string> {
    const [old, fresh] = [insideOf(from), insideOf(to)];
    if (old === "" || fresh === "") throw refused(`Cannot rename the ${MEMORIES_ROOT} directory itself`);
    if (`${fresh}/`.startsWith(`${old}/`)) throw refused(`Cannot rename ${from} into itself`);
    return this.#change(async () => {
      if ((await this.#filesOf(fresh)).length > 0) throw refused(`The destination ${to} already exists`);
      const files = await this.#filesOf(old);
      if (files.length === 0) throw refused(`The path ${from} does not exist`);
      const moved = files.map((file) => ({ file, path: fresh + file.path.slice(old.length) }));
      const changes = moved.flatMap(({ file, path }) => [
        { path, base: undefined, text: file.text },
        { path: file.path, base: file.version, text: undefined },
      ]);
      for (const { file, path } of moved) {
        showable(outsideOf(file.path), file);
        // An index would change without judgement.
        if (isOwnIndex(file.path) !== isOwnIndex(path))
          throw refused(`Cannot rename ${outsideOf(file.path)} to ${outsideOf(path)}: one is the index`);
      }
      return {
        changes,
        before: new Map(moved.map(({ file, path }) => [path, file.text])),
        moved: new Map(moved.map(({ file, path }) => [path, file.path])),
        answer: `Successfully renamed ${from} to ${to}`,
      };
    });
  }

  #edit(
    path: string,
    edit: (text: string) => { readonly text: string; readonly answer: string },
  ): Promise<string> {
    const inside = insideOf(path);
    return this.#change(async () => {
      const file = inside === "" ? undefined : await this.#find(inside);
      if (file === undefined) throw notThere(path);
      showable(path, file);
      const { text, answer } = edit(asWritten(file.text));
      const signed = keepTrust(inside, { before: file.text, after: text, nowMs: this.#world.now() });
      const change = { path: inside, base: file.version, text: signed };
      return { changes: [change], before: new Map([[inside, file.text]]), answer };
    });
  }

  /** Applies a plan; if another writer was faster, plans again on the new state. */
  async #change(plan: () => Promise<ToolChange & { readonly answer: string }>): Promise<string> {
    for (let tries = 1; ; tries++) {
      const { answer, ...change } = await plan();
      const applied = await this.#world.store.apply(change.changes);
      if (applied.isApplied) {
        this.#world.onChange?.(change);
        return answer;
      }
      if (tries >= TRIES_COUNT)
        throw refused(
          `${applied.conflicts.map(outsideOf).join(", ")} changed while it was being edited. View it again.`,
        );
    }
  }

  async #find(inside: string): Promise<MemoryFile | undefined> {
    // Only names that end so are files; everything else may be a folder.
    return inside.toLowerCase().endsWith(".md") ? this.#world.store.read(inside) : undefined;
  }

  /** The file of this name, or all files of the folder. */
  async #filesOf(inside: string): Promise<readonly MemoryFile[]> {
    const file = await this.#find(inside);
    if (file !== undefined) return [file];
    const files: MemoryFile[] = [];
    for (const { path } of await this.#below(inside)) {
      const found = await this.#world.store.read(path);
      if (found !== undefined) files.push(found);
    }
    return files;
  }

  async #below(inside: string): Promise<readonly { readonly path: string; readonly sizeBytes: number }[]> {
    const { files } = await this.#world.store.list();
    return inside === "" ? files : files.filter(({ path }) => path.startsWith(`${inside}/`));
  }
}

/** The path inside the directory; empty for the directory itself. What is wrong with it else, the store says. */
function insideOf(path: string): string {
  if (path === MEMORIES_ROOT || path === `${MEMORIES_ROOT}/`) return "";
  if (!path.startsWith(`${MEMORIES_ROOT}/`))
    throw refused(`Path must start with ${MEMORIES_ROOT}, got: ${path}`);
  return path.slice(MEMORIES_ROOT.length + 1).replace(/\/$/, "");
}

const outsideOf = (inside: string): string => `${MEMORIES_ROOT}/${inside}`;

/** The text as a model may see it: without secrets, hidden characters and forged role tags. */
function showable(path: string, { path: inside, text }: MemoryFile): string {
  if (!isOwnIndex(inside) && parseMemoryFile(inside, text).memory.isQuarantined)
    throw refused(`${path} is quarantined: nobody who may be believed has said it. A person can confirm it.`);
  return shown(asWritten(text));
}

/** Other programs may have written anything into the file. */
function shown(text: string): string {
  return writeOutRoleMarks(redactBroken(showHidden(text)).text);
}

function asText(value: unknown, name: string): string {
  if (typeof value === "string") return value;
  throw refused(`Invalid \`${name}\` parameter: it must be a string.`);
}

function showFile(path: string, text: string, range: readonly number[] | undefined): string {
  const lines = text.split("\n");
  const [first = 1, last = -1] = Array.isArray(range) ? range : [];
  const from = Math.max(1, Math.floor(Number(first) || 1));
  const to = last === -1 ? lines.length : Math.floor(Number(last) || lines.length);
  return `Here's the content of ${path} with line numbers:\n${numbered(lines.slice(from - 1, to), from)}`;
}

function showSnippet(text: string, changed: { readonly from: number; readonly lines: number }): string {
  const lines = text.split("\n");
  const from = Math.max(0, changed.from - SNIPPET_LINES);
  return numbered(lines.slice(from, changed.from + changed.lines + SNIPPET_LINES), from + 1);
}

function numbered(lines: readonly string[], from: number): string {
  return lines
    .map((line, index) => `${String(index + from).padStart(LINE_NUMBER_WIDTH)}\t${line}`)
    .join("\n");
}

/** Folders and files down to two levels, with the sizes of what is in them. */
function showFolder(
  path: string,
  inside: string,
  files: readonly { readonly path: string; readonly sizeBytes: number }[],
): string {
  const start = inside === "" ? 0 : inside.length + 1;
  const sizes = new Map<string, number>();
  for (const file of files) {
    const parts = file.path.slice(start).split("/");
    const names = parts.map((_, index) => parts.slice(0, index + 1).join("/"));
    for (const [index, name] of names.slice(0, LISTED_LEVELS).entries()) {
      const shown = index === parts.length - 1 ? name : `${name}/`;
      sizes.set(shown, (sizes.get(shown) ?? 0) + file.sizeBytes);
    }
  }
  const all = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const base = path.replace(/\/$/, "");
  const lines = [...sizes].map(([name, bytes]) => `${sizeOf(bytes)}\t${base}/${name}`);
  return [
    `Here're the files and directories up to 2 levels deep in ${path}, excluding hidden items and node_modules:`,
    `${sizeOf(all)}\t${path}`,
    ...lines,
  ].join("\n");
}

function sizeOf(bytes: number): string {
  if (bytes === 0) return "0B";
  const power = Math.min(3, Math.floor(Math.log(bytes) / Math.log(1024)));
  const size = bytes / 1024 ** power;
  return `${size % 1 === 0 ? size : size.toFixed(1)}${["B", "K", "M", "G"][power]}`;
}

/** The lines, from 1, in which a text begins. */
function placesOf(text: string, wanted: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) {
    places.push(lineOf(text, at) + 1);
    if (places.length >= PLACES_COUNT) break;
  }
  return places;
}

function lineOf(text: string, at: number): number {
  let line = 0;
  for (let end = text.indexOf("\n"); end !== -1 && end < at; end = text.indexOf("\n", end + 1)) line++;
  return line;
}

function notThere(path: string): PalimpsestError {
  return refused(`The path ${path} does not exist. Please provide a valid path.`);
}

function refused(message: string): PalimpsestError {
  return new MemoryError("MEMORY_REFUSED", {
    message,
    hint: "Nothing was changed. View the directory to see what there is.",
  });
}
