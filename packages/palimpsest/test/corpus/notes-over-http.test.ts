/**
 * Notes of recorded sessions over HTTP, with the vendors' own SDKs: an update shares the conversation to the byte and
 * reads it from the cache, what every call carries never changes, and notes cost what they may.
 */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { type ScriptedProvider, type ScriptedRequest, scriptedProvider } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import type { NotesOptions } from "#agent/options/agent-options.ts";
import { createPalimpsest } from "#host/create-palimpsest.ts";
import { anthropicModel } from "#models/anthropic/anthropic-model.ts";
import { openaiChatModel } from "#models/openai/chat-model.ts";
import { openaiResponsesModel } from "#models/openai/responses-model.ts";
import type { ModelClient } from "#ports/model-client.ts";
import type { SessionEvent } from "#session/events/events.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import type { Usage } from "#transcript/blocks.ts";
import { corpusFiles, hasCorpus } from "../../../../test/helpers/corpus.ts";
import { isNotesRequest, isSummaryRequest, recordedAgent } from "../../../../test/helpers/recorded-agent.ts";
import { bySize, isLong } from "../../../../test/helpers/size-of-run.ts";

interface Wire {
  readonly client: (provider: ScriptedProvider) => ModelClient;
  /** In tokens of input: read from the cache, written to it, said. */
  readonly prices: { readonly read: number; readonly written: number; readonly output: number };
}

const WIRES: Readonly<Record<string, Wire>> = {
  anthropic: {
    client: ({ url }) =>
      anthropicModel(new Anthropic({ baseURL: url, apiKey: "key", maxRetries: 0 }), {
        model: "claude-opus-4-6",
      }),
    prices: { read: 0.1, written: 1.25, output: 5 },
  },
  "openai-chat": {
    client: ({ openAiUrl }) =>
      openaiChatModel(new OpenAI({ baseURL: openAiUrl, apiKey: "key", maxRetries: 0 }), { model: "gpt-4.1" }),
    prices: { read: 0.25, written: 1, output: 4 },
  },
  "openai-responses": {
    client: ({ openAiUrl }) =>
      openaiResponsesModel(new OpenAI({ baseURL: openAiUrl, apiKey: "key", maxRetries: 0 }), {
        model: "gpt-4.1",
      }),
    prices: { read: 0.25, written: 1, output: 4 },
  },
};

/** Both OpenAI wires cache alike: one of them is enough for a default run, and for what notes cost. */
const FEW_WIRES = Object.entries(WIRES).filter(([name]) => name !== "openai-chat");
const RUN_WIRES = isLong ? Object.entries(WIRES) : FEW_WIRES;
const WINDOWS = [200_000, 64_000, 32_000];

/** Windows of a wire: each in a soak, one in the long run, another one for the next wire. */
const windowsOf = (wire: number): readonly number[] =>
  bySize({ usual: [64_000], long: [WINDOWS[wire % WINDOWS.length]!], soak: WINDOWS });

/** A shorter prompt is not cached by this Anthropic model, so that nothing of it can be read. */
const LEAST_CACHED_TOKENS = 4_096;

/** One request, as it was when it came. */
interface Seen {
  readonly isUpdate: boolean;
  /** System prompt and tools. */
  readonly fixed: string;
  readonly messages: readonly string[];
  readonly request: ScriptedRequest;
}

async function live(
  wire: Wire,
  {
    id,
    windowTokens,
    notes,
  }: { readonly id: string; readonly windowTokens: number; readonly notes: NotesOptions },
) {
  const agent = await recordedAgent(
    corpusFiles("claude-code").flatMap((file) => (file.id === id ? [file.path] : [])),
  );
  const seen: Seen[] = [];
  const provider = await scriptedProvider({
    windowTokens,
    script: (request) => {
      if (request.purpose === "answer" && !isSummaryRequest(request)) seen.push(seenOf(request));
      return agent.answer(request);
    },
  });
  const events: SessionEvent[] = [];
  const palimpsest = createPalimpsest({
    ...{ notes, model: wire.client(provider), store: new InMemorySessionStore(), window: { windowTokens } },
    observer: { onEvent: (event) => events.push(event) },
  });
  try {
    const session = await palimpsest.session("noted");
    const system = `You work on a repository. ${"Keep to the rules of the house. ".repeat(60)}`;
    for (let prompt = agent.nextPrompt(); prompt !== undefined; prompt = agent.nextPrompt())
      await session.turn(prompt, { system, tools: agent.tools });
  } finally {
    await palimpsest.close();
    await provider.close();
  }
  return { provider, events, seen };
}

function seenOf(request: ScriptedRequest): Seen {
  const { system, instructions, tools, messages, input } = request.body as Record<string, unknown>;
  const history = (messages ?? input) as readonly unknown[];
  return {
    isUpdate: isNotesRequest(request),
    fixed: unmarked([system, instructions, tools]),
    messages: history.map(unmarked),
    request,
  };
}

/** Marks of the cache come and go, and are not part of the conversation. */
const unmarked = (value: unknown): string =>
  JSON.stringify(value, (key, inner: unknown) => (key === "cache_control" ? undefined : inner));

/** Forked updates, each with the newest request before it that it goes on from. */
function forkedUpdates(seen: readonly Seen[]): readonly { readonly update: Seen; readonly before: Seen }[] {
  return seen.flatMap((update, index) => {
    if (!update.isUpdate || update.request.toolNames.length === 0) return [];
    // The next answer may have been asked for before the update was.
    const before = seen
      .slice(0, index)
      .findLast((one) => !one.isUpdate && one.messages.length <= update.messages.length);
    return before === undefined ? [] : [{ update, before }];
  });
}

function costsOf(events: readonly SessionEvent[], { prices }: Wire) {
  const price = (usage: Usage | undefined): number =>
    usage === undefined
      ? 0
      : usage.inputTokens +
        usage.cacheReadTokens * prices.read +
        usage.cacheWriteTokens * prices.written +
        usage.outputTokens * prices.output;
  const sum = (type: "answer" | "summary-call" | "notes-update"): number =>
    events.reduce((total, event) => (event.type === type ? total + price(event.usage) : total), 0);
  const notes = sum("notes-update");
  return { notes, all: notes + sum("answer") + sum("summary-call") };
}

const countOf = (events: readonly SessionEvent[]): number =>
  events.filter(({ type }) => type === "notes-update").length;

describe.skipIf(!hasCorpus)("notes over HTTP (skipped without the corpus)", () => {
  it.each(
    RUN_WIRES.flatMap(([name, wire], index) =>
      windowsOf(index).map((windowTokens) => ({ name, wire, windowTokens })),
    ),
  )("are updated from the cache: $name at $windowTokens", async ({ name, wire, windowTokens }) => {
    const id = isLong ? "cc-entire-microcompact" : "cc-entire-persisted";
    const { provider, events, seen } = await live(wire, { id, windowTokens, notes: { costShareCap: "off" } });
    expect(provider.violations).toEqual([]);
    expect(provider.overflows).toEqual([]);
    expect(events.filter((event) => event.type === "cache-miss" && !event.miss.isExpected)).toEqual([]);
    const updates = forkedUpdates(seen);
    expect(updates.length).toBeGreaterThan(0);
    const shares = updates.flatMap(({ update, before }) => {
      // The last message may have the instruction behind what it had.
      const shared = before.messages.slice(0, -1);
      expect(update.messages.slice(0, shared.length)).toEqual(shared);
      const { cache } = provider.requests[update.request.index]!;
      const { promptTokens } = before.request;
      return promptTokens < LEAST_CACHED_TOKENS ? [] : [cache.readTokens / promptTokens];
    });
    const { notes, all } = costsOf(events, wire);
    if (isLong)
      process.stdout.write(
        `${name} at ${windowTokens}, no cap: ${updates.length} forked updates of ${countOf(events)} (${updates.length - shares.length} too short for the cache), ${(100 * Math.min(...shares)).toFixed(1)} % read at the least, ${((100 * notes) / all).toFixed(1)} % of the cost\n`,
      );
    expect(shares.length).toBeGreaterThan(0);
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(0.95);
    const fixed = seen.filter(({ request }) => request.toolNames.length > 0).map((one) => one.fixed);
    expect(new Set(fixed).size).toBe(1);
  });

  it
    .skipIf(!isLong)
    .each(
      FEW_WIRES.flatMap(([name, wire], index) =>
        windowsOf(2 - index).map((windowTokens) => ({ name, wire, windowTokens })),
      ),
    )(
    "by the session's model cost at most a twentieth with the default cap: $name at $windowTokens",
    async ({ name, wire, windowTokens }) => {
      const id = "cc-entire-3compact";
      const { provider, events } = await live(wire, { id, windowTokens, notes: { updater: "forked" } });
      expect(provider.violations).toEqual([]);
      const { notes, all } = costsOf(events, wire);
      process.stdout.write(
        `${name} at ${windowTokens}: ${countOf(events)} updates, ${((100 * notes) / all).toFixed(2)} % of the cost\n`,
      );
      expect(notes / all).toBeLessThanOrEqual(0.05);
      expect(notes).toBeGreaterThan(0);
    },
  );
});
