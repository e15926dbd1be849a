/** `glob` and `grep`: find files by name, and lines by a regular expression. */
import { execFile } from "node:child_process";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { type AgentTool, tool } from "palimpsest";
import { messageOf } from "../base/values.ts";
import { pathPattern } from "../permissions/patterns.ts";
import { SKIPPED, walkFiles } from "./file-walk.ts";
import { type FoundLine, findLines, type LineSearch } from "./line-search.ts";
import { failed, orFailed, placeName, type ToolWorld } from "./tool-world.ts";

const FOUND_FILES = 200;
const FOUND_LINES = 250;
const LINE_CHARACTERS = 400;
const OUTPUT_BYTES = 4_000_000;

/** The tool `glob`. */
export function globTool(world: ToolWorld): AgentTool {
  return tool({
    name: "glob",
    description: "Finds files by a pattern, such as `src/**/*.{ts,tsx}`; the latest change first.",
    input: {
      type: "object",
      properties: {
        pattern: { type: "string", description: "`*` is within a folder, `**` across folders." },
        path: { type: "string", description: "The folder to look in; the workspace if left out." },
      },
      required: ["pattern"],
      additionalProperties: false,
    } as const,
    approve: async (input, context) => {
      const name = await placeName(world.workspace, input.path ?? ".");
      return world.decide(
        { tool: "glob", risk: "free", paths: [name], what: `look for files in ${name}` },
        input,
        context,
      );
    },
    execute: ({ pattern, path = "." }, { signal }) =>
      orFailed(async () => {
        const folder = await world.workspace.resolve(path, "read");
        const matches = pathPattern(pattern.includes("/") ? pattern.replace(/^\.?\//, "") : `**/${pattern}`);
        const found: { readonly name: string; readonly changedAt: number }[] = [];
        for await (const file of walkFiles(folder.path, signal)) {
          const name = world.workspace.nameOf(join(folder.path, file));
          if (!matches.test(file) || !world.mayRead(name)) continue;
          const changedAt = await stat(join(folder.path, file)).then(
            ({ mtimeMs }) => mtimeMs,
            () => 0,
          );
          found.push({ name, changedAt });
        }
        if (found.length === 0) return "No file has such a name.";
        found.sort((one, other) => other.changedAt - one.changedAt);
        const more = found.length - FOUND_FILES;
        return [
          ...found.slice(0, FOUND_FILES).map(({ name }) => name),
          ...(more > 0 ? [`[${more} more files: use a narrower pattern]`] : []),
        ].join("\n");
      }),
  });
}

/** The tool `grep`. */
export function grepTool(world: ToolWorld): AgentTool {
  return tool({
    name: "grep",
    description:
      "Finds lines by a regular expression in the files of the workspace: `path:line:text`. Prefer it to grep in the shell.",
    input: {
      type: "object",
      properties: {
        pattern: {
          type: "string",
          description: "A regular expression; write \\ before characters such as ( and [.",
        },
        path: { type: "string", description: "A file or a folder; the workspace if left out." },
        glob: { type: "string", description: "Only files with such a name: `*.ts`." },
        ignore_case: { type: "boolean" },
        files_only: { type: "boolean", description: "True for the names of the files alone." },
      },
      required: ["pattern"],
      additionalProperties: false,
    } as const,
    approve: async (input, context) => {
      const name = await placeName(world.workspace, input.path ?? ".");
      return world.decide(
        { tool: "grep", risk: "free", paths: [name], what: `search in ${name}` },
        input,
        context,
      );
    },
    execute: (input, { signal }) =>
      orFailed(async () => {
        const place = await world.workspace.resolve(input.path ?? ".", "read");
        try {
          new RegExp(input.pattern, "u");
        } catch (error) {
          return failed(`${messageOf(error)}. Correct the expression.`);
        }
        const search: LineSearch = {
          ...input,
          root: place.path,
          nameOf: (path) => world.workspace.nameOf(join(place.path, path)),
        };
        const lines = ((await withRipgrep(search, signal)) ?? (await findLines(search, signal))).filter(
          ({ name }) => world.mayRead(name),
        );
        return formatLines(lines, input.files_only === true);
      }),
  });
}

function formatLines(lines: readonly FoundLine[], isFilesOnly: boolean): string {
  if (lines.length === 0) return "No line fits.";
  const all = isFilesOnly
    ? [...new Set(lines.map(({ name }) => name))]
    : lines.map(
        ({ name, number, text }) =>
          `${name}:${number}:${text.length > LINE_CHARACTERS ? `${text.slice(0, LINE_CHARACTERS)}…` : text}`,
      );
  const more = all.length - FOUND_LINES;
  return [
    ...all.slice(0, FOUND_LINES),
    ...(more > 0
      ? [`[${more > FOUND_LINES * 3 ? "many" : more} more: search for something rarer, or in a folder]`]
      : []),
  ].join("\n");
}

/** Lines by ripgrep; `undefined` if it is not installed or does not read the expression. */
function withRipgrep(
  { root, pattern, glob, ignore_case: isCaseless, nameOf }: LineSearch,
  signal: AbortSignal,
): Promise<readonly FoundLine[] | undefined> {
  const options = [
    "--no-config",
    "--no-follow",
    "--line-number",
    "--with-filename",
    "--no-heading",
    "--null",
    "--color=never",
    "--hidden",
    // As the own search has it: a folder may be ignored by version control that is elsewhere.
    "--no-require-git",
    ...[...SKIPPED].map((name) => `--glob=!${name}`),
    "--max-filesize=20M",
    "--max-columns=1000",
    "--max-columns-preview",
    "--sort=path",
    `--max-count=${FOUND_LINES}`,
  ];
  const chosen = [
    ...(isCaseless === true ? ["--ignore-case"] : []),
    ...(glob === undefined ? [] : [`--glob=${glob}`]),
  ];
  return new Promise((resolve, reject) => {
    execFile(
      "rg",
      [...options, ...chosen, "--regexp", pattern, "--", "."],
      { cwd: root, signal, maxBuffer: OUTPUT_BYTES },
      (error, stdout) => {
        if (signal.aborted) return reject(signal.reason);
        // 1: nothing was found. Output that is too long is used as far as it came.
        const code = (error as { readonly code?: unknown } | null)?.code;
        if (error !== null && code !== 1 && code !== "ERR_CHILD_PROCESS_STDIO_MAXBUFFER")
          return resolve(undefined);
        resolve(
          stdout.split("\n").flatMap((line) => {
            const [, path, number, text] = /^([^\0]+)\0(\d+):(.*)$/s.exec(line) ?? [];
            return path === undefined
              ? []
              : [{ name: nameOf(path.replace(/^\.\//, "")), number: Number(number), text: text ?? "" }];
          }),
        );
      },
    );
  });
}
