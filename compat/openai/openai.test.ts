/** The OpenAI SDK's own loops over the window of a session. */
import { expect, it } from "vitest";
import { runLongSession } from "../shared/long-session.ts";
import { variantsToRun } from "../shared/variants.ts";

const module = new URL("./openai-loop.ts", import.meta.url);
/** All loops with the newest SDK; with the others those that differ most. */
const VARIANTS = [
  ["7 runToolsStreamed", "7 create", "7 stream", "7 runTools", "7 responses", "7 responsesChained"],
  ["6 responses", "6 runToolsStreamed"],
  ["5 runTools", "5 responses"],
].flatMap(variantsToRun);

it.each(VARIANTS)("a long session through a window of 32,000 tokens: SDK %s", async (variant) => {
  const figures = await runLongSession({ module, variant });
  expect(figures.largestPromptTokens).toBeLessThanOrEqual(32_000);
  expect(figures.cacheShare).toBeGreaterThan(0.5);
});
