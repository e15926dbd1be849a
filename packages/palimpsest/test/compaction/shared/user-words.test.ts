/** The user's own words, apart from what hosts put into the same message. */
import { expect, it } from "vitest";
import { stripHostTags } from "#compaction/shared/user-words.ts";

it.each([
  { host: "Claude Code", text: "<system-reminder>\nRead it.\n</system-reminder>\nFix the parser." },
  {
    host: "Copilot CLI",
    text: "<current_datetime>2026-01-01T08:00Z</current_datetime>\n\nFix the parser.\n\n<reminder>\n<tables>None.</tables>\n</reminder>",
  },
  { host: "Conductor", text: "<system_instruction>\nWork in /w.\n</system_instruction>\n\nFix the parser." },
])("leaves out what $host puts around them", ({ text }) => {
  expect(stripHostTags(text)).toBe("Fix the parser.");
});

it("finds none in the message with which Gemini CLI begins a session", () => {
  expect(stripHostTags("<session_context>\nThis is the Gemini CLI.\n</session_context>")).toBe("");
});
