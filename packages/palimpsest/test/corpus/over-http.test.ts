/**
 * Recorded sessions of one repository, chained, through a real HTTP server that speaks the vendors' wire
 * formats to the vendors' own SDKs: nothing is refused for its form, and nothing overflows.
 */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { type ScriptedProvider, scriptedProvider } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import { createPalimpsest } from "#host/create-palimpsest.ts";
import { anthropicModel } from "#models/anthropic/anthropic-model.ts";
import { openaiChatModel } from "#models/openai/chat-model.ts";
import { openaiResponsesModel } from "#models/openai/responses-model.ts";
import type { ModelClient } from "#ports/model-client.ts";
import type { SessionEvent } from "#session/events/events.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { corpusFiles, hasCorpus } from "../../../../test/helpers/corpus.ts";
import { isSummaryRequest, recordedAgent } from "../../../../test/helpers/recorded-agent.ts";
import { bySize, isLong } from "../../../../test/helpers/size-of-run.ts";

/** Over a million tokens of one repository, in the order of the manifest; by default a small one. */
const CHAIN = isLong ? ["cc-entire-3compact", "cc-entire-2compact"] : ["cc-entire-unpaired"];

const WIRES: Readonly<Record<string, (provider: ScriptedProvider) => ModelClient>> = {
  anthropic: ({ url }) =>
    anthropicModel(new Anthropic({ baseURL: url, apiKey: "key", maxRetries: 0 }), {
      model: "claude-opus-4-6",
    }),
  "anthropic, strict": ({ url }) =>
    anthropicModel(new Anthropic({ baseURL: url, apiKey: "key", maxRetries: 0 }), {
      model: "claude-opus-5-5",
    }),
  "openai-chat": ({ openAiUrl }) =>
    openaiChatModel(new OpenAI({ baseURL: openAiUrl, apiKey: "key", maxRetries: 0 }), { model: "gpt-4.1" }),
  "openai-responses": ({ openAiUrl }) =>
    openaiResponsesModel(new OpenAI({ baseURL: openAiUrl, apiKey: "key", maxRetries: 0 }), {
      model: "gpt-5.6-sol",
    }),
};

const WINDOWS = [32_000, 64_000, 200_000];

/** Every wire in every window in a soak; in the long run each wire in one of them; by default one wire in the smallest. */
const RUNS = Object.keys(WIRES).flatMap((wire, index) =>
  WINDOWS.filter((_, place) =>
    bySize({ usual: index === 0 && place === 0, long: index % WINDOWS.length === place, soak: true }),
  ).map((windowTokens) => ({
    wire,
    windowTokens,
    streams: (index + (windowTokens === 64_000 ? 1 : 0)) % 2 === 0,
  })),
);

describe.skipIf(!hasCorpus)("recorded sessions over HTTP", () => {
  it.each(RUNS)("pass $wire at $windowTokens, streaming: $streams", async ({
    wire,
    windowTokens,
    streams,
  }) => {
    const paths = corpusFiles("claude-code").filter(({ id }) => CHAIN.includes(id));
    const agent = await recordedAgent(
      paths.map(({ path }) => path),
      { thinks: wire !== "openai-chat" },
    );
    const provider = await scriptedProvider({ script: (request) => agent.answer(request), windowTokens });
    const events: SessionEvent[] = [];
    const palimpsest = createPalimpsest({
      model: WIRES[wire]!(provider),
      store: new InMemorySessionStore(),
      window: { windowTokens },
      observer: { onEvent: (event) => events.push(event) },
    });
    try {
      const session = await palimpsest.session("chain");
      const system = `You work on a repository. ${"Keep to the rules of the house. ".repeat(60)}`;
      const { tools } = agent;
      for (let prompt = agent.nextPrompt(); prompt !== undefined; prompt = agent.nextPrompt())
        await session.turn(prompt, { system, tools, ...(streams ? { onEvent: () => {} } : {}) });
      if (isLong) report(`${wire} at ${windowTokens}`, provider, events);
      expect(provider.violations).toEqual([]);
      expect(provider.overflows).toEqual([]);
      expect(events.filter((event) => event.type === "model-failed" && !wasCutByTheWindow(event))).toEqual(
        [],
      );
      expect(provider.requests.filter(({ reasoning }) => reasoning.droppedCount > 0)).toEqual([]);
      expect(events.some((event) => event.type === "layer" && event.edit.isBoundary === true)).toBe(true);
      const fixed = new Set(
        answers(provider).map(({ systemText, toolNames }) => `${systemText} ${toolNames.join()}`),
      );
      expect(fixed.size).toBe(1);
      for (const share of sharesRead(provider)) expect(share).toBeGreaterThan(0.95);
    } finally {
      await palimpsest.close();
      await provider.close();
    }
  });
});

/** The calls that share the conversation's prefix: cold summaries and cold updates of the notes have their own. */
const answers = (provider: ScriptedProvider) =>
  provider.requests.filter(
    ({ purpose, systemText }) =>
      purpose === "answer" && !/^You (?:summarise|keep the notes of) /.test(systemText),
  );

/**
 * A recorded answer of eight thousand tokens does not fit behind a prompt of 25K in a window of 32K: no refusal, and
 * the turn goes on after a compaction.
 */
const wasCutByTheWindow = ({
  failure,
  isRecovered,
}: SessionEvent & { readonly type: "model-failed" }): boolean =>
  isRecovered && failure.message === "The window was full while the model was answering.";

/** Share of the earlier request that each forked call read from the cache. */
function sharesRead(provider: ScriptedProvider): readonly number[] {
  const asked = answers(provider);
  return asked.flatMap((request, index) => {
    const before = asked[index - 1];
    if (!isSummaryRequest(request) || before === undefined) return [];
    return [request.cache.readTokens / before.promptTokens];
  });
}
function report(run: string, provider: ScriptedProvider, events: readonly SessionEvent[]): void {
  const layers = new Map<string, number>();
  for (const event of events)
    if (event.type === "layer") {
      const name = `${event.layer} (${event.edit.reason})`;
      layers.set(name, (layers.get(name) ?? 0) + 1);
    }
  const texts = [
    `${answers(provider).length} calls`,
    `${provider.requests.filter(({ purpose }) => purpose === "count").length} counts`,
    ...[...layers].map(([name, count]) => `${count} ${name}`),
    `read by forked calls: ${
      sharesRead(provider)
        .map((share) => share.toFixed(3))
        .join(" ") || "none"
    }`,
    `${events.filter((event) => event.type === "cache-miss" && !event.miss.isExpected).length} unexpected misses`,
  ];
  process.stdout.write(`${run}: ${texts.join(", ")}\n`);
}
