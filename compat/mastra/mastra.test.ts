/** An agent of Mastra over the window of a session, with the providers of three majors of the AI SDK. */
import { expect, it } from "vitest";
import { runLongSession } from "../shared/long-session.ts";
import { variantsToRun } from "../shared/variants.ts";

const VARIANTS = ["full stream 7", "new generate 5", "new stream 6", "full generate 6"];

it.each(variantsToRun(VARIANTS))("a long session through a window of 32,000 tokens: %s", async (variant) => {
  const module = new URL("./mastra-loop.ts", import.meta.url);
  const figures = await runLongSession({ module, variant });
  expect(figures.largestPromptTokens).toBeLessThanOrEqual(32_000);
  expect(figures.cacheShare).toBeGreaterThan(0.5);
});
