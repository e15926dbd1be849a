import { describe, expect, it } from "vitest";
import { judgeSilence } from "#tasks/silence.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

describe("a running task", () => {
  it.each([
    { silentMs: 44_999, text: "Continue? [y/N] ", state: "active", why: "it wrote less than 45 s ago" },
    { silentMs: 45_000, text: "Continue? [y/N] ", state: "waiting", why: "a prompt, and silence" },
    { silentMs: 45_000, text: "Compiling foo v1.0.0\n", state: "quiet", why: "silence without a prompt" },
    { silentMs: 45_000, text: "", state: "quiet", why: "no output at all" },
    {
      silentMs: 45_000,
      text: "\u001b[1;32m? \u001b[0mContinue? \u001b[?25l",
      state: "waiting",
      why: "escapes are not seen",
    },
    {
      silentMs: 45_000,
      text: "a\n\u001b[7mnotes.txt\u001b[27m\u001b[K",
      state: "waiting",
      why: "a pager names its file",
    },
    {
      silentMs: 45_000,
      text: `Continue? [y/N] ${"x".repeat(600)}`,
      state: "quiet",
      why: "the prompt is far behind",
    },
  ])("is $state: $why", ({ silentMs, text, state }) => {
    expect(judgeSilence({ silentMs, lastBytes: bytes(text) }).state).toBe(state);
  });

  it.each([
    { text: "> ", cpuMs: 44_000, state: "quiet", why: "it computes, and a weak prompt does not count" },
    { text: "> ", cpuMs: 100, state: "waiting", why: "it does nothing" },
    { text: "> ", cpuMs: undefined, state: "waiting", why: "nothing is known about its processor time" },
    {
      text: "Continue? [y/N] ",
      cpuMs: 44_000,
      state: "waiting",
      why: "another process of the task may compute",
    },
    { text: "", cpuMs: 44_000, state: "quiet", why: "it computes" },
  ])("with $cpuMs ms of processor time is $state: $why", ({ text, cpuMs, state }) => {
    expect(judgeSilence({ silentMs: 45_000, lastBytes: bytes(text), cpuMs }).state).toBe(state);
  });

  it("is reported with the facts", () => {
    const lastBytes = bytes("\u001b[31m[sudo] password for bob: ");
    expect(judgeSilence({ silentMs: 60_000, lastBytes, cpuMs: 20 })).toEqual({
      state: "waiting",
      silentMs: 60_000,
      cpuMs: 20,
      lastText: "[sudo] password for bob: ",
      pattern: "password",
    });
    expect(judgeSilence({ silentMs: 60_000, lastBytes: bytes("done\n") })).toEqual({
      state: "quiet",
      silentMs: 60_000,
    });
  });

  it("may have output whose end begins in the middle of a character", () => {
    const lastBytes = bytes("é続行しますか? [Y/n] ").subarray(1);
    expect(judgeSilence({ silentMs: 60_000, lastBytes }).state).toBe("waiting");
  });
});
