/** Learning from a recording's usage, and judging predictions of it. */

import type { ImportedMessage } from "palimpsest/formats";
import { describe, expect, it } from "vitest";
import { RecordedUsage } from "#replay/measure/billed-usage.ts";

const messageOf = (words: number): ImportedMessage => ({
  type: "message",
  message: { role: "user", content: [{ type: "text", text: "harbour ".repeat(words) }] },
});
const answer = (inputTokens: number, outputTokens: number): ImportedMessage => ({
  type: "message",
  message: {
    role: "assistant",
    model: "claude-sonnet-4-5",
    content: [{ type: "text", text: "harbour ".repeat(50) }],
  },
  usage: { inputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens },
});

describe("RecordedUsage", () => {
  it("predicts each context from the report before it, and learns from the growth", () => {
    const usage = new RecordedUsage({ model: "claude-sonnet-4-5" });
    usage.added(messageOf(1_000));
    expect(usage.answered([answer(5_000, 60)])).toBeUndefined();
    expect(usage.figures()).toBeUndefined();
    usage.added(messageOf(1_000));
    const sample = usage.answered([answer(6_100, 60)]);
    expect(sample?.reportedTokens).toBe(1_100);
    expect(sample?.estimatedTokens).toBeGreaterThan(900);
    expect(usage.figures()).toMatchObject({ calls: 1 });
    expect(usage.figures()!.medianError).toBeLessThan(0.1);
  });

  it("neither predicts nor learns across a place where the tool replaced its context", () => {
    const usage = new RecordedUsage({ model: "claude-sonnet-4-5" });
    usage.added(messageOf(1_000));
    usage.answered([answer(150_000, 60)]);
    usage.contextReplaced();
    usage.added(messageOf(100));
    expect(usage.answered([answer(20_000, 60)])).toBeUndefined();
    expect(usage.figures()).toBeUndefined();
  });

  it("learns nothing from growth that holds what the tool put in", () => {
    const usage = new RecordedUsage({ model: "claude-sonnet-4-5" });
    usage.added(messageOf(1_000));
    usage.answered([answer(5_000, 60)]);
    usage.added({ ...messageOf(1_000), isAttachment: true });
    expect(usage.answered([answer(9_000, 60)])).toBeUndefined();
    expect(usage.figures()).toMatchObject({ calls: 1 });
  });

  it("passes over answers without usage and over usage that says nothing", () => {
    const usage = new RecordedUsage({ model: "claude-sonnet-4-5" });
    const { usage: _, ...silent } = answer(0, 0);
    usage.added(messageOf(10));
    expect(usage.answered([silent])).toBeUndefined();
    expect(usage.answered([answer(0, 0)])).toBeUndefined();
    expect(usage.figures()).toBeUndefined();
  });
});
