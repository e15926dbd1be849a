import fc from "fast-check";
import { expect, it } from "vitest";
import { fromBase64, toBase64 } from "#compaction/literals/saved-bits.ts";

it("writes bytes as base64, and reads them back", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString("base64"));
      expect(fromBase64(toBase64(bytes))).toEqual(bytes);
    }),
  );
});
