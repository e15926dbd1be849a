/** A user's own words are separated from inserted text; in doubt a line is not theirs. */
import { describe, expect, it } from "vitest";
import { splitOwnWords } from "#memory/trust/own-words.ts";

describe("splitOwnWords", () => {
  it.each([
    { text: "fix the login", own: "fix the login", why: "a request" },
    { text: "a\n```\nb\n```\nc", own: "a\nc", why: "code" },
    { text: "a\n```\nnever closed", own: "a", why: "code that has no end" },
    { text: 'like this:\n"""\nbrew\n"""\nok?', own: "like this:\nok?", why: "a quotation of several lines" },
    { text: "> said\nI disagree", own: "I disagree", why: "a quotation" },
    { text: "Implement this plan:\n\n# Plan\n\nalways x", own: "Implement this plan:", why: "a document" },
    { text: "got this feedback:\n\nOne.\n\nTwo.", own: "got this feedback:", why: "what is announced" },
    { text: "do these:\n1. a b\n2. c d\n\nand thanks", own: "do these:\n\nand thanks", why: "a task's list" },
    {
      text: "from now on:\n- use tabs\n- no emoji",
      own: "from now on:\n- use tabs\n- no emoji",
      why: "a list of wishes",
    },
    { text: "1. Always exit with 1\n2. no output", own: "", why: "a list that nobody announced" },
    { text: "npm ERR! code 1\nwhat is that", own: "what is that", why: "a log" },
    { text: "=== NAME Test\n--- FAIL: Test (1s)", own: "", why: "a test's output" },
    { text: "const a = 1;\nrename a", own: "rename a", why: "a line of code" },
    { text: "  an indented line\nmine", own: "mine", why: "what a terminal indents" },
    { text: "x <system-reminder>y</system-reminder> z", own: "x \n z", why: "a host's reminder" },
    { text: "x <system-reminder>y\nz", own: "x", why: "a reminder without an end" },
    { text: "<task-notification>a</task-notification>\nRead b", own: "", why: "a host's message" },
    { text: "[Request interrupted by user]", own: "", why: "a host's notice" },
    { text: "# Always run the linter", own: "# Always run the linter", why: "a note of one line" },
    { text: `always ${"so and so ".repeat(500)}`, own: "", why: "a document without marks" },
  ])("$why", ({ text, own }) => {
    expect(splitOwnWords(text).own).toBe(own);
  });
});
