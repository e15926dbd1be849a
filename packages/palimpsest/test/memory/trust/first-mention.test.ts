/** The first mention of a fact is found by its words, whichever message an extractor names. */
import { describe, expect, it } from "vitest";
import type { PieceSource } from "#memory/trust/attributed-text.ts";
import { findFirstMention } from "#memory/trust/claim-evidence.ts";

const pieces = (
  [
    ["old", "user", "The API listens on port 9090."],
    ["page", "web", "The gateway of the API restarts at noon."],
    ["echo", "agent", "Noted: the API listens on port 9091, the team says."],
    ["new", "user", "No, wait.\nThe API listens on port 9091."],
    ["again", "user", "As I said, the API listens on port 9091."],
    ["denied", "user", "The vault is not red."],
    ["red", "user", "The vault is red."],
  ] as const satisfies readonly (readonly [string, PieceSource, string])[]
).map(([id, source, text], turn) => ({ id, source, text, turn }));

describe("the message that says a fact first", () => {
  it.each([
    { text: "The API listens on port 9090.", isUsers: true, id: "old" },
    { text: "The API listens on port 9091.", isUsers: true, id: "new" },
    { text: "The API listens on port 9091.", isUsers: false, id: "echo" },
    { text: "The API of the team listens on port 9091.", isUsers: true, id: "new" },
    { text: "The vault is red.", isUsers: true, id: "red" },
    { text: "The gateway restarts at noon.", isUsers: false, id: undefined },
    { text: "Nobody ever spoke of otters.", isUsers: false, id: undefined },
    { text: "", isUsers: true, id: undefined },
  ])("$text $isUsers: $id", ({ text, isUsers, id }) => {
    expect(findFirstMention([{ text, isUsers }], pieces)[0]?.id).toBe(id);
  });
});
