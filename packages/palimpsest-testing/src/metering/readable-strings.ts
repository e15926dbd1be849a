/**
 * The readable strings of a block, for the metric: its text, and the values of a call's arguments.
 *
 * Keys of arguments are left out: every request carries them in the tool's definition. JSON is parsed, because
 * its escapes make false words (`\tname` would read as `tname`).
 */
import type { ContentBlock } from "palimpsest";
import { isMedia } from "palimpsest/internal";
import { blockText } from "palimpsest/transcript";
import { findMetricStrings } from "./metric-strings.ts";

const DEPTH = 20;

/** The text of a block in which strings are looked for; empty for media and what only a provider reads. */
export function readableIn(block: ContentBlock): string {
  if (block.type === "tool_use" || block.type === "server_tool_use" || block.type === "mcp_tool_use")
    return valuesIn(block.input);
  return isMedia(block) || block.type === "opaque" ? "" : blockText(block);
}

function valuesIn(value: unknown, depth = 0): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (typeof value !== "object" || value === null || depth > DEPTH) return "";
  return Object.values(value)
    .map((member) => valuesIn(member, depth + 1))
    .filter((text) => text !== "")
    .join("\n");
}

const known = new WeakMap<ContentBlock, ReadonlySet<string>>();

/** The strings that can be read in a block; worked out once. */
export function stringsIn(block: ContentBlock): ReadonlySet<string> {
  let strings = known.get(block);
  if (strings === undefined) {
    strings = findMetricStrings(readableIn(block));
    known.set(block, strings);
  }
  return strings;
}
