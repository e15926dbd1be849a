/** Pictures and documents give way to a line that names them, where a provider refused a request for its media. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planStripMedia } from "#compaction/layers/strip/strip-refused.ts";
import type { ContentBlock, Message } from "#transcript/blocks.ts";
import type { LayerEdit } from "#transcript/edits.ts";
import type { SeqPin } from "#transcript/projection.ts";
import type { VisibleMessage } from "#transcript/window.ts";
import { asWindow } from "../../../../../../test/helpers/recorded.ts";
import {
  applyEdit,
  assistant,
  brokenPairs,
  call,
  measure,
  text,
  tokensOf,
  user,
} from "../../../../../../test/helpers/windows.ts";

const image: ContentBlock = {
  type: "image",
  source: { type: "base64", media_type: "image/png", data: "A".repeat(4_000) },
};
const document: ContentBlock = {
  type: "document",
  source: { type: "base64", media_type: "application/pdf", data: "B".repeat(4_000) },
};
const shows = (...content: readonly ContentBlock[]): Message => ({ role: "user", content });
const screenshot = (id: string, ...parts: readonly ContentBlock[]): Message => ({
  role: "user",
  origin: "tool",
  content: [{ type: "tool_result", tool_use_id: id, content: parts } as ContentBlock],
});

const strip = (messages: readonly Message[], pins: readonly SeqPin[] = []): LayerEdit | undefined =>
  planStripMedia(asWindow(messages), measure, pins);
const countMedia = (visible: readonly VisibleMessage[]): readonly number[] =>
  visible.map(({ blocks }) => JSON.stringify(blocks).match(/"type":"(?:image|document)"/g)?.length ?? 0);
/** Counts the pictures and documents that each message shows afterwards. */
const left = (messages: readonly Message[]): readonly number[] => {
  const edit = strip(messages);
  return edit === undefined ? [] : countMedia(applyEdit(asWindow(messages), edit, 100));
};

describe("media that were refused", () => {
  it.each([
    { messages: [shows(image), user("And?"), shows(image)], left: [0, 0, 1], why: "the newest stay" },
    { messages: [shows(image, image, text("Look."))], left: [0], why: "unless they are the only ones" },
    { messages: [shows(document), shows(image, image)], left: [0, 2], why: "all of one message" },
    { messages: [user("Hello.")], left: [], why: "where there are none" },
    {
      messages: [
        assistant("r1", call("a", "Screen", {})),
        screenshot("a", text("seen"), image),
        assistant("r2", call("b", "Screen", {})),
        screenshot("b", image),
      ],
      left: [0, 0, 0, 1],
      why: "also in results",
    },
  ])("go from older messages: $why", ({ messages, left: expected }) => {
    expect(left(messages)).toEqual(expected);
  });

  it("become a line with a pointer, and the text beside them stays", () => {
    const messages = [
      assistant("r1", call("a", "Screen", {})),
      screenshot("a", text("a page of words"), image),
      shows(image),
    ];
    const [form] = strip(messages)!.effect.forms!;
    expect(form).toMatchObject({ seq: 2, block: 0, shown: { type: "tool_result", tool_use_id: "a" } });
    expect(JSON.stringify(form?.shown)).toContain("a page of words");
    expect(JSON.stringify(form?.shown)).toContain("m2.0");
    expect(JSON.stringify(form?.shown)).not.toContain("AAAA");
  });

  it("are one edit, which says what it frees and what is lost", () => {
    const edit = strip([shows(image, document), shows(image)])!;
    expect(edit).toMatchObject({ kind: "peel", reason: "media", loss: { blocks: 2 } });
    expect(edit.freedTokens).toBeGreaterThan(3_800);
  });

  it("stay where they are pinned", () => {
    const messages = [shows(image), shows(image), shows(image)];
    expect(strip(messages, [{ seq: 1 }])?.effect.forms?.map(({ seq }) => seq)).toEqual([2]);
    expect(strip([shows(image)], [{ seq: 1, block: 0 }])).toBeUndefined();
  });

  it("come down to none within two edits, and never part a call from its result", () => {
    const message = fc.constantFrom(
      (id: string): readonly Message[] => [shows(image, text(id))],
      (id: string): readonly Message[] => [user(id)],
      (id: string): readonly Message[] => [
        assistant(id, call(id, "Screen", {})),
        screenshot(id, text("x"), image),
      ],
      (id: string): readonly Message[] => [
        assistant(id, call(id, "Screen", {})),
        screenshot(id, document, image),
      ],
    );
    fc.assert(
      fc.property(fc.array(message, { maxLength: 12 }), (made) => {
        let visible: readonly VisibleMessage[] = asWindow(made.flatMap((make, index) => make(`c${index}`)));
        for (let seq = 100; seq < 102; seq++) {
          const edit = planStripMedia(visible, measure);
          if (edit === undefined) break;
          const after = applyEdit(visible, edit, seq);
          expect(tokensOf(after)).toBeLessThan(tokensOf(visible));
          visible = after;
        }
        expect(countMedia(visible).reduce((sum, one) => sum + one, 0)).toBe(0);
        expect(brokenPairs(visible)).toEqual([]);
        expect(planStripMedia(visible, measure)).toBeUndefined();
      }),
    );
  });
});
