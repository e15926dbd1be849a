/**
 * Laws of the layers that need no model, over random histories of agents at work and of damaged logs:
 * what they leave is a request that providers take and that needs no mending, they find nothing the
 * second time, they leave alone what is pinned, and undoing what they did gives back the exact window.
 */
import fc from "fast-check";
import { judgeAnthropicRequest, judgeOpenAIChatRequest } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import { anyHistory, type FoldedLog, foldHistory } from "#test/helpers/agent-histories.ts";
import { NOTHING, type Pinned, planners } from "#test/helpers/layer-planners.ts";
import { blockText } from "#transcript/blocks.ts";
import type { LayerEdit } from "#transcript/edits.ts";
import { checkRequest } from "#transcript/invariants.ts";
import { previewEdit, type SeqPin } from "#transcript/projection.ts";
import { planRepair } from "#transcript/repair.ts";
import { assembleRequest } from "#transcript/request.ts";
import type { VisibleMessage } from "#transcript/window.ts";
import { toAnthropic } from "#wire/anthropic/to-anthropic.ts";
import { toOpenAIChat } from "#wire/openai-chat/to-openai-chat.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";
import { tokensOf } from "../../../../test/helpers/windows.ts";

const RUNS = bySize({ usual: 2, long: 50, soak: 3_000 });

describe.each(planners)("$name, over random histories", ({
  plan,
  mayGoOn = false,
  mayCutExchange = false,
}) => {
  const check = (law: (folded: FoldedLog, edit: LayerEdit) => void) =>
    fc.assert(
      fc.property(anyHistory, (steps) => {
        const folded = foldHistory(steps);
        const edit = plan(folded, folded.projection.visible, NOTHING);
        if (edit !== undefined) law(folded, edit);
      }),
      { numRuns: RUNS },
    );

  it("leaves a request that needs no mending and that every wire takes", () => {
    check((folded, edit) => {
      const { visible, callSeqs } = folded.projection;
      const after = applied(folded, edit);
      expect(planRepair(after, callSeqs)).toBeUndefined();
      const request = assembleRequest(after, callSeqs);
      expect(checkRequest(request, "anthropic")).toEqual([]);
      expect(judgeAnthropicRequest({ messages: toAnthropic(request) })).toEqual([]);
      expect(judgeOpenAIChatRequest({ messages: toOpenAIChat(request) })).toEqual([]);
      if (mayCutExchange) return;
      const thinks = { thinking: true };
      const before = assembleRequest(visible, callSeqs);
      if (judgeAnthropicRequest({ messages: toAnthropic(before) }, thinks).length === 0)
        expect(judgeAnthropicRequest({ messages: toAnthropic(request) }, thinks)).toEqual([]);
    });
  });

  it("frees what it says, and finds nothing the second time", () => {
    check((folded, edit) => {
      const visible = applied(folded, edit);
      const freedTokens = tokensOf(folded.projection.visible) - tokensOf(visible);
      expect(Math.abs(freedTokens - edit.freedTokens)).toBeLessThan(1);
      if (!mayGoOn) expect(plan(folded, visible, NOTHING)).toBeUndefined();
    });
  });

  it("leaves alone what is pinned, or says it again", () => {
    fc.assert(
      fc.property(anyHistory, fc.array(fc.nat(1_000), { maxLength: 4 }), (steps, picks) => {
        const folded = foldHistory(steps);
        const { visible } = folded.projection;
        const pinned = pinSome(visible, picks);
        const edit = plan(folded, visible, pinned);
        if (edit === undefined) return;
        const after = applied(folded, edit);
        for (const { seq, index, text, block } of placesOf(visible, pinned)) {
          const shown = after.find((message) => message.insertedBy === undefined && message.seq === seq);
          const isHidden = shown === undefined;
          if (isHidden) expect(insertedText(edit)).toContain(quoted(text));
          else expect(shown.blocks.find((one) => one.index === index)?.block).toEqual(block);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it("gives back the exact window when it is undone", () => {
    check((folded, edit) => {
      const before = [...folded.projection.visible];
      const editSeq = folded.edit(edit);
      expect(folded.projection.visible).not.toEqual(before);
      folded.edit({ kind: "undo", editSeq });
      expect(folded.projection.visible).toEqual(before);
    });
  });
});

const applied = ({ projection, log }: FoldedLog, edit: LayerEdit): readonly VisibleMessage[] =>
  previewEdit(projection.visible, edit, { seq: log.entries.length + 1, at: 0 });

/** Every other pick pins a block, the others a message. */
function pinSome(visible: readonly VisibleMessage[], picks: readonly number[]): Pinned {
  const entries = visible.filter(({ insertedBy, blocks }) => insertedBy === undefined && blocks.length > 0);
  if (entries.length === 0) return NOTHING;
  const pins = picks.map((pick): SeqPin => {
    const { seq, blocks } = entries[pick % entries.length]!;
    return pick % 2 === 0 ? { seq } : { seq, block: blocks[pick % blocks.length]!.index };
  });
  const places = placesOf(visible, { pins, texts: [] });
  return {
    pins,
    texts: places.map(({ seq, index, text }) => ({ pointer: `m${seq}.${index}`, text })),
  };
}

/** The pinned blocks of a window that say something. */
function placesOf(visible: readonly VisibleMessage[], { pins }: Pinned) {
  return visible.flatMap(({ seq, insertedBy, blocks }) =>
    blocks.flatMap(({ index, block }) => {
      const isPinned = pins.some((pin) => pin.seq === seq && (pin.block ?? index) === index);
      const text = block.type === "thinking" ? "" : blockText(block);
      return insertedBy === undefined && isPinned && text.trim() !== "" ? [{ seq, index, text, block }] : [];
    }),
  );
}

const quoted = (text: string): string =>
  text
    .trim()
    .split(/\r\n|[\n\r\u2028\u2029\u0085\u000b\u000c]/)
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");

const insertedText = ({ effect }: LayerEdit): string =>
  (effect.insert ?? [])
    .flatMap(({ messages }) => messages.flatMap(({ content }) => content.map(blockText)))
    .join("\n");
