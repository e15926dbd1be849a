import type { FakeClock } from "palimpsest-testing";
import { judgeAnthropicRequest } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import type { CallRequest, PreparedCall } from "#session/options/prepared-call.ts";
import type { WindowOptions } from "#session/options/session-options.ts";
import type { Session } from "#session/session.ts";
import { FakePromptCache } from "#test/helpers/fake-prompt-cache.ts";
import { assistant, call, result, user } from "#test/helpers/histories.ts";
import { aSession } from "#test/helpers/sessions.ts";
import { describeCacheMiss } from "#tokens/prompt-cache/prompt-cache-monitor.ts";
import type { Message, Usage } from "#transcript/blocks.ts";
import { toAnthropic } from "#wire/anthropic/to-anthropic.ts";

const REQUEST: CallRequest = {
  model: "claude-sonnet-4-5",
  system: `You are careful. Today is 2026-11-20. ${"Keep to the rules. ".repeat(400)}`,
  tools: [{ name: "Read" }, { name: "Bash" }],
};

/** A session whose requests go to a provider with a prompt cache. */
async function watched(window: WindowOptions = {}) {
  const made = await aSession(window);
  const cache = new FakePromptCache();
  const { session, events } = made;
  const clock = made.options.clock as FakeClock;
  const bill = ({ messages, cacheMarks }: PreparedCall, { system = "", tools = [] }: CallRequest): Usage =>
    cache.bill({ system, tools, messages: toAnthropic(messages, { cacheMarks }) }, clock.nowMs());
  let turns = 0;
  const turn = async (request: CallRequest = REQUEST, answer?: Message): Promise<PreparedCall> => {
    clock.advance(10_000);
    const prepared = await session.prepare(request);
    await session.record({
      messages: [answer ?? assistant(`r${turns++}`, "Done.")],
      usage: bill(prepared, request),
    });
    return prepared;
  };
  const misses = () => events.flatMap((event) => (event.type === "cache-miss" ? [event] : []));
  return { ...made, session, clock, turn, misses };
}

/** A call, its result of about `tokens`, and the request after it. */
async function work(
  session: Session,
  turn: (request?: CallRequest, answer?: Message) => Promise<PreparedCall>,
  id: string,
  tokens = 500,
): Promise<PreparedCall> {
  await turn(REQUEST, assistant(`a-${id}`, call(id)));
  await session.append(user(result(id, `${id} ${"x ".repeat(tokens * 2)}`)));
  return turn();
}

describe("cache marks of a prepared call", () => {
  it("stand at the end of the request, and before the call whose result is cleared next", async () => {
    const { session, turn } = await watched();
    await session.append(user("Go."));
    expect((await turn()).cacheMarks).toEqual([{ message: 0, block: 0 }]);
    await session.append(user("Read it."));
    const prepared = await work(session, turn, "c1");
    // 0 Go. 1 Done. 2 Read it. 3 the call 4 its result
    expect(prepared.cacheMarks).toEqual([
      { message: 2, block: 0 },
      { message: 4, block: 0 },
    ]);
  });

  it("are written into the log, and none where the host uses all of them or the provider needs none", async () => {
    const { session, options } = await watched();
    await session.append(user("Go."));
    await session.prepare(REQUEST);
    await session.prepare({ ...REQUEST, reservedMarks: 4 });
    const { cacheMarks } = await session.prepare({ ...REQUEST, model: "gpt-5" });
    expect(cacheMarks).toEqual([]);
    await session.close();
    const log = await options.store.open(session.id);
    const calls: unknown[] = [];
    for await (const { entries } of log.readAll())
      for (const { entry } of entries) if (entry.type === "call") calls.push(entry.breakpoints);
    expect(calls).toEqual([[0], undefined, undefined]);
  });

  it("let every request read what the one before wrote, whatever is appended in between", async () => {
    const { session, turn, misses } = await watched();
    await session.append(user("Go."));
    for (let round = 0; round < 12; round++) {
      await work(session, turn, `c${round}`);
      // Far beyond the look-back.
      for (let note = 0; note < round * 5; note++) await session.append(user(`note ${note}`));
    }
    expect(misses()).toEqual([]);
  });

  it("let the request after a clearing read up to the first result that was cleared", async () => {
    const { session, events, turn, misses } = await watched({
      windowTokens: 40_000,
      disabledLayers: ["offload"],
      policy: "faithful",
    });
    await session.append(user(..."abcd".split("").map((name) => `${name} ${"word ".repeat(600)}`)));
    for (let round = 0; round < 30; round++) await work(session, turn, `c${round}`, 1_400);
    const layers = events.flatMap((event) => (event.type === "layer" ? [event.layer] : []));
    expect(layers).toContain("microcompact");
    // System prompt and tools alone are 1,900 tokens; the user's words behind them another 3,000.
    const afterClearing = misses().filter(({ miss }) => miss.cause.type === "rewritten");
    expect(afterClearing.length).toBeGreaterThan(0);
    for (const { miss } of afterClearing) expect(miss.readTokens).toBeGreaterThan(4_800);
  });

  it("are at most what the provider takes beside the host's, in requests it accepts", async () => {
    const { session, turn } = await watched({ windowTokens: 24_000 });
    await session.append(user("Go."));
    for (let round = 0; round < 20; round++) {
      const { messages, cacheMarks } = await work(session, turn, `c${round}`, 1_400);
      expect(cacheMarks.length).toBeLessThanOrEqual(2);
      const body = { model: "claude-sonnet-4-5", max_tokens: 100 };
      expect(judgeAnthropicRequest({ ...body, messages: toAnthropic(messages, { cacheMarks }) })).toEqual([]);
    }
  });
});

describe("a cache miss", () => {
  it.each([
    {
      why: "a date in the system prompt",
      change: { system: REQUEST.system!.replace("11-20", "11-21") },
      cause: { type: "changed", change: { part: "system", at: 35, kind: "time or date" } },
    },
    {
      why: "tools in another order",
      change: { tools: REQUEST.tools!.toReversed() },
      cause: { type: "changed", change: { part: "tool-order" } },
    },
    {
      why: "a tool more",
      change: { tools: [...REQUEST.tools!, { name: "mcp__db__query" }] },
      cause: { type: "changed", change: { part: "tool", name: "mcp__db__query", change: "added" } },
    },
    {
      why: "another model with a cache of its own",
      change: { model: "claude-opus-4-5", system: `${REQUEST.system} (a)` },
      cause: { type: "switched" },
    },
  ])("is explained: $why", async ({ change, cause }) => {
    const { session, turn, misses } = await watched();
    await session.append(user("Go."));
    await work(session, turn, "c1", 3_000);
    await session.append(user("On."));
    const { callSeq } = await turn({ ...REQUEST, ...change });
    expect(misses().map(({ seq, miss }) => [seq, miss.cause])).toEqual([[callSeq, cause]]);
  });

  it("is no surprise where the cache had expired, or the window was rewound", async () => {
    const { session, clock, turn, misses } = await watched();
    const [firstSeq] = await session.append(user("Go."));
    await work(session, turn, "c1", 3_000);
    await work(session, turn, "c2", 3_000);
    clock.advance(300_001);
    await session.append(user("Still there?"));
    await turn();
    await session.rewind(firstSeq!);
    await session.append(user(`Otherwise. ${"x ".repeat(5_000)}`));
    await turn();
    expect(misses().map(({ miss }) => [miss.cause.type, miss.isExpected])).toEqual([
      ["cold", true],
      ["rewritten", true],
    ]);
  });

  it("names the entry where the host changed an earlier message", async () => {
    const { session, turn, misses } = await watched();
    const list: Message[] = [user("Now: 10:00"), assistant("r0", "Hm."), user(`Go. ${"x ".repeat(5_000)}`)];
    const [, , thirdSeq] = await session.reconcile(list);
    const answer = assistant("r1", "Done.");
    await turn(REQUEST, answer);
    const changed = user(`Went. ${"x ".repeat(5_000)}`);
    await session.reconcile([list[0]!, list[1]!, changed, answer, user("More.")]);
    await turn();
    const [event] = misses();
    expect(event?.miss.cause).toEqual({ type: "changed", change: { part: "message", message: 2, block: 0 } });
    expect(event?.changedSeq).toBeGreaterThan(thirdSeq!);
    expect(event?.miss.isExpected).toBe(false);
  });

  it("is expected after a compaction, and tells no text of anybody", async () => {
    const { session, events, turn, misses } = await watched({ windowTokens: 24_000, policy: "faithful" });
    await session.append(user("Go, the secret is hunter2."));
    for (let round = 0; round < 30; round++) await work(session, turn, `c${round}`, 1_400);
    expect(events.some(({ type }) => type === "layer")).toBe(true);
    expect(misses().length).toBeGreaterThan(0);
    expect(misses().filter(({ miss }) => !miss.isExpected)).toEqual([]);
    expect(JSON.stringify(misses())).not.toContain("hunter2");
    for (const { miss } of misses())
      expect(describeCacheMiss(miss)).toContain("earlier messages were edited");
  });

  it("is never told of a provider that reports no cache", async () => {
    const { session, misses } = await watched();
    for (let round = 0; round < 5; round++) {
      await session.append(user(`${round} ${"x ".repeat(2_000)}`));
      await session.prepare({ ...REQUEST, system: `at ${round}` });
      const usage = { inputTokens: 5_000, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 5 };
      await session.record({ messages: [assistant(`r${round}`, "Yes.")], usage });
    }
    expect(misses()).toEqual([]);
  });

  it("is told of the call that it is about, also where calls were given up", async () => {
    const { session, turn, misses } = await watched();
    await session.append(user("Go."));
    await work(session, turn, "c1", 3_000);
    await session.prepare({ ...REQUEST, system: "given up" });
    await session.append(user("On."));
    await turn();
    expect(misses()).toEqual([]);
  });
});

describe("options", () => {
  it.each([
    { window: { tariff: "cheap" }, why: "no tariff of that name" },
    { window: { tariff: { read: -1 } }, why: "a price below nothing" },
    { window: { cacheTtl: "2h" }, why: "no lifetime that can be asked for" },
    { window: { headCacheTtl: "2h" }, why: "no lifetime of system prompt and tools" },
  ])("are refused when the session is made: $why", async ({ window }) => {
    await expect(aSession(window as WindowOptions)).rejects.toMatchObject({ code: "OPTION_INVALID" });
  });
});
