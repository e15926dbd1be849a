/** What both forms of the call for a summary ask for. */
import { describe, expect, it } from "vitest";
import { composeColdPrompt, composeForkInstruction } from "#compaction/summary/summary-prompt.ts";

const asked = { summaryTokens: 4_000, instructions: "Keep all port numbers." };

describe.each([
  { form: "forked", prompt: composeForkInstruction(asked) },
  { form: "cold", prompt: composeColdPrompt("[user]\nПривет", { ...asked, leftOutRounds: 0 }) },
])("a $form call", ({ prompt }) => {
  it("asks for the conversation's language, whatever language the prompt has", () => {
    expect(prompt).toContain("Write in the language that the user writes in.");
  });

  it("asks for strings to the letter, and for the size that fits", () => {
    expect(prompt).toContain("Copy identifiers, paths, numbers, commands and error messages to the letter");
    expect(prompt).toContain("Use at most about 4000 tokens for the summary.");
  });

  it("ends with the wishes of the user or the host", () => {
    expect(prompt.endsWith("Additional instructions for this summary:\nKeep all port numbers.")).toBe(true);
  });
});
