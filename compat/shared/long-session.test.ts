/** The session of 300 turns itself, with the library's own turns. */
import { expect, it } from "vitest";
import { runLongSession } from "./long-session.ts";

it("The library's own turns pass the long session", async () => {
  const figures = await runLongSession({ module: new URL("./own-loop.ts", import.meta.url), variant: "" });
  expect(figures.largestPromptTokens).toBeLessThanOrEqual(32_000);
});
