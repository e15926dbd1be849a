import fc from "fast-check";
import { history } from "palimpsest-testing/arbitraries";
import { describe, expect, it } from "vitest";
import { finish } from "#base/steps.ts";
import { addToDigest, createDigest, type Digest } from "#compaction/digest/digest.ts";
import { digestPartsInSteps, readDigestParts } from "#compaction/digest/digest-parts.ts";
import { readDigest, readDigestInSteps, writeDigest } from "#compaction/digest/saved-digest.ts";
import { rankLiterals } from "#compaction/literals/literal-ledger.ts";
import { assistant, call, result, user } from "#test/helpers/histories.ts";
import type { Message } from "#transcript/blocks.ts";

const MESSAGES: readonly Message[] = [
  user("fix the parser in src/parse.ts, never touch src/lexer.ts"),
  assistant(
    "r1",
    "The issue is that parseWindow4711 drops the last token because of the cut.\n- [ ] mend it",
    call("1", "Read", { file_path: "src/parse.ts" }),
    call("2", "Bash", { command: "npm test -- parse" }),
  ),
  user(result("2", "FAIL parse.test.ts: expected 4711")),
  assistant("r2", call("3", "ExitPlanMode", { plan: "1. mend the cut\n2. test it" })),
];

function digestOf(messages: readonly Message[], digest = createDigest(), firstSeq = 1): Digest {
  for (const [index, message] of messages.entries()) addToDigest(digest, firstSeq + index, message);
  return digest;
}

/** The digest with the ledger's strings, which lie in private arrays. */
const contentsOf = (digest: Digest) => ({ ...digest, literals: finish(rankLiterals(digest.literals)) });

describe("a digest that is stored", () => {
  it("is the same when it is read, and goes on as if it had never been stored", () => {
    const saved = readDigest(writeDigest(digestOf(MESSAGES)))!;
    expect(contentsOf(saved)).toEqual(contentsOf(digestOf(MESSAGES)));
    const later = [user(result("1", "export function parse() {}")), user("thanks")];
    const whole = digestOf([...MESSAGES, ...later]);
    expect(contentsOf(digestOf(later, saved, 5))).toEqual(contentsOf(whole));
    expect(saved.actions.find(({ call: text }) => text.startsWith("Read"))?.outcome).toBe("ok");
  });

  it("is the same over random histories, wherever it is cut", () => {
    fc.assert(
      fc.property(history(), fc.nat(), (steps, cut) => {
        const messages = steps.flatMap((step) => (step.do === "append" ? [step.message] : []));
        const at = cut % (messages.length + 1);
        const part = digestOf(messages.slice(0, at));
        const text = writeDigest(part);
        const base = digestOf(messages.slice(0, at >> 1)).words;
        const parts = finish(digestPartsInSteps(part, base));
        for (const saved of [readDigest(text)!, finish(readDigestParts(parts, base))!]) {
          expect(contentsOf(saved)).toEqual(contentsOf(part));
          const goneOn = digestOf(messages.slice(at), saved, at + 1);
          expect(contentsOf(goneOn)).toEqual(contentsOf(digestOf(messages)));
        }
      }),
      { numRuns: 150 },
    );
  });

  it("keeps the best strings where it may not keep all, and says how many it left", () => {
    const saved = readDigest(writeDigest(digestOf(MESSAGES), { literalCount: 2, userWordsCount: 9 }))!;
    const all = digestOf(MESSAGES).literals.records.size;
    expect(saved.literals.records.size).toBe(2);
    expect(saved.literals.forgottenCount).toBe(all - 2);
  });

  it("keeps of the user's words the first and the newest", () => {
    const messages = Array.from({ length: 9 }, (_, index) => user(`word ${index}`));
    const saved = readDigest(writeDigest(digestOf(messages), { literalCount: 9, userWordsCount: 3 }))!;
    expect(saved.userWords.map(({ text }) => text)).toEqual(["word 0", "word 7", "word 8"]);
    expect(saved.userCharacters).toBe(18);
    expect(saved.nextShortened).toBe(1);
  });

  it("is none where the text is damaged, of another version, or not one at all", () => {
    const text = writeDigest(digestOf(MESSAGES));
    const fields = fieldsOf(text);
    for (const broken of [
      "",
      "null",
      "[]",
      "{}",
      text.slice(0, -1),
      text.slice(0, text.lastIndexOf("\n")),
      text.replace('"version":8', '"version":99'),
    ])
      expect(readDigest(broken)).toBeUndefined();
    for (const name of Object.keys(fields))
      for (const value of [null, "x", -1, [[1, 2]], [["a", { seq: "no" }]]])
        expect(readDigest(textOf({ ...fields, [name]: value })), `${name}: ${String(value)}`).toBeUndefined();
  });
});

it("is none where a part is missing, or not one of the others'", () => {
  const digest = digestOf(MESSAGES);
  const parts = finish(digestPartsInSteps(digest, createDigest().words));
  const read = (some: readonly Uint8Array[]): unknown => finish(readDigestParts(some, createDigest().words));
  expect(read(parts)).toBeDefined();
  expect(parts.filter((_, index) => read(parts.toSpliced(index, 1)) !== undefined)).toEqual([]);
  expect(parts.filter((_, index) => read(parts.with(index, new Uint8Array(9))) !== undefined)).toEqual([]);
  const text = new TextDecoder().decode(parts[0]).replace('"version":8', '"version":7');
  expect(read(parts.with(0, new TextEncoder().encode(text)))).toBeUndefined();
});

/** The fields of a stored digest, each of which is a line. */
const fieldsOf = (text: string): Record<string, unknown> =>
  Object.assign({}, ...text.split("\n").map((line) => JSON.parse(line) as object));
const textOf = (fields: Record<string, unknown>): string =>
  Object.entries(fields)
    .map(([name, value]) => JSON.stringify({ [name]: value }))
    .join("\n");

it("is written and read a line at a time, none of which has more than one list", () => {
  const digest = digestOf(MESSAGES);
  const text = writeDigest(digest);
  const lists = text.split("\n").map((line) => Object.keys(JSON.parse(line) as object).length);
  expect(lists.every((count) => count === 1)).toBe(true);
  let steps = 0;
  for (const reading = readDigestInSteps(text.split("\n")); reading.next().done !== true; ) steps++;
  expect(steps).toBeGreaterThan(lists.length);
});
