/** The AI SDK's own loops over the window of a session, in its three majors. */
import { expect, it } from "vitest";
import { runLongSession } from "../shared/long-session.ts";
import { variantsToRun } from "../shared/variants.ts";

/** Every way and both methods with every major; the providers take turns. Each major has another way first. */
const CASES = [
  {
    major: 5,
    variants: [
      "new generate anthropic",
      "new stream chat",
      "full stream responses",
      "wrapped generate chat",
      "wrapped stream anthropic",
    ],
  },
  {
    major: 6,
    variants: [
      "wrapped stream responses",
      "new generate chat",
      "new stream anthropic",
      "full generate anthropic",
      "wrapped generate anthropic",
    ],
  },
  {
    major: 7,
    variants: [
      "full stream anthropic",
      "new generate responses",
      "new stream anthropic",
      "wrapped generate responses",
      "wrapped stream anthropic",
    ],
  },
].flatMap(({ major, variants }) => variantsToRun(variants).map((variant) => ({ major, variant })));

it.each(CASES)("a long session through a window of 32,000 tokens: ai $major, $variant", async ({
  major,
  variant,
}) => {
  const module = new URL(`./ai-${major}-loop.ts`, import.meta.url);
  const figures = await runLongSession({ module, variant });
  expect(figures.largestPromptTokens).toBeLessThanOrEqual(32_000);
  expect(figures.cacheShare).toBeGreaterThan(0.5);
});
