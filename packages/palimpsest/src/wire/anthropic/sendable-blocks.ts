/**
 * Blocks as the Messages API takes them: which of those without a shape in our vocabulary it takes back, and how
 * rendered blocks get cache marks.
 *
 * One block that the API does not know would cost every later request. Source: Anthropic SDK 1.10,
 * `resources/beta/messages`. A cache mark is one more field on a few blocks. These blocks are copied for it, because
 * a rendered block is handed out again without the marks.
 */
import { isObject, type JsonObject } from "../../base/json/json.ts";
import type { ContentBlock, OpaqueBlock, ToolResultPart } from "../../transcript/blocks.ts";
import type { CacheMark } from "../../transcript/window.ts";

/** By type, with the kinds of the fields they cannot do without. */
const OPAQUE_BLOCKS: ReadonlyMap<unknown, Readonly<Record<string, string>>> = new Map<
  unknown,
  Readonly<Record<string, string>>
>([
  ["search_result", { source: "string", title: "string", content: "object" }],
  ["container_upload", { file_id: "string" }],
  ["fallback", { from: "object", to: "object" }],
]);

/** True if the API takes an opaque block. @internal */
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

/** True if the API takes this part of a result, media aside. @internal */
export function isKnownResultPart(part: ToolResultPart): boolean {
  const texts = PART_TEXTS.get(part.type);
  const fields = part as Readonly<Record<string, unknown>>;
  if (part.type === "search_result" && !Array.isArray(fields["content"])) return false;
  return texts?.every((field) => typeof fields[field] === "string") === true;
}

/** Indexes of marked blocks, by message. */
export function marksByMessage(marks: readonly CacheMark[]): ReadonlyMap<number, ReadonlySet<number>> {
  const byMessage = new Map<number, Set<number>>();
  for (const { message, block } of marks) {
    const blocks = byMessage.get(message);
    if (blocks === undefined) byMessage.set(message, new Set([block]));
    else blocks.add(block);
  }
  return byMessage;
}

/** Places of the blocks at `indexes` among the rendered ones; a block that is left out has none. */
export function renderedPlaces(
  content: readonly ContentBlock[],
  indexes: ReadonlySet<number>,
  render: (block: ContentBlock) => readonly JsonObject[],
): ReadonlySet<number> {
  const places = new Set<number>();
  let place = 0;
  content.forEach((block, index) => {
    const renderedCount = render(block).length;
    if (indexes.has(index) && renderedCount > 0) places.add(place);
    place += renderedCount;
  });
  return places;
}

/** The message with marks at `places`, as far as its blocks take them. */
export function withCacheMarks<Message extends { readonly content: readonly JsonObject[] }>(
  message: Message,
  places: ReadonlySet<number>,
  cacheTtl: "5m" | "1h",
): Message {
  const cache_control = { type: "ephemeral", ...(cacheTtl === "1h" ? { ttl: cacheTtl } : {}) };
  const content = message.content.map((block, place) =>
    places.has(place) && takesMark(block) ? { ...block, cache_control } : block,
  );
  return { ...message, content };
}

/** The API refuses marks on thinking. An opaque block may have one already, and is sent as it came. */
function takesMark(block: JsonObject): boolean {
  return block["type"] !== "thinking" && block["type"] !== "redacted_thinking" && !("cache_control" in block);
}
