import { expect, it } from "vitest";
import { docsTool, setTheStage } from "#test/agent/stage.ts";

it("calls and forked summaries ask for the cache's lifetime that the session reckons with", async () => {
  const { session, model } = await setTheStage({ window: { cacheTtl: "1h" } });
  await session.turn("Read everything.", { tools: [docsTool(800)] });
  expect(model.requests.some(({ messages }) => JSON.stringify(messages).includes("<summary> tags"))).toBe(
    true,
  );
  expect(new Set(model.requests.map(({ cacheTtl }) => cacheTtl))).toEqual(new Set(["1h"]));
});
