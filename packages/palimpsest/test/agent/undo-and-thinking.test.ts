/** Taking back one of several compactions must not show thinking again behind a history that it did not see. */
import { expect, it } from "vitest";
import type { AgentSession } from "#agent/agent-session.ts";
import { setTheStage } from "./stage.ts";

const thought = (index: number) => [
  { type: "thinking", thinking: `Thought ${index}.`, signature: "signed" } as const,
  { type: "text", text: `Answer ${index}. ${"It reads on and on. ".repeat(60)}` } as const,
];

/** Compacted by hand from one message on, and then from an earlier one. */
async function twiceCompacted(): Promise<{ session: AgentSession; first: number; second: number }> {
  const { session } = await setTheStage({
    answer: (_, index) => thought(index),
    window: { editSafety: "strict" },
  });
  for (let turn = 0; turn < 4; turn++)
    await session.turn(`Question ${turn}. ${"Please look closely. ".repeat(60)}`);
  const pivots = session.session.visible.map(({ seq }) => seq);
  const compactFrom = async (from: number): Promise<number> =>
    (await session.compact({ from })).edits[0]!.seq;
  return { session, first: await compactFrom(pivots[4]!), second: await compactFrom(pivots[2]!) };
}

const thoughtsIn = ({ session }: AgentSession): readonly string[] =>
  session.visible.flatMap(({ blocks }) =>
    blocks.flatMap(({ block }) => (block.type === "thinking" ? [block.thinking] : [])),
  );

it("is refused while a later edit changed what stands before that thinking", async () => {
  const { session, first } = await twiceCompacted();
  const before = thoughtsIn(session);
  await expect(session.session.undo(first)).rejects.toMatchObject({ code: "UNDO_REFUSED" });
  expect(thoughtsIn(session)).toEqual(before);
});

it("is done from the last one back", async () => {
  const { session, first, second } = await twiceCompacted();
  await session.session.undo(second);
  await session.session.undo(first);
  expect(thoughtsIn(session)).toEqual(["Thought 0.", "Thought 1.", "Thought 2.", "Thought 3."]);
});
