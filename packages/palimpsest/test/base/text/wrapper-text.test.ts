/** The user's words in the first message of a session, which is its title. */
import { expect, it } from "vitest";
import { withoutWrappers } from "#base/text/wrapper-text.ts";

it.each([
  {
    text: "<current_datetime>8:00</current_datetime>\n\nHow are you?\n\n<reminder>\nNo tables.\n</reminder>",
    why: "Copilot CLI",
  },
  { text: "How are you?\n<system-reminder>Be brief.</system-reminder>", why: "Claude Code" },
  { text: "<user_query>How are you?</user_query>", why: "an element around the words" },
])("leaves out what programs put around them: $why", ({ text }) => {
  expect(withoutWrappers(text)).toBe("How are you?");
});

it("keeps an element that is all of a text, and one within it", () => {
  expect(withoutWrappers("Why does </reminder> end it?")).toBe("Why does </reminder> end it?");
  expect(withoutWrappers("<reminder>only</reminder>")).toBe("");
});
