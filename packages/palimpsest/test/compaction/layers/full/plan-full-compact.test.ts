/** A model's summary as an edit: which messages it may replace, and when it is refused. */
import { describe, expect, it } from "vitest";
import { finish } from "#base/steps.ts";
import { addToDigest, createDigest } from "#compaction/digest/digest.ts";
import { fullCompactInSteps } from "#compaction/layers/full/plan-full-compact.ts";
import { rankLiterals } from "#compaction/literals/literal-ledger.ts";
import { fullCompactPolicy } from "#compaction/planner/policies.ts";
import type { PartialSpan } from "#compaction/summary/plan-compaction.ts";
import type { WrittenSummary } from "#compaction/summary/summary-prompt.ts";
import type { EditSafety } from "#tokens/models/edit-safety.ts";
import type { Message } from "#transcript/blocks.ts";
import type { LayerEdit } from "#transcript/edits.ts";
import type { VisibleMessage } from "#transcript/window.ts";
import { asWindow } from "../../../../../../test/helpers/recorded.ts";
import {
  applyEdit,
  assistant,
  call,
  measure,
  result,
  tokensOf,
  user,
} from "../../../../../../test/helpers/windows.ts";

const WINDOW = { windowTokens: 32_000, effectiveTokens: 28_000 };

const rounds = (from: number, to: number): readonly Message[] =>
  range(from, to).flatMap((index) => [
    assistant(`r${index}`, call(`c${index}`, "mcp__docs__get", { path: `src/file_${index}.ts` })),
    result(`c${index}`, `export const limit_${index}_x = 1;\n${"some words of it\n".repeat(200)}`),
  ]);

/** A prompt, and twelve rounds of a call and its result: messages 1 to 25. */
const MESSAGES: readonly Message[] = [user("Read all files."), ...rounds(0, 11)];

interface Given extends Partial<WrittenSummary> {
  readonly messages?: readonly Message[];
  readonly visible?: readonly VisibleMessage[];
  readonly editSafety?: EditSafety;
  readonly pendingCallIds?: readonly string[];
  readonly span?: PartialSpan;
}

const nine = (words = "The parser drops a token."): string =>
  Array.from({ length: 9 }, (_, index) => `${index + 1}. ${words}`).join("\n");

function plan({
  messages = MESSAGES,
  visible = asWindow(messages),
  editSafety = "permissive",
  pendingCallIds = [],
  span,
  ...written
}: Given = {}): LayerEdit | undefined {
  const digest = createDigest();
  for (const [index, message] of messages.entries()) addToDigest(digest, index + 1, message);
  return finish(
    fullCompactInSteps({
      visible,
      digest,
      measure,
      policy: fullCompactPolicy(
        { ...WINDOW, editSafety, pendingCallIds },
        { keptTail: { tokens: 300, floor: 300 } },
      ),
      pendingCallIds,
      reason: "threshold",
      span,
      written: { text: nine(), throughSeq: messages.length, model: "opus", leftOutRounds: 0, ...written },
    }),
  );
}

const shownAfter = (edit: LayerEdit, messages = MESSAGES): readonly (number | "summary")[] =>
  applyEdit(asWindow(messages), edit, 500).map(({ seq, insertedBy }) =>
    insertedBy === undefined ? seq : "summary",
  );
const textOf = (edit: LayerEdit): string => JSON.stringify(edit.effect.insert);

describe("a full compaction", () => {
  it("keeps the newest round where history may be edited, and nothing where it may not", () => {
    expect(shownAfter(plan()!)).toEqual(["summary", 24, 25]);
    expect(shownAfter(plan({ editSafety: "strict" })!)).toEqual(["summary"]);
  });

  it("says which model wrote it and what that cost", () => {
    const usage = { inputTokens: 5, cacheReadTokens: 90, cacheWriteTokens: 0, outputTokens: 7 };
    expect(plan()).toMatchObject({
      kind: "full",
      reason: "threshold",
      isBoundary: true,
      writtenBy: { model: "opus" },
    });
    expect(plan({ usage })?.writtenBy).toEqual({ model: "opus", usage });
    expect(plan()?.freedTokens).toBeGreaterThan(8_000);
  });

  it.each([
    { throughSeq: 25, shown: ["summary", 24, 25], why: "all of it" },
    { throughSeq: 23, shown: ["summary", 24, 25], why: "all but the newest round" },
    { throughSeq: 22, shown: ["summary", 22, 23, 24, 25], why: "a call without its result: its round stays" },
    { throughSeq: 15, shown: ["summary", 16, 17, 18, 19, 20, 21, 22, 23, 24, 25], why: "the first half" },
  ] as const)("hides nothing that the summary does not tell of: $why", ({ throughSeq, shown }) => {
    expect(shownAfter(plan({ throughSeq })!)).toEqual(shown);
  });

  it("is refused on a strict session where the summary does not tell of everything", () => {
    expect(plan({ editSafety: "strict", throughSeq: 23 })).toBeUndefined();
  });

  it("leaves a prompt that came later where it is, on a strict session, too", () => {
    const messages = [...MESSAGES, user("And the lexer.")];
    const edit = plan({ messages, throughSeq: 25, editSafety: "strict" })!;
    expect(shownAfter(edit, messages)).toEqual(["summary", 26]);
  });

  it.each([
    { given: { text: nine("long ".repeat(900)) }, why: "is larger than what it would stand for" },
    {
      given: { messages: [...MESSAGES, ...rounds(12, 30)], text: nine("word ".repeat(900)) },
      why: "misses the target",
    },
    { given: { pendingCallIds: ["c11"] }, why: "comes while a call waits for its result" },
    { given: { visible: [] }, why: "is of nothing" },
  ])("is refused where it $why", ({ given }) => {
    expect(plan(given)).toBeUndefined();
  });
});

it("of which the summary tells nothing is shortened where it stands, and not hidden", () => {
  const edit = plan({ throughSeq: 0 })!;
  expect(edit.kind).toBe("peel");
  expect(shownAfter(edit)).toEqual(range(1, 25));
});

describe("what the log does not know", () => {
  it("is marked, and what the window or the digest held is not", () => {
    const edit = plan({ text: nine("See src/file_3.ts, limit_7_x and src/invented.ts.") })!;
    expect(textOf(edit)).toContain("See src/file_3.ts, limit_7_x and src/invented.ts [unverified].");
  });

  it("is looked for in the whole log, not only in the window, and also where the ledger has forgotten", () => {
    const digest = createDigest(5);
    const earlier = [user("The port is 48213, the file old/first_reader.ts."), ...rounds(50, 60)];
    const all = [...earlier, ...MESSAGES];
    for (const [index, message] of all.entries()) addToDigest(digest, index + 1, message);
    const known = finish(rankLiterals(digest.literals)).map(({ text }) => text);
    expect(known).not.toContain("old/first_reader.ts");
    const edit = finish(
      fullCompactInSteps({
        visible: asWindow(MESSAGES, earlier.length + 1),
        digest,
        measure,
        policy: fullCompactPolicy(
          { ...WINDOW, editSafety: "permissive", pendingCallIds: [] },
          { keptTail: { tokens: 300, floor: 300 } },
        ),
        pendingCallIds: [],
        reason: "threshold",
        written: {
          text: nine("Port 48213 in `first_reader.ts:12`, not 48231 of second_reader.ts."),
          throughSeq: all.length,
          model: "opus",
          leftOutRounds: 0,
        },
      }),
    )!;
    expect(textOf(edit)).toContain(
      "Port 48213 in `first_reader.ts:12`, not 48231 [unverified] of second_reader.ts [unverified].",
    );
  });

  it("may be in the system prompt or in what the engine showed beside the log", () => {
    const given = {
      text: nine("The branch is release_4711, the file restored_part.ts, the name neither_of_them."),
    };
    const [first, ...rest] = asWindow(MESSAGES);
    const restored: VisibleMessage = {
      ...first!,
      origin: "restored",
      insertedBy: 99,
      blocks: [{ index: 0, form: "original", block: { type: "text", text: "restored_part.ts" } }],
    };
    const edit = plan({
      ...given,
      visible: [restored, first!, ...rest],
      besideTexts: ["On branch release_4711."],
    })!;
    expect(textOf(edit)).toContain(
      "The branch is release_4711, the file restored_part.ts, the name neither_of_them [unverified].",
    );
  });

  it("stays marked in the next summary, though the window has shown it", () => {
    const first = plan({ text: nine("See src/file_3.ts and src/invented.ts.") })!;
    const messages = [...MESSAGES, ...rounds(12, 23)];
    const visible = [
      ...applyEdit(asWindow(MESSAGES), first, 26),
      ...asWindow(messages)
        .slice(MESSAGES.length)
        .map((message) => ({ ...message, seq: message.seq + 1 })),
    ];
    const second = plan({
      messages,
      visible,
      throughSeq: 100,
      text: nine("See src/file_3.ts and src/invented.ts."),
    })!;
    expect(textOf(second)).toContain("See src/file_3.ts and src/invented.ts [unverified].");
  });
});

describe("one side of a pivot", () => {
  const span = (side: PartialSpan["side"], pivotSeq: number): PartialSpan => ({ side, pivotSeq });

  it.each([
    { side: "up-to", pivotSeq: 16, shown: ["summary", ...range(16, 25)], why: "a place to cut" },
    {
      side: "up-to",
      pivotSeq: 17,
      shown: ["summary", ...range(16, 25)],
      why: "a result stays with its call",
    },
    { side: "from", pivotSeq: 16, shown: [...range(1, 15), "summary"], why: "a place to cut" },
    { side: "from", pivotSeq: 17, shown: [...range(1, 17), "summary"], why: "a result stays with its call" },
    { side: "from", pivotSeq: 1, shown: ["summary"], why: "everything" },
  ] as const)("$side $pivotSeq: $why", ({ side, pivotSeq, shown }) => {
    expect(shownAfter(plan({ span: span(side, pivotSeq) })!)).toEqual(shown);
  });

  it.each([
    { side: "up-to", pivotSeq: 1, why: "nothing stands before it" },
    { side: "up-to", pivotSeq: 2, why: "too little to gain" },
    { side: "from", pivotSeq: 99, why: "there is no such entry" },
    { side: "from", pivotSeq: 25, why: "the last round cannot be cut" },
  ] as const)("$side $pivotSeq is refused: $why", ({ side, pivotSeq }) => {
    expect(plan({ span: span(side, pivotSeq) })).toBeUndefined();
  });
});

function range(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

it("frees what it says", () => {
  const edit = plan()!;
  const freed = tokensOf(asWindow(MESSAGES)) - tokensOf(applyEdit(asWindow(MESSAGES), edit, 500));
  expect(edit.freedTokens).toBe(freed);
});
