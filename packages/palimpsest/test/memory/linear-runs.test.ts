/** Long runs of marks and blanks, as a table of contents or a hostile page has them: each is gone over a fixed number of times. */
import { describe, expect, it } from "vitest";
import { readFresh } from "#agent/memory/store/fresh-memory.ts";
import { findNumberedLines } from "#compaction/restore/numbered-lines.ts";
import { rememberRequestOf } from "#memory/cues/remember-request.ts";
import { extractByRules } from "#memory/extraction/rule-extractor.ts";
import { parseIndex } from "#memory/files/index-entries.ts";
import { statedChange } from "#memory/subject/stated-change.ts";
import { sentencesOf } from "#memory/trust/sentences.ts";
import { growth, LINEAR_LIMIT } from "../../../../test/helpers/counted-steps.ts";

const asked = (text: string): unknown =>
  extractByRules([
    { id: "m0", message: { role: "user", origin: "user", content: [{ type: "text", text }] } },
  ]);

const READERS: Readonly<Record<string, (run: string) => unknown>> = {
  "the sentences of a text": (run) => sentencesOf(`a${run}x`),
  "what a user wishes": (run) => rememberRequestOf(`Remember that a${run}x`),
  "facts of a conversation": (run) => asked(`Remember: the host is a${run}x`),
  "a change of a fact": (run) => statedChange(`the host is a${run}x`, "the host is b"),
  "the name of a memory": (run) => readFresh(`a${run}x`, { source: "user" } as never, false),
  "a line of the index": (run) => parseIndex(`- [a](b.md${run}x) - c`),
  "lines below numbered ones": (run) => findNumberedLines(["1: a", "2: b", `${run}x`]),
};

describe.each(Object.entries(READERS))("%s", (_name, read) => {
  it.each([
    ".",
    " ",
    "?",
    ",",
    "/",
    "!",
    "…",
    ". ",
    "? ",
  ])("takes steps in proportion to a run of %j", (piece) => {
    const steps = growth(
      () => read(piece.repeat(400 / piece.length)),
      () => read(piece.repeat(3_200 / piece.length)),
    );
    expect(steps).toBeLessThan(LINEAR_LIMIT);
  });
});
