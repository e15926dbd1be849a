import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readMediaSize } from "#tokens/estimate/media-size.ts";
import { gif, jpeg, pdf, png, webp } from "./media-files.ts";

const ofText = (text: string): string => Buffer.from(text, "latin1").toString("base64");

describe("readMediaSize", () => {
  it.each([
    { why: "PNG", data: png(1_440, 1_000) },
    { why: "GIF", data: gif(1_440, 1_000) },
    { why: "JPEG behind a preview", data: jpeg(1_440, 1_000) },
    { why: "progressive JPEG", data: jpeg(1_440, 1_000, { marker: 0xc2 }) },
    { why: "lossy WebP", data: webp.lossy(1_440, 1_000) },
    { why: "lossless WebP", data: webp.lossless(1_440, 1_000) },
    { why: "WebP with extensions", data: webp.extended(1_440, 1_000) },
  ])("reads the size of a $why", ({ data }) => {
    expect(readMediaSize(data)).toEqual({ type: "image", width: 1_440, height: 1_000 });
  });

  it("reads the pages of a PDF, from either end of a large one", () => {
    expect(readMediaSize(pdf(1))).toEqual({ type: "pages", count: 1 });
    expect(readMediaSize(pdf(120))).toEqual({ type: "pages", count: 120 });
    const tree = "2 0 obj << /Count 700 /Kids [] /Type /Pages >> endobj";
    const filler = "x".repeat(2_500_000);
    expect(readMediaSize(ofText(`%PDF-1.4\n${filler}${tree}`))).toEqual({ type: "pages", count: 700 });
    expect(readMediaSize(ofText(`%PDF-1.4\n${tree}${filler}`))).toEqual({ type: "pages", count: 700 });
  });

  it.each([
    { why: "nothing", data: "" },
    { why: "no base64", data: "REDACTED/nmedx7jlz5869dybZD99" },
    { why: "another format", data: ofText("BM......................") },
    { why: "an image without an edge", data: png(0, 500) },
    { why: "an edge that no image has", data: png(4_000_000_000, 500) },
    { why: "a PNG that ends in its header", data: png(500, 500).slice(0, 24) },
    { why: "a JPEG without a frame", data: ofText("\xff\xd8\xff\xe0\x00\x04..\xff\xda\x00\x02") },
    { why: "a JPEG whose segments are empty", data: ofText(`\xff\xd8\xff${"\xe0\x00\x00".repeat(500)}`) },
    { why: "a JPEG of padding alone", data: ofText(`\xff\xd8${"\xff".repeat(5_000)}`) },
    { why: "a WebP of an unknown kind", data: ofText("RIFF....WEBPVP9 ............") },
    { why: "a PDF whose page tree is packed away", data: ofText("%PDF-1.5\n1 0 obj << /Type /ObjStm >>") },
    {
      why: "a PDF that says it has more pages than bytes",
      data: ofText("%PDF-1.4 << /Type /Pages /Count 999999 >>"),
    },
  ])("says nothing of $why", ({ data }) => {
    expect(readMediaSize(data)).toBeUndefined();
  });

  it("reads any bytes behind any beginning, and a PDF of one repeated name, without failing", () => {
    const beginnings = [png(9, 9), jpeg(9, 9), gif(9, 9), webp.extended(9, 9), pdf(2)].map((data) =>
      Buffer.from(data, "base64"),
    );
    const start = fc.record({
      of: fc.constantFrom(...beginnings),
      kept: fc.nat(60),
      rest: fc.uint8Array({ maxLength: 200 }),
    });
    fc.assert(
      fc.property(start, ({ of, kept, rest }) => {
        const data = Buffer.concat([of.subarray(0, kept), rest]).toString("base64");
        const size = readMediaSize(data);
        if (size?.type === "image") expect(Math.min(size.width, size.height)).toBeGreaterThanOrEqual(1);
      }),
      { numRuns: 500 },
    );
    for (const text of ["/Type /Pages ", "/Count 1 ", "/Type   "])
      readMediaSize(ofText(`%PDF-1.4\n${text.repeat(50_000)}`));
  });
});
