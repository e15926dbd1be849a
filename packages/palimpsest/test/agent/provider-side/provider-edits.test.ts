/**
 * Strict sessions whose context the provider edits, over HTTP with the vendors' SDKs: the edits that are asked for and
 * recorded, and our figures beside the provider's.
 */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { callTool, FakeClock, type ScriptedProvider, say, scriptedProvider, think } from "palimpsest-testing";
import { afterEach, describe, expect, it } from "vitest";
import type { AgentSession } from "#agent/agent-session.ts";
import { createPalimpsest } from "#host/create-palimpsest.ts";
import { anthropicModel } from "#models/anthropic/anthropic-model.ts";
import { openaiResponsesModel } from "#models/openai/responses-model.ts";
import type { ModelClient } from "#ports/model-client.ts";
import type { SessionHooks } from "#ports/session-hooks.ts";
import type { SessionEvent } from "#session/events/events.ts";
import { forkSession } from "#session/lifecycle/fork-session.ts";
import type { WindowOptions } from "#session/options/session-options.ts";
import { internalsOf } from "#session/session.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { nodeHasher, randomIds } from "#stores/platform/node-ports.ts";
import { docsTool } from "../stage.ts";

/** Clearing has no least size; Anthropic summarises from 50,000 tokens on. */
const SIZES = {
  clear: { windowTokens: 20_000, resultTokens: 750 },
  compact: { windowTokens: 80_000, resultTokens: 3_000 },
};

const wires = {
  anthropic: (provider: ScriptedProvider): ModelClient =>
    anthropicModel(new Anthropic({ baseURL: provider.url, apiKey: "key", maxRetries: 0 }), {
      model: "claude-opus-5-5",
      endpoint: "anthropic",
    }),
  openai: (provider: ScriptedProvider): ModelClient =>
    openaiResponsesModel(new OpenAI({ baseURL: provider.openAiUrl, apiKey: "key", maxRetries: 0 }), {
      model: "gpt-6-sol",
      endpoint: "openai",
    }),
  /** Claude behind a gateway that is not known to edit anything. */
  gateway: (provider: ScriptedProvider): ModelClient =>
    anthropicModel(new Anthropic({ baseURL: provider.url, apiKey: "key", maxRetries: 0 }), {
      model: "claude-opus-5-5",
    }),
};

interface Stage {
  readonly provider: ScriptedProvider;
  readonly events: SessionEvent[];
  readonly store: InMemorySessionStore;
  open(
    id: string,
    window?: WindowOptions,
    other?: keyof typeof wires,
    hooks?: SessionHooks,
  ): Promise<AgentSession>;
  /** One turn with this many calls of a tool. */
  work(session: AgentSession, calls: number): Promise<void>;
}

const providers: ScriptedProvider[] = [];
afterEach(async () => {
  for (const provider of providers.splice(0)) await provider.close();
});

async function stage(
  wire: keyof typeof wires,
  providerEdits: WindowOptions["providerEdits"],
  refuses = false,
): Promise<Stage> {
  let callsLeft = 0;
  let called = 0;
  const { windowTokens, resultTokens } = providerEdits?.compact === true ? SIZES.compact : SIZES.clear;
  const provider = await scriptedProvider({
    windowTokens,
    summarize: () => `<summary>Read up to file ${called}.</summary>`,
    ...(refuses
      ? {
          faults: ({ body }) =>
            Reflect.has(body as object, "context_management")
              ? { fault: "bad-request", message: "context_management: Extra inputs are not permitted" }
              : undefined,
        }
      : {}),
    script: () => {
      if (callsLeft === 0) return [think("That is all."), say("Done.")];
      callsLeft--;
      called++;
      return [think(`On to file ${called}.`), callTool("Read", { name: `file-${called}` })];
    },
  });
  providers.push(provider);
  const store = new InMemorySessionStore();
  const events: SessionEvent[] = [];
  const open: Stage["open"] = async (id, window = {}, other = wire, hooks = {}) => {
    const palimpsest = createPalimpsest({
      hooks,
      model: wires[other](provider),
      store,
      clock: new FakeClock(1_000),
      notes: "off",
      observer: { onEvent: (event) => events.push(event) },
      window: { windowTokens, policy: "faithful", providerEdits, ...window },
    });
    return palimpsest.session(id);
  };
  return {
    provider,
    events,
    store,
    open,
    work: async (session, calls) => {
      callsLeft = calls;
      await session.turn("Read the next files.", {
        tools: [{ ...docsTool(resultTokens), name: "Read" }],
        maxIterations: 100,
      });
    },
  };
}

const PORTS = { clock: new FakeClock(2_000), ids: randomIds, hasher: nodeHasher };

const answersOf = ({ provider }: Stage) => provider.requests.filter(({ purpose }) => purpose === "answer");
const layersOf = ({ events }: Stage) =>
  events.flatMap((event) => (event.type === "layer" ? [`${event.layer} ${event.edit.reason}`] : []));

/** No request was refused, and each figure of ours is within this share of the provider's. */
function expectExact(staged: Stage, share: number): void {
  expect(staged.provider.violations).toEqual([]);
  expect(staged.provider.overflows).toEqual([]);
  const sizes = staged.events.flatMap((event) => (event.type === "call" ? [event.tokens] : []));
  const answers = answersOf(staged).map(
    ({ promptTokens, compaction }) => compaction?.promptTokens ?? promptTokens,
  );
  expect(sizes.length).toBe(answers.length);
  sizes.forEach((tokens, index) => {
    expect(Math.abs(tokens - answers[index]!), `call ${index}: ${tokens}`).toBeLessThan(
      answers[index]! * share + 100,
    );
  });
}

describe("clearing at Anthropic", () => {
  it("is asked for in one piece, and stays where it is until more pays", async () => {
    const staged = await stage("anthropic", { clear: true });
    const session = await staged.open("one");
    await staged.work(session, 40);
    expectExact(staged, 0.2);
    const cleared = answersOf(staged).map(({ appliedEdits }) =>
      Number(Reflect.get(appliedEdits.at(-1) ?? {}, "cleared_tool_uses") ?? 0),
    );
    // The cached prefix holds between two of them.
    expect([...new Set(cleared)]).toEqual([0, 5, 10, 15, 19, 23, 27, 31]);
    expect(layersOf(staged)).toEqual(Array.from({ length: 7 }, () => "provider-clear cleared"));
    const hits = answersOf(staged).filter(({ cache, promptTokens }) => cache.readTokens > promptTokens / 2);
    expect(hits.length).toBeGreaterThan(30);

    // The log and the messages are whole.
    const { requests } = staged.provider;
    expect(JSON.stringify(requests.at(-1)?.body)).toContain('{\\"name\\":\\"file-1\\"}');
    expect(session.context().providerClearedTokens).toBeGreaterThan(30_000);
    expect(session.context().usedTokens).toBeLessThan(15_000);
    const call = staged.events.findLast((event) => event.type === "call")!;
    const log = await internalsOf(session.session).reader.findEntry(call.seq);
    expect(log).toMatchObject({
      serverEdits: { clearResults: { clearedCount: 31, keptCount: 9 }, clearThinking: { keptTurns: 9 } },
    });
  });

  it("goes on after the session was opened again, forked, and rewound", async () => {
    const staged = await stage("anthropic", { clear: true });
    const first = await staged.open("one");
    await staged.work(first, 20);
    const clearedAt = internalsOf(first.session).tracker.cleared!.throughSeq;
    const beforeClear = staged.events.find((event) => event.type === "layer")!.seq - 4;
    await first.close();

    const again = await staged.open("one");
    expect(internalsOf(again.session).tracker.cleared?.throughSeq).toBe(clearedAt);
    await staged.work(again, 3);
    expect(staged.provider.requests.at(-1)?.appliedEdits).toHaveLength(2);
    expectExact(staged, 0.15);

    const fork = await forkSession("one", { ...PORTS, store: staged.store, sessionId: "two" });
    await fork.close();
    const forked = await staged.open("two");
    expect(internalsOf(forked.session).tracker.cleared?.throughSeq).toBe(
      internalsOf(again.session).tracker.cleared?.throughSeq,
    );
    await staged.work(forked, 2);
    expectExact(staged, 0.15);
    await forked.close();

    // Behind the first clearing nothing was cleared yet.
    await again.rewind(beforeClear);
    expect(
      internalsOf(again.session).tracker.recorded(internalsOf(again.session).writer.projection),
    ).toBeUndefined();
    await staged.work(again, 1);
    expectExact(staged, 0.15);
    await again.close();
  });

  it.each([
    { providerEdits: { clear: false }, window: {}, why: "it is off" },
    { providerEdits: { clear: true }, window: { editSafety: "permissive" }, why: "history may be rewritten" },
    {
      providerEdits: { clear: true },
      window: { disabledLayers: ["provider-side"] },
      why: "the layer is off",
    },
  ] as const)("is not asked for where $why", async ({ providerEdits, window }) => {
    const staged = await stage("anthropic", providerEdits);
    const session = await staged.open("one", window as WindowOptions);
    await staged.work(session, 16);
    expect(answersOf(staged).every(({ body }) => !Reflect.has(body as object, "context_management"))).toBe(
      true,
    );
  });

  it("is given up where the endpoint refuses it", async () => {
    const staged = await stage("anthropic", { clear: true }, true);
    const session = await staged.open("one");
    await staged.work(session, 16);
    const statuses = answersOf(staged).map(({ status }) => status);
    expect(statuses.filter((status) => status === 400)).toHaveLength(1);
    expect(layersOf(staged)).toEqual(["extractive threshold"]);
  });
});

describe.each(["anthropic", "openai"] as const)("a summary by %s", (wire) => {
  it("replaces what came before, is sent back as it came, and is in the bill", async () => {
    const staged = await stage(wire, { compact: true });
    const session = await staged.open("one");
    await staged.work(session, wire === "openai" ? 20 : 27);
    expectExact(staged, wire === "openai" ? 0.35 : 0.15);
    const count = wire === "openai" ? 1 : 2;
    expect(layersOf(staged)).toEqual(Array.from({ length: count }, () => "provider-clear compacted"));
    const compactions = answersOf(staged).filter(({ compaction }) => compaction !== undefined);
    expect(compactions).toHaveLength(count);
    // Nothing is sent that the summary replaced.
    const text = JSON.stringify(staged.provider.requests.at(-1)?.body);
    expect(text).not.toContain('\\"name\\":\\"file-1\\"}');
    expect(text).toContain('"type":"compaction"');
    const [first] = session.visible;
    expect(first?.role).toBe("assistant");
    const spending = await session.spending();
    if (wire === "anthropic") expect(spending.summaries.calls).toBe(count);
    // All of it is in the log.
    expect(await session.history.search("file-1 ")).not.toEqual([]);
  });

  it("survives being opened again, a fork, a pin and a rewind", async () => {
    const staged = await stage(wire, { compact: true });
    const first = await staged.open("one");
    await first.session.pinFact("Never touch file-99.");
    await staged.work(first, wire === "openai" ? 20 : 15);
    expect(layersOf(staged)).toEqual(["provider-clear compacted"]);
    const compactedSeq = staged.events.find((event) => event.type === "layer")!.seq;
    await first.close();

    const again = await staged.open("one");
    await staged.work(again, 2);
    expect(JSON.stringify(staged.provider.requests.at(-1)?.body)).toContain("Never touch file-99.");
    const fork = await forkSession("one", { ...PORTS, store: staged.store, sessionId: "two" });
    await fork.close();
    const forked = await staged.open("two");
    await staged.work(forked, 1);
    await forked.close();
    await expect(again.undo(compactedSeq)).rejects.toMatchObject({ code: "UNDO_REFUSED" });

    await again.rewind(compactedSeq - 8);
    const index = staged.provider.requests.length;
    await staged.work(again, 1);
    expect(JSON.stringify(staged.provider.requests[index]?.body)).toContain('\\"file-1\\"}');
    expect(staged.provider.violations).toEqual([]);
    expect(staged.provider.overflows).toEqual([]);
  });
});

it("shows again what only OpenAI could read, when another model goes on", async () => {
  const staged = await stage("openai", { compact: true });
  const session = await staged.open("one");
  await staged.work(session, 20);
  expect(layersOf(staged)).toEqual(["provider-clear compacted"]);
  await session.close();
  const index = staged.provider.requests.length;
  const other = await staged.open("one", {}, "anthropic");
  await staged.work(other, 1);
  const body = JSON.stringify(
    staged.provider.requests.slice(index).find(({ purpose }) => purpose === "answer")?.body,
  );
  expect(body).toContain("file-1");
  expect(body).not.toContain('"type":"compaction"');
  expect(staged.provider.violations).toEqual([]);
  expect(staged.provider.overflows).toEqual([]);
});

it.each(["anthropic", "openai"] as const)("is asked for by hand: %s", async (wire) => {
  const staged = await stage(wire, { compact: true });
  const session = await staged.open("one");
  await staged.work(session, 4);
  const { edits, writtenBy } = await session.compact();
  expect(edits.map(({ edit }) => [edit.kind, edit.reason])).toEqual([["provider-clear", "manual"]]);
  expect(writtenBy).toBe(wire === "openai" ? "gpt-6-sol" : "claude-opus-5-5");
  await staged.work(session, 2);
  await session.close();
  const again = await staged.open("one");
  await staged.work(again, 1);
  const body = JSON.stringify(staged.provider.requests.at(-1)?.body);
  expect(body).toContain('"type":"compaction"');
  expect(body).not.toContain('\\"file-1\\"}');
  await again.compact();
  await staged.work(again, 1);
  expect(staged.provider.violations).toEqual([]);
  expect(staged.provider.overflows).toEqual([]);
});

it("counts what it sends where the next endpoint clears nothing", async () => {
  const staged = await stage("anthropic", { clear: true });
  const session = await staged.open("one");
  await staged.work(session, 40);
  await session.close();
  const other = await staged.open("one", {}, "gateway");
  await staged.work(other, 2);
  const last = staged.provider.requests.at(-1);
  expect(last?.appliedEdits).toEqual([]);
  expect(staged.provider.violations).toEqual([]);
  expect(staged.provider.overflows).toEqual([]);
  expect(staged.events.filter(({ type }) => type === "model-failed")).toEqual([]);
  const sent = staged.events.findLast((event) => event.type === "call")!.tokens;
  expect(Math.abs(sent - last!.promptTokens)).toBeLessThan(500);
});

it("shows all of it again where OpenAI summarised its own summary", async () => {
  const staged = await stage("openai", { compact: true });
  const session = await staged.open("one");
  await staged.work(session, 42);
  expect(layersOf(staged)).toEqual(["provider-clear compacted", "provider-clear compacted"]);
  await session.close();
  const other = await staged.open("one", { windowTokens: 400_000 }, "anthropic");
  const { writer } = internalsOf(other.session);
  await other.prepare();
  expect(writer.projection.activeEdits.map(({ edit }) => edit.kind)).not.toContain("provider-clear");
  expect(writer.projection.visible.find(({ insertedBy }) => insertedBy === undefined)?.seq).toBe(2);
});

it("asks the hooks about a compaction by hand", async () => {
  const staged = await stage("openai", { compact: true });
  const asked: string[] = [];
  const session = await staged.open("one", {}, "openai", {
    preCompact: ({ trigger }) => {
      asked.push(trigger);
      return { veto: "not now" };
    },
  });
  await staged.work(session, 4);
  await expect(session.compact()).rejects.toMatchObject({ code: "COMPACTION_VETOED" });
  expect(asked).toEqual(["manual"]);
});

it("tells the hooks of a compaction by hand", async () => {
  const staged = await stage("openai", { compact: true });
  const seen: string[] = [];
  const session = await staged.open("one", {}, "openai", {
    postCompact: ({ trigger, edits }) => {
      seen.push(`${trigger} ${edits[0]?.edit.kind}`);
    },
  });
  await staged.work(session, 4);
  await session.compact();
  expect(seen).toEqual(["manual provider-clear"]);
});
