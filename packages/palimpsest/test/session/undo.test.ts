/** Taking an edit back where the model binds its thinking to the history: until something was answered. */
import { describe, expect, it } from "vitest";
import type { Session } from "#session/session.ts";
import { assistant, user } from "#test/helpers/histories.ts";
import { aSession } from "#test/helpers/sessions.ts";
import type { Message } from "#transcript/blocks.ts";

const MODEL = { model: "claude-opus-4-5" };
const LONG = "It reads on and on, line by line, and word by word. ".repeat(60);

const shown = ({ visible }: Session): string => JSON.stringify(visible.map(({ blocks }) => blocks));

const thinking = (index: number): Message => ({
  role: "assistant",
  responseId: `r${index}`,
  content: [
    { type: "thinking", thinking: `Thought ${index}.`, signature: "signed" },
    { type: "text", text: `Answer ${index}.` },
  ],
});

/** A strict session whose last `prepare` compacted it, and its window before that. */
async function compacted() {
  const made = await aSession({ windowTokens: 16_000, editSafety: "strict" });
  const { session } = made;
  for (let turn = 0; turn < 60; turn++) {
    await session.append(user(`Question ${turn}. ${LONG}`));
    const before = shown(session);
    const { edits, callSeq } = await session.prepare(MODEL);
    if (edits.length > 0) return { ...made, before, edits, callSeq };
    await session.record({ messages: [thinking(turn)] });
  }
  throw new Error("the window was never full");
}

async function undoAll(session: Session, edits: readonly { readonly seq: number }[]): Promise<void> {
  for (const { seq } of edits.toReversed()) await session.undo(seq);
}

describe("an undo on a model that binds its thinking", () => {
  it("restores the exact window after a call that was only prepared", async () => {
    const { session, before, edits } = await compacted();
    await undoAll(session, edits);
    expect(shown(session)).toBe(before);
  });

  it("restores it after reopening, too", async () => {
    const { session, before, edits, reopen } = await compacted();
    await session.close();
    const again = await reopen();
    await undoAll(again, edits);
    expect(shown(again)).toBe(before);
  });

  it.each([
    { why: "answered", after: async (session: Session) => session.record({ messages: [thinking(99)] }) },
    {
      why: "answered, reopened, and hidden by a later compaction",
      after: async (session: Session, reopen: () => Promise<Session>) => {
        await session.record({ messages: [thinking(99)] });
        for (let turn = 0; turn < 8; turn++) await session.append(user(`More ${turn}. ${LONG}`));
        await session.prepare(MODEL);
        await session.close();
        return reopen();
      },
    },
  ])("is refused once it was $why, and names `rewind`", async ({ after }) => {
    const { session, edits, reopen } = await compacted();
    const made = await after(session, reopen);
    const now = "undo" in made ? made : session;
    const { seq } = edits[0]!;
    await expect(now.undo(seq)).rejects.toMatchObject({
      code: "UNDO_REFUSED",
      message: `Something was answered after edit ${seq}, and this model binds its thinking to the history it saw.`,
      hint: expect.stringContaining(`\`rewind(${seq - 1})\``),
    });
    await now.rewind(seq - 1);
    expect(shown(now)).toContain("Thought 0.");
    expect(shown(now)).not.toContain("Thought 99.");
  });

  it.each([
    { why: "an undo", back: (session: Session, seq: number) => session.undo(seq) },
    { why: "a rewind", back: (session: Session, seq: number) => session.rewind(seq - 1) },
  ])("shows no thinking that comes after $why of what it was thought in", async ({ back }) => {
    const { session, edits, callSeq } = await compacted();
    for (const { seq } of edits.toReversed()) await back(session, seq);
    await session.record({ callSeq, messages: [thinking(99)] });
    expect(shown(session)).toContain("Answer 99.");
    expect(shown(session)).not.toContain("Thought 99.");
    await session.append(user("And now?"));
    const { messages } = await session.prepare(MODEL);
    expect(JSON.stringify(messages)).not.toContain("Thought 99.");
  });

  it("hides no thinking of a call that saw what was restored", async () => {
    const { session, edits } = await compacted();
    await undoAll(session, edits);
    await session.append(assistant("r98", "Told."));
    await session.append(user("Go on."));
    const { callSeq, edits: again } = await session.prepare({ model: "claude-opus-4-5" });
    await session.record({ callSeq, messages: [thinking(99)] });
    expect(again.length).toBeGreaterThan(0);
    expect(shown(session)).toContain("Thought 99.");
  });
});
