import { describe, expect, it } from "vitest";
import { errorMessage } from "#base/errors.ts";

const NO_WORDS = "something was thrown that says nothing of itself";
const speechless = new Error("never read");
Object.defineProperty(speechless, "message", {
  get: () => {
    throw new TypeError("not readable");
  },
});

describe("what something that was thrown says of itself", () => {
  it.each<readonly [string, unknown, string]>([
    ["an error", new RangeError("too long"), "too long"],
    ["a text", "stop", "stop"],
    ["nothing", undefined, "undefined"],
    ["an object", { code: 7 }, "[object Object]"],
    ["an object without any method", Object.create(null), NO_WORDS],
    ["an error whose message cannot be read", speechless, NO_WORDS],
  ])("is a text, whatever it is: %s", (_name, thrown, text) => {
    expect(errorMessage(thrown)).toBe(text);
  });
});
