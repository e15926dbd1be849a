/** The searched fields of a memory. */
import { describe, expect, it } from "vitest";
import { searchFields } from "#memory/recall/search-fields.ts";
import { aMemory } from "#test/memory/consolidation/a-memory.ts";

const DEPLOY_DAYS = {
  name: "Deploy days",
  description: "when we deploy",
  body: "We deploy on Tuesdays only.",
};
/** A Tuesday. */
const MAY_7_2024_MS = 1_715_040_000_000;

describe("what is searched of a memory", () => {
  it.each([
    { expected: {}, more: {}, why: "nothing is known of where it was said" },
    { expected: { createdAtMs: MAY_7_2024_MS }, more: {}, why: "who wrote it by hand asks by no day" },
    { expected: { sessionId: "s1" }, more: {}, why: "a fact stands for itself" },
    {
      expected: { sessionId: "s1", createdAtMs: MAY_7_2024_MS, messageId: "m12.0" },
      more: { time: "7 May 2024" },
      why: "it is known on which day it was said",
    },
    {
      expected: { sessionId: "s1", follows: "before.md" },
      more: { before: "before.md", group: "s1" },
      why: "it is a piece of a conversation",
    },
    { expected: { follows: "before.md" }, more: { before: "before.md" }, why: "its session is not known" },
    { expected: { sessionId: "s1", createdAtMs: 1e300 }, more: {}, why: "it is no day" },
    { expected: { name: "We deploy on" }, more: { name: undefined }, why: "that is how its text begins" },
    {
      expected: { body: "# Deploy days\n\nOn Tuesdays." },
      more: { body: "# Deploy days\n\nOn Tuesdays." },
      why: "somebody wrote that heading",
    },
  ])("is its text, and $more where $why", ({ expected, more }) => {
    expect(searchFields(aMemory({ ...DEPLOY_DAYS, ...expected }))).toEqual({ ...DEPLOY_DAYS, ...more });
  });
});
