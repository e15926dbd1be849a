/**
 * Notes that are full: the next prompt demands that they are shortened, and what matters most survives it.
 */
import { describe, expect, it } from "vitest";
import type { ModelRequest } from "#ports/model-client.ts";
import { madeUpAgent } from "#test/helpers/made-up-agent.ts";
import { playNoted, tooMuch } from "#test/helpers/noted-session.ts";
import { notesFaults, sectionsOf } from "./expected-notes.ts";

const promptOf = ({ messages }: ModelRequest): string => JSON.stringify(messages.at(-1));

const agentOf = (answers: number) =>
  madeUpAgent(Array.from({ length: answers }, () => ({ textTokens: 300, resultTokens: [700] })));

describe("notes that a model fills with far too much", () => {
  it.each([
    { windowTokens: 200_000, why: "at 12,000 tokens in all" },
    { windowTokens: 64_000, why: "scaled with the window" },
    { windowTokens: 32_000, why: "at the least that is of use" },
  ])("stay within their limits in a window of $windowTokens: $why", async ({ windowTokens }) => {
    const noted = await playNoted(agentOf(8), {
      windowTokens,
      notes: { costShareCap: "off", isGated: false },
      update: tooMuch,
    });
    expect(noted.notesTexts.length).toBeGreaterThan(3);
    expect(noted.notesTexts.flatMap((text) => notesFaults(text, windowTokens))).toEqual([]);
  });

  it("have room for what is being worked on and what failed, whatever else they are full of", async () => {
    const state =
      "Now the lock of the session is being mended; then its tests, and then the page of the release. ".repeat(
        8,
      );
    const error = "error E42: the lock was held by another process, and taking it once more has helped";
    const noted = await playNoted(agentOf(10), {
      windowTokens: 32_000,
      notes: { costShareCap: "off", isGated: false },
      update: (index) =>
        index < 3
          ? tooMuch(index).replace(/<append section="Current State">[\s\S]*?<\/append>\n/, "")
          : [
              `<replace section="Current State">\n${state}\n</replace>`,
              `<replace section="Errors & Corrections">\n- ${error}\n</replace>`,
            ].join("\n"),
    });
    const sections = sectionsOf(noted.notesTexts.at(-1)!);
    expect(sections.get("# Current State")).toContain(state.trim());
    expect(sections.get("# Errors & Corrections")).toContain(error);
    expect(notesFaults(noted.notesTexts.at(-1)!, 32_000)).toEqual([]);
  });
});

describe("notes that somebody made too long", () => {
  it("are to be shortened with the next update: the prompt names the sections", async () => {
    const prompts: string[] = [];
    const noted = await playNoted(agentOf(10), {
      windowTokens: 32_000,
      notes: { costShareCap: "off", isGated: false },
      edit: {
        afterChanges: 1,
        change: (text) =>
          text.replace(/(# Learnings\n.*\n)/, `$1${"- a lesson of somebody's own\n".repeat(600)}`),
      },
      update: (index, request) => {
        prompts.push(promptOf(request));
        return `<append section="Worklog">\n- step ${index}\n</append>`;
      },
    });
    expect(prompts[0]).not.toContain("must be shortened now");
    expect(prompts.at(-1)).toContain("These sections are over their limit and must be shortened now");
    expect(prompts.at(-1)).toMatch(/- Learnings: about \d+ tokens, and 500 is the limit/);
    expect(prompts.at(-1)).toContain("Keep Current State and Errors & Corrections exact");
    expect(noted.notesTexts.at(-1)).toContain("- a lesson of somebody's own");
  });
});
