/**
 * Cache marks on the blocks of a rendered message: one field more on a few blocks, and no other byte
 * different. What was rendered before is copied, because it is handed out again without the marks.
 */
import type { JsonObject } from "../../base/json/json.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";
import type { CacheMark } from "../../transcript/window.ts";

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

/** Where the blocks at `indexes` stand among the rendered ones; a block that is left out has no place. */
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
