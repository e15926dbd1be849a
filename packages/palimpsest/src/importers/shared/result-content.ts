/**
 * What a tool said, in the plainest form that holds it.
 */
import type { JsonValue } from "../../base/json/json.ts";
import type { ToolResultPart } from "../../transcript/blocks.ts";

/** The content of a result: the text where it is nothing else, the parts, or no content at all. @internal */
export function resultContent(parts: readonly ToolResultPart[]): { readonly content?: JsonValue } {
  const [only, ...others] = parts;
  if (only === undefined) return {};
  const isPlain = others.length === 0 && only.type === "text" && typeof only["text" as never] === "string";
  return { content: (isPlain ? (only as { readonly text: string }).text : parts) as JsonValue };
}
