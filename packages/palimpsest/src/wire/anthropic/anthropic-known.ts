/**
 * Blocks that came from Anthropic without a shape of their own in our vocabulary, and parts of results: which
 * of them the API takes back. One that it does not know would cost every request from there on.
 *
 * Source: Anthropic SDK 1.10, `resources/beta/messages`.
 */
import { isObject } from "../../base/json/json.ts";
import type { OpaqueBlock, ToolResultPart } from "../../transcript/blocks.ts";

/** By type, with the kinds of the fields they cannot do without. */
const OPAQUE_BLOCKS: ReadonlyMap<unknown, Readonly<Record<string, string>>> = new Map<
  unknown,
  Readonly<Record<string, string>>
>([
  ["search_result", { source: "string", title: "string", content: "object" }],
  ["container_upload", { file_id: "string" }],
  ["fallback", { from: "object", to: "object" }],
]);

/** Whether the API takes an opaque block. @internal */
export function isKnownToAnthropic({ provider, value }: OpaqueBlock): boolean {
  if (provider !== "anthropic" || !isObject(value)) return false;
  const needs = OPAQUE_BLOCKS.get(value["type"]);
  if (needs === undefined) return false;
  return Object.entries(needs).every(
    ([field, kind]) => typeof value[field] === kind && value[field] !== null,
  );
}

/** Parts of a result beside text and media, by the texts they need. */
const PART_TEXTS: ReadonlyMap<string, readonly string[]> = new Map([
  ["text", ["text"]],
  ["tool_reference", ["tool_name"]],
  ["search_result", ["source", "title"]],
]);

/** Whether the API takes this part of a result, media aside. @internal */
export function isKnownResultPart(part: ToolResultPart): boolean {
  const texts = PART_TEXTS.get(part.type);
  const fields = part as Readonly<Record<string, unknown>>;
  if (part.type === "search_result" && !Array.isArray(fields["content"])) return false;
  return texts?.every((field) => typeof fields[field] === "string") === true;
}
