import { describe, expect, it } from "vitest";
import { text } from "#test/helpers/histories.ts";
import { TARIFFS, type Tariff } from "#tokens/price/tariff.ts";
import {
  type CacheMiss,
  describeCacheMiss,
  PromptCacheMonitor,
} from "#tokens/prompt-cache/prompt-cache-monitor.ts";
import type { Prompt } from "#tokens/prompt-cache/prompt-fingerprint.ts";
import type { Usage } from "#transcript/blocks.ts";
import type { RequestMessage } from "#transcript/window.ts";

const messageOf = (...texts: string[]): RequestMessage[] =>
  texts.map((value) => ({ role: "user", content: [text(value)] }));
const tools = (...names: string[]): string => JSON.stringify(names.map((name) => ({ name })));

const PROMPT: Prompt = {
  model: "claude-opus-4-5",
  parameters: { max_tokens: 100, thinking: { type: "adaptive" } },
  betas: ["b"],
  system: "Be kind. It is 10:00.",
  toolsText: tools("Read", "Bash"),
  messages: messageOf("one", "two"),
};
const usage = (read: number, write: number, input = 10): Usage => ({
  inputTokens: input,
  cacheReadTokens: read,
  cacheWriteTokens: write,
  outputTokens: 5,
});

/** A call that wrote 50,000 tokens to the cache, and then one that read `read` of them. */
function missAfter(
  after: Partial<Prompt>,
  {
    read = 0,
    idleMs = 1_000,
    tariff = TARIFFS["anthropic-5m"],
    isRewritten = false,
  }: { read?: number; idleMs?: number; tariff?: Tariff; isRewritten?: boolean } = {},
): CacheMiss | undefined {
  const monitor = new PromptCacheMonitor();
  monitor.reported(monitor.sent(PROMPT, { atMs: 0, tariff }), usage(0, 50_000));
  if (isRewritten) monitor.rewritten();
  const sent = monitor.sent({ ...PROMPT, ...after }, { atMs: idleMs, tariff });
  return monitor.reported(sent, usage(read, 51_000 - read));
}

describe("PromptCacheMonitor", () => {
  it.each([
    { after: {}, cause: { type: "unknown" }, why: "nothing changed on this side" },
    {
      after: { system: "Be kind. It is 10:01." },
      cause: { type: "changed", change: { part: "system", at: 19, kind: "time or date" } },
      why: "a clock",
    },
    {
      after: { system: undefined },
      cause: { type: "changed", change: { part: "system", at: 0, kind: "text" } },
      why: "no system prompt any more",
    },
    {
      after: { toolsText: tools("Bash", "Read") },
      cause: { type: "changed", change: { part: "tool-order" } },
      why: "the same tools in another order",
    },
    {
      after: { toolsText: tools("Read") },
      cause: { type: "changed", change: { part: "tool", name: "Bash", change: "removed" } },
      why: "a tool less",
    },
    {
      after: { toolsText: JSON.stringify([{ name: "Read" }, { name: "Bash", description: "new" }]) },
      cause: { type: "changed", change: { part: "tool", name: "Bash", change: "changed" } },
      why: "a tool described otherwise",
    },
    {
      after: {
        toolsText: JSON.stringify([{ name: "Read" }, { type: "function", function: { name: "Grep" } }]),
      },
      cause: { type: "changed", change: { part: "tool", name: "Grep", change: "added" } },
      why: "a tool in the form of another provider",
    },
    {
      after: { parameters: { max_tokens: 100, thinking: { type: "off" } } },
      cause: { type: "changed", change: { part: "parameter", name: "thinking" } },
      why: "the thinking level",
    },
    {
      after: { betas: ["b", "c"] },
      cause: { type: "changed", change: { part: "parameter", name: "betas" } },
      why: "another beta",
    },
    {
      after: { parameters: { max_tokens: 5, temperature: 1, thinking: { type: "adaptive" } } },
      cause: { type: "unknown" },
      why: "the cache does not depend on these",
    },
    {
      after: { messages: messageOf("one", "2", "three") },
      cause: { type: "changed", change: { part: "message", message: 1, block: 0 } },
      why: "an earlier message",
    },
    {
      after: { messages: messageOf("one") },
      cause: { type: "changed", change: { part: "message", message: 1, block: 0 } },
      why: "fewer messages than there were",
    },
    {
      after: { messages: [] },
      cause: { type: "changed", change: { part: "message", message: 0, block: 0 } },
      why: "no messages",
    },
    {
      after: { toolsText: tools("Read"), system: "", messages: [] },
      cause: { type: "changed", change: { part: "tool", name: "Bash", change: "removed" } },
      why: "the first of several parts is named",
    },
    { after: { model: "claude-sonnet-4-5", system: "" }, cause: { type: "switched" }, why: "another model" },
  ])("says $cause: $why", ({ after, cause }) => {
    const miss = missAfter(after as Partial<Prompt>);
    expect(miss).toEqual({
      cause,
      isExpected: cause.type === "switched",
      expectedTokens: 50_000,
      readTokens: 0,
      rebilledTokens: 50_000,
      idleMs: 1_000,
    });
  });

  it.each([
    { idleMs: 300_000, isRewritten: false, type: "unknown", why: "warm at exactly its lifetime" },
    { idleMs: 300_001, isRewritten: false, type: "cold", why: "it has expired" },
    { idleMs: 300_001, isRewritten: true, type: "cold", why: "it would have been missed anyway" },
    { idleMs: 5, isRewritten: true, type: "rewritten", why: "a layer said so" },
  ])("says $type after $idleMs ms: $why", ({ idleMs, isRewritten, type }) => {
    const miss = missAfter({ messages: messageOf("other") }, { idleMs, isRewritten });
    expect(miss?.cause.type).toBe(type === "unknown" ? "changed" : type);
    expect(miss?.isExpected).toBe(type !== "unknown");
  });

  it.each([
    { read: 50_000, isMiss: false, why: "all of it was read" },
    { read: 60_000, isMiss: false, why: "more than was known of" },
    { read: 47_501, isMiss: false, why: "less than a twentieth is missing" },
    { read: 47_500, isMiss: true, why: "a twentieth is missing" },
    { read: 20_000, isMiss: true, why: "only the beginning was read" },
  ])("takes $read of 50,000 for a miss: $isMiss, $why", ({ read, isMiss }) => {
    expect(missAfter({}, { read }) !== undefined).toBe(isMiss);
  });

  it("expects no more of a prompt than it holds", () => {
    const monitor = new PromptCacheMonitor();
    const tariff = TARIFFS["anthropic-5m"];
    const report = (one: Usage): CacheMiss | undefined =>
      monitor.reported(monitor.sent(PROMPT, { atMs: 0, tariff }), one);
    report(usage(0, 50_000));
    monitor.rewritten();
    // Rewound to a prompt of 20,010 tokens, of which nearly all is read; then compacted to 8,000.
    expect(report(usage(20_000, 0))).toBeUndefined();
    expect(report(usage(2_000, 5_990))).toMatchObject({ expectedTokens: 8_000, rebilledTokens: 6_000 });
  });

  it("expects all of the last prompt where entries need no marks, and nothing unmarked where they do", () => {
    const second = (tariff: Tariff): CacheMiss | undefined => {
      const monitor = new PromptCacheMonitor();
      const report = (one: Usage, atMs: number): CacheMiss | undefined =>
        monitor.reported(monitor.sent(PROMPT, { atMs, tariff }), one);
      report(usage(3_000, 0, 40_000), 0);
      return report(usage(3_000, 0, 41_000), 1);
    };
    expect(second(TARIFFS.openai)).toMatchObject({ expectedTokens: 43_000, rebilledTokens: 40_000 });
    expect(second(TARIFFS["anthropic-5m"])).toBeUndefined();
  });

  it("says nothing of a provider that never read or wrote, or of a first call", () => {
    const monitor = new PromptCacheMonitor();
    const tariff = TARIFFS.openai;
    for (let call = 0; call < 5; call++) {
      const sent = monitor.sent({ ...PROMPT, system: `${call}` }, { atMs: call, tariff });
      expect(monitor.reported(sent, usage(0, 0, 50_000))).toBeUndefined();
    }
  });

  it("learns that a cache lives longer than its tariff says", () => {
    const monitor = new PromptCacheMonitor();
    const tariff = TARIFFS["anthropic-5m"];
    const at = (atMs: number, read: number): CacheMiss | undefined =>
      monitor.reported(monitor.sent(PROMPT, { atMs, tariff }), usage(read, 50_000 - read));
    at(0, 0);
    expect(at(400_000, 0)?.cause.type).toBe("cold");
    expect(at(1_000_000, 50_000)).toBeUndefined();
    expect(at(1_400_000, 0)?.cause.type).toBe("unknown");
    expect(at(2_400_000, 0)?.cause.type).toBe("cold");
  });

  it("compares with the last call that was answered, and passes over reports that come late", () => {
    const monitor = new PromptCacheMonitor();
    const tariff = TARIFFS["anthropic-5m"];
    const first = monitor.sent(PROMPT, { atMs: 0, tariff });
    const givenUp = monitor.sent({ ...PROMPT, system: "other" }, { atMs: 1, tariff });
    const second = monitor.sent(PROMPT, { atMs: 2, tariff });
    monitor.reported(first, usage(0, 50_000));
    expect(monitor.reported(second, usage(0, 50_000))?.cause.type).toBe("unknown");
    expect(monitor.reported(givenUp, usage(0, 50_000))).toBeUndefined();
  });
});

describe("describeCacheMiss", () => {
  const lost = "50,000 of 50,000 cached tokens were billed anew";
  it.each([
    {
      after: { system: "Be kind. It is 10:01." },
      words: `${lost}: the system prompt differs at character 19, where a time or date stands.`,
    },
    {
      after: { system: "Be mean. It is 10:00." },
      words: `${lost}: the system prompt differs at character 3.`,
    },
    { after: { toolsText: tools("Bash", "Read") }, words: `${lost}: the tools are in another order.` },
    { after: { toolsText: tools("Read") }, words: `${lost}: the tool Bash was removed.` },
    { after: { parameters: {} }, words: `${lost}: the parameter thinking changed.` },
    { after: { messages: messageOf("1") }, words: `${lost}: message 0 of the request changed at block 0.` },
    { after: { model: "m" }, words: `${lost}: another model answers.` },
    {
      after: {},
      words: `${lost}: nothing that this session knows of changed. It was the provider, or a part of the request that the session is not told.`,
    },
  ])("$words", ({ after, words }) => {
    expect(describeCacheMiss(missAfter(after)!)).toBe(words);
  });

  it("says how long the cache was left alone", () => {
    expect(describeCacheMiss(missAfter({}, { idleMs: 3_600_000 })!)).toBe(
      `${lost}: the cache had expired, 60 minutes after the call before.`,
    );
  });
});
