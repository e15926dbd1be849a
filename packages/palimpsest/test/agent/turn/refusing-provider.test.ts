/**
 * A provider that refuses: the vendors' own SDKs against a real server whose window shrinks on the way, whose
 * usage is withheld, or who cuts prompts without a word.
 */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { answer, callTool, type Script, type ScriptedProvider, scriptedProvider } from "palimpsest-testing";
import { afterEach, describe, expect, it } from "vitest";
import { createPalimpsest } from "#host/create-palimpsest.ts";
import { anthropicModel } from "#models/anthropic/anthropic-model.ts";
import { openaiChatModel } from "#models/openai/chat-model.ts";
import { openaiResponsesModel } from "#models/openai/responses-model.ts";
import type { ModelClient } from "#ports/model-client.ts";
import type { SessionEvent } from "#session/events/events.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { docsTool } from "#test/agent/stage.ts";
import { GOOD_SUMMARY, isSummaryRequest } from "../../../../../test/helpers/recorded-agent.ts";
import { isLong } from "../../../../../test/helpers/size-of-run.ts";

const WIRES: Readonly<Record<string, (provider: ScriptedProvider) => ModelClient>> = {
  anthropic: ({ url }) =>
    anthropicModel(new Anthropic({ baseURL: url, apiKey: "key", maxRetries: 0 }), {
      model: "claude-opus-4-6",
    }),
  "openai-chat": ({ openAiUrl }) =>
    openaiChatModel(new OpenAI({ baseURL: openAiUrl, apiKey: "key", maxRetries: 0 }), { model: "gpt-4.1" }),
  "openai-responses": ({ openAiUrl }) =>
    openaiResponsesModel(new OpenAI({ baseURL: openAiUrl, apiKey: "key", maxRetries: 0 }), {
      model: "gpt-4.1",
    }),
};

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

interface Reading {
  readonly count: number;
  readonly tokens: number;
}
const FEW_LONG: Reading = { count: 20, tokens: 2_400 };
const MANY_SHORT: Reading = { count: 35, tokens: 800 };

/** An agent that reads documents in a window of 64,000 tokens, of which no counter knows. */
async function readDocuments(
  wire: string,
  { count, tokens }: Reading,
  script: (
    call: number,
    provider: ScriptedProvider,
    usual: Parameters<typeof answer>[0],
  ) => ReturnType<Extract<Script, (...none: never[]) => unknown>>,
) {
  let calls = 0;
  const provider: ScriptedProvider = await scriptedProvider({
    windowTokens: 64_000,
    script: (request) => {
      if (isSummaryRequest(request)) return GOOD_SUMMARY;
      const call = calls++;
      return script(call, provider, call >= count ? "Done." : read(call));
    },
  });
  const events: SessionEvent[] = [];
  const palimpsest = createPalimpsest({
    model: WIRES[wire]!(provider),
    counters: [],
    store: new InMemorySessionStore(),
    window: { windowTokens: 64_000, policy: "faithful", disabledLayers: ["offload", "microcompact"] },
    observer: { onEvent: (event) => events.push(event) },
  });
  open.push(palimpsest, provider);
  const session = await palimpsest.session("s1");
  const result = await session.turn("Read everything.", { tools: [docsTool(tokens)] });
  return { provider, events, session, result };
}

const read = (call: number) => callTool("mcp__docs__get", { path: `src/file${call}.ts` });

/** Each story over each wire in the long run; by default over one of them. */
const isTried = (wire: string, story: number): boolean =>
  isLong || Object.keys(WIRES).indexOf(wire) === story % Object.keys(WIRES).length;

describe.each(Object.keys(WIRES))("over %s", (wire) => {
  it.runIf(isTried(wire, 0))(
    "a window that shrinks on the way costs one refusal, and the turn goes on",
    async () => {
      const { provider, events, result } = await readDocuments(wire, FEW_LONG, (call, one, usual) => {
        if (call === 9) one.windowTokens = 20_000;
        return usual;
      });
      expect(result).toMatchObject({ endedBy: "done", text: "Done." });
      expect(provider.violations).toEqual([]);
      const refused = events.filter((event) => event.type === "model-failed");
      expect(refused).toHaveLength(1);
      expect(refused[0]).toMatchObject({ isRecovered: true, failure: { kind: "prompt-too-long" } });
      expect(provider.overflows.filter((request) => !isSummaryRequest(request))).toHaveLength(1);
    },
  );

  it.runIf(isTried(wire, 1))(
    "old rounds give way to a refusal before a model is asked for a summary, and a second one is compacted for",
    async () => {
      let refusals = 0;
      const { provider, events, result } = await readDocuments(wire, MANY_SHORT, (call, _, usual) => {
        const isRefused = call === 30 || call === 31;
        if (isRefused) refusals++;
        // The second refusal makes the window a tiny one, so the turn ends soon after it.
        return isRefused ? { fault: "prompt-too-long" } : call > 31 ? "Done." : usual;
      });
      expect(refusals).toBe(2);
      expect(result).toMatchObject({ endedBy: "done" });
      expect(provider.violations).toEqual([]);
      const happened = events.flatMap((event) => {
        if (event.type === "layer") return [`${event.layer} (${event.edit.reason})`];
        return event.type === "model-failed" || event.type === "summary-call" ? [event.type] : [];
      });
      expect(happened.slice(0, 5)).toEqual([
        "model-failed",
        "collapse (reactive)",
        "model-failed",
        "summary-call",
        "full (reactive)",
      ]);
    },
  );

  it.runIf(isTried(wire, 2))(
    "usage that is withheld changes nothing but what is known of sizes",
    async () => {
      const { provider, events, result } = await readDocuments(wire, FEW_LONG, (_call, _provider, usual) =>
        answer(usual, { usage: "withheld" }),
      );
      expect(result.endedBy).toBe("done");
      expect(provider.violations).toEqual([]);
      expect(events.filter((event) => event.type === "model-failed").length).toBeLessThanOrEqual(1);
    },
  );

  it.runIf(isTried(wire, 3))(
    "a prompt that is cut without a word is noticed, and the next one is smaller",
    async () => {
      const { provider, events, result } = await readDocuments(wire, MANY_SHORT, (_call, _provider, usual) =>
        answer(usual, { truncatesPromptTo: 10_000 }),
      );
      expect(result.endedBy).toBe("done");
      expect(provider.violations).toEqual([]);
      expect(events.some((event) => event.type === "model-failed")).toBe(true);
      expect(events.some((event) => event.type === "layer" && event.edit.reason === "silent-overflow")).toBe(
        true,
      );
    },
  );

  it.runIf(isTried(wire, 4))(
    "one prompt that is reported far too small costs nothing but its figure",
    async () => {
      const { provider, events, result } = await readDocuments(wire, FEW_LONG, (call, _, usual) =>
        call === 10 ? answer(usual, { truncatesPromptTo: 4_000 }) : usual,
      );
      expect(result.endedBy).toBe("done");
      expect(provider.violations).toEqual([]);
      expect(events.filter((event) => event.type === "model-failed")).toEqual([]);
      expect(events.filter((event) => event.type === "usage-distrusted")).toHaveLength(1);
    },
  );
});
