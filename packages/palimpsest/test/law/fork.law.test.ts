/**
 * Laws of forks: over random histories, a fork at any entry shows what a rewind to that entry would show,
 * and needs nothing of the session it came from.
 */
import fc from "fast-check";
import { type HistoryStep, history } from "palimpsest-testing/arbitraries";
import { describe, expect, it } from "vitest";
import { forkSession } from "#session/lifecycle/fork-session.ts";
import { openSession } from "#session/lifecycle/open-session.ts";
import type { SessionOptions } from "#session/options/session-options.ts";
import type { Session } from "#session/session.ts";
import { aSession, type TestSession } from "#test/helpers/sessions.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";

const RUNS = bySize({ usual: 30, long: 300, soak: 5_000 });

interface Lived {
  readonly session: Session;
  readonly messageSeqs: readonly number[];
  readonly calls: readonly number[];
}

/** Runs a history; refused steps are left out. */
async function live(test: TestSession, steps: readonly HistoryStep[]): Promise<Lived> {
  let session = test.session;
  const messageSeqs: number[] = [];
  const calls: number[] = [];
  for (const step of steps) {
    const edits = test.events.flatMap((event) => (event.type === "layer" ? [event.seq] : []));
    const pick = <T>(from: readonly T[], at: number): T | undefined => from[at % Math.max(1, from.length)];
    try {
      if (step.do === "append") messageSeqs.push(...(await session.append(step.message)));
      else if (step.do === "call") calls.push((await session.prepare({ model: "claude-opus-4-5" })).callSeq);
      else if (step.do === "pin") await session.pin({ seq: pick(messageSeqs, step.pick) ?? 1 });
      else if (step.do === "undo") await session.undo(pick(edits, step.pick) ?? 1);
      else if (step.do === "rewind") await session.rewind(pick(messageSeqs, step.pick) ?? 1);
      else if (step.do === "reopen" && messageSeqs.length > 0) {
        await session.close();
        session = await test.reopen();
      }
    } catch (error) {
      expect(error).toHaveProperty("code");
    }
  }
  return { session, messageSeqs, calls };
}

async function purge(session: Session, { store }: SessionOptions): Promise<void> {
  await session.close();
  await store.trash(session.id, { at: 0, reason: "test" });
  await store.purge(session.id);
}

describe("a fork, over random histories", () => {
  it("shows at any entry what a rewind to it would show, also when it is opened again after its parent is gone", async () => {
    const places = fc.array(fc.nat(), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(history({ maxSteps: 16 }), places, async (steps, picks) => {
        const test = await aSession({ windowTokens: 2_000 });
        const { session, messageSeqs, calls } = await live(test, steps);
        if (messageSeqs.length === 0) return;
        const head = (await headOf(session.id, test.options)) ?? 1;
        const forks: { readonly id: string; readonly visible: unknown }[] = [];
        for (const pick of picks) {
          const atSeq = 1 + (pick % head);
          const fork = await forkSession(session.id, { ...test.options, atSeq });
          await session.rewind(atSeq);
          expect(fork.visible, `at entry ${atSeq}`).toEqual(session.visible);
          expect(fork.pins).toEqual(session.pins);
          for (const seq of calls.filter((call) => call <= atSeq))
            expect(await fork.windowAt(seq)).toEqual(await session.windowAt(seq));
          forks.push({ id: fork.id, visible: fork.visible });
          await fork.close();
        }
        await purge(session, test.options);
        for (const { id, visible } of forks) {
          const opened = await openSession(id, test.options);
          expect(opened.visible).toEqual(visible);
          await opened.close();
        }
      }),
      { numRuns: RUNS },
    );
  });
});

async function headOf(id: string, { store }: SessionOptions): Promise<number | undefined> {
  const log = await store.open(id);
  let head: number | undefined;
  for await (const { entries } of log.readAll()) head = entries.at(-1)?.entry.seq ?? head;
  await log.close();
  return head;
}
