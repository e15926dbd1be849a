/**
 * Small windows for tests: messages in short notation, a measure of four characters a token, and
 * what an edit makes of a window, told once more and in the simplest way.
 */
import type { JsonValue } from "#palimpsest/base/json/json.ts";
import { blockText, type ContentBlock, isMedia, type Message } from "#palimpsest/transcript/blocks.ts";
import type { LayerEdit } from "#palimpsest/transcript/edits.ts";
import type { VisibleMessage } from "#palimpsest/transcript/window.ts";

export const measure = (block: ContentBlock): number => {
  if (
    block.type === "document" &&
    typeof block.source["data"] === "string" &&
    block.source["type"] === "text"
  )
    return Math.ceil(block.source["data"].length / 4);
  if (isMedia(block)) return 2_000;
  const media =
    block.type === "tool_result" && Array.isArray(block.content)
      ? block.content.filter((part) => isMedia(part as ContentBlock))
      : [];
  return Math.ceil(blockText(block).length / 4) + 2_000 * media.length;
};

export const tokensOf = (visible: readonly VisibleMessage[]): number =>
  visible.reduce(
    (sum, { blocks }) => sum + blocks.reduce((tokens, { block }) => tokens + measure(block), 0),
    0,
  );

export const user = (text: string): Message => ({
  role: "user",
  origin: "user",
  content: [{ type: "text", text }],
});

export const assistant = (responseId: string, ...content: readonly ContentBlock[]): Message => ({
  role: "assistant",
  origin: "assistant",
  responseId,
  content,
});

export const text = (words: string): ContentBlock => ({ type: "text", text: words });
export const call = (id: string, name: string, input: JsonValue): ContentBlock => ({
  type: "tool_use",
  id,
  name,
  input,
});
export const result = (id: string, content: string, isError = false): Message => ({
  role: "user",
  origin: "tool",
  content: [{ type: "tool_result", tool_use_id: id, content, ...(isError ? { is_error: true } : {}) }],
});

/** The window after an edit; `editSeq` is the number the edit's entry would have. */
export function applyEdit(
  visible: readonly VisibleMessage[],
  { effect }: LayerEdit,
  editSeq: number,
): readonly VisibleMessage[] {
  const isHidden = (seq: number) => (effect.hide ?? []).some(({ from, to }) => seq >= from && seq <= to);
  const kept = visible
    .filter(({ seq, insertedBy }) =>
      insertedBy === undefined ? !isHidden(seq) : !(effect.hideInserted ?? []).includes(insertedBy),
    )
    .map((message) => ({
      ...message,
      blocks: message.blocks.flatMap((shown) => {
        const form = effect.forms?.find(({ seq, block }) => seq === message.seq && block === shown.index);
        if (form === undefined || message.insertedBy !== undefined) return [shown];
        return form.shown === undefined ? [] : [{ ...shown, block: form.shown, form: "edited" as const }];
      }),
    }));
  const inserted = (effect.insert ?? []).flatMap(({ afterSeq, messages }) =>
    messages.map(
      (message): VisibleMessage => ({
        seq: afterSeq,
        insertedBy: editSeq,
        role: message.role,
        origin: message.origin ?? "summary",
        at: 0,
        blocks: message.content.map((block, index) => ({ index, block, form: "original" })),
      }),
    ),
  );
  return [...kept, ...inserted].sort((a, b) => a.seq - b.seq || (a.insertedBy ?? 0) - (b.insertedBy ?? 0));
}

/** Ids of calls without a result and of results without a call, in order. */
export function brokenPairs(visible: readonly VisibleMessage[]): readonly string[] {
  const open = new Set<string>();
  const broken: string[] = [];
  for (const { blocks } of visible)
    for (const { block } of blocks) {
      if (block.type === "tool_use") open.add(block.id);
      else if (block.type === "tool_result" && !open.delete(block.tool_use_id))
        broken.push(block.tool_use_id);
    }
  return [...broken, ...open];
}
