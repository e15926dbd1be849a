/** The ids in a tool's context after some were forgotten. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ContextIds } from "#importers/openhands/context-ids.ts";

const id = fc.oneof(fc.nat(30).map(String), fc.constantFrom("e1", "e2", "", "-1", "1.5", "NaN"));
const step = fc.oneof(
  fc.record({ type: fc.constant("add" as const), id }),
  fc.record({ type: fc.constant("forget" as const), id }),
);

describe("ContextIds", () => {
  it("holds what was added and not forgotten", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const context = new ContextIds();
        const expected = new Set<string>();
        const seen = new Set<string>();
        for (const one of steps) {
          if (one.type === "add") {
            // An event has one id, for good.
            if (seen.has(one.id)) continue;
            seen.add(one.id);
            expected.add(one.id);
            context.add(one.id);
          } else {
            expected.delete(one.id);
            context.forget(one.id);
          }
        }
        expect(new Set(context.list())).toEqual(expected);
        expect(context.size).toBe(expected.size);
      }),
    );
  });

  it("forgets the numbers between two, however often it is asked", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.nat(50)),
        fc.array(fc.tuple(fc.integer({ min: -5, max: 60 }), fc.integer({ min: -5, max: 60 }))),
        (numbers, ranges) => {
          const growing = numbers.sort((left, right) => left - right);
          const context = new ContextIds();
          for (const number of growing) context.add(String(number));
          for (const [first, last] of ranges) context.forgetRange(first, last);
          const left = growing.filter(
            (number) => !ranges.some(([first, last]) => number >= first && number <= last),
          );
          expect(context.list()).toEqual(left.map(String));
          expect(context.size).toBe(left.length);
        },
      ),
    );
  });

  it.each([
    { first: Number.NaN, last: 5, why: "a bound that is no number" },
    { first: 5, last: 1, why: "the wrong way round" },
  ])("forgets nothing: $why", ({ first, last }) => {
    const context = new ContextIds();
    context.add("1");
    context.add("5");
    context.forgetRange(first, last);
    expect(context.list()).toEqual(["1", "5"]);
  });
});
