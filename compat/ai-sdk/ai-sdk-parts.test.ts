/**
 * Parts of the adapter in the loops of all majors of the AI SDK: recovery from refused prompts, reasoning with its
 * signatures, memory tools, and converters with the SDK's own types.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as anthropic5 from "@ai-sdk/anthropic-5";
import * as anthropic6 from "@ai-sdk/anthropic-6";
import * as anthropic7 from "@ai-sdk/anthropic-7";
import * as ai5 from "ai-5";
import * as ai6 from "ai-6";
import * as ai7 from "ai-7";
import { createPalimpsest } from "palimpsest";
import {
  aiSdkMiddleware,
  aiSdkModel,
  aiSdkTools,
  aiSdkWindow,
  fromModelMessages,
  fromUiMessages,
  toModelMessages,
  toUiMessages,
} from "palimpsest/ai-sdk";
import { createMemory } from "palimpsest/memory";
import { callTool, type Script, say, scriptedProvider, think } from "palimpsest-testing";
import { afterAll, describe, expect, it } from "vitest";
import { GOOD_SUMMARY, isSummaryRequest } from "../../test/helpers/recorded-agent.ts";

const folder = mkdtempSync(join(tmpdir(), "palimpsest-ai-sdk-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let sessionsCount = 0;

async function setUp(script: Script) {
  const provider = await scriptedProvider({ script, windowTokens: 32_000 });
  const settings = { apiKey: "key", baseURL: `${provider.url}/v1` };
  const model = anthropic6.createAnthropic(settings)("claude-opus-4-6");
  const palimpsest = createPalimpsest({ model: aiSdkModel(model), folder, window: { windowTokens: 32_000 } });
  const session = await palimpsest.session(`parts-${sessionsCount++}`);
  const close = async (): Promise<void> => {
    await palimpsest.close();
    await provider.close();
  };
  return { provider, session, settings, close };
}

type Settings = Awaited<ReturnType<typeof setUp>>["settings"];
type Session = Awaited<ReturnType<typeof setUp>>["session"];

type MessageList = ({ role: "user"; content: string } | { role: "assistant"; content: string })[];

const thinking = { anthropic: { thinking: { type: "enabled", budgetTokens: 1_024 } } } as const;

/** The same small program for each major. */
const MAJORS = {
  5: {
    ask: async (settings: Settings, session: Session, messages: MessageList, method: string) => {
      const model = anthropic5.createAnthropic(settings)("claude-opus-4-6");
      const wrapped = ai5.wrapLanguageModel({ model, middleware: aiSdkMiddleware(session) });
      const options = { model: wrapped, messages, maxRetries: 0 };
      return method === "generate"
        ? (await ai5.generateText(options)).text
        : await ai5.streamText(options).text;
    },
    work: async (
      settings: Settings,
      session: Session,
      prompt: string,
      tools: ReturnType<typeof aiSdkTools>,
    ) => {
      const model = anthropic5.createAnthropic(settings)("claude-opus-4-6");
      const window = aiSdkWindow(session, { system: "Be brief.", tools });
      const options = {
        model,
        prompt,
        stopWhen: ai5.stepCountIs(5),
        providerOptions: thinking,
        maxRetries: 0,
      };
      return (await ai5.generateText({ ...options, ...window })).text;
    },
    ofChat: async (chat: ai5.UIMessage[]) => {
      const converted = ai5.convertToModelMessages(chat);
      expect(toUiMessages<ai5.UIMessage>(fromUiMessages(chat))).toEqual(chat);
      expect(toModelMessages<ai5.ModelMessage>(fromModelMessages(converted))).toEqual(converted);
      return fromModelMessages(converted);
    },
  },
  6: {
    ask: async (settings: Settings, session: Session, messages: MessageList, method: string) => {
      const model = anthropic6.createAnthropic(settings)("claude-opus-4-6");
      const wrapped = ai6.wrapLanguageModel({ model, middleware: aiSdkMiddleware(session) });
      const options = { model: wrapped, messages, maxRetries: 0 };
      return method === "generate"
        ? (await ai6.generateText(options)).text
        : await ai6.streamText(options).text;
    },
    work: async (
      settings: Settings,
      session: Session,
      prompt: string,
      tools: ReturnType<typeof aiSdkTools>,
    ) => {
      const model = anthropic6.createAnthropic(settings)("claude-opus-4-6");
      const window = aiSdkWindow(session, { system: "Be brief.", tools });
      const options = {
        model,
        prompt,
        stopWhen: ai6.stepCountIs(5),
        providerOptions: thinking,
        maxRetries: 0,
      };
      return (await ai6.generateText({ ...options, ...window })).text;
    },
    ofChat: async (chat: ai6.UIMessage[]) => {
      const converted = await ai6.convertToModelMessages(chat);
      expect(toUiMessages<ai6.UIMessage>(fromUiMessages(chat))).toEqual(chat);
      expect(toModelMessages<ai6.ModelMessage>(fromModelMessages(converted))).toEqual(converted);
      return fromModelMessages(converted);
    },
  },
  7: {
    ask: async (settings: Settings, session: Session, messages: MessageList, method: string) => {
      const model = anthropic7.createAnthropic(settings)("claude-opus-4-6");
      const wrapped = ai7.wrapLanguageModel({ model, middleware: aiSdkMiddleware(session) });
      const options = { model: wrapped, messages, maxRetries: 0 };
      return method === "generate"
        ? (await ai7.generateText(options)).text
        : await ai7.streamText(options).text;
    },
    work: async (
      settings: Settings,
      session: Session,
      prompt: string,
      tools: ReturnType<typeof aiSdkTools>,
    ) => {
      const model = anthropic7.createAnthropic(settings)("claude-opus-4-6");
      const window = aiSdkWindow(session, { system: "Be brief.", tools });
      const options = {
        model,
        prompt,
        stopWhen: ai7.stepCountIs(5),
        providerOptions: thinking,
        maxRetries: 0,
      };
      return (await ai7.generateText({ ...options, ...window })).text;
    },
    ofChat: async (chat: ai7.UIMessage[]) => {
      const converted = await ai7.convertToModelMessages(chat);
      expect(toUiMessages<ai7.UIMessage>(fromUiMessages(chat))).toEqual(chat);
      expect(toModelMessages<ai7.ModelMessage>(fromModelMessages(converted))).toEqual(converted);
      return fromModelMessages(converted);
    },
  },
} as const;
const majors = [5, 6, 7] as const;

describe("a wrapped model", () => {
  const list: MessageList = Array.from(
    { length: 20 },
    (_, index): MessageList => [
      { role: "user", content: `Question ${index}: ${"what does the log say of it? ".repeat(100)}` },
      { role: "assistant", content: `Answer ${index}.` },
    ],
  ).flat();
  list.push({ role: "user", content: "And now?" });
  const cases = majors.flatMap((major) => ["generate", "stream"].map((method) => ({ major, method })));

  it.each(cases)("recovers from a refused prompt: ai $major, $method", async ({ major, method }) => {
    let answersCount = 0;
    const { provider, session, settings, close } = await setUp((request) => {
      if (isSummaryRequest(request)) return GOOD_SUMMARY;
      return answersCount++ === 0 ? { fault: "prompt-too-long" } : "It fits.";
    });
    expect(await MAJORS[major].ask(settings, session, list, method)).toBe("It fits.");
    const [refused, ...others] = provider.requests;
    expect(refused?.outcome).toBe("overflow");
    expect(others.map(({ outcome }) => outcome)).toEqual(others.map(() => "answered"));
    expect(others.at(-1)!.promptTokens).toBeLessThan(refused!.promptTokens);
    expect(session.visible.at(-1)?.role).toBe("assistant");
    await close();
  });
});

describe("a window", () => {
  it.each(majors)("keeps signed reasoning, and has tools over memory: ai %i", async (major) => {
    const memory = createMemory({ folder: join(folder, `memory-${major}`) });
    const { provider, session, settings, close } = await setUp([
      [think("The user wants it kept."), callTool("memory_remember", { text: "Deploys are on Tuesdays." })],
      [say("Kept.")],
      [think("I look it up."), callTool("memory_recall", { query: "When do we deploy?" })],
      [say("On Tuesdays.")],
    ]);
    const tools = aiSdkTools({ memory });
    expect(await MAJORS[major].work(settings, session, "Remember: deploys are on Tuesdays.", tools)).toBe(
      "Kept.",
    );
    expect(await MAJORS[major].work(settings, session, "When do we deploy?", tools)).toBe("On Tuesdays.");
    expect(provider.violations).toEqual([]);
    expect(provider.requests.at(-1)?.reasoning).toEqual({ keptCount: 2, droppedCount: 0 });
    expect(JSON.stringify(provider.requests.at(-1)?.body)).toContain("Deploys are on Tuesdays.");
    expect((await memory.list()).memories.map(({ source }) => source)).toEqual(["agent"]);
    await close();
  });
});

describe("the converters", () => {
  const chat = [
    { id: "u1", role: "user", parts: [{ type: "text", text: "Read a.ts" }] },
    {
      id: "a1",
      role: "assistant",
      parts: [
        { type: "step-start" },
        { type: "reasoning", text: "Hm.", providerMetadata: { anthropic: { signature: "c2ln" } } },
        {
          type: "dynamic-tool",
          toolName: "read",
          toolCallId: "c1",
          state: "output-available",
          input: { path: "a.ts" },
          output: { lines: 3 },
        },
        { type: "step-start" },
        { type: "text", text: "Three lines." },
      ],
    },
  ];
  const withoutCarriers = (messages: unknown): unknown =>
    JSON.parse(
      JSON.stringify(messages, (key, value: unknown) =>
        ["aiSdk", "hostId"].includes(key) ? undefined : value,
      ),
    );

  it.each(majors)("read a chat as the messages that the SDK makes of it: ai %i", async (major) => {
    const converted = await MAJORS[major].ofChat(chat as never);
    expect(withoutCarriers(converted)).toEqual(withoutCarriers(fromUiMessages(chat as never)));
  });
});
