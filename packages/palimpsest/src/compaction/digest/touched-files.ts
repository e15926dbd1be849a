/**
 * Which files a call reads or changes: from its path argument, from a patch, or from a shell
 * command that does nothing but show files.
 */
import type { JsonValue } from "../../base/json/json.ts";
import { asString, isObject } from "../../base/json/json.ts";
import { cutHead } from "../../base/text/text.ts";
import { visitLiterals } from "../literals/literals.ts";
import { commandOf, pathOf, type ToolKind } from "../shared/tool-kinds.ts";
import { scriptedCalls } from "../shared/tool-script.ts";

export interface FileTouch {
  readonly path: string;
  readonly how: "read" | "edited" | "written" | "deleted";
  /** Start of what was written, where the call says so. */
  readonly snippet?: string;
}

const SNIPPET_CHARACTERS = 700;
const PATCH_LINE = /^\*\*\* (Update|Add|Delete) File: (.{1,400})$/gm;
const SHOWING_PROGRAMS = /^(?:cat|head|tail|less|nl|bat|wc|sed -n|get-content|gc|type)\s/i;

export function touchedFiles(kind: ToolKind | undefined, input: JsonValue): readonly FileTouch[] {
  const patch = patchOf(input);
  if (patch !== undefined) return patchedFiles(patch);
  if (kind === "shell") return shownFiles(commandOf(input) ?? "");
  const path = pathOf(input);
  if (path === undefined || kind === undefined) return [];
  switch (kind) {
    case "read":
      return [{ path, how: "read" }];
    case "edit":
      return [{ path, how: "edited", ...snippetField(writtenText(input)) }];
    case "write":
      return [{ path, how: "written", ...snippetField(writtenText(input)) }];
    default:
      return [];
  }
}

/** Arguments that hold a patch. Source: Codex, Copilot CLI, opencode. */
const PATCH_KEYS = ["input", "patch", "patchText"];

/** Returns the patch that a call has as an argument or within a command line. */
export function patchOf(input: JsonValue): string | undefined {
  const texts =
    typeof input === "string"
      ? patchTexts(input)
      : [commandOf(input), ...PATCH_KEYS.map((key) => member(input, key))];
  return texts.find((text) => text?.includes(PATCH_MARK) === true);
}

const PATCH_MARK = "*** Begin Patch";

/** A text, or the patches within a script as one; with the script where it makes one of parts that are not known. */
function patchTexts(text: string): readonly string[] {
  if (!text.includes(PATCH_MARK)) return [];
  const { known, isWhole } = patchesWithin(text);
  return [(isWhole ? known : [...known, text]).join("\n")];
}

function patchesWithin(script: string): { readonly known: readonly string[]; readonly isWhole: boolean } {
  const calls = scriptedCalls(script).map(({ name, input }) => ({ name, patch: patchOf(input) }));
  const known = calls.flatMap(({ patch }) => patch ?? []);
  const isUnknown = calls.some(({ name, patch }) => patch === undefined && /patch/i.test(name));
  return { known, isWhole: known.length > 0 && !isUnknown };
}

/** Returns the patch of a call to the letter; `undefined` where a script makes it of parts that are not known. */
export function exactPatchOf(input: JsonValue): string | undefined {
  const isScript = typeof input === "string" && scriptedCalls(input).length > 0;
  return isScript && !patchesWithin(input).isWhole ? undefined : patchOf(input);
}

function patchedFiles(patch: string): readonly FileTouch[] {
  const files: FileTouch[] = [];
  for (const found of patch.matchAll(PATCH_LINE)) {
    const how = found[1] === "Add" ? "written" : found[1] === "Delete" ? "deleted" : "edited";
    const body = patch.slice(
      found.index + found[0].length + 1,
      found.index + found[0].length + SNIPPET_CHARACTERS,
    );
    const end = body.indexOf("\n*** ");
    files.push({ path: found[2]!.trim(), how, ...snippetField(end === -1 ? body : body.slice(0, end)) });
  }
  return files;
}

function shownFiles(command: string): readonly FileTouch[] {
  if (!SHOWING_PROGRAMS.test(command) || command.length > 2_000) return [];
  const paths = new Set<string>();
  for (const word of command
    .split(/[|;&<>]/)[0]!
    .split(/\s+/)
    .slice(1))
    visitLiterals(word, (literal, kind) => {
      if (kind === "path" && word.replace(/["']/g, "") === literal) paths.add(literal);
    });
  return [...paths].map((path) => ({ path, how: "read" }));
}

/** Returns the text that an edit inserts: its only one, or the first of several. */
function writtenText(input: JsonValue): string | undefined {
  for (const key of [
    "new_string",
    "newText",
    "content",
    "file_text",
    "new_str",
    "newString",
    "contents",
    "new_source",
    "diff",
  ]) {
    const text = member(input, key);
    if (text !== undefined && text.trim() !== "") return text;
  }
  const edits = isObject(input) ? input["edits"] : undefined;
  return Array.isArray(edits) && edits.length > 0 ? writtenText(edits[0] as JsonValue) : undefined;
}

function member(input: JsonValue, key: string): string | undefined {
  return isObject(input) ? asString(input[key]) : undefined;
}

function snippetField(text: string | undefined): { readonly snippet?: string } {
  return text === undefined ? {} : { snippet: cutHead(text, SNIPPET_CHARACTERS) };
}
