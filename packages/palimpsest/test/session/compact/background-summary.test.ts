/** A summary that is written ahead: one at a time, for one line, and nothing that it does is thrown. */
import { describe, expect, it } from "vitest";
import type { WrittenSummary } from "#compaction/summary/summary-prompt.ts";
import { BackgroundSummary } from "#session/compact/background-summary.ts";
import type { SummaryAsk } from "#session/compact/summary-request.ts";

const askAt = (revision: number): SummaryAsk => ({ revision, throughSeq: revision * 10 }) as SummaryAsk;
const summaryOf = ({ throughSeq }: SummaryAsk): WrittenSummary => ({
  text: "It is told.",
  throughSeq,
  model: "opus",
  leftOutRounds: 0,
});

interface Work {
  readonly ask: SummaryAsk;
  readonly signal: AbortSignal;
  readonly end: (written: WrittenSummary | "later" | undefined) => void;
  readonly fail: (error: unknown) => void;
}

function writer(): { readonly ahead: BackgroundSummary; readonly works: Work[] } {
  const works: Work[] = [];
  const ahead = new BackgroundSummary(
    (ask, signal) => new Promise((end, fail) => works.push({ ask, signal, end, fail })),
  );
  return { ahead, works };
}

/** One that is being written for the line of this revision. */
function running(revision = 1) {
  const made = writer();
  made.ahead.wish();
  made.ahead.known(askAt(revision));
  made.ahead.begin();
  return { ...made, work: made.works[0]! };
}

describe("a summary that is written ahead", () => {
  it("is begun where it was wished for, its request has left and was answered, in this order", () => {
    for (const steps of [["wish"], ["wish", "begin"], ["known", "begin"], ["begin"], ["wish", "known"]]) {
      const { ahead, works } = writer();
      for (const step of steps) {
        if (step === "wish") ahead.wish();
        else if (step === "known") ahead.known(askAt(1));
        else ahead.begin();
      }
      expect([works.length, ahead.isRunning], steps.join()).toEqual([0, false]);
    }
    expect(running().ahead.isRunning).toBe(true);
  });

  it("is written from the request that was answered, not from one that failed before it", () => {
    const { ahead, works } = writer();
    ahead.wish();
    ahead.known(askAt(1));
    ahead.wish();
    ahead.known(askAt(2));
    ahead.begin();
    expect(works.map(({ ask }) => ask.revision)).toEqual([2]);
  });

  it("is ready when it was written, for the line that it was written for, as often as it is asked for", async () => {
    const { ahead, work } = running(7);
    expect(ahead.ready(7)).toBeUndefined();
    work.end(summaryOf(work.ask));
    await ahead.settled();
    expect(ahead.ready(7)?.throughSeq).toBe(70);
    expect(ahead.ready(7)?.throughSeq).toBe(70);
  });

  it("is dropped where the line was edited meanwhile", async () => {
    const { ahead, work } = running(7);
    work.end(summaryOf(work.ask));
    await ahead.settled();
    expect(ahead.ready(8)).toBeUndefined();
    expect(ahead.ready(7)).toBeUndefined();
  });

  it("is one at a time", () => {
    const { ahead, works } = running();
    ahead.wish();
    ahead.known(askAt(2));
    ahead.begin();
    expect([works.length, ahead.isWished]).toEqual([1, false]);
  });

  it.each([
    { name: "none could be had", end: ({ end }: Work) => end(undefined) },
    { name: "writing it broke", end: ({ fail }: Work) => fail(new Error("broken")) },
  ])("that failed, because $name, is known until it is forgotten, and then another may be wished for", async ({
    end,
  }) => {
    const { ahead, work } = running();
    end(work);
    await ahead.settled();
    expect(ahead.ready(1)).toBeUndefined();
    expect(ahead.hasFailed).toBe(true);
    ahead.forgetFailure();
    expect(ahead.hasFailed).toBe(false);
    ahead.wish();
    expect(ahead.isWished).toBe(true);
  });

  it("that may not be written now is no failure, and may be wished for again", async () => {
    const { ahead, work } = running();
    work.end("later");
    await ahead.settled();
    expect([ahead.ready(1), ahead.hasFailed]).toEqual([undefined, false]);
    ahead.wish();
    expect(ahead.isWished).toBe(true);
  });

  it("is given up with the session, and waited for", async () => {
    const { ahead, work } = running();
    const stopped = ahead.stop();
    expect(work.signal.aborted).toBe(true);
    work.fail(work.signal.reason);
    await stopped;
    expect([ahead.isRunning, ahead.hasFailed]).toEqual([false, true]);
  });

  it("is over once the window was summarised, unless it is being written", async () => {
    const wished = writer().ahead;
    wished.wish();
    wished.used();
    expect(wished.isWished).toBe(false);
    const { ahead, work } = running();
    ahead.used();
    expect(ahead.isRunning).toBe(true);
    work.end(summaryOf(work.ask));
    await ahead.settled();
    ahead.used();
    expect(ahead.ready(1)).toBeUndefined();
  });
});
