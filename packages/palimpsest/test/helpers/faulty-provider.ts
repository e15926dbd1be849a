/**
 * The same over HTTP: the vendors' own SDKs, and a scripted provider that fails by a seed.
 */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import {
  callTool,
  type ScriptedProvider,
  type ScriptStep,
  type SeededFault,
  say,
  scriptedProvider,
  seededFaults,
  think,
} from "palimpsest-testing";
import { anthropicModel } from "#models/anthropic/anthropic-model.ts";
import { openaiChatModel } from "#models/openai/chat-model.ts";
import { openaiResponsesModel } from "#models/openai/responses-model.ts";
import type { ModelClient } from "#ports/model-client.ts";
import { GOOD_SUMMARY, isSummaryRequest } from "../../../../test/helpers/recorded-agent.ts";
import type { Player, Prompter } from "./faulty-life.ts";
import { GOOD_PATCHES } from "./notes-manners.ts";

const anthropic =
  (model: string) =>
  ({ url }: ScriptedProvider): ModelClient =>
    anthropicModel(new Anthropic({ baseURL: url, apiKey: "key", maxRetries: 0 }), { model });
const openai = (url: string): OpenAI => new OpenAI({ baseURL: url, apiKey: "key", maxRetries: 0 });

const WIRES = {
  anthropic: anthropic("claude-opus-4-6"),
  "anthropic, strict": anthropic("claude-opus-5-5"),
  "openai-chat": ({ openAiUrl }: ScriptedProvider) =>
    openaiChatModel(openai(openAiUrl), { model: "gpt-4.1" }),
  "openai-responses": ({ openAiUrl }: ScriptedProvider) =>
    openaiResponsesModel(openai(openAiUrl), { model: "gpt-5.6-sol" }),
} as const;
export type WireName = keyof typeof WIRES;
export const WIRE_NAMES = Object.keys(WIRES) as readonly WireName[];

const KINDS: readonly SeededFault[] = [
  "rate-limit",
  "server-error",
  "overloaded",
  "overloaded-mid-stream",
  "hang",
  "cut",
  "not-json",
  "wrong-shape",
  "html",
  "prompt-too-long",
  "prompt-too-long-without-numbers",
  "body-too-large",
  "empty-answer",
  "refusal",
  "stray-tool-call",
  "output-limit",
];

export interface FaultyProviderOptions {
  readonly wire: WireName;
  readonly windowTokens: number;
  readonly seed: number;
  /** Share of its calls that fail. */
  readonly share: number;
}

/** Starts a provider on this machine, for a {@link FaultyLife}. */
export async function faultyProvider(
  { wire, windowTokens, seed, share }: FaultyProviderOptions,
  { deadline, goesOn }: Prompter,
): Promise<Player> {
  const plan = seededFaults({ seed, share, kinds: KINDS });
  const provider = await scriptedProvider({
    windowTokens,
    faults: (request) => {
      const step = request.purpose === "answer" ? plan(request) : undefined;
      // A caller that waits for a missing answer runs out of time.
      if (isHang(step)) setTimeout(() => deadline.pass(), 5);
      return step;
    },
    script: (request) => {
      if (isSummaryRequest(request)) return GOOD_SUMMARY;
      if (request.lastUserText.includes("Bring the session's notes up to date")) return GOOD_PATCHES;
      const { index } = request;
      const text = say(`Answer ${index} of the model.`);
      const thought = index % 3 === 0 || wire === "openai-chat" ? [] : [think(`Thought ${index}.`)];
      if (!goesOn()) return [...thought, text];
      const name = index % 4 === 0 ? "Read" : "mcp__docs__get";
      return [...thought, text, callTool(name, { path: `src/file${index}.ts` })];
    },
  });
  return {
    client: WIRES[wire](provider),
    // The fault names a window that the prompt just does not fit into.
    get windowTokens() {
      const refused = provider.requests.filter(({ fault }) => fault === "prompt-too-long");
      return Math.min(windowTokens, ...refused.map(({ promptTokens }) => promptTokens - 1));
    },
    get wrongs() {
      return provider.violations.map(
        ({ requestIndex, rule, path }) => `${wire}, request ${requestIndex}: ${rule} at ${path}`,
      );
    },
    close: () => provider.close(),
  };
}

const isHang = (step: ScriptStep | undefined): boolean =>
  typeof step === "object" && "fault" in step && step.fault === "hang";
