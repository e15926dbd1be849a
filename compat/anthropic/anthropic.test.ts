/** The Anthropic SDK's own loops over the window of a session. */
import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";
import { betaMemoryTool as betaMemoryTool0 } from "@anthropic-ai/sdk-0/helpers/beta/memory";
import { createMemory, inMemoryMemoryStore } from "palimpsest/memory";
import { expect, it } from "vitest";
import { runLongSession } from "../shared/long-session.ts";
import { variantsToRun } from "../shared/variants.ts";

const LOOPS = [
  {
    sdk: "1",
    module: "./anthropic-loop.ts",
    variants: ["toolRunnerStreamed", "create", "stream", "toolRunner"],
  },
  { sdk: "0.95", module: "./anthropic-0-loop.ts", variants: ["stream", "toolRunner"] },
];
const CASES = LOOPS.flatMap(({ variants, ...loop }) =>
  variantsToRun(variants).map((variant) => ({ ...loop, variant })),
);

it.each(CASES)("a long session through a window of 32,000 tokens: SDK $sdk, $variant", async ({
  module,
  variant,
}) => {
  const figures = await runLongSession({ module: new URL(module, import.meta.url), variant });
  expect(figures.largestPromptTokens).toBeLessThanOrEqual(32_000);
  expect(figures.cacheShare).toBeGreaterThan(0.5);
});

it.each([
  { sdk: "1", betaMemoryTool },
  { sdk: "0.95", betaMemoryTool: betaMemoryTool0 },
])("The memory tool of SDK $sdk writes the model's own word", async ({ betaMemoryTool: make }) => {
  const memory = createMemory({ store: inMemoryMemoryStore() });
  const tool = make(memory.tool());
  await tool.run({ command: "create", path: "/memories/tea.md", file_text: "The user drinks tea." });
  expect(await tool.run({ command: "view", path: "/memories/tea.md" })).toContain("The user drinks tea.");
  expect((await memory.list()).memories).toMatchObject([{ path: "tea.md", source: "agent" }]);
  await expect(async () => tool.run({ command: "view", path: "/etc/passwd" })).rejects.toThrow(
    "must start with",
  );
});
