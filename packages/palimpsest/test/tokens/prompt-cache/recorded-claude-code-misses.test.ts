/** The monitor of the prompt cache against all recorded sessions of Claude Code. */
import { describe, expect, it } from "vitest";
import { hasCorpus } from "../../../../../test/helpers/corpus.ts";
import { byCause, watchAll } from "./recorded-misses.ts";

describe.skipIf(!hasCorpus)("cache misses of recorded sessions (skipped without the corpus)", () => {
  it("of Claude Code: three in four had to be so", async () => {
    const watched = await watchAll("claude-code");
    expect(watched.reduce((sum, { calls }) => sum + calls, 0)).toBe(2_842);
    expect(byCause(watched)).toEqual({
      cold: [40, 5_449_982],
      rewritten: [16, 492_149],
      unknown: [20, 2_248_155],
    });
  });
});
