/** Runners of the OpenAI Agents SDK 0.20 and 0.3 through the session of 300 turns. */
import { expect, it } from "vitest";
import { runLongSession } from "../shared/long-session.ts";
import { variantsToRun } from "../shared/variants.ts";

const LOOPS = [
  {
    version: "0.20",
    module: "./agents-loop.ts",
    variants: ["responses stream", "responses model", "chat filter"],
  },
  { version: "0.3", module: "./agents-0.3-loop.ts", variants: ["chat model", "responses filter"] },
];
const CASES = LOOPS.flatMap(({ variants, ...loop }) =>
  variantsToRun(variants).map((variant) => ({ ...loop, variant })),
);

it.each(CASES)("$version, $variant: a runner passes the long session", async ({ module, variant }) => {
  const figures = await runLongSession({ module: new URL(module, import.meta.url), variant });
  expect(figures.largestPromptTokens).toBeLessThanOrEqual(32_000);
});
