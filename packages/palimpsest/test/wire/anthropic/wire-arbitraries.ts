/** Inputs of the converters' laws: blocks and messages that every wire can say. */
import fc from "fast-check";
import type { ContentBlock, Message } from "#transcript/blocks.ts";
import type { RequestMessage } from "#transcript/window.ts";

export const words = fc.string({ unit: "grapheme", minLength: 1 }).map((text) => `w${text}`);
export const id = fc.stringMatching(/^[a-zA-Z0-9_-]{1,12}$/);
const json = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as never);
export const input = fc
  .dictionary(fc.string(), json)
  .map((value) => JSON.parse(JSON.stringify(value)) as never);
export const text: fc.Arbitrary<ContentBlock> = words.map((value) => ({ type: "text", text: value }));
export const image: fc.Arbitrary<ContentBlock> = fc.oneof(
  fc
    .base64String({ minLength: 4 })
    .map(
      (data): ContentBlock => ({ type: "image", source: { type: "base64", media_type: "image/png", data } }),
    ),
  fc.webUrl().map((url): ContentBlock => ({ type: "image", source: { type: "url", url } })),
);
export const call: fc.Arbitrary<ContentBlock> = fc.record({
  type: fc.constant("tool_use" as const),
  id,
  name: id,
  input,
});
export const result: fc.Arbitrary<ContentBlock> = fc.record({
  type: fc.constant("tool_result" as const),
  tool_use_id: id,
  content: words,
});

/** A message of one to four of these blocks. */
export function message(
  role: "user" | "assistant",
  ...blocks: readonly fc.Arbitrary<ContentBlock>[]
): fc.Arbitrary<RequestMessage> {
  return fc.record({
    role: fc.constant(role),
    content: fc.array(fc.oneof(...blocks), { minLength: 1, maxLength: 4 }),
  });
}

/** The compared parts: the order of messages, their roles and their blocks. */
export const plain = (messages: readonly Message[]): readonly unknown[] =>
  messages.map(({ role, content }) => ({ role, content }));
