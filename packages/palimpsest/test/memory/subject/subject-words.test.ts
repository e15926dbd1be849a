/** Two texts say the same if they have the same words and signs; punctuation and emphasis say nothing. */
import { describe, expect, it } from "vitest";
import { saysSame } from "#memory/subject/subject-words.ts";

describe("saysSame", () => {
  it.each([
    ["We use C++.", "We use C#."],
    ["We use C.", "We use C++."],
    ["Use == for comparisons.", "Use === for comparisons."],
    ["Use ' for strings.", 'Use " for strings.'],
    ["The price is $5.", "The price is €5."],
    ["The limit is 5%.", "The limit is 5."],
    ["The offset is -5.", "The offset is 5."],
    ["Post in #general.", "Post in general."],
    ["The flag is --force.", "The flag is -force."],
    ["The script is ~/bin/x.", "The script is /bin/x."],
    ["Prefix branches with feat/.", "Prefix branches with feat-."],
    ["The host is db-1.acme.com", "The host is db.1.acme.com"],
    ["👍 means yes.", "👎 means yes."],
    ["His dog is called Rex.", "Her dog is called Rex."],
    ["Separate ids with ;", "Separate ids with ,"],
  ])("tells “%s” from “%s”", (one, other) => {
    expect(saysSame(one, other)).toBe(false);
  });

  it.each([
    ["Use tabs.", "use Tabs!"],
    ["Use `pnpm`, please.", "Use pnpm please"],
    ["**Always** use pnpm", "Always use pnpm."],
    ["The pre-commit hook runs (always).", "the pre commit hook runs always"],
    ["部署在星期二。", "部署在星期二"],
    ["We deploy on Fridays…", "“We deploy on Fridays”"],
  ])("takes “%s” and “%s” for one", (one, other) => {
    expect(saysSame(one, other)).toBe(true);
  });
});
