import { describe, expect, it } from "vitest";
import { findPrompt } from "#tasks/prompt-patterns.ts";
import { OUTPUTS } from "./known-outputs.ts";
import { PROMPTS } from "./known-prompts.ts";

describe("the end of an output", () => {
  it(`is a prompt in each of ${PROMPTS.length} outputs of programs that wait`, () => {
    expect(PROMPTS.filter((text) => findPrompt(text) === undefined)).toEqual([]);
  });

  it(`is not a prompt in any of ${OUTPUTS.length} outputs of programs that do not wait`, () => {
    const wrong = OUTPUTS.map((text) => [text, findPrompt(text)?.name]).filter(
      ([, name]) => name !== undefined,
    );
    expect(wrong).toEqual([]);
  });

  it("is not a prompt once it has been answered and the program goes on", () => {
    const wrong = PROMPTS.map((text) => `${text}y\nReading the list of packages.\n`).filter(
      (text) => findPrompt(text) !== undefined,
    );
    expect(wrong).toEqual([]);
  });

  it("is a strong one if a weak pattern fits, too", () => {
    expect(findPrompt("Do you want to continue? [Y/n]: ")).toEqual({ name: "yes or no", isWeak: false });
    expect(findPrompt("$ ")).toEqual({ name: "shell", isWeak: true });
  });
});
