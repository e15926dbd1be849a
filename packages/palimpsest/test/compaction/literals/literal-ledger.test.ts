/** The part of the ranking that is asked for is the ranking's beginning, and a sweep keeps it. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { finish } from "#base/steps.ts";
import { textLiteralsInSteps } from "#compaction/literals/block-literals.ts";
import {
  addLiterals,
  createLedger,
  type LiteralLedger,
  rankLiterals,
  type Speaker,
} from "#compaction/literals/literal-ledger.ts";
import { bySize } from "../../../../../test/helpers/size-of-run.ts";

interface Telling {
  readonly speaker: Speaker;
  readonly names: readonly number[];
}
const telling: fc.Arbitrary<Telling> = fc.record({
  speaker: fc.constantFrom<Speaker>("user", "assistant", "call", "tool"),
  names: fc.array(fc.integer({ min: 10, max: 60 }), { minLength: 1, maxLength: 12 }),
});
const tellings = fc.array(telling, { minLength: 1, maxLength: 20 });
const textOf = (names: readonly number[]): string => names.map((name) => `value_${name}`).join(" ");

function ledgerOf(messages: readonly Telling[], limit: number): LiteralLedger {
  const ledger = createLedger(limit);
  messages.forEach(({ speaker, names }, seq) => {
    addLiterals(ledger, seq, speaker, finish(textLiteralsInSteps(textOf(names))));
  });
  return ledger;
}

describe("the ledger of literals", () => {
  it("ranks the best few as it ranks all", () => {
    fc.assert(
      fc.property(tellings, fc.nat({ max: 60 }), (messages, count) => {
        const ledger = ledgerOf(messages, 1_000);
        expect(finish(rankLiterals(ledger, count))).toEqual(finish(rankLiterals(ledger)).slice(0, count));
      }),
      { numRuns: bySize({ usual: 75, long: 500 }) },
    );
  });

  it("forgets the least valuable when it is full, and counts them", () => {
    fc.assert(
      fc.property(tellings, (messages) => {
        const before = ledgerOf(messages, 1_000).records.size;
        const withOneMore = [...messages, { speaker: "tool", names: [99] } as const];
        const whole = ledgerOf(withOneMore, 1_000);
        const full = ledgerOf(withOneMore, before);
        const kept = Math.floor(before * 0.75);
        expect(finish(rankLiterals(full))).toEqual(finish(rankLiterals(whole)).slice(0, kept));
        expect(full.forgottenCount).toBe(before + 1 - kept);
      }),
      { numRuns: bySize({ usual: 75, long: 500 }) },
    );
  });
});
