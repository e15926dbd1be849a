/**
 * The output limit of calls beside the conversation, through each client and its vendor's SDK: a summary and an
 * update of the notes have their own limit, and still share the conversation's prefix to the byte.
 */
import Anthropic from "@anthropic-ai/sdk";
import {
  type RecordedRequest,
  type ScriptedProvider,
  type ScriptedRequest,
  type ScriptStep,
  scriptedProvider,
} from "palimpsest-testing";
import { afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "#base/json/json.ts";
import { createPalimpsest, type PalimpsestOptions } from "#host/create-palimpsest.ts";
import { anthropicModel } from "#models/anthropic/anthropic-model.ts";
import type { ModelClient } from "#ports/model-client.ts";
import type { SessionEvent } from "#session/events/events.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";
import { NOTES_PATCHES } from "#test/agent/fake-model.ts";
import { wordsOf } from "#test/agent/stage.ts";
import { CLIENTS } from "#test/wire/ai-sdk/clients.ts";
import {
  GOOD_SUMMARY,
  isNotesRequest,
  isSummaryRequest,
} from "../../../../../test/helpers/recorded-agent.ts";
import { usualFew } from "../../../../../test/helpers/size-of-run.ts";

/** About 3,000 tokens: far beyond what the hosts here allow an answer. */
const LONG_SUMMARY = GOOD_SUMMARY.replace("were read and changed.", wordsOf(3_000));

let provider: ScriptedProvider | undefined;
afterEach(async () => {
  await provider?.close();
  provider = undefined;
});

interface Played {
  readonly events: readonly SessionEvent[];
  readonly of: (asks: (request: ScriptedRequest) => boolean) => readonly RecordedRequest[];
}

interface Setting extends Partial<Omit<PalimpsestOptions, "model">> {
  readonly connect: (url: string) => ModelClient;
  readonly parameters?: JsonObject;
  readonly faults?: (request: ScriptedRequest) => ScriptStep | undefined;
  /** The text that each turn reads. @defaultValue 2,000 words */
  readonly words?: number;
}

/** Some turns in a window of 64,000 tokens, and a compaction by hand. */
async function compactByHand({
  connect,
  parameters,
  faults,
  words = 2_000,
  ...options
}: Setting): Promise<Played> {
  const started = await scriptedProvider({
    windowTokens: 64_000,
    faults,
    script: (request) => {
      if (isSummaryRequest(request)) return LONG_SUMMARY;
      return isNotesRequest(request) ? `${NOTES_PATCHES}\n${wordsOf(600)}` : "Done.";
    },
  });
  provider = started;
  const events: SessionEvent[] = [];
  const palimpsest = createPalimpsest({
    model: connect(started.url),
    store: new InMemorySessionStore(),
    notes: "off",
    observer: { onEvent: (event) => events.push(event) },
    ...options,
    window: { windowTokens: 64_000, policy: "faithful", ...options.window },
  });
  const session = await palimpsest.session("s");
  const request = { system: "You read. ".repeat(800), parameters };
  for (let turn = 0; turn < 6; turn++) await session.turn(`Read this: ${wordsOf(words)}`, request);
  await session.notesSettled();
  await session.compact({ instructions: "Keep it short." });
  await palimpsest.close();
  expect(started.violations).toEqual([]);
  return { events, of: (asks) => started.requests.filter((one) => one.purpose === "answer" && asks(one)) };
}

const calls = ({ events }: Played): readonly string[] =>
  events.flatMap((event) => (event.type === "summary-call" ? [`${event.form} ${event.outcome}`] : []));

const anthropic =
  (model: string, options: { maxOutputTokens?: number } = {}) =>
  (baseURL: string): ModelClient =>
    anthropicModel(new Anthropic({ baseURL, apiKey: "key", maxRetries: 0 }), { model, ...options });

describe("a forked summary", () => {
  it.each(
    usualFew(CLIENTS, 3),
  )("gets what its reserve promises, whatever limit the host of $name sets", async (client) => {
    const connect = (url: string): ModelClient => ({ ...client.connect(url), model: client.model });
    const played = await compactByHand({ connect, parameters: client.parameter.given });
    expect(calls(played)).toEqual(["forked written"]);
    const [summary] = played.of(isSummaryRequest);
    const answer = played.of((request) => !isSummaryRequest(request)).at(-1);
    // Reserve and summary, 6,400 tokens each: a tenth of the window and what the prompt allows.
    expect(summary?.maxOutputTokens).toBe(12_800);
    expect(answer?.maxOutputTokens).toBe(55);
    expect(prefixOf(summary)).toBe(prefixOf(answer));
  });

  it("reads the prefix from the cache, because the limit is no part of it", async () => {
    const played = await compactByHand({
      connect: anthropic("claude-opus-4-6"),
      parameters: { max_tokens: 55 },
    });
    expect(played.of(isSummaryRequest)[0]?.cache.readTokens).toBeGreaterThan(10_000);
  });

  it.each([
    {
      why: "a thinking budget, which is part of the cached prefix, comes on top",
      parameters: { max_tokens: 3_000, thinking: { type: "enabled", budget_tokens: 2_500 } },
      limit: 15_300,
    },
    { why: "a higher limit of the host stays", parameters: { max_tokens: 30_000 }, limit: 30_000 },
    { why: "the client's own default gives way", client: { maxOutputTokens: 500 }, limit: 12_800 },
    { why: "no model gives more than it can", window: { maxOutputTokens: 8_192 }, limit: 8_192 },
  ])("is limited to $limit tokens: $why", async ({ parameters, client = {}, window = {}, limit }) => {
    const connect = anthropic("claude-opus-4-6", client);
    const played = await compactByHand({
      connect,
      window,
      parameters,
    });
    expect(calls(played)).toEqual(["forked written"]);
    const [summary] = played.of(isSummaryRequest);
    expect(summary?.maxOutputTokens).toBe(limit);
    const body = summary?.body as JsonObject;
    expect(body["thinking"]).toEqual(parameters?.thinking);
  });

  it.each([
    {
      why: "the host's own limit no longer fits",
      client: "openaiChatModel",
      parameters: { max_completion_tokens: 36_300 },
      limit: 35_977,
    },
    {
      why: "the reserve does not fit beside the thinking budget",
      client: "anthropicModel",
      parameters: { max_tokens: 30_000, thinking: { type: "enabled", budget_tokens: 28_000 } },
      limit: 31_834,
    },
    {
      why: "the thinking budget alone does not fit, so that the host's limit stays",
      client: "anthropicModel",
      parameters: { max_tokens: 32_350, thinking: { type: "enabled", budget_tokens: 32_200 } },
      limit: 32_350,
    },
  ])("asks $client for $limit tokens: $why", async ({ client, parameters, limit }) => {
    const { connect, model } = CLIENTS.find(({ name }) => name === client)!;
    const played = await compactByHand({
      connect: (url) => ({ ...connect(url), model }),
      parameters,
      words: 4_200,
    });
    expect(calls(played)).toEqual(["forked written"]);
    const [summary] = played.of(isSummaryRequest);
    expect(summary?.maxOutputTokens).toBe(limit);
  });

  it("goes with the host's own limit if the provider refuses a higher one", async () => {
    const message = "max_tokens: 12800 > 4096, which is the maximum allowed number of output tokens";
    const played = await compactByHand({
      connect: anthropic("some-model"),
      parameters: { max_tokens: 4_096 },
      faults: (request) =>
        (request.maxOutputTokens ?? 0) > 4_096 ? { fault: "bad-request", message } : undefined,
    });
    expect(calls(played)).toEqual(["forked written"]);
    expect(played.of(isSummaryRequest).map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([
      12_800, 4_096,
    ]);
  });
});

describe("other calls beside the conversation", () => {
  it("a cold summary asks for no more than its model gives", async () => {
    const played = await compactByHand({
      connect: (url) => ({ ...anthropic("claude-opus-4-6")(url) }),
      summaryModel: { ...anthropic("claude-3-haiku-20240307")("http://127.0.0.1:1"), generate: refuse },
      window: { maxOutputTokens: 3_000 },
      faults: (request) =>
        isSummaryRequest(request) && request.systemText.startsWith("You read.")
          ? { fault: "prompt-too-long" }
          : undefined,
    });
    expect(limits).toEqual([4_096]);
    expect(calls(played).at(0)).toBe("forked prompt-too-long");
  });

  it("an update of the notes is not cut off at the host's limit", async () => {
    const played = await compactByHand({
      connect: anthropic("claude-opus-4-6"),
      parameters: { max_tokens: 200 },
      notes: { costShareCap: "off" },
    });
    const updates = played.events.flatMap((event) =>
      event.type === "notes-update" ? [`${event.form} ${event.outcome}`] : [],
    );
    expect(updates.length).toBeGreaterThan(0);
    expect(new Set(updates)).toEqual(new Set(["forked written"]));
    expect(played.of(isNotesRequest)[0]?.maxOutputTokens).toBe(10_240);
  });
});

const limits: (number | undefined)[] = [];
const refuse: ModelClient["generate"] = async (request) => {
  limits.push(request.maxOutputTokens);
  return {
    messages: [{ role: "assistant", content: [{ type: "text", text: GOOD_SUMMARY }] }],
    stopReason: "end",
  };
};

/** Model, system prompt, tools and the first messages, as they were sent. */
function prefixOf(request: RecordedRequest | undefined): string {
  const { model, system, instructions, tools, messages, input } = request?.body as JsonObject;
  const conversation = (messages ?? input) as readonly unknown[];
  // Cache marks move on with each call, and are not cached themselves.
  const text = JSON.stringify({ model, system, instructions, tools, first: conversation.slice(0, 10) });
  return text.replaceAll(',"cache_control":{"type":"ephemeral"}', "");
}
