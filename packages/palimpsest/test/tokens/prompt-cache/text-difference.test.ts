import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { findDifference } from "#tokens/prompt-cache/prompt-fingerprint.ts";

describe("findDifference", () => {
  it.each([
    { before: "at 2026-11-20T09:59:58Z.", after: "at 2026-11-20T10:00:01Z.", at: 14, kind: "time or date" },
    { before: "Today: 2026-01-09", after: "Today: 2026-01-10", at: 15, kind: "time or date" },
    { before: "It is 9:59 am", after: "It is 10:00 am", at: 6, kind: "time or date" },
    { before: "Fri Nov 20 2026", after: "Sat Nov 21 2026", at: 0, kind: "time or date" },
    { before: "on November 9, 2026", after: "on November 10, 2026", at: 12, kind: "time or date" },
    { before: "on 9 March 2026", after: "on 9 April 2026", at: 5, kind: "time or date" },
    { before: "am 20.11.2026", after: "am 21.11.2026", at: 4, kind: "time or date" },
    { before: "11/20/26 here", after: "11/21/26 here", at: 4, kind: "time or date" },
    { before: "今日は2026年11月20日", after: "今日は2026年11月21日", at: 12, kind: "time or date" },
    { before: "now 1763600000", after: "now 1763600001", at: 13, kind: "time or date" },
    {
      before: "session 3f2b8c1e-0a4d-4c2b-9e1f-aa0011223344",
      after: "session 3f2b8c1e-0a4d-4c2b-9e1f-aa0011223345",
      at: 43,
      kind: "id",
    },
    { before: "commit 9ae3f01c", after: "commit 10ab4f77", at: 7, kind: "id" },
    { before: "42 files", after: "43 files", at: 1, kind: "number" },
    { before: "9 files", after: "19 files", at: 0, kind: "number" },
    { before: "in /srv/ann/a", after: "in /srv/bob/a", at: 8, kind: "path" },
    { before: "in C:\\one\\b", after: "in C:\\two\\b", at: 6, kind: "path" },
    { before: "You are kind.", after: "You are brief.", at: 8, kind: "text" },
    { before: "", after: "New.", at: 0, kind: "text" },
    { before: "Same and more", after: "Same", at: 4, kind: "text" },
  ])("says of '$after' that a $kind stands at $at", ({ before, after, at, kind }) => {
    expect(findDifference(before, after)).toEqual({ at, kind });
    expect(findDifference(after, before)).toEqual({ at, kind });
  });

  it("finds the first difference of any texts, and none in the same text", () => {
    const texts = fc.string({
      unit: fc.constantFrom("a", "1", ":", "-", "/", " ", "\ud83d"),
      maxLength: 300,
    });
    fc.assert(
      fc.property(texts, texts, texts, (start, one, other) => {
        expect(findDifference(start + one, start + one)).toBeUndefined();
        const found = findDifference(start + one, start + other);
        if (one === other) return;
        expect((start + one).slice(0, found!.at)).toBe((start + other).slice(0, found!.at));
        expect((start + one).charAt(found!.at)).not.toBe((start + other).charAt(found!.at));
      }),
    );
  });

  it("does not look far, however long the texts are and whatever they are made of", () => {
    for (const unit of ["1", "a", "1:", "/a", "0f", "1.", "-", " jan"]) {
      const long = unit.repeat(300_000);
      expect(findDifference(`${long}x`, `${long}y`)?.at).toBe(long.length);
    }
  });
});
