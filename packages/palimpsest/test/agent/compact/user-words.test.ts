/** User messages stay to the letter, as long as a compaction's target leaves room for it. */
import { describe, expect, it } from "vitest";
import { type StageOptions, setTheStage, wordsOf } from "#test/agent/stage.ts";

const messageOf = (index: number): string =>
  `Message ${index} begins. ${"Please change the function named thing and do it well. ".repeat(16)}It ends, ${index}.`;
const LONG = `A pasted log. ${"It went on, and on, and it went well after all. ".repeat(400)}The log ends.`;

/** 50 messages of some 180 tokens, one of them of 4,000, and longer answers. */
async function conversation(options: StageOptions = {}) {
  const stage = await setTheStage({
    answer: (_, index) => `Answer ${index}. ${wordsOf(800)}`,
    ...options,
    window: { windowTokens: 200_000, ...options.window },
  });
  for (let index = 0; index < 50; index++)
    await stage.session.turn(index === 20 ? `${messageOf(20)} ${LONG}` : messageOf(index));
  return stage;
}

/** Messages of the user that the window does not show whole. */
function missingIn({ session }: Awaited<ReturnType<typeof conversation>>): readonly number[] {
  const shown = session.session.visible
    .flatMap(({ blocks }) => blocks.flatMap(({ block }) => (block.type === "text" ? [block.text] : [])))
    .join("\n");
  const missing = Array.from({ length: 50 }, (_, index) => index).filter(
    (index) => !shown.includes(messageOf(index)),
  );
  return shown.includes(LONG) ? missing : [...missing, 20];
}

describe("a compaction by hand", () => {
  it.each([
    { why: "by the model", kind: "full", window: {} },
    { why: "from the log", kind: "extractive", window: { disabledLayers: ["full"] } },
  ] as const)("$why keeps every message of the user whole", async ({ kind, window }) => {
    const stage = await conversation({ window });
    const { edits } = await stage.session.compact();
    expect(edits.map(({ edit }) => edit.kind)).toEqual([kind]);
    expect(missingIn(stage)).toEqual([]);
  });

  it("keeps the newest, names the others and stays within its target where not all fit", async () => {
    const stage = await conversation({
      window: { windowTokens: 32_000, disabledLayers: [] },
      answer: () => "Yes.",
    });
    await stage.session.compact().catch(() => undefined);
    expect(stage.session.session.tokens.padded).toBeLessThan(32_000 * 0.45);
    expect(missingIn(stage)).not.toContain(48);
  });
});

describe("a full window", () => {
  it("is summarised with every message of the user whole", async () => {
    const stage = await conversation({ answer: (_, index) => `Answer ${index}. ${wordsOf(3_200)}` });
    expect(stage.eventNames()).toContain("full (threshold)");
    expect(missingIn(stage)).toEqual([]);
  });
});
