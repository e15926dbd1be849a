/** Arguments of another kind are refused in words, with the name of what was called. */
import { describe, expect, it } from "vitest";
import { setTheStage } from "#test/agent/stage.ts";

type Stage = Awaited<ReturnType<typeof setTheStage>>["session"];

const CALLS: Readonly<Record<string, (session: Stage, value: never) => Promise<unknown>>> = {
  "history.search": ({ session }, value) => session.history.search(value),
  "history.read": ({ session }, value) => session.history.read(value),
  "history.block": ({ session }, value) => session.history.block(value),
  record: (session, value) => session.record(value),
  "the options of turn": (session, value) => session.turn("Hello.", value),
};

describe.each(Object.entries(CALLS))("%s", (_, call) => {
  it.each([
    ["null", null],
    ["a number", 5],
    ["a list", [{ type: "text", text: "Where is it?" }]],
  ])("refuses %s", async (_name, value) => {
    const { session } = await setTheStage({ answer: () => "Yes." });
    await session.turn("Hello.");
    await expect(call(session, value as never)).rejects.toMatchObject({ code: "OPTION_INVALID" });
    expect((await session.turn("Still there?")).text).toBe("Yes.");
  });
});

it("says what is wrong with a pointer that is missing", async () => {
  const { session } = await setTheStage({ answer: () => "Yes." });
  await expect(session.session.history.read(undefined as never)).rejects.toThrow(
    "The pointer of `read` is undefined; it is a string.",
  );
});
