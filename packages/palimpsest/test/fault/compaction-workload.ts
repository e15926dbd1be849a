/**
 * A session that the next turn has to compact, and the judge of what is found after the process that did so has ended:
 * the window is unchanged, or the summary replaces all that it covers. Nothing is in between.
 */
import { expect } from "vitest";
import { createPalimpsest, type Palimpsest } from "#host/create-palimpsest.ts";
import type { FileSystem } from "#ports/file-system.ts";
import { internalsOf } from "#session/session.ts";
import { FileSessionStore } from "#stores/files/file-session-store.ts";
import { nodeHasher, randomIds } from "#stores/platform/node-ports.ts";
import { asksForSummary, fakeModel, SUMMARY } from "#test/agent/fake-model.ts";
import { wordsOf } from "#test/agent/stage.ts";
import { assistant, user } from "#test/helpers/histories.ts";
import { blockText } from "#transcript/blocks.ts";
import type { VisibleMessage } from "#transcript/window.ts";

const WINDOW = {
  windowTokens: 16_000,
  policy: "faithful",
  disabledLayers: ["offload", "microcompact"],
} as const;
const QUESTIONS = 12;

const model = fakeModel((request) => (asksForSummary(request) ? SUMMARY : "I went on."));

export function sessionsOn(root: string, fs: FileSystem): Palimpsest {
  const store = new FileSessionStore({ root, fs, hasher: nodeHasher, ids: randomIds });
  return createPalimpsest({ model, store, window: WINDOW });
}

/** A session that the next turn has to compact. */
export async function fill(root: string, fs: FileSystem): Promise<readonly VisibleMessage[]> {
  const sessions = sessionsOn(root, fs);
  const { session } = await sessions.create({ sessionId: "s" });
  for (let index = 0; index < QUESTIONS; index++) {
    await session.append(user(`Question ${index}. ${wordsOf(600)}`));
    await session.append(assistant(`r${index}`, `Answer ${index}. ${wordsOf(600)}`));
  }
  const visible = [...session.visible];
  await sessions.close();
  return visible;
}

const textOf = (message: VisibleMessage | undefined): string =>
  (message?.blocks ?? []).map(({ block }) => blockText(block)).join("\n");

interface Ended {
  readonly root: string;
  readonly fs: FileSystem;
  readonly before: readonly VisibleMessage[];
  /** True if the prompt of the turn was certainly in the log. */
  readonly isAcknowledged: boolean;
}

/** Judges the window after the end; throws if it is neither of the two. */
export async function judge(
  { root, fs, before, isAcknowledged }: Ended,
  why: string,
): Promise<"old" | "new"> {
  const sessions = sessionsOn(root, fs);
  const agent = await sessions.open("s");
  const { visible, history } = agent.session;
  for (const { seq, blocks } of before)
    for (const { index, block } of blocks)
      expect(blockText((await history.block(`m${seq}.${index}`))!), why).toBe(blockText(block));
  const isNew = visible[0]?.origin === "summary";
  const shown = visible.map(textOf);
  if (isNew) {
    expect(shown[0], why).toContain("Question 0.");
    expect(
      shown.filter((text) => text.startsWith("Answer 0.")),
      why,
    ).toEqual([]);
  } else expect(visible.slice(0, before.length), why).toEqual(before);
  if (isAcknowledged) expect(shown.join("\n"), why).toContain("Go on.");
  const { writer } = internalsOf(agent.session);
  const folded = await writer.readProjection(writer.nextSeq - 1);
  expect(folded.visible, why).toEqual(visible);
  const next = await agent.turn("And then?");
  expect(next.endedBy, why).toBe("done");
  expect(agent.session.visible[0]?.origin, why).toBe("summary");
  await sessions.close();
  return isNew ? "new" : "old";
}
