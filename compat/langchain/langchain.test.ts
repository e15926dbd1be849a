/** LangChain's agent, with the models of two vendors, through the session of 300 turns. */
import { expect, it } from "vitest";
import { runLongSession } from "../shared/long-session.ts";
import { variantsToRun } from "../shared/variants.ts";

it.each(
  variantsToRun(["anthropic", "openai", "openai-responses"]),
)("An agent with the %s models passes the long session", async (variant) => {
  const module = new URL("./langchain-loop.ts", import.meta.url);
  const figures = await runLongSession({ module, variant });
  expect(figures.largestPromptTokens).toBeLessThanOrEqual(32_000);
});
