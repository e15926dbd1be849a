/**
 * The tools of common agents by name: what a call does, what it is about, how it ended, and whether its
 * result can be had again.
 *
 * Names are compared without case, `_` and `-`, so that `MultiEdit`, `multi_edit` and `multiedit` are one
 * tool. A tool that is not listed is unknown: its results are kept.
 */
import { isObject, type JsonValue } from "../../base/json/json.ts";
import { shorten } from "../../base/text/text.ts";
import { type ToolResultBlock, toolResultText } from "../../transcript/blocks.ts";

export type ToolKind = "read" | "edit" | "write" | "shell" | "search" | "list" | "web" | "todo" | "agent";

const NAMES: Readonly<Record<ToolKind, readonly string[]>> = {
  read: [
    "Read",
    "read_file",
    "ReadFile",
    "read_many_files",
    "view",
    "view_file",
    "cat",
    "open_file",
    "open",
    "NotebookRead",
    "read_text_file",
    "file_read",
    "get_file_contents",
    "fs_read",
    "BashOutput",
    "TaskOutput",
  ],
  edit: [
    "Edit",
    "MultiEdit",
    "NotebookEdit",
    "edit_file",
    "replace_in_file",
    "apply_diff",
    "apply_patch",
    "str_replace",
    "str_replace_editor",
    "str_replace_based_edit_tool",
    "replace",
    "search_replace",
    "insert_content",
    "insert_edit_into_file",
    "update_file",
    "patch",
    "edit_notebook_file",
    "file_edit",
    "str_replace_editor_tool",
    "replace_string_in_file",
    "multi_replace_string_in_file",
  ],
  write: [
    "Write",
    "write_file",
    "write_to_file",
    "create_file",
    "create",
    "save_file",
    "file_write",
    "fs_write",
  ],
  shell: [
    "Bash",
    "shell",
    "local_shell",
    "execute_command",
    "run_command",
    "run_shell_command",
    "run_in_terminal",
    "terminal",
    "exec",
    "exec_command",
    "execute_bash",
    "PowerShell",
    "container.exec",
    "shell_command",
    "run_terminal_cmd",
    "run_terminal_command",
    "unified_exec",
    "write_stdin",
  ],
  search: [
    "Grep",
    "search_files",
    "search_file_content",
    "grep_search",
    "codebase_search",
    "search",
    "ripgrep",
    "rg",
    "semantic_search",
    "file_search",
    "find_by_name",
    "search_dir",
    "search_file",
  ],
  list: ["Glob", "LS", "ls", "find", "list_files", "list_dir", "list_directory", "find_file", "find_files"],
  web: [
    "WebSearch",
    "WebFetch",
    "web_search",
    "web_fetch",
    "google_web_search",
    "fetch",
    "fetch_webpage",
    "search_web",
    "browse",
    "http_get",
    "url_fetch",
    "fetch_url",
  ],
  todo: [
    "TodoWrite",
    "todo_write",
    "todowrite",
    "update_plan",
    "TaskCreate",
    "TaskUpdate",
    "write_todos",
    "manage_todo_list",
  ],
  agent: ["Task", "Agent", "task", "subagent", "spawn_agent", "dispatch_agent", "new_task", "runSubagent"],
};

/** The form in which tool names are compared. */
export function toolKey(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, "");
}

const KIND_OF: ReadonlyMap<string, ToolKind> = new Map(
  Object.entries(NAMES).flatMap(([kind, names]) =>
    names.map((name): [string, ToolKind] => [toolKey(name), kind as ToolKind]),
  ),
);

const CLEARABLE_KINDS: ReadonlySet<ToolKind> = new Set([
  "read",
  "edit",
  "write",
  "shell",
  "search",
  "list",
  "web",
]);

/** High-volume tools whose results can be had again, by {@link toolKey}. */
export const CLEARABLE_TOOLS: ReadonlySet<string> = new Set(
  [...KIND_OF].filter(([, kind]) => CLEARABLE_KINDS.has(kind)).map(([key]) => key),
);

/** Tools that change nothing: a small result of theirs leaves no brief. By {@link toolKey}. */
export const READ_ONLY_TOOLS: ReadonlySet<string> = new Set(
  [...KIND_OF]
    .filter(([, kind]) => kind === "read" || kind === "search" || kind === "list" || kind === "web")
    .map(([key]) => key),
);

/** The kind of a call; an editor with sub-commands is classified by the given sub-command. */
export function toolKind(name: string, input: JsonValue | undefined): ToolKind | undefined {
  const kind = KIND_OF.get(toolKey(name));
  if (kind !== "edit" || !isObject(input)) return kind;
  if (input["command"] === "view") return "read";
  return input["command"] === "create" ? "write" : kind;
}

const PATH_KEYS = [
  "file_path",
  "path",
  "filePath",
  "notebook_path",
  "filename",
  "file",
  "target_file",
  "absolute_path",
];
const COMMAND_KEYS = ["command", "cmd", "script", "commands"];
const OTHER_KEYS = ["pattern", "query", "url", "regex", "prompt", "description", "subject", "name", "id"];

/** The path that a call names, if it names one. */
export function pathOf(input: JsonValue | undefined): string | undefined {
  return firstString(input, PATH_KEYS);
}

/** The command line that a shell call runs; a `bash -lc` wrapper is left out. */
export function commandOf(input: JsonValue | undefined): string | undefined {
  if (!isObject(input)) return typeof input === "string" ? input : undefined;
  for (const key of COMMAND_KEYS) {
    const value = input[key];
    if (typeof value === "string") return value;
    if (Array.isArray(value) && value.every((part) => typeof part === "string"))
      return value.length === 3 && /^-l?c$/.test(value[1] ?? "") ? value[2] : value.join(" ");
  }
  return undefined;
}

/** The argument that says what a call was about, on one line of at most `characters`. */
export function mainArgument(name: string, input: JsonValue | undefined, characters: number): string {
  const found =
    (toolKind(name, input) === "shell" ? commandOf(input) : undefined) ??
    (toolKind(name, input) === "search" ? firstString(input, OTHER_KEYS) : undefined) ??
    pathOf(input) ??
    commandOf(input) ??
    firstString(input, OTHER_KEYS) ??
    anyString(input);
  return found === undefined ? "" : oneLine(found, characters);
}

/** White space of any kind as single blanks, at most `characters` long. Looks at the start only. */
export function oneLine(text: string, characters: number): string {
  return shorten(
    text
      .slice(0, characters * 4)
      .replace(/\s+/g, " ")
      .trim(),
    characters,
  );
}

function firstString(input: JsonValue | undefined, keys: readonly string[]): string | undefined {
  if (!isObject(input)) return undefined;
  for (const key of keys) {
    const value = input[key];
    if (typeof value === "string" && value.trim() !== "") return value;
  }
  return undefined;
}

function anyString(input: JsonValue | undefined): string | undefined {
  if (typeof input === "string") return input;
  if (!isObject(input)) return undefined;
  return Object.values(input).find((value): value is string => typeof value === "string" && value !== "");
}

// The outcome of a tool call, read from its result: failed or not, and the line that says why.

interface Outcome {
  readonly hasFailed: boolean;
  /** The line that tells most: of a failure the first that names an error, else the last one. */
  readonly line: string;
}

const LINE_CHARACTERS = 200;
/** Lines that are looked at from either end: outcomes stand there, and results may be huge. */
const SEARCH_CHARACTERS = 20_000;

const EXIT_CODE = /(?:exit code|exit_code|exited with(?: code)?|returncode)["']?[:= ]+(-?\d{1,6})/i;
const ERROR_LINE =
  /\b(?:error|failed|failure|fatal|exception|panic|traceback|cannot|could not|not found|no such|denied|undefined:|FAIL|invalid|refused|timed out)\b/i;
/** The beginning of a failure from a tool without an error flag. */
const STATED_FAILURE = /^\s*(?:error|exception|failed|failure|traceback)\b/i;
/** Lines that only frame the message. */
const FRAME_LINE = /^(?:<[^>]{0,40}>|exit code:? ?-?\d{1,6}|error:?|traceback.{0,60}|=+|-+|\s*)$/i;

export function outcomeOf(block: ToolResultBlock, kind: ToolKind | undefined): Outcome {
  const whole = toolResultText(block);
  const text =
    whole.length <= 2 * SEARCH_CHARACTERS
      ? whole
      : `${whole.slice(0, SEARCH_CHARACTERS)}\n${whole.slice(-SEARCH_CHARACTERS)}`;
  const lines = text.split("\n").map((line) => line.trim());
  const hasFailed = block.is_error === true || hasFailedExit(text, kind);
  const outcomeLine = hasFailed
    ? errorLine(lines)
    : lines.findLast((line) => line !== "" && !FRAME_LINE.test(line));
  return { hasFailed, line: unwrapTag(oneLine(outcomeLine ?? "", LINE_CHARACTERS)) };
}

/** Only of a shell is the exit code in its output about the call itself. */
function hasFailedExit(text: string, kind: ToolKind | undefined): boolean {
  if (kind === undefined) return STATED_FAILURE.test(text.slice(0, 200));
  if (kind !== "shell") return false;
  const code = EXIT_CODE.exec(text.slice(0, 400)) ?? EXIT_CODE.exec(text.slice(-400));
  return code !== null && code[1] !== "0";
}

function errorLine(lines: readonly string[]): string | undefined {
  const telling = lines.filter((line) => line !== "" && !FRAME_LINE.test(line));
  return telling.find((line) => ERROR_LINE.test(line.slice(0, 400))) ?? telling[0] ?? lines[0];
}

const unwrapTag = (line: string): string => line.replace(/<\/?tool_use_error>/g, "").trim();
