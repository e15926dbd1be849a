/**
 * The tools of common agents by name: what a call does, what it is about, how it ended, and whether its
 * result can be had again.
 *
 * Names are compared without case, `_` and `-`, so that `MultiEdit`, `multi_edit` and `multiedit` are one
 * tool. A tool that is not listed is unknown: its results are kept.
 */
import { isObject, type JsonValue } from "../../base/json/json.ts";
import { shorten } from "../../base/text/text.ts";
import { scriptedCalls } from "./tool-script.ts";

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

/** True if one of the tools shows the content of a file: one that reads files, an editor that views, a shell. */
export function readsFiles(names: readonly string[]): boolean {
  return names.some((name) => {
    const kind = toolKind(name, undefined);
    return kind === "read" || kind === "shell" || toolKey(name).startsWith("strreplace");
  });
}

/** Tools that put a question before the user, by {@link toolKey}: Claude Code, Cline, Copilot, opencode, Codex. */
const ASKING = /askuser|userquestion|askfollowup|askquestion|requestuserinput|^question$/;

/** True if the result of a tool is what the user answered. */
export const asksUser = (name: string): boolean => ASKING.test(toolKey(name));

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

/** Arguments of tools whose files are not on this machine. */
const REMOTE = /^(?:repo|owner|bucket|project_?id)/i;

/**
 * The kind of an MCP server's tool that is named like one of an agent for files: `mcp__files__read_file`. Results of
 * such tools are kept, as those of any unknown tool.
 */
function serverToolKind(name: string, input: JsonValue | undefined): ToolKind | undefined {
  const tool = name.startsWith("mcp__") ? toolKey(name.slice(name.lastIndexOf("__"))) : "";
  const isOfFiles =
    tool.includes("file") && isObject(input) && !Object.keys(input).some((key) => REMOTE.test(key));
  return isOfFiles ? KIND_OF.get(tool) : undefined;
}

/** The kind of a call; an editor with sub-commands is classified by the given sub-command. */
export function toolKind(name: string, input: JsonValue | undefined): ToolKind | undefined {
  const kind = KIND_OF.get(toolKey(name)) ?? serverToolKind(name, input);
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

const FOLDER_KEYS = ["workdir", "working_directory", "cwd", "dir_path", "directory"];

/** The folder in which a shell call runs, if it says so. */
export function startFolderOf(input: JsonValue | undefined): string | undefined {
  if (typeof input !== "string") return firstString(input, FOLDER_KEYS);
  const folders = new Set(scriptedCommands(input).map(({ folder }) => folder));
  return folders.size === 1 ? [...folders][0] : undefined;
}

/** The shell and its option before a command line. Source: Codex on Unix and Windows. */
const SHELL = /(?:^|[\\/])(?:(?:ba|z|da|k|fi)?sh|pwsh|powershell|cmd)(?:\.exe)?$/i;
const RUN_OPTION = /^(?:-l?c|-command|\/c)$/i;

/** The command lines that a script runs, each with the folder that its call names. */
function scriptedCommands(
  script: string,
): readonly { readonly command: string; readonly folder: string | undefined }[] {
  return scriptedCalls(script).flatMap(({ name, input }) => {
    const command = isObject(input) && KIND_OF.get(toolKey(name)) === "shell" ? commandOf(input) : undefined;
    return command === undefined ? [] : [{ command, folder: startFolderOf(input) }];
  });
}

/** The command lines of a script as one; those of several folders say where they run. */
function scriptedCommand(script: string): string | undefined {
  const commands = scriptedCommands(script);
  if (commands.length === 0) return undefined;
  const isOneFolder = new Set(commands.map(({ folder }) => folder)).size === 1;
  return commands
    .map(({ command, folder }) =>
      isOneFolder || folder === undefined ? command : `cd ${folder}\n${command}`,
    )
    .join("\n");
}

/** The command line that a shell call runs; a wrapper such as `bash -lc` or a script is left out. */
export function commandOf(input: JsonValue | undefined): string | undefined {
  if (typeof input === "string") return scriptedCommand(input) ?? input;
  if (!isObject(input)) return undefined;
  for (const key of COMMAND_KEYS) {
    const value = input[key];
    if (typeof value === "string") return value;
    if (Array.isArray(value) && value.every((part) => typeof part === "string"))
      return isWrapped(value) ? value.at(-1) : value.join(" ");
  }
  return undefined;
}

const isWrapped = (parts: readonly string[]): boolean =>
  parts.length >= 3 && SHELL.test(parts[0]!) && RUN_OPTION.test(parts.at(-2)!);

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
