/** Runners of the OpenAI Agents SDK 0.20 and 0.3 through the session of 300 turns. */
import { expect, it } from "vitest";
import { runLongSession } from "../shared/long-session.ts";

it.each([
  { version: "0.20", module: "./agents-loop.ts", variant: "responses model" },
  { version: "0.20", module: "./agents-loop.ts", variant: "responses stream" },
  { version: "0.20", module: "./agents-loop.ts", variant: "chat filter" },
  { version: "0.3", module: "./agents-0.3-loop.ts", variant: "responses filter" },
  { version: "0.3", module: "./agents-0.3-loop.ts", variant: "chat model" },
])("$version, $variant: a runner passes the session of 300 turns", async ({ module, variant }) => {
  const figures = await runLongSession({ module: new URL(module, import.meta.url), variant });
  expect(figures.largestPromptTokens).toBeLessThanOrEqual(32_000);
});
