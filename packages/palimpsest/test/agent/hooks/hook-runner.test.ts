/** Hooks are asked, believed as far as they answer in their form, and never break anything. */
import { describe, expect, it } from "vitest";
import { HookRunner } from "#agent/hooks/hook-runner.ts";
import type { HookFailure, SessionHooks } from "#ports/session-hooks.ts";
import { FakeDeadline } from "#test/helpers/conversation-memory.ts";

const START = { sessionId: "s1", source: "new" } as const;
const COMPACT = {
  sessionId: "s1",
  trigger: "auto",
  reason: "threshold",
  usedTokens: 9,
  windowTokens: 10,
} as const;

function runner(hooks: object) {
  const failures: HookFailure[] = [];
  const deadline = new FakeDeadline();
  const asked = new HookRunner({
    hooks: hooks as SessionHooks,
    deadline,
    onFailure: (failure) => failures.push(failure),
  });
  return { asked, deadline, failures };
}

describe("sessionStart", () => {
  it.each([
    { answer: "Be plain.", text: "Be plain.", why: "a text" },
    { answer: Promise.resolve("Later."), text: "Later.", why: "a text that comes later" },
    { answer: undefined, text: undefined, why: "nothing" },
    { answer: " \n", text: undefined, why: "blanks" },
    { answer: { text: "no" }, text: undefined, why: "something else" },
  ])("says $text where it answers $why", async ({ answer, text }) => {
    expect(await runner({ sessionStart: () => answer }).asked.sessionStart(START)).toBe(text);
  });
});

describe("preCompact", () => {
  it.each([
    { answer: undefined, read: undefined, why: "nothing" },
    { answer: { instructions: "Keep names." }, read: { instructions: "Keep names." }, why: "instructions" },
    { answer: { veto: "not now" }, read: { veto: "not now" }, why: "a veto" },
    { answer: { veto: "" }, read: { veto: "" }, why: "a veto without a reason" },
    { answer: { veto: "no", instructions: "x" }, read: { veto: "no" }, why: "both: the veto counts" },
    { answer: { veto: true }, read: undefined, why: "a veto that is no text" },
    { answer: "no", read: undefined, why: "a text" },
    { answer: null, read: undefined, why: "null" },
  ])("is read as $read where it answers $why", async ({ answer, read }) => {
    expect(await runner({ preCompact: () => answer }).asked.preCompact(COMPACT)).toEqual(read);
  });
});

const ALL = ["sessionStart", "preCompact", "postCompact", "postSampling", "failed"] as const;

describe("any hook", () => {
  it.each(ALL)("%s is told what happened", async (hook) => {
    const reported: unknown[] = [];
    const { asked } = runner({ [hook]: (context: unknown) => void reported.push(context) });
    const context = { sessionId: "s1", error: "x" };
    await asked[hook](context as never);
    expect([asked.has(hook), reported]).toEqual([true, [context]]);
  });

  it.each(ALL)("%s may be left out", async (hook) => {
    const { asked, failures, deadline } = runner({});
    await asked[hook]({ sessionId: "s1" } as never);
    expect([asked.has(hook), failures, deadline.waiting]).toEqual([false, [], []]);
  });

  it.each(ALL)("%s that throws, at once or later, is told and passed over", async (hook) => {
    const error = new Error("broken");
    const thrown = () => {
      throw error;
    };
    for (const broken of [thrown, () => Promise.reject(error)]) {
      const { asked, failures } = runner({ [hook]: broken });
      expect(await asked[hook]({ sessionId: "s1" } as never)).toBeUndefined();
      expect(failures).toEqual([{ hook, error }]);
    }
  });

  it.each(ALL)("%s that never answers is passed over when its ten seconds are up", async (hook) => {
    const { asked, failures, deadline } = runner({ [hook]: () => new Promise(() => {}) });
    const answer = asked[hook]({ sessionId: "s1" } as never);
    await Promise.resolve();
    expect(deadline.waiting.map(({ ms }) => ms)).toEqual([10_000]);
    deadline.end();
    expect(await answer).toBeUndefined();
    const message = `The hook ${hook} did not return within 10000 ms.`;
    expect(failures).toMatchObject([{ hook, error: { kind: "timeout", message } }]);
  });
});
