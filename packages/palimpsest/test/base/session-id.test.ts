import fc from "fast-check";
import { expect, it } from "vitest";
import { checkNewSessionId, whyNoNewId } from "#base/session-id.ts";
import { isSessionId } from "#stores/shared/session-paths.ts";

it.each([
  "-rf",
  "--",
  "-",
  "a.",
  "a..",
  "CON",
  "con",
  "NUL.txt",
  "com1",
  "LPT9.log.gz",
  "aux",
  "__proto__",
  "constructor",
  "toString",
])("no new session gets the id %j", (id) => {
  expect(() => checkNewSessionId(id)).toThrow(
    expect.objectContaining({
      code: "OPTION_INVALID",
      message: expect.stringContaining(JSON.stringify(id)),
      hint: expect.stringContaining("letter"),
    }),
  );
});

it.each([
  "a",
  "a.b",
  "CONSOLE",
  "my-con",
  "com10",
  "com",
  "_x",
  "0",
  "3f2a-b",
  "proto",
])("a new session may get the id %j", (id) => {
  expect(whyNoNewId(id)).toBeUndefined();
});

it("what was an id before still is one: stored sessions can be opened", () => {
  fc.assert(fc.property(fc.constantFrom("-rf", "a.", "CON", "__proto__", "aux.1"), (id) => isSessionId(id)));
});
