/** `edit` and `write`: change a file that the agent has read, or make a new one. */
import { stat } from "node:fs/promises";
import { type AgentTool, tool } from "palimpsest";
import { formatBytes } from "../../terminal/figures.ts";
import { readUpTo } from "../base/regular-file.ts";
import type { Place } from "../permissions/workspace.ts";
import { failed, orFailed, type ToolContext, type ToolWorld } from "./tool-world.ts";
import { replaceWhole } from "./write-file.ts";

/** Largest file that is edited, in bytes. Our choice: far above any source file. */
const EDITED_BYTES = 10_000_000;
/** Lines around a change in the result. */
const AROUND = 3;
const SHOWN_LINES = 60;

/** The tool `edit`. */
export function editTool(world: ToolWorld): AgentTool {
  return tool({
    name: "edit",
    description:
      "Replaces a text in a file that you have read. `old_string` is there exactly once, to the character, without the line numbers of read; or all places change with `replace_all`. A whole new file: write.",
    input: {
      type: "object",
      properties: {
        path: { type: "string", description: "Relative to the workspace, or absolute." },
        old_string: { type: "string", description: "The text that is there." },
        new_string: { type: "string", description: "The text in its place." },
        replace_all: { type: "boolean", description: "True to change every place." },
      },
      required: ["path", "old_string", "new_string"],
      additionalProperties: false,
    } as const,
    parallel: false,
    approve: (input, context) => mayChange(world, "edit", input, context),
    execute: (input, context) =>
      orFailed(async () => {
        const refusal = world.ledger.refusalOf(context);
        return refusal === undefined ? edit(world, input, context) : failed(refusal);
      }),
  });
}

/** The tool `write`. */
export function writeTool(world: ToolWorld): AgentTool {
  return tool({
    name: "write",
    description:
      "Writes a whole file, with its folders. One that exists is replaced, and must have been read; to change a part of it, use edit.",
    input: {
      type: "object",
      properties: {
        path: { type: "string", description: "Relative to the workspace, or absolute." },
        content: { type: "string", description: "All of its text." },
      },
      required: ["path", "content"],
      additionalProperties: false,
    } as const,
    parallel: false,
    approve: (input, context) => mayChange(world, "write", input, context),
    execute: ({ path, content }, context) =>
      orFailed(async () => {
        const place = await world.workspace.resolve(path, "change");
        const problem = world.ledger.refusalOf(context) ?? (await problemOf(world, "write", place, context));
        if (problem !== undefined) return failed(problem);
        const state = await replaceWhole(place, content, context.callId);
        world.ledger.saw(context.session?.id, place.path, state);
        return `${place.exists ? "Replaced" : "Made"} ${place.name} (${content.split("\n").length} lines, ${formatBytes(state.bytes)}).`;
      }),
  });
}

/** A call that is certain to fail asks no person: whatever happens to the file meanwhile, it is refused. */
async function mayChange(
  world: ToolWorld,
  name: "edit" | "write",
  input: { readonly path: string },
  context: ToolContext,
) {
  const place = await world.workspace.resolve(input.path, "change").catch(() => undefined);
  const path = place?.name ?? input.path;
  const problem = place && (await problemOf(world, name, place, context).catch(() => undefined));
  world.ledger.refuse(context, problem);
  const risk = problem === undefined ? "edit" : "free";
  return world.decide({ tool: name, risk, paths: [path], what: `change ${path}` }, input, context);
}

/** Why the agent may not change the file as it is now; `undefined` if it may. */
async function problemOf(
  world: ToolWorld,
  tool: "edit" | "write",
  { path, name, exists }: Place,
  context: ToolContext,
): Promise<string | undefined> {
  if (!exists) return tool === "write" ? undefined : `${name} does not exist. Make it with write.`;
  const found = await stat(path);
  const state = { bytes: found.size, modifiedAt: found.mtimeMs };
  const problem = found.isFile()
    ? world.ledger.problemWith(context.session?.id, path, state)
    : "It is not a regular file.";
  return problem && `${name} was not ${tool === "write" ? "written" : "changed"}. ${problem}`;
}

interface Edit {
  readonly path: string;
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean;
}

async function edit(
  world: ToolWorld,
  { path, old_string: given, new_string: wanted, replace_all: isAll = false }: Edit,
  context: ToolContext,
) {
  const place = await world.workspace.resolve(path, "change");
  const problem = await problemOf(world, "edit", place, context);
  if (problem !== undefined) return failed(problem);
  if (given === "")
    return failed("`old_string` is empty. Give the text to replace; a whole file is written with write.");
  if (given === wanted) return failed("`old_string` and `new_string` are the same.");
  const file = await world.workspace.open(place);
  const bytes = await readUpTo(file.handle, EDITED_BYTES + 1).finally(() => file.handle.close());
  if (bytes.length > EDITED_BYTES)
    return failed(`${place.name} has more than ${formatBytes(EDITED_BYTES)}. Change it with a command.`);
  const text = bytes.toString("utf8");
  if (!bytes.equals(Buffer.from(text, "utf8")))
    return failed(`${place.name} is not UTF-8, and an edit would damage it.`);
  // Models write line ends as `\n`.
  const isWindows = text.includes("\r\n") && !given.includes("\r\n");
  const [old, fresh] = isWindows
    ? ([given, wanted].map((one) => one.replace(/\r?\n/g, "\r\n")) as [string, string])
    : [given, wanted];
  const count = text.split(old).length - 1;
  if (count === 0)
    return failed(
      `${place.name} does not contain \`old_string\`. Read the place again, and give the text exactly as it is there.`,
    );
  if (count > 1 && !isAll)
    return failed(
      `\`old_string\` is in ${place.name} ${count} times. Give more of the text around it, or set replace_all.`,
    );
  const first = text.indexOf(old);
  const changed = text.split(old).join(fresh);
  const state = await replaceWhole(place, changed, context.callId);
  world.ledger.saw(context.session?.id, place.path, state);
  const where = count === 1 ? "" : ` at ${count} places`;
  return `Changed ${place.name}${where}. It now reads:\n${excerpt(changed, first, fresh)}`;
}

/** The lines of the first change, with a few around them. */
function excerpt(text: string, at: number, fresh: string): string {
  const before = text.slice(0, at).split("\n").length;
  const count = fresh.split("\n").length;
  const from = Math.max(1, before - AROUND);
  const lines = text.split("\n").slice(from - 1, before + count - 1 + AROUND);
  const shown = lines
    .slice(0, SHOWN_LINES)
    .map((line, index) => `${from + index}\t${line.replace(/\r$/, "").slice(0, 500)}`);
  return [
    ...shown,
    ...(lines.length > SHOWN_LINES ? [`[${lines.length - SHOWN_LINES} more lines]`] : []),
  ].join("\n");
}
