/**
 * The estimator and the ledger against what providers billed in recorded sessions.
 */

import { UsageLedger } from "palimpsest/experimental";
import { estimateMessage } from "palimpsest/tokens";
import { describe, expect, it } from "vitest";
import { corpusFolder, hasCorpus } from "../../../../test/helpers/corpus.ts";
import { absoluteQuantile, measureSession, signedMedian } from "../../bench/estimator/measure.mjs";
import { loadRecordedSessions } from "../../bench/estimator/recorded-usage.mjs";

describe.skipIf(!hasCorpus)("against recorded usage (skipped without the corpus)", () => {
  const measured = hasCorpus
    ? loadRecordedSessions(corpusFolder).map((session) =>
        measureSession(session, { UsageLedger, estimateMessage }),
      )
    : [];
  const pooledContexts = measured.flatMap((one) => one.contextErrors);
  const pooledIncrements = measured.flatMap((one) => one.incrementErrors);

  it("has enough to judge by", () => {
    expect(measured.length).toBeGreaterThanOrEqual(19);
    expect(pooledContexts.length).toBeGreaterThan(3_000);
    expect(pooledIncrements.length).toBeGreaterThan(1_500);
  });

  it("knows the size of the context: pooled p95 within 1 %, no session beyond 2 %", () => {
    expect(absoluteQuantile(pooledContexts, 0.95)).toBeLessThanOrEqual(0.01);
    const tooFarOff = measured.filter((one) => absoluteQuantile(one.contextErrors, 0.95) > 0.02);
    expect(tooFarOff.map((one) => one.name)).toEqual([]);
  });

  it("is unbiased on increments: median within 8 % in 9 of 10 sessions, pooled |error| within 12 %", () => {
    const judged = measured.filter((one) => one.incrementErrors.length > 0);
    const biased = judged.filter((one) => Math.abs(signedMedian(one.incrementErrors)) > 0.08);
    expect(biased.length).toBeLessThanOrEqual(judged.length / 10);
    expect(absoluteQuantile(pooledIncrements, 0.5)).toBeLessThanOrEqual(0.12);
  });

  it("is right per increment where the log holds everything: pi p50 within 5 %, p95 within 15 %", () => {
    const pi = measured.find((one) => one.name === "pi-before-compaction")!;
    expect(absoluteQuantile(pi.incrementErrors, 0.5)).toBeLessThanOrEqual(0.05);
    expect(absoluteQuantile(pi.incrementErrors, 0.95)).toBeLessThanOrEqual(0.15);
  });
});
