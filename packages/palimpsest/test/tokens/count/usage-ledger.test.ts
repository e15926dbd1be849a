import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Calibration } from "#tokens/count/calibration.ts";
import { UsageLedger } from "#tokens/count/usage-ledger.ts";

const MODEL = "claude-opus-4-5";
const usageOf = (inputTokens: number, outputTokens: number) => ({
  inputTokens: 0,
  cacheReadTokens: inputTokens,
  cacheWriteTokens: 0,
  outputTokens,
});

/** A call: what is in the window leaves, and returns as reported, with a reply. */
function call(
  ledger: UsageLedger,
  { input, output = 100, reply = output }: { input: number; output?: number; reply?: number },
) {
  const sent = ledger.requestSent();
  ledger.messageAdded(reply);
  ledger.usageReported({ sent, usage: usageOf(input, output), replyTokens: reply });
}

describe("UsageLedger", () => {
  it("estimates until something is reported, and pads only for the question whether it fits", () => {
    const ledger = new UsageLedger({ model: MODEL, fixedTokens: 3_000 });
    ledger.messageAdded(6_000);
    expect(ledger.figure()).toEqual({ tokens: 9_000, fitTokens: 12_000, source: "estimate" });
  });

  it("is exact after a report and adds only what came since", () => {
    const ledger = new UsageLedger({ model: MODEL });
    ledger.messageAdded(6_000);
    call(ledger, { input: 20_000, output: 500 });
    expect(ledger.figure()).toEqual({ tokens: 20_500, fitTokens: 20_500, source: "reported" });
    ledger.messageAdded(1_000);
    expect(ledger.figure()).toEqual({ tokens: 21_500, fitTokens: 21_834, source: "anchored" });
  });

  it("counts a reserved prompt into every request, exactly and besides what is known", () => {
    const ledger = new UsageLedger({ model: MODEL, fixedTokens: 3_000 });
    ledger.messageAdded(6_000);
    ledger.reserveFixed(12_000);
    expect(ledger.figure()).toEqual({ tokens: 21_000, fitTokens: 24_000, source: "estimate" });
    expect(ledger.fixedFigure()).toEqual({ tokens: 15_000, fitTokens: 16_000, source: "estimate" });
    call(ledger, { input: 20_900, output: 500 });
    expect(ledger.figure()).toEqual({ tokens: 21_400, fitTokens: 21_400, source: "reported" });
    ledger.windowReplaced(1_000);
    expect(ledger.figure().tokens).toBe(16_000);
  });

  it("gives the same whether the reply is added before or after its report", () => {
    const figures = [true, false].map((isBefore) => {
      const ledger = new UsageLedger({ model: MODEL });
      ledger.messageAdded(6_000);
      const sent = ledger.requestSent();
      if (isBefore) ledger.messageAdded(480);
      ledger.usageReported({ sent, usage: usageOf(20_000, 500), replyTokens: 480 });
      if (!isBefore) ledger.messageAdded(480);
      ledger.messageAdded(1_000);
      return ledger.figure();
    });
    expect(figures[0]).toEqual(figures[1]);
  });

  it("counts what was added while the request was under way", () => {
    const ledger = new UsageLedger({ model: MODEL });
    ledger.messageAdded(6_000);
    const sent = ledger.requestSent();
    ledger.messageAdded(700);
    ledger.messageAdded(480);
    ledger.usageReported({ sent, usage: usageOf(20_000, 500), replyTokens: 480 });
    expect(ledger.figure().tokens).toBe(21_200);
  });

  it("does not believe a placeholder in place of the output", () => {
    const ledger = new UsageLedger({ model: MODEL });
    ledger.messageAdded(6_000);
    call(ledger, { input: 20_000, output: 3, reply: 900 });
    expect(ledger.figure()).toEqual({ tokens: 20_900, fitTokens: 21_200, source: "anchored" });
  });

  it.each([
    { change: (ledger: UsageLedger) => ledger.windowReplaced(2_000), tokens: 16_000, why: "an edit" },
    {
      change: (ledger: UsageLedger) => ledger.modelSwitched("claude-opus-5"),
      tokens: 27_470,
      why: "a switch of the model",
    },
    {
      change: (ledger: UsageLedger) => ledger.fixedChanged(5_000),
      tokens: 11_500,
      why: "a change of system prompt or tools",
    },
  ])("forgets the report after $why, until the next one", ({ change, tokens }) => {
    const ledger = new UsageLedger({ model: MODEL });
    ledger.messageAdded(6_000);
    call(ledger, { input: 20_000, output: 500 });
    change(ledger);
    expect(ledger.figure().source).toBe("estimate");
    expect(ledger.figure().tokens).toBe(tokens);
    call(ledger, { input: 12_000, output: 100 });
    expect(ledger.figure()).toEqual({ tokens: 12_100, fitTokens: 12_100, source: "reported" });
  });

  it("ignores the report of a request that left before an edit", () => {
    const ledger = new UsageLedger({ model: MODEL, fixedTokens: 0 });
    ledger.messageAdded(50_000);
    const sent = ledger.requestSent();
    ledger.windowReplaced(8_000);
    ledger.usageReported({ sent, usage: usageOf(50_000, 500), replyTokens: 500 });
    expect(ledger.figure()).toEqual({ tokens: 8_000, fitTokens: 10_667, source: "estimate" });
  });

  it("infers the fixed part from the first report where the log has none", () => {
    const ledger = new UsageLedger({ model: MODEL });
    expect(ledger.fixedFigure()).toEqual({ tokens: 0, fitTokens: 0, source: "estimate" });
    ledger.messageAdded(6_000);
    call(ledger, { input: 20_000 });
    expect(ledger.fixedFigure()).toEqual({ tokens: 14_000, fitTokens: 14_000, source: "anchored" });
  });

  it("estimates the fixed part where it is known", () => {
    const ledger = new UsageLedger({ model: MODEL, fixedTokens: 3_000 });
    expect(ledger.fixedFigure()).toEqual({ tokens: 3_000, fitTokens: 4_000, source: "estimate" });
  });

  it("takes a counter's figure as an anchor and says whose it is", () => {
    const ledger = new UsageLedger({ model: MODEL });
    ledger.messageAdded(6_000);
    ledger.counted({ tokens: 7_100, source: "counter:o200k" });
    expect(ledger.figure()).toEqual({ tokens: 7_100, fitTokens: 7_100, source: "counter:o200k" });
    ledger.messageAdded(100);
    expect(ledger.figure().source).toBe("anchored");
  });

  it("learns the ratio of the session and keeps it over an edit", () => {
    const ledger = new UsageLedger({ model: MODEL });
    let input = 10_000;
    for (let turn = 0; turn < 30; turn++) {
      ledger.messageAdded(1_000);
      input += 1_200;
      call(ledger, { input, output: 100 });
      input += 100;
    }
    expect(ledger.ratio).toBeGreaterThan(1.15);
    expect(ledger.ratio).toBeLessThanOrEqual(1.2);
    expect(ledger.padding).toBeLessThan(1.1);
    ledger.windowReplaced(1_000);
    expect(ledger.ratio).toBeGreaterThan(1.15);
  });

  it("goes on where it was after a restart", () => {
    const ledger = new UsageLedger({ model: MODEL });
    ledger.messageAdded(6_000);
    call(ledger, { input: 20_000, output: 500 });
    const snapshot = JSON.parse(JSON.stringify(ledger.snapshot())) as unknown;
    const reopened = new UsageLedger({ model: MODEL, snapshot });
    reopened.windowRestored(6_500);
    expect(reopened.figure()).toEqual(ledger.figure());
    expect(reopened.fixedFigure()).toEqual(ledger.fixedFigure());
  });

  it("opens with any snapshot, however damaged", () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (anchor, ratios) => {
        for (const snapshot of [
          anchor,
          { model: MODEL, anchor, ratios },
          { model: MODEL, ratios: { [MODEL]: ratios } },
        ]) {
          const figure = new UsageLedger({ model: MODEL, snapshot }).figure();
          expect(Number.isFinite(figure.tokens)).toBe(true);
        }
      }),
    );
  });

  it("gives finite figures, the padded never below the plain, through any sequence of events", () => {
    const event = fc.oneof(
      fc.record({ type: fc.constant("add" as const), tokens: fc.nat(50_000) }),
      fc.record({ type: fc.constant("replace" as const), tokens: fc.nat(50_000) }),
      fc.record({
        type: fc.constant("report" as const),
        tokens: fc.oneof(fc.nat(400_000), fc.constant(Number.NaN)),
      }),
      fc.record({ type: fc.constant("switch" as const), tokens: fc.nat(3) }),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const ledger = new UsageLedger({ model: MODEL });
        for (const { type, tokens } of events) {
          if (type === "add") ledger.messageAdded(tokens);
          else if (type === "replace") ledger.windowReplaced(tokens);
          else if (type === "switch") ledger.modelSwitched(["claude-opus-5", "gpt-5", "x", MODEL][tokens]!);
          else call(ledger, { input: tokens, output: 50 });
          const figure = ledger.figure();
          expect(Number.isSafeInteger(figure.tokens) && figure.tokens >= 0).toBe(true);
          expect(figure.fitTokens).toBeGreaterThanOrEqual(figure.tokens);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("Calibration", () => {
  const sample = (ratio: number, estimatedTokens = 1_000) => ({
    estimatedTokens,
    reportedTokens: ratio * estimatedTokens,
  });

  it("believes the family until something was seen", () => {
    const calibration = new Calibration({ priorRatio: 1.34 });
    expect(calibration.ratio()).toBe(1.34);
    expect(calibration.padding()).toBeCloseTo(4 / 3, 9);
  });

  it.each([
    { bad: { estimatedTokens: 1_000, reportedTokens: Number.NaN }, why: "damaged" },
    {
      bad: { estimatedTokens: 1_000, reportedTokens: -500 },
      why: "negative, the provider dropped something",
    },
    { bad: { estimatedTokens: 1_000, reportedTokens: 60_000 }, why: "full of unlogged content" },
    { bad: { estimatedTokens: 0, reportedTokens: 500 }, why: "about nothing" },
    { bad: { estimatedTokens: 20, reportedTokens: 60 }, why: "too small to say anything" },
  ])("learns nothing from an increment that is $why", ({ bad }) => {
    const calibration = new Calibration({ priorRatio: 1 });
    expect(calibration.observe(bad)).toBe(false);
    expect(calibration.ratio()).toBe(1);
  });

  it("is not poisoned by a third of dirty increments", () => {
    const calibration = new Calibration({ priorRatio: 1 });
    for (let turn = 0; turn < 60; turn++) calibration.observe(sample(turn % 3 === 0 ? 2.2 : 1.1));
    expect(calibration.ratio()).toBeGreaterThan(1.05);
    expect(calibration.ratio()).toBeLessThan(1.15);
  });

  it("gives up a prior that everything contradicts", () => {
    const calibration = new Calibration({ priorRatio: 1 });
    for (let turn = 0; turn < 40; turn++) calibration.observe(sample(4));
    expect(calibration.ratio()).toBeGreaterThan(3.5);
  });

  it("tightens its padding to the floor as increments agree, and not below", () => {
    const calibration = new Calibration({ priorRatio: 1 });
    const paddings = Array.from({ length: 40 }, () => {
      calibration.observe(sample(1, 4_000));
      return calibration.padding();
    });
    expect(paddings).toEqual([...paddings].sort((left, right) => right - left));
    expect(paddings.at(-1)).toBe(1.05);
  });
});

describe("a reply that is not shown as it was said", () => {
  it("counts by what is shown of it, not by what was billed for it", () => {
    const ledger = new UsageLedger({ model: MODEL });
    ledger.messageAdded(6_000);
    const sent = ledger.requestSent();
    ledger.messageAdded(1_000);
    ledger.usageReported({ sent, usage: usageOf(6_000, 11_000), replyTokens: 1_000, isReplyWhole: false });
    expect(ledger.figure()).toMatchObject({ tokens: 7_000, source: "anchored" });
  });
});

describe("a report that is far off what was expected", () => {
  /** A window of 20,000 tokens that was reported as such, and grew by 1,000. */
  function aLedger(): UsageLedger {
    const ledger = new UsageLedger({ model: MODEL, fixedTokens: 0 });
    ledger.messageAdded(19_900);
    call(ledger, { input: 19_900, output: 100 });
    ledger.messageAdded(1_000);
    return ledger;
  }

  function report(ledger: UsageLedger, inputTokens: number, windowTokens = 200_000) {
    const sent = ledger.requestSent();
    ledger.messageAdded(100);
    return ledger.usageReported({ sent, usage: usageOf(inputTokens, 100), replyTokens: 100, windowTokens });
  }

  it.each([
    { inputTokens: 3, why: "only what was not in the cache" },
    { inputTokens: 9_000, why: "less than half" },
    { inputTokens: 60_000, why: "a sum over several calls" },
    { inputTokens: 2_000_000, why: "more than any window" },
  ])("moves no figure: $why", ({ inputTokens }) => {
    const ledger = aLedger();
    expect(report(ledger, inputTokens)).toBe("doubted");
    expect(ledger.figure().tokens).toBe(21_100);
  });

  it("is believed when the next one says the same", () => {
    const ledger = aLedger();
    expect(report(ledger, 60_000)).toBe("doubted");
    ledger.messageAdded(1_000);
    expect(report(ledger, 61_100)).toBe("believed");
    expect(ledger.figure()).toEqual({ tokens: 61_200, fitTokens: 61_200, source: "reported" });
  });

  it("is not believed when the next one says something else", () => {
    const ledger = aLedger();
    expect(report(ledger, 3)).toBe("doubted");
    ledger.messageAdded(1_000);
    expect(report(ledger, 900)).toBe("doubted");
    expect(report(ledger, 22_200)).toBe("believed");
  });

  it("is never believed above the window where the estimate is far below", () => {
    const ledger = aLedger();
    expect(report(ledger, 900_000)).toBe("doubted");
    expect(report(ledger, 900_100)).toBe("doubted");
    expect(ledger.figure().tokens).toBe(21_200);
  });

  it("is believed where nothing was reported before: a host may send more than it tells", () => {
    const ledger = new UsageLedger({ model: MODEL });
    ledger.messageAdded(100);
    expect(report(ledger, 60_000)).toBe("believed");
    expect(ledger.figure().tokens).toBe(60_100);
  });

  it("is believed where the estimate says the same, whatever was reported before", () => {
    const ledger = new UsageLedger({ model: MODEL, fixedTokens: 0 });
    ledger.messageAdded(20_000);
    // The first report of a session has nothing to be held against.
    expect(report(ledger, 3)).toBe("believed");
    ledger.messageAdded(1_000);
    expect(report(ledger, 21_100)).toBe("believed");
  });
});

describe("sealed reasoning", () => {
  const reply = { replyTokens: 200, sealedTokens: 50 };

  /** A call of a turn: 150 tokens of the answer are there to read, the rest of `outputTokens` is reasoning. */
  function answered(model: string): UsageLedger {
    const ledger = new UsageLedger({ model, fixedTokens: 0 });
    ledger.messageAdded(10_000);
    const sent = ledger.requestSent();
    ledger.messageAdded(reply.replyTokens);
    ledger.usageReported({ sent, usage: usageOf(10_000, 1_150), ...reply });
    return ledger;
  }

  it("is in the window until the user speaks again, and held to fit for one call more", () => {
    const ledger = answered("gpt-5.5");
    const before = ledger.figure().tokens;
    expect(before).toBe(11_150);
    ledger.turnBegan();
    const { tokens, fitTokens } = ledger.figure();
    // 150 reference tokens are 130 of this model's.
    expect(before - tokens).toBeGreaterThan(1_000);
    expect(before - tokens).toBeLessThan(1_040);
    expect(fitTokens).toBe(11_150);
    ledger.turnBegan();
    expect(ledger.figure().tokens).toBe(tokens);
  });

  it("stays where the model reads it for good", () => {
    const ledger = answered("claude-opus-4-6");
    ledger.turnBegan();
    expect(ledger.figure().tokens).toBe(11_150);
  });

  it("is remembered over a restart", () => {
    const ledger = answered("gpt-5.5");
    const snapshot = JSON.parse(JSON.stringify(ledger.snapshot())) as unknown;
    const again = new UsageLedger({ model: "gpt-5.5", fixedTokens: 0, snapshot });
    again.windowRestored(10_200);
    ledger.turnBegan();
    again.turnBegan();
    expect(again.figure()).toEqual(ledger.figure());
  });
});
