import { describe, expect, it } from "vitest";
import type { TokenCounter } from "#ports/model-client.ts";
import {
  type CounterFailure,
  CountingChain,
  needsCounter,
  type TokenFigure,
} from "#tokens/count/counting-chain.ts";

const THRESHOLDS = [167_000];
const figure = (tokens: number, source: TokenFigure["source"]): TokenFigure => ({
  tokens,
  fitTokens: tokens,
  source,
});
const request = () => ({ model: "m", messages: [] });
const counter = (name: string, count: () => Promise<number>): TokenCounter => ({ name, count });
/** A deadline of a host whose clock has run out: what has not settled by now is too late. */
const now = <Value>(work: Promise<Value>) =>
  Promise.race([
    work,
    Promise.resolve()
      .then(() => Promise.resolve())
      .then(() => Promise.reject(new Error("too late"))),
  ]);

describe("needsCounter", () => {
  it.each([
    { of: figure(50_000, "estimate"), needed: true, why: "nothing is reported" },
    { of: figure(50_000, "anchored"), needed: false, why: "far below the threshold" },
    { of: figure(150_299, "anchored"), needed: false, why: "just outside a tenth of it" },
    { of: figure(150_300, "anchored"), needed: true, why: "a tenth below it" },
    { of: figure(183_700, "anchored"), needed: true, why: "a tenth above it" },
    { of: figure(166_999, "reported"), needed: false, why: "a report is exact, however near" },
    { of: figure(166_999, "counter:x"), needed: false, why: "it was just counted" },
  ])("is $needed: $why", ({ of, needed }) => {
    expect(needsCounter(of, THRESHOLDS)).toBe(needed);
  });
});

describe("CountingChain", () => {
  it("asks nobody where the ledger knows", async () => {
    const chain = new CountingChain({
      counters: [counter("c", () => Promise.reject(new Error("asked")))],
      deadline: now,
    });
    const known = figure(50_000, "anchored");
    expect(await chain.count({ figure: known, thresholds: THRESHOLDS, request })).toEqual(known);
  });

  it("takes the first counter that answers and names it", async () => {
    const chain = new CountingChain({
      counters: [counter("vendor", async () => 41_234.2), counter("local", async () => 1)],
      deadline: now,
    });
    const counted = await chain.count({ figure: figure(40_000, "estimate"), thresholds: [], request });
    expect(counted).toEqual({ tokens: 41_235, fitTokens: 41_235, source: "counter:vendor" });
  });

  it.each([
    { bad: () => Promise.reject(new Error("503")), reason: "503", why: "fails" },
    { bad: () => new Promise<number>(() => {}), reason: "too late", why: "hangs" },
    {
      bad: async () => Number.NaN,
      reason: "It answered NaN, which is no number of tokens.",
      why: "answers nonsense",
    },
    {
      bad: (): Promise<number> => {
        throw new Error("no key");
      },
      reason: "no key",
      why: "throws at once",
    },
  ])("goes on to the next when one $why, and reports it", async ({ bad, reason }) => {
    const failures: CounterFailure[] = [];
    const chain = new CountingChain({
      counters: [counter("vendor", bad), counter("local", async () => 7)],
      deadline: now,
      onFailure: (failure) => failures.push(failure),
    });
    const counted = await chain.count({ figure: figure(9, "estimate"), thresholds: [], request });
    expect(counted.source).toBe("counter:local");
    expect(failures.map((failure) => [failure.counter, failure.reason, failure.isGivenUp])).toEqual([
      ["vendor", reason, false],
    ]);
  });

  it("falls back to the estimate, and leaves a counter alone that keeps failing", async () => {
    let asked = 0;
    const givenUp: boolean[] = [];
    const chain = new CountingChain({
      counters: [
        counter("vendor", () => {
          asked++;
          return Promise.reject(new Error("down"));
        }),
      ],
      deadline: now,
      onFailure: (failure) => {
        givenUp.push(failure.isGivenUp);
        throw new Error("an observer that throws");
      },
    });
    const estimate = figure(9, "estimate");
    for (let turn = 0; turn < 6; turn++) {
      expect(await chain.count({ figure: estimate, thresholds: [], request })).toEqual(estimate);
    }
    expect(asked).toBe(3);
    expect(givenUp).toEqual([false, false, true]);
  });
});
