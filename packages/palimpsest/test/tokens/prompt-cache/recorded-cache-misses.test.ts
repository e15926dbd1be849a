/** The monitor of the prompt cache against a recorded session of pi. */
import { describe, expect, it } from "vitest";
import { hasCorpus } from "../../../../../test/helpers/corpus.ts";
import { byCause, watchAll } from "./recorded-misses.ts";

describe.skipIf(!hasCorpus)("cache misses of recorded sessions (skipped without the corpus)", () => {
  // Its first request is below the model's minimum, so the second one misses nothing.
  it("of pi: all at a user's message, most of them not explained by anything that was recorded", async () => {
    const watched = await watchAll("pi");
    expect(watched.map(({ calls }) => calls)).toEqual([471]);
    expect(byCause(watched)).toEqual({
      rewritten: [2, 54_356],
      cold: [1, 151_828],
      unknown: [9, 1_007_208],
    });
    expect(watched[0]!.misses.every(({ isAfterUser }) => isAfterUser)).toBe(true);
  });
});
