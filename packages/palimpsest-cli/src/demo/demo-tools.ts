/**
 * The tools of the demo's agent, which really work: they list, read, search and run in the
 * workspace, and answer as such tools do.
 */

import { asNumber, asString, cutHead, isObject, type JsonObject, type JsonValue } from "palimpsest/internal";
import { DEMO_DEFAULTS } from "../defaults/cli.ts";
import { runShell } from "./demo-shell.ts";
import { readWorkspaceFile, type Workspace } from "./demo-workspace.ts";

type DemoToolName = "LS" | "Read" | "Grep" | "Bash";

/** A call that the agent wants to make. */
export interface DemoToolCall {
  readonly name: DemoToolName;
  readonly input: JsonObject;
}

const text = (description: string): JsonObject => ({ type: "string", description });

function definition(
  name: DemoToolName,
  description: string,
  properties: JsonObject,
  required: readonly string[],
): JsonObject {
  return { name, description, input_schema: { type: "object", properties, required } };
}

/** The definitions, in the shape of the Messages API. */
export const DEMO_TOOLS: readonly JsonObject[] = [
  definition(
    "LS",
    "Lists the files of a folder with their sizes.",
    { path: text("The folder, relative to the workspace.") },
    ["path"],
  ),
  definition(
    "Read",
    "Reads a text file, with line numbers.",
    {
      file_path: text("The file, relative to the workspace."),
      offset: { type: "integer", description: "First line, from 1." },
    },
    ["file_path"],
  ),
  definition(
    "Grep",
    "Finds a string in all files of the workspace.",
    { pattern: text("What to find, to the letter.") },
    ["pattern"],
  ),
  definition("Bash", "Runs a shell command in the workspace.", { command: text("The command line.") }, [
    "command",
  ]),
];

/** Runs a tool. What cannot be done is said in the answer, not thrown. */
export async function runDemoTool(
  { name, input }: { readonly name: string; readonly input: JsonValue },
  workspace: Workspace,
  signal: AbortSignal,
): Promise<string> {
  const argument = (key: string): string => (isObject(input) ? asString(input[key]) : undefined) ?? "";
  switch (name) {
    case "LS":
      return listFiles(workspace, argument("path"));
    case "Read":
      return readLines(
        workspace,
        argument("file_path"),
        (isObject(input) ? asNumber(input["offset"]) : undefined) ?? 1,
      );
    case "Grep":
      return grep(workspace, argument("pattern"));
    case "Bash":
      return (await runShell(argument("command"), { root: workspace.root, signal })) || "(no output)";
    default:
      return `There is no tool ${name}.`;
  }
}

function listFiles({ files }: Workspace, path: string): string {
  const prefix = path === "." || path === "" ? "" : `${path}/`;
  const inside = files.filter((file) => file.path.startsWith(prefix));
  if (inside.length === 0) return `There is no text file in ${path}.`;
  return inside
    .map((file) => `${String(file.bytes).padStart(8)}  ${file.path.slice(prefix.length)}`)
    .join("\n");
}

function readLines(workspace: Workspace, path: string, offset: number): string {
  const content = readWorkspaceFile(workspace, path);
  if (content === undefined) return `There is no file ${path}.`;
  const lines = content.split("\n");
  const start = Math.max(1, Math.floor(offset));
  const shown = lines.slice(start - 1, start - 1 + DEMO_DEFAULTS.readLinesCount);
  if (shown.length === 0) return `${path} has ${lines.length} lines; there is nothing from line ${start} on.`;
  const numbered = shown.map((line, index) => `${String(start + index).padStart(6)}\t${line}`).join("\n");
  return cutHead(numbered, DEMO_DEFAULTS.readCharacters);
}

function grep(workspace: Workspace, pattern: string): string {
  const matches: string[] = [];
  if (pattern === "") return "There is nothing to find.";
  for (const { path } of workspace.files) {
    const content = readWorkspaceFile(workspace, path);
    if (content?.includes(pattern) !== true) continue;
    for (const [index, line] of content.split("\n").entries()) {
      if (!line.includes(pattern)) continue;
      matches.push(`${path}:${index + 1}:${cutHead(line.trim(), DEMO_DEFAULTS.grepLineCharacters)}`);
      if (matches.length >= DEMO_DEFAULTS.grepMatchesCount)
        return `${matches.join("\n")}\n(more matches are not shown)`;
    }
  }
  return matches.length === 0 ? `No file has ${pattern}.` : matches.join("\n");
}
