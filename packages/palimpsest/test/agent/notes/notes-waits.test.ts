/**
 * The time that a turn waits for its notes: none as long as the window is not full, and at most 15 seconds if it is;
 * and whatever the model makes of an update, the turn goes as if there were none.
 */

import { FakeClock } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import type { Deadline } from "#ports/runtime.ts";
import { asksForNotes, asksForSummary, type FakeReply, NOTES_PATCHES } from "#test/agent/fake-model.ts";
import { callOf, docsTool, type Stage, type StageOptions, setTheStage } from "#test/agent/stage.ts";
import { quiet } from "#test/helpers/noted-session.ts";

const TOOLS = { tools: [docsTool(800)] };
const NOTED: StageOptions = { notes: { costShareCap: "off" } };
const never = (): Promise<FakeReply> => new Promise(() => {});

/** Time passes only for who waits for a compaction, and then at once; what else waits is left waiting. */
class CompactionTime implements Deadline {
  readonly clock = new FakeClock();
  readonly #waiting = new Map<() => void, number>();
  readonly waitedMs: number[] = [];
  endedCount = 0;
  readonly #instead: (() => void) | undefined;

  /** `instead`: what happens while a compaction waits, in the place of the time that passes. */
  constructor(instead?: () => void) {
    this.#instead = instead;
  }

  after(ms: number, work: () => void): () => void {
    this.#waiting.set(work, ms);
    if (ms === 15_000)
      void quiet()
        .then(quiet)
        .then(() => {
          if (!this.#waiting.has(work)) return;
          this.endedCount++;
          if (this.#instead === undefined) this.#pass(work, ms);
          else this.#instead();
        });
    return () => this.#waiting.delete(work);
  }

  /** Lets the time pass for all who wait for so long. */
  pass(ms: number): void {
    for (const [work, waits] of [...this.#waiting]) if (waits === ms) this.#pass(work, ms);
  }

  #pass(work: () => void, ms: number): void {
    this.#waiting.delete(work);
    this.waitedMs.push(ms);
    this.clock.advance(ms);
    work();
  }
}

const answersOf = ({ model }: Stage): readonly string[] =>
  model.requests
    .filter((request) => !asksForNotes(request) && !asksForSummary(request))
    .map(({ messages }) => JSON.stringify(messages));

async function closed({ session }: Stage, time: CompactionTime): Promise<void> {
  const closing = session.close();
  await quiet();
  time.pass(5_000);
  await closing;
}

describe("a turn", () => {
  it("waits for no update that never ends, as long as the window is not full", async () => {
    const without = await setTheStage({ calls: 15 });
    await without.session.turn("Read everything.", TOOLS);
    const time = new CompactionTime();
    const stage = await setTheStage({
      ...{ ...NOTED, calls: 15, deadline: time, clock: time.clock, notesAnswer: never },
    });
    const startMs = time.clock.nowMs();
    const result = await stage.session.turn("Read everything.", TOOLS);
    expect(result.endedBy).toBe("done");
    expect(stage.model.requests.filter(asksForNotes)).toHaveLength(1);
    expect(answersOf(stage)).toEqual(answersOf(without));
    expect(time.waitedMs).toEqual([]);
    expect(time.clock.nowMs() - startMs).toBe(0);
    await closed(stage, time);
    expect(time.waitedMs).toEqual([5_000]);
  });

  it("waits 15 seconds for it where the window is full, once for each compaction, and goes on without it", async () => {
    const time = new CompactionTime();
    const stage = await setTheStage({
      ...{ ...NOTED, calls: 60, deadline: time, clock: time.clock, notesAnswer: never },
    });
    const startMs = time.clock.nowMs();
    const result = await stage.session.turn("Read everything.", TOOLS);
    expect(result.endedBy).toBe("done");
    const full = stage.eventNames().filter((name) => name === "full (threshold)");
    expect(full.length).toBeGreaterThanOrEqual(2);
    expect(time.waitedMs).toEqual(full.map(() => 15_000));
    expect(time.clock.nowMs() - startMs).toBe(15_000 * full.length);
    await closed(stage, time);
  });

  it("waits no longer than the update takes, and then nobody is asked for a summary", async () => {
    let answers = 0;
    const held: ((reply: FakeReply) => void)[] = [];
    const time = new CompactionTime(() => {
      for (const end of held.splice(0)) end(NOTES_PATCHES);
    });
    const stage = await setTheStage({
      ...{ ...NOTED, deadline: time, clock: time.clock },
      notesAnswer: () =>
        answers < 26 ? NOTES_PATCHES : new Promise<FakeReply>((resolve) => held.push(resolve)),
      answer: (_, index) => {
        answers++;
        return index >= 34 ? "Done." : callOf(index);
      },
    });
    await stage.session.turn("Read everything.", TOOLS);
    expect(stage.eventNames().filter((name) => name !== "notes-update")).toEqual([
      "session-memory (threshold)",
    ]);
    expect(time.endedCount).toBe(1);
    expect(time.waitedMs).toEqual([]);
    for (const end of held) end(NOTES_PATCHES);
    await closed(stage, time);
  });

  const HUGE = `<replace section="Worklog">\n${"- one more line of it\n".repeat(5_000)}</replace>`;
  it.each<{ readonly name: string; readonly reply: () => FakeReply | Promise<FakeReply> }>([
    {
      name: "is refused as too long",
      reply: () => new Error("prompt is too long: 300000 tokens > 200000 maximum"),
    },
    { name: "is throttled", reply: () => Object.assign(new Error("rate limited"), { status: 429 }) },
    { name: "breaks", reply: () => new TypeError("fetch failed") },
    { name: "never ends", reply: never },
    { name: "answers nothing", reply: () => "" },
    { name: "goes on with the work", reply: () => callOf(99) },
    { name: "answers what is no answer", reply: () => ({ messages: null }) as never },
    { name: "writes far too much", reply: () => HUGE },
    {
      name: "says that it was billed the world",
      reply: () => ({
        messages: [],
        stopReason: "end",
        usage: { inputTokens: 1e15, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1e15 },
      }),
    },
  ])("goes as if there were no notes where an update $name", async ({ reply }) => {
    const without = await setTheStage({ calls: 15 });
    await without.session.turn("Read everything.", TOOLS);
    const time = new CompactionTime();
    const stage = await setTheStage({
      ...{ ...NOTED, calls: 15, deadline: time, clock: time.clock, notesAnswer: reply },
    });
    const result = await stage.session.turn("Read everything.", TOOLS);
    expect(result.endedBy).toBe("done");
    expect(stage.model.requests.filter(asksForNotes).length).toBeGreaterThan(0);
    expect(answersOf(stage)).toEqual(answersOf(without));
    // Nothing was compacted, nothing failed: only updates are reported.
    expect(stage.eventNames().filter((name) => name !== "notes-update")).toEqual([]);
    expect(time.waitedMs).toEqual([]);
    await closed(stage, time);
  });
});
