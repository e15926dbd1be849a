/** The Anthropic SDK's own loops over the window of a session. */
import { expect, it } from "vitest";
import { runLongSession } from "../shared/long-session.ts";

const LOOPS = [
  {
    sdk: "1",
    module: "./anthropic-loop.ts",
    variants: ["create", "stream", "toolRunner", "toolRunnerStreamed"],
  },
  { sdk: "0.95", module: "./anthropic-0-loop.ts", variants: ["stream", "toolRunner"] },
];
const CASES = LOOPS.flatMap(({ variants, ...loop }) => variants.map((variant) => ({ ...loop, variant })));

it.each(CASES)("300 turns through a window of 32,000 tokens: SDK $sdk, $variant", async ({
  module,
  variant,
}) => {
  const figures = await runLongSession({ module: new URL(module, import.meta.url), variant });
  expect(figures.largestPromptTokens).toBeLessThanOrEqual(32_000);
  expect(figures.cacheShare).toBeGreaterThan(0.5);
});
