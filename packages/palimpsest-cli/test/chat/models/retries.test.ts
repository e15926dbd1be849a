/** Retries of calls that failed for a while. */
import type { ModelClient } from "palimpsest";
import { expect, it } from "vitest";
import { withRetries } from "#chat/models/retries.ts";

type Request = Parameters<ModelClient["generate"]>[0];

const requestOf = (text: string): Request => ({
  model: "m",
  messages: [{ role: "user", content: [{ type: "text", text }] }],
});

it("A request that was given up is asked once more at most; another one in between has all of its attempts", async () => {
  const attempts: string[] = [];
  const client: ModelClient = {
    provider: "vendor",
    model: "m",
    generate: async ({ messages }) => {
      attempts.push(JSON.stringify(messages).includes("turn") ? "turn" : "notes");
      throw new Error("overloaded");
    },
    classifyError: () => ({ kind: "network", message: "overloaded" }),
  };
  const retrying = withRetries(
    client,
    () => undefined,
    async () => undefined,
  );
  const ask = async (text: string): Promise<number> => {
    const before = attempts.length;
    await expect(retrying.generate(requestOf(text))).rejects.toThrow("overloaded");
    return attempts.length - before;
  };
  expect(await ask("turn")).toBe(6);
  expect(await ask("notes")).toBe(6);
  expect(await ask("turn")).toBe(1);
  expect(await ask("turn")).toBe(6);
});
