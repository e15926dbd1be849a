/**
 * A stage for strict sessions whose context the provider edits, over HTTP with the vendors' SDKs.
 */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { callTool, FakeClock, type ScriptedProvider, say, scriptedProvider, think } from "palimpsest-testing";
import { afterEach, expect } from "vitest";
import type { AgentSession } from "#agent/agent-session.ts";
import { createPalimpsest } from "#host/create-palimpsest.ts";
import { anthropicModel } from "#models/anthropic/anthropic-model.ts";
import { openaiResponsesModel } from "#models/openai/responses-model.ts";
import type { ModelClient } from "#ports/model-client.ts";
import type { SessionHooks } from "#ports/session-hooks.ts";
import type { SessionEvent } from "#session/events/events.ts";
import type { WindowOptions } from "#session/options/session-options.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { nodeHasher, randomIds } from "#stores/platform/node-ports.ts";
import { docsTool } from "../stage.ts";

/** Clearing has no least size; Anthropic summarises from 50,000 tokens on. */
export const SIZES = {
  clear: { windowTokens: 20_000, resultTokens: 750 },
  compact: { windowTokens: 80_000, resultTokens: 3_000 },
};

export const wires = {
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
  /** A Claude that summarises nothing. */
  older: (provider: ScriptedProvider): ModelClient =>
    anthropicModel(new Anthropic({ baseURL: provider.url, apiKey: "key", maxRetries: 0 }), {
      model: "claude-haiku-4-5",
    }),
};

export interface Stage {
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

export async function stage(
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

export const PORTS = { clock: new FakeClock(2_000), ids: randomIds, hasher: nodeHasher };

export const answersOf = ({ provider }: Stage) =>
  provider.requests.filter(({ purpose }) => purpose === "answer");
export const layersOf = ({ events }: Stage) =>
  events.flatMap((event) => (event.type === "layer" ? [`${event.layer} ${event.edit.reason}`] : []));

export const failuresOf = ({ events }: Stage) =>
  events.flatMap((event) => (event.type === "layer-failed" ? [`${event.layer} ${event.failures}`] : []));

/** No request was refused, and each figure of ours is within this share of the provider's. */
export function expectExact(staged: Stage, share: number): void {
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
