import { inspect } from "node:util";
import { expect, it } from "vitest";
import { OptionError, WindowTooSmallError } from "#base/errors.ts";

const thrown = new OptionError({ message: "The value is 3.", hint: "Pass 4." });

it("an error shows its hint wherever it is printed whole, and keeps the message for what happened", () => {
  expect(thrown.message).toBe("The value is 3.");
  expect(String(thrown)).toBe("OptionError: The value is 3. Pass 4.");
  expect(thrown.stack?.split("\n")[0]).toBe("OptionError: The value is 3. Pass 4.");
  expect(thrown.stack?.split("\n")[1]).toContain("errors-shown.test.ts");
  expect(inspect(thrown).split("\n")[0]).toBe("OptionError: The value is 3. Pass 4.");
  expect(Object.keys(thrown).sort()).toEqual(["code", "hint", "name"]);
});

it("an error whose message the class writes shows its hint, too", () => {
  const error = new WindowTooSmallError({
    neededTokens: 9,
    availableTokens: 5,
    fixedTokens: 1,
    windowTokens: 6,
  });
  expect(error.stack).toContain(
    "WindowTooSmallError: The window of 6 tokens leaves 5 for a request; system prompt and tools (1) with the newest round need 9. Use a model with a larger window, or shorten the system prompt and the tool list.\n",
  );
});

it.each([
  {
    message: "The model said: no key",
    shown: "The model said: no key. Pass one.",
    why: "a provider's words",
  },
  { message: "Not `a.b`", shown: "Not `a.b`. Pass one.", why: "a name in code" },
  { message: 'It said "No."', shown: 'It said "No." Pass one.', why: "a quotation with its full stop" },
  { message: "Is it there?", shown: "Is it there? Pass one.", why: "a question" },
])("a message ends before the hint begins: $why", ({ message, shown }) => {
  expect(String(new OptionError({ message, hint: "Pass one." }))).toBe(`OptionError: ${shown}`);
});
