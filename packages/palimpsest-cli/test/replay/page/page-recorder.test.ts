/** The data of a page is the requests that were sent, call by call. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodePieces } from "#replay/page/page-recorder.ts";
import { openaiChat } from "../../../../../test/helpers/recordings.ts";
import { replayedPage, shownText, wholeText } from "./replayed-page.ts";

interface SessionScript {
  readonly decodePieces: (before: readonly number[], encoded: readonly number[]) => readonly number[];
}

/** The part of the browser script that reads it; nothing in it needs a browser. */
const script = "../../../src/replay/page/assets/session-data.js";
const { decodePieces } = (await import(script)) as SessionScript;

describe("the pieces of a call", () => {
  const pieces = fc.array(fc.nat({ max: 30 }), { maxLength: 40 });

  it("are read as they were, whatever the call before held", () => {
    fc.assert(
      fc.property(pieces, pieces, (before, now) => {
        expect(decodePieces(before, encodePieces(before, now))).toEqual(now);
      }),
    );
  });

  it.each([
    { before: [], now: [0, 1, 2], encoded: [0, 0, 0, 3], why: "the first call" },
    { before: [0, 1], now: [0, 1, 2, 3], encoded: [2, 0, 2, 2], why: "something was said" },
    { before: [0, 1, 2], now: [0, 3, 2], encoded: [1, 1, 3, 1], why: "a block has another form" },
    { before: [0, 1, 2, 3], now: [9, 3, 4], encoded: [0, 0, 9, 1, 3, 2], why: "a compaction" },
    { before: [0, 1], now: [0, 1], encoded: [2, 0], why: "nothing changed" },
    { before: [5, 5], now: [5], encoded: [1, 0], why: "the same block stood there twice" },
  ])("are kept as what differs: $why", ({ before, now, encoded }) => {
    expect(encodePieces(before, now)).toEqual(encoded);
    expect(decodePieces(before, encoded)).toEqual(now);
  });
});

describe("a recorded page", () => {
  it("holds the request of every call, block by block, as the stored log gives it", async () => {
    const { data, blocksAt } = await replayedPage(openaiChat(15, { resultLines: 80 }), {
      windowTokens: 8_000,
    });
    expect(data.edits.length).toBeGreaterThan(3);
    let window: readonly number[] = [];
    for (const [index, call] of data.calls.entries()) {
      window = decodePieces(window, call.pieces);
      // Every one is known to be rebuilt exactly; here a sample is enough.
      if (index % 7 !== 0) continue;
      const blocks = await blocksAt(call.seq);
      expect(window.map((piece) => wholeText(data.pieces[piece]!.text))).toEqual(blocks.map(shownText));
    }
  });

  it("tells the size of a request by what its tokens are for, and all of it", async () => {
    const { data, done } = await replayedPage(openaiChat(8, { resultLines: 60 }), { windowTokens: 8_000 });
    expect(data.calls.map(({ tokens }) => tokens)).toEqual(done.track.calls.map(({ tokens }) => tokens));
    for (const { byCategory, tokens } of data.calls) {
      const sum = byCategory.reduce((total, each) => total + each, 0);
      expect(Math.abs(sum - tokens)).toBeLessThanOrEqual(byCategory.length);
    }
  });

  it("marks an edit at the call that was the first to see it, with what it hid", async () => {
    const { data, done } = await replayedPage(openaiChat(15, { resultLines: 160 }), { windowTokens: 8_000 });
    const summary = data.edits.find(({ isCompaction }) => isCompaction);
    expect(summary).toMatchObject({ layer: "extractive", loss: { messages: expect.any(Number) } });
    const compactions = data.edits.filter(({ isCompaction }) => isCompaction);
    expect(compactions.length).toBeGreaterThan(0);
    for (const { reason } of compactions) expect(reason).toMatch(/^compacted at [\d.]+K of 8K because /);
    expect(data.calls[summary!.call]!.tokens).toBeLessThan(data.calls[summary!.call - 1]!.tokens);
    const freed = data.edits.filter(({ layer }) => layer === "offload");
    expect(freed).toHaveLength(done.result.layers.offload.edits);
  });

  it("keeps each block once in each form, however often it was sent", async () => {
    const { data, done } = await replayedPage(openaiChat(12), {});
    // All but the last answer, which no request contained.
    expect(data.pieces).toHaveLength(done.result.lossless.blocks - 1);
    expect(new Set(data.pieces.map(({ form }) => form))).toEqual(new Set(["original"]));
  });

  it("holds the notes that the log keeps of the session, without the marks of who wrote a line", async () => {
    const messages = [
      { role: "user", content: "Mend the parser." },
      { role: "assistant", content: "Done." },
    ];
    const { data } = await replayedPage(JSON.stringify({ messages }));
    expect(data.notes?.text).toContain("# Current State\n");
    expect(data.notes?.text).toContain("\n- Last asked: Mend the parser.\n");
    expect(data.notes?.text).not.toContain("<!--");
    expect(data.notes?.tokens).toBeGreaterThan(100);
  });

  it("keeps the beginning and the end of a long text, and says how long it was", async () => {
    const text = `BEGIN ${"much ado about a ship ".repeat(250)}END`;
    const { data } = await replayedPage(JSON.stringify({ messages: [{ role: "user", content: text }] }));
    const kept = data.pieces[0]!.text;
    expect(kept).toMatchObject({ characters: text.length });
    expect(wholeText(kept)).toMatch(/^BEGIN .*END$/);
    expect(wholeText(kept).length).toBeLessThan(4_010);
  });
});
