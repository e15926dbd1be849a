/** `read`: lines of a text file, a picture, a PDF document, or the names in a folder. */
import { readdir } from "node:fs/promises";
import { extname } from "node:path";
import { type AgentTool, tool } from "palimpsest";
import { formatBytes } from "../../terminal/figures.ts";
import { type OpenFile, readUpTo } from "../base/regular-file.ts";
import type { Place, Workspace } from "../permissions/workspace.ts";
import { failed, orFailed, placeName, type ToolContext, type ToolWorld } from "./tool-world.ts";

/** Lines of one call, if it names no number. Source: Claude Code. */
const USUAL_LINES = 2_000;
const LONGEST_LINE = 2_000;
/** Largest result, in characters: with its numbers about 60,000 tokens, which then become a preview. Our choice. */
const RESULT_CHARACTERS = 200_000;
/** Largest pictures and documents, in bytes. Source: Anthropic's limits: 5 MB an image, 32 MB a request. */
const IMAGE_BYTES = 5_000_000;
const DOCUMENT_BYTES = 20_000_000;
const LISTED_NAMES = 1_000;

const IMAGES: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};

/** The tool `read`. */
export function readTool(world: ToolWorld): AgentTool {
  return tool({
    name: "read",
    description:
      "Reads a file of the workspace: a text with line numbers (2,000 lines from `offset` on), a picture, or a PDF. Of a folder it lists the names. Read a file before you change it. Large results can be read on with `offset`, or searched with grep.",
    input: {
      type: "object",
      properties: {
        path: { type: "string", description: "Relative to the workspace, or absolute." },
        offset: { type: "integer", minimum: 1, description: "First line, 1 if left out." },
        limit: { type: "integer", minimum: 1, description: "Lines, 2,000 if left out." },
      },
      required: ["path"],
      additionalProperties: false,
    } as const,
    approve: async (input, context) => {
      const name = await placeName(world.workspace, input.path);
      return world.decide(
        { tool: "read", risk: "free", paths: [name], what: `read ${name}` },
        input,
        context,
      );
    },
    execute: ({ path, offset = 1, limit = USUAL_LINES }, context) =>
      orFailed(async () => {
        const place = await world.workspace.resolve(path, "read");
        const file = await openOrList(world.workspace, place);
        if (typeof file === "string") return file;
        try {
          return await contentOf(file, { place, offset, limit, context, world });
        } finally {
          await file.handle.close();
        }
      }),
  });
}

/** The opened file, or the names in a folder. */
async function openOrList(workspace: Workspace, place: Place): Promise<OpenFile | string> {
  try {
    return await workspace.open(place);
  } catch (error) {
    const names = await namesIn(place.path);
    if (names === undefined) throw error;
    return names;
  }
}

async function namesIn(path: string): Promise<string | undefined> {
  try {
    const entries = await readdir(path, { withFileTypes: true });
    const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
    const more = names.length - LISTED_NAMES;
    return (
      [...names.slice(0, LISTED_NAMES), ...(more > 0 ? [`and ${more} more`] : [])].join("\n") ||
      "The folder is empty."
    );
  } catch {
    // It is not a folder: the error of opening it says what is wrong.
    return undefined;
  }
}

interface Reading {
  readonly place: Place;
  readonly offset: number;
  readonly limit: number;
  readonly context: ToolContext;
  readonly world: ToolWorld;
}

async function contentOf(file: OpenFile, { place, offset, limit, context, world }: Reading) {
  const extension = extname(place.path).toLowerCase();
  const mediaType = IMAGES[extension];
  if (mediaType !== undefined || extension === ".pdf") {
    const most = mediaType === undefined ? DOCUMENT_BYTES : IMAGE_BYTES;
    if (file.bytes > most)
      return failed(
        `${place.name} has ${formatBytes(file.bytes)}; at most ${formatBytes(most)} can be shown.`,
      );
    const data = (await readUpTo(file.handle, most)).toString("base64");
    world.ledger.saw(context.session?.id, place.path, file);
    const source = { type: "base64", media_type: mediaType ?? "application/pdf", data };
    return [
      { type: "text", text: `${place.name}, ${formatBytes(file.bytes)}:` },
      { type: mediaType === undefined ? "document" : "image", source },
    ];
  }
  const head = await readUpTo(file.handle, 8_192);
  if (head.includes(0)) return failed(`${place.name} is not a text (${formatBytes(file.bytes)}).`);
  const text = await linesOf(file, { offset, limit, signal: context.signal });
  world.ledger.saw(context.session?.id, place.path, file);
  return text === ""
    ? file.bytes === 0
      ? "The file is empty."
      : `The file has fewer than ${offset} lines.`
    : text;
}

/** Numbered lines. The file is read in pieces, and no further than needed. */
async function linesOf(
  { handle }: OpenFile,
  {
    offset,
    limit,
    signal,
  }: { readonly offset: number; readonly limit: number; readonly signal: AbortSignal },
): Promise<string> {
  const decoder = new TextDecoder("utf-8");
  const shown: string[] = [];
  let size = 0;
  let number = 1;
  /** The beginning of the line that is not whole yet, and its length. */
  let line = "";
  let length = 0;
  const take = (piece: string): void => {
    length += piece.length;
    if (line.length <= LONGEST_LINE) line += piece.slice(0, LONGEST_LINE + 1 - line.length);
  };
  const end = (): boolean => {
    if (number >= offset) {
      const cut =
        length > LONGEST_LINE
          ? `${line.slice(0, LONGEST_LINE).replace(/[\uD800-\uDBFF]$/u, "")}… [${length - LONGEST_LINE} more characters]`
          : line.replace(/\r$/, "");
      shown.push(`${number}\t${cut}`);
      size += cut.length;
    }
    number++;
    line = "";
    length = 0;
    return shown.length < limit && size < RESULT_CHARACTERS;
  };
  const piece = Buffer.allocUnsafe(262_144);
  for (let at = 0; ; ) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(piece, 0, piece.length, at);
    at += bytesRead;
    const parts = decoder.decode(piece.subarray(0, bytesRead), { stream: bytesRead > 0 }).split("\n");
    for (const [index, part] of parts.entries()) {
      if (index > 0 && !end())
        return `${shown.join("\n")}\n[More lines follow: read on with offset ${number}.]`;
      take(part);
    }
    if (bytesRead === 0) break;
  }
  if (length > 0) end();
  return shown.join("\n");
}
