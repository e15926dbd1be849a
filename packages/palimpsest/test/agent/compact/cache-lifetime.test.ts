import { FakeClock } from "palimpsest-testing";
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

it.each([
  { window: {}, lifetimes: ["-", "1h", "1h"], why: "by itself, after the first pause of ten minutes" },
  { window: { headCacheTtl: "5m" }, lifetimes: ["-", "-", "-"], why: "never, if the option says so" },
  { window: { headCacheTtl: "1h" }, lifetimes: ["1h", "1h", "1h"], why: "always, if the option says so" },
  { window: { cacheTtl: "1h" }, lifetimes: ["-", "-", "-"], why: "as all marks do" },
] as const)("system prompt and tools are cached for an hour $why: $lifetimes", async ({
  window,
  lifetimes,
}) => {
  const clock = new FakeClock(1_000_000);
  const { session, model } = await setTheStage({ clock, window, answer: () => "Done." });
  for (const text of ["One.", "Two.", "Three."]) {
    await session.turn(text, { model: "claude-opus-4-5" });
    clock.advance(600_000);
  }
  expect(model.requests.map(({ headCacheTtl = "-" }) => headCacheTtl)).toEqual(lifetimes);
});

it("tells hosts that write their own requests", async () => {
  const clock = new FakeClock(1_000_000);
  const { session } = await setTheStage({ clock, window: {}, answer: () => "Done." });
  await session.turn("One.", { model: "claude-opus-4-5" });
  expect(await session.prepare()).not.toHaveProperty("headCacheTtl");
  clock.advance(600_000);
  await session.append({ role: "user", content: "Two." });
  expect((await session.prepare()).headCacheTtl).toBe("1h");
});

it("a session that is opened again knows its pauses, and other clouds' models have no such entries", async () => {
  const clock = new FakeClock(1_000_000);
  for (const { modelId, expected } of [
    { modelId: "claude-opus-4-5", expected: "1h" },
    { modelId: "us.anthropic.claude-opus-4-5-v1:0", expected: "-" },
    { modelId: "gpt-5", expected: "-" },
  ]) {
    const { palimpsest, session, model } = await setTheStage({ clock, window: {}, answer: () => "Done." });
    await session.turn("One.", { model: modelId });
    clock.advance(600_000);
    await session.turn("Two.", { model: modelId });
    await session.close();
    clock.advance(1_000);
    const again = await palimpsest.session("s1");
    await again.turn("Three.", { model: modelId });
    expect(model.requests.map(({ headCacheTtl = "-" }) => headCacheTtl)).toEqual(["-", expected, expected]);
  }
});
