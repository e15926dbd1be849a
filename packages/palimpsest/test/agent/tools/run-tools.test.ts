/** The calls of one answer: together, alone, approved, in time. */
import { describe, expect, it, vi } from "vitest";
import type { AgentTool, ToolApproval, TurnEvent, TurnOptions } from "#agent/options/turn/turn-options.ts";
import { runTools } from "#agent/tools/run-tools.ts";
import { tool } from "#agent/tools/tool.ts";
import { systemDeadline } from "#stores/platform/node-ports.ts";
import { setTheStage } from "#test/agent/stage.ts";
import { FakeDeadline } from "#test/agent/tasks/fake-deadline.ts";
import { type ToolUseBlock, toolResultText } from "#transcript/blocks.ts";

const callOf = (name: string, id = name): ToolUseBlock => ({ type: "tool_use", id, name, input: { n: 1 } });

/** A tool that waits until it is released, and what happened in which order. */
function aStage() {
  const events: string[] = [];
  const release = new Map<string, () => void>();
  const waiting = (name: string, more: Partial<AgentTool> = {}): AgentTool => ({
    ...tool({
      name,
      description: "Waits.",
      execute: async () => {
        events.push(`${name} begins`);
        await new Promise<void>((resolve) => release.set(name, resolve));
        events.push(`${name} ends`);
        return name;
      },
    }),
    ...more,
  });
  const quick = (name: string, more: Partial<AgentTool> = {}): AgentTool => ({
    ...tool({ name, description: "Is quick.", execute: () => `${events.push(name) && name} ran` }),
    ...more,
  });
  return { events, release, waiting, quick };
}

async function run(names: readonly string[], options: TurnOptions, deadline = new FakeDeadline()) {
  const { session } = await setTheStage();
  const { session: inner } = session;
  const results = await runTools(
    { session: inner, deadline },
    names.map((name) => callOf(name)),
    options,
  );
  return results.map(
    (result) => `${result.tool_use_id}${result.is_error === true ? "!" : ""}: ${toolResultText(result)}`,
  );
}

/** Until the work that is ready has been done. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("the calls of one answer", () => {
  it("run at the same time, and their results keep the order of the calls", async () => {
    const { events, release, waiting } = aStage();
    const reported: TurnEvent[] = [];
    const done = run(["a", "b"], {
      tools: [waiting("a"), waiting("b")],
      onEvent: (event) => void reported.push(event),
    });
    while (events.length < 2) await settled();
    release.get("b")?.();
    while (reported.length < 1) await settled();
    release.get("a")?.();
    expect(await done).toEqual(["a: a", "b: b"]);
    expect(events).toEqual(["a begins", "b begins", "b ends", "a ends"]);
    expect(reported.map((event) => event.type === "tool-result" && event.call.name)).toEqual(["b", "a"]);
  });

  it("wait for one that must run alone", async () => {
    const { events, release, waiting } = aStage();
    const tools = [waiting("a"), waiting("alone", { parallel: false }), waiting("b"), waiting("c")];
    const done = run(["a", "alone", "b", "c"], { tools });
    for (const name of ["a", "alone", "b", "c"]) {
      while (!release.has(name)) await settled();
      await settled();
      release.get(name)?.();
    }
    expect(await done).toEqual(["a: a", "alone: alone", "b: b", "c: c"]);
    expect(events.slice(0, 6)).toEqual([
      "a begins",
      "a ends",
      "alone begins",
      "alone ends",
      "b begins",
      "c begins",
    ]);
  });

  it("that take too long are given up, and the others have their results", async () => {
    const { release, waiting, quick } = aStage();
    const deadline = new FakeDeadline();
    let reason: unknown;
    const slow = tool({
      ...{ name: "slow", description: "Never ends.", timeoutMs: 5_000 },
      execute: (_, { signal }) =>
        new Promise(() => signal.addEventListener("abort", () => (reason = signal.reason))),
    });
    const done = run(
      ["slow", "quick", "usual"],
      { tools: [slow, quick("quick"), waiting("usual")] },
      deadline,
    );
    while (!release.has("usual")) await settled();
    deadline.advance(4_999);
    expect(reason).toBeUndefined();
    deadline.advance(1);
    deadline.advance(594_999);
    await settled();
    deadline.advance(1);
    expect(await done).toEqual([
      "slow!: slow was stopped: it had no result after 5 seconds.",
      "quick: quick ran",
      "usual!: usual was stopped: it had no result after 600 seconds.",
    ]);
    expect(reason).toMatchObject({ name: "TimeoutError" });
  });

  it("have no time limit where it is infinite", () => {
    vi.useFakeTimers();
    try {
      const end = systemDeadline.after(Number.POSITIVE_INFINITY, () => expect.unreachable("time is up"));
      vi.advanceTimersByTime(2 ** 33);
      expect(vi.getTimerCount()).toBe(1);
      end();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it("that are stopped say so", async () => {
    const { release, waiting, quick } = aStage();
    const stop = new AbortController();
    const tools = [waiting("a"), quick("b", { parallel: false })];
    const done = run(["a", "b"], { tools, signal: stop.signal });
    while (!release.has("a")) await settled();
    stop.abort();
    expect(await done).toEqual([
      "a!: The user stopped the turn while this call was running.",
      "b!: The user stopped the turn before this call was run.",
    ]);
  });

  it("whose results JSON cannot hold fail alone", async () => {
    const { quick } = aStage();
    const source = { type: "base64", media_type: "image/png", data: new Uint8Array(3) };
    const picture = tool({
      ...{ name: "picture", description: "Shows one." },
      execute: () => [{ type: "image", source }],
    });
    expect(await run(["picture", "b"], { tools: [picture, quick("b")] })).toEqual([
      "picture!: The result of picture[0].source.data is a Uint8Array, which JSON cannot hold.",
      "b: b ran",
    ]);
  });

  it("are not run without an input that is required, also if every object inherits its name", async () => {
    const make = tool({
      ...{ name: "make", description: "Makes one." },
      input: { type: "object", properties: { constructor: { type: "string" } }, required: ["constructor"] },
      execute: () => "made",
    });
    expect((await run(["make"], { tools: [make] }))[0]).toContain(
      '- constructor is missing; it must be of type "string".',
    );
  });

  it("get the session that they were made in", async () => {
    const title = tool({
      ...{ name: "title", description: "Names the session." },
      execute: async (_, { session }) => session?.setMetadata("title", "named").then(() => session.metadata),
    });
    expect(await run(["title"], { tools: [title] })).toEqual(['title: {"title":"named"}']);
  });
});

describe("an approval", () => {
  const asked: string[] = [];
  const onApproval: TurnOptions["onApproval"] = async ({ name }) => {
    asked.push(name);
    return name === "b" ? { deny: "not today" } : "allow";
  };
  it.each<{ own?: unknown; turn?: unknown; ask?: TurnOptions["onApproval"]; result: string; why: string }>([
    { own: "allow", turn: "allow", result: "b: b ran", why: "both allow it" },
    { own: "deny", result: "b!: This call was not run: it was not approved.", why: "the tool denies it" },
    {
      own: "allow",
      turn: { deny: "read only" },
      result: "b!: This call was not run: it was not approved: read only",
      why: "the turn denies it, with a reason",
    },
    {
      own: "ask",
      result: "b!: This call was not run: it needs approval, and this program cannot ask for it.",
      why: "it needs approval, and nobody is asked",
    },
    {
      own: "ask",
      ask: onApproval,
      result: "b!: This call was not run: it was not approved: not today",
      why: "a person denies it",
    },
    { turn: "ask", ask: () => "allow", result: "b: b ran", why: "a person allows it" },
    {
      own: "ask",
      turn: "deny",
      ask: () => expect.unreachable("asked"),
      result: "b!: This call was not run: it was not approved.",
      why: "a denial needs no person",
    },
    {
      turn: new Error("no rules"),
      result: "b!: This call was not run: it was not approved: no rules",
      why: "a hook that throws denies",
    },
    { own: true, result: "b!: This call was not run: it was not approved.", why: "any other value denies" },
    {
      own: "ask",
      ask: () => "ask" as never,
      result: "b!: This call was not run: it was not approved.",
      why: "a person cannot pass it on",
    },
  ])("gives $result, because $why", async ({ own, turn, ask, result }) => {
    const { quick } = aStage();
    const hook = (value: unknown) => () => {
      if (value instanceof Error) throw value;
      return value as ToolApproval;
    };
    const options = {
      tools: [quick("b", own === undefined ? {} : { approve: hook(own) })],
      ...(turn === undefined ? {} : { approve: hook(turn) }),
      ...(ask === undefined ? {} : { onApproval: ask }),
    };
    expect(await run(["b"], options)).toEqual([result]);
  });

  it("is asked for one call after another, and holds up no other call", async () => {
    const { events, release, waiting, quick } = aStage();
    const answers: ((verdict: "allow" | "deny") => void)[] = [];
    const done = run(["a", "b", "c"], {
      tools: [quick("a", { approve: () => "ask" }), quick("b", { approve: () => "ask" }), waiting("c")],
      onApproval: ({ name }) => {
        events.push(`${name}?`);
        return new Promise((resolve) => answers.push(resolve));
      },
    });
    while (!release.has("c")) await settled();
    release.get("c")?.();
    while (!events.includes("c ends")) await settled();
    expect([...events].sort()).toEqual(["a?", "c begins", "c ends"]);
    answers[0]?.("deny");
    while (answers.length < 2) await settled();
    answers[1]?.("allow");
    expect(await done).toEqual(["a!: This call was not run: it was not approved.", "b: b ran", "c: c"]);
  });

  it("gets a checked input, and none is asked for where the input does not fit", async () => {
    const seen: unknown[] = [];
    const pay = tool({
      ...{ name: "pay", description: "Pays." },
      input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
      approve: ({ n }) => {
        seen.push(n);
        return n > 5 ? "ask" : "allow";
      },
      execute: ({ n }) => `paid ${n}`,
    });
    expect(await run(["pay"], { tools: [pay] })).toEqual(["pay: paid 1"]);
    expect(seen).toEqual([1]);
    const other = tool({
      ...{ name: "other", description: "Needs a name.", execute: () => "" },
      input: { type: "object", required: ["name"] },
    });
    const onApproval = (): never => expect.unreachable("asked");
    const [result] = await run(["other"], { tools: [other], approve: () => "ask", onApproval });
    expect(result).toContain("other!: other was not run, because its input does not fit:\n- name is missing");
  });

  it("ends when the turn is stopped", async () => {
    const { events, quick } = aStage();
    const stop = new AbortController();
    const done = run(["a"], {
      tools: [quick("a")],
      approve: () => "ask",
      onApproval: () => new Promise(() => events.push("asked")),
      signal: stop.signal,
    });
    while (events.length === 0) await settled();
    stop.abort();
    expect(await done).toEqual(["a!: The user stopped the turn before this call was run."]);
    expect(events).toEqual(["asked"]);
  });

  it("is asked of nobody once the turn is stopped", async () => {
    const { events, quick } = aStage();
    const stop = new AbortController();
    const asked = (who: string) => (): "allow" => {
      events.push(who);
      return "allow";
    };
    let decide: ((decision: ToolApproval) => void) | undefined;
    const own = () =>
      new Promise<ToolApproval>((resolve) => {
        decide = resolve;
      });
    const done = run(["a"], {
      tools: [quick("a", { approve: own })],
      approve: asked("the turn's hook"),
      onApproval: asked("a person"),
      signal: stop.signal,
    });
    while (decide === undefined) await settled();
    stop.abort();
    expect(await done).toEqual(["a!: The user stopped the turn before this call was run."]);
    decide("ask");
    await settled();
    expect(events).toEqual([]);
  });
});
