import { describe, expect, it } from "vitest";
import { keyFacts } from "#agent/notes/key-facts.ts";
import { addToDigest, createDigest } from "#compaction/digest/digest.ts";
import { factsOfDigest } from "#compaction/digest/saved-digest.ts";
import { mergeKeyFacts } from "#notes/merge-key-facts.ts";
import { parseNotes } from "#notes/notes-document.ts";
import { NOTES_TEMPLATE_TEXT } from "#notes/template.ts";
import { assistant, call, result, text, user } from "../../../../../test/helpers/windows.ts";

const MESSAGES = [
  user("Mend the parser."),
  assistant(
    "r1",
    text("I look."),
    call("c1", "Edit", { file_path: "/src/parser.ts", old_string: "a", new_string: "b" }),
  ),
  result("c1", "edited"),
  assistant("r2", call("c2", "Bash", { command: "npm test" })),
  result("c2", "Error: 3 tests failed", true),
  assistant(
    "r3",
    text("The cause was found: the parser skips the last token because its index starts at one."),
  ),
  user("Now mend the printer, too."),
];

const digest = createDigest();
for (const [index, message] of MESSAGES.entries()) addToDigest(digest, index + 1, message);

describe("facts of a session for its notes", () => {
  it("hold what the digest knows, in the words of the log", () => {
    const facts = factsOfDigest(digest);
    expect(facts.userWords.map((words) => words.text)).toEqual([
      "Mend the parser.",
      "Now mend the printer, too.",
    ]);
    expect(facts.files.map(({ path, edits }) => [path, edits])).toEqual([["/src/parser.ts", 1]]);
    expect(facts.commands.map(({ command, hasFailed }) => [command, hasFailed])).toEqual([
      ["npm test", true],
    ]);
    expect(facts.decisions.map((decision) => decision.text)).toEqual([
      "The cause was found: the parser skips the last token because its index starts at one.",
    ]);
  });

  it("are, of a stretch, the errors first, and each kind from the oldest to the newest", () => {
    expect(keyFacts(digest, 0).map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
      "errors: Bash: npm test: Error: 3 tests failed",
      "task: Mend the parser.",
      "task: Now mend the printer, too.",
      "files: /src/parser.ts: edited once",
      "workflow: npm test: Error: 3 tests failed",
      "learnings: The cause was found: the parser skips the last token because its index starts at one.",
    ]);
    expect(keyFacts(digest, 6).map(({ text }) => text)).toEqual(["Now mend the printer, too."]);
    expect(keyFacts(digest, 7)).toEqual([]);
  });

  it("include what an answer says to the letter, whatever its words and its language", () => {
    const answered = createDigest();
    const answer =
      "Der Dienst lauscht auf Port 48123 und liest /etc/billing/ledger.toml. Das ist schön. Let me open src/next.ts now.";
    addToDigest(answered, 1, user("Wo lauscht er?"));
    addToDigest(answered, 2, assistant("r1", text(answer)));
    expect(keyFacts(answered, 0).map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
      "task: Wo lauscht er?",
      "results: Der Dienst lauscht auf Port 48123 und liest /etc/billing/ledger.toml.",
    ]);
  });
});

describe("a fact in nearly the words of a line that is noted", () => {
  const limits = { sectionTokens: 2_000, totalTokens: 12_000 };
  const merged = (noted: string, fact: string): number => {
    const document = mergeKeyFacts(parseNotes(NOTES_TEMPLATE_TEXT), [{ kind: "learnings", text: noted }], {
      limits,
    }).document;
    const once = mergeKeyFacts(document, [{ kind: "learnings", text: fact }], { limits });
    expect(mergeKeyFacts(once.document, [{ kind: "learnings", text: fact }], { limits }).mergedCount).toBe(0);
    return once.mergedCount;
  };

  it.each([
    [
      "Deploy the billing service on Fridays before noon",
      "Deploy the billing service on Fridays, before noon.",
      0,
    ],
    [
      "Deploy the billing service on Fridays before noon",
      "Never deploy the billing service on Fridays before noon",
      1,
    ],
    [
      "Never deploy the billing service on Fridays before noon",
      "Deploy the billing service on Fridays before noon",
      1,
    ],
    [
      "The queue of the billing service isn't drained at night",
      "The queue of the billing service is drained at night",
      1,
    ],
    [
      "The important current result is what the billing queue wants",
      "The current result is what the billing queue wants",
      0,
    ],
  ])("is merged unless it says the same: %s / %s", (noted, fact, count) => {
    expect(merged(noted, fact)).toBe(count);
  });
});
