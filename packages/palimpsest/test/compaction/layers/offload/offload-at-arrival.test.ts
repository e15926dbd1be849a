import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ArrivalPolicy, planArrival } from "#compaction/layers/offload/offload-at-arrival.ts";
import type { ContentBlock } from "#transcript/blocks.ts";
import { call, measure, text } from "../../../../../../test/helpers/windows.ts";

const policy: ArrivalPolicy = {
  blockTokens: 500,
  blockBytes: 100_000,
  lineCharacters: 1_500,
  messageTokens: 1_000,
  previewTokens: 120,
  mediaOutsideCharacters: 100,
  mediaShownCharacters: 10_000,
};
const lines = (count: number) => Array.from({ length: count }, (_, line) => `line ${line}`).join("\n");
const toolResult = (id: string, content: string): ContentBlock => ({
  type: "tool_result",
  tool_use_id: id,
  content,
});
const image = (characters: number): ContentBlock => ({
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "A".repeat(characters) },
});
const plan = (...content: readonly ContentBlock[]) => planArrival({ content }, 9, policy, measure);

describe("offload at arrival", () => {
  it.each<{ block: ContentBlock; view: string | undefined; why: string }>([
    { block: text("short"), view: undefined, why: "it fits" },
    { block: text(lines(400)), view: "preview", why: "a user's text over the limit" },
    { block: toolResult("a", lines(400)), view: "preview", why: "a result over the limit" },
    { block: toolResult("a", "x".repeat(1_600)), view: "preview", why: "one line is too long" },
    { block: call("a", "Write", { path: "a.ts", content: lines(400) }), view: "preview", why: "arguments" },
    {
      block: { type: "thinking", thinking: lines(400), signature: "s" },
      view: undefined,
      why: "it is bound to its signature",
    },
    {
      block: { type: "opaque", provider: "x", value: { text: lines(400) } },
      view: undefined,
      why: "only its provider understands it",
    },
    {
      block: { type: "compaction", content: lines(400) },
      view: undefined,
      why: "it goes back byte for byte",
    },
    {
      block: { type: "document", source: { type: "text", media_type: "text/plain", data: lines(4_000) } },
      view: "preview",
      why: "a document of text is text",
    },
    {
      block: { type: "web_fetch_tool_result", tool_use_id: "s", content: { text: lines(400) } },
      view: undefined,
      why: "it is bound to its provider",
    },
    { block: image(50), view: undefined, why: "small enough for the log" },
    { block: image(500), view: "whole", why: "it lies outside and is shown" },
    {
      block: { type: "tool_result", tool_use_id: "a", content: [image(20_000) as never] },
      view: "preview",
      why: "over the size that is shown",
    },
    {
      block: { type: "tool_result", tool_use_id: "a", content: [image(500) as never] },
      view: "whole",
      why: "media inside a result",
    },
  ])("shows a $block.type as $view: $why", ({ block, view }) => {
    expect(plan(block)[0]?.view).toBe(view);
  });

  it("leaves a line in the log for media that lie outside, in the shape that keeps pairs together", () => {
    expect(plan(image(5_000))[0]?.shown).toEqual({
      type: "text",
      text: "[image, 5 KB, stored beside the log: m9.0]",
    });
    const message = { type: "text", text: "The page:" } as const;
    expect(
      plan({ type: "tool_result", tool_use_id: "a", content: [message, image(5_000) as never] })[0]?.shown,
    ).toEqual({
      type: "tool_result",
      tool_use_id: "a",
      content: [message, { type: "text", text: "[image, 5 KB, stored beside the log: m9.0]" }],
    });
  });

  it("keeps a call an object of the same shape, with short members untouched", () => {
    const [form] = plan(
      call("c1", "Edit", { file_path: "src/a.ts", edits: [{ old: "a", new: lines(400) }] }),
    );
    expect(form!.shown).toMatchObject({
      type: "tool_use",
      id: "c1",
      name: "Edit",
      input: {
        file_path: "src/a.ts",
        edits: [{ old: "a", new: expect.stringContaining('history_read({ pointer: "m9.0" })') }],
      },
    });
  });

  it("shortens arguments of ten thousand small strings, too", () => {
    const [form] = plan(
      call("c1", "Add", { items: Array.from({ length: 10_000 }, (_, item) => `item ${item}`) }),
    );
    expect(measure(form!.shown)).toBeLessThan(300);
    expect(form!.shown).toMatchObject({ type: "tool_use", id: "c1", name: "Add" });
  });

  it("shrinks the largest results first where all of a message are too many", () => {
    const content = [1_600, 1_600, 1_600, 400].map((characters, index) =>
      toolResult(String(index), "word word\n".repeat(characters / 10)),
    );
    const forms = plan(...content);
    expect(forms.map(({ index }) => index)).toEqual([0, 1, 2]);
    const shownTokens = content.reduce(
      (sum, block, index) => sum + measure(forms.find((form) => form.index === index)?.shown ?? block),
      0,
    );
    expect(shownTokens).toBeLessThanOrEqual(1_000);
  });

  it("keeps what ties a block to others, and only ever makes it smaller", () => {
    const anyBlock: fc.Arbitrary<ContentBlock> = fc.oneof(
      fc.string({ maxLength: 6_000 }).map((words) => text(words)),
      fc.string({ maxLength: 6_000 }).map((words) => toolResult("r", words)),
      fc.array(fc.string({ maxLength: 3_000 }), { maxLength: 5 }).map(
        (parts): ContentBlock => ({
          type: "tool_result",
          tool_use_id: "r",
          content: parts.map((part) => ({ type: "text", text: part })),
        }),
      ),
      fc
        .dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<never>)
        .map((input) => call("c", "Any", input)),
    );
    fc.assert(
      fc.property(
        fc.array(anyBlock, { maxLength: 6 }),
        fc.integer({ min: 1, max: 300 }),
        (content, blockTokens) => {
          const small = { ...policy, blockTokens, previewTokens: Math.max(1, Math.floor(blockTokens / 2)) };
          for (const { index, shown, view } of planArrival({ content }, 3, small, measure)) {
            const whole = content[index]!;
            if (view === "whole") continue;
            expect(shown.type).toBe(whole.type);
            expect(measure(shown)).toBeLessThan(measure(whole));
            if (shown.type === "tool_result") expect(shown.tool_use_id).toBe("r");
            if (shown.type === "tool_use") expect(shown.id).toBe("c");
          }
        },
      ),
    );
  });
});
