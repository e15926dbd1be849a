/** Runs of both versions of the SDK: what reaches the log, and that nothing in it is ever taken back by mistake. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as agents from "@openai/agents";
import * as agents03 from "@openai/agents-0.3";
import OpenAI from "openai-6";
import { createPalimpsest, functionModel, type SessionEvent } from "palimpsest";
import { agentsSession, fromOpenAIAgents, toOpenAIAgents } from "palimpsest/openai-agents";
import {
  callTool,
  type ScriptedProvider,
  type ScriptStep,
  say,
  scriptedProvider,
  think,
} from "palimpsest-testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { withoutStrayFields } from "./stray-fields.ts";

let folder: string;
let provider: ScriptedProvider;
let steps: ScriptStep[] = [];
let events: SessionEvent[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "palimpsest-agents-"));
  provider = await scriptedProvider({ script: () => steps.shift() ?? say("Done."), windowTokens: 32_000 });
  events = [];
});

afterEach(async () => {
  await provider.close();
  await rm(folder, { recursive: true, force: true });
});

/** 0.3 has empty lists beside a text, or has not, by the way in which it came. */
const asStored = (items: readonly object[]): unknown =>
  JSON.parse(
    JSON.stringify(items, (name, value) => (/^(annotations|logprobs)$/.test(name) ? undefined : value)),
  );

const openPalimpsest = (windowTokens = 32_000) =>
  createPalimpsest({
    model: functionModel(async () => "A summary is not needed.", { model: "gpt-5.2" }),
    folder,
    window: { windowTokens },
    observer: { onEvent: (event) => events.push(event) },
  });

const client = () =>
  new OpenAI({
    apiKey: "key",
    baseURL: provider.openAiUrl,
    maxRetries: 0,
    fetch: withoutStrayFields,
  }) as never;
const readFile = (sdk: typeof agents) =>
  sdk.tool({
    name: "read_file",
    description: "Reads a file.",
    parameters: { type: "object", properties: {}, required: [], additionalProperties: false },
    execute: () => "a line of a file\n".repeat(800),
  });

const versions = { "0.20": agents, "0.3": agents03 as unknown as typeof agents };
const CASES = (["0.20", "0.3"] as const).flatMap((version) =>
  (["responses", "chat"] as const).flatMap((api) =>
    (["model", "stream", "filter"] as const).map((place) => ({ version, api, place })),
  ),
);

describe("runs of the OpenAI Agents SDK", () => {
  it.each(CASES)("$version, $api, $place: are recorded once, with usage", async ({ version, api, place }) => {
    const sdk = versions[version];
    sdk.setTracingDisabled(true);
    const palimpsest = openPalimpsest();
    const own = await palimpsest.session("s");
    const session = agentsSession<agents.AgentInputItem>(own);
    const plain =
      api === "chat"
        ? new sdk.OpenAIChatCompletionsModel(client(), "gpt-5.2")
        : new sdk.OpenAIResponsesModel(client(), "gpt-5.2");
    const agent = new sdk.Agent({
      name: "keeper",
      instructions: "Be brief.",
      model: place === "filter" ? plain : session.model(plain),
      tools: [readFile(sdk)],
    });
    const first = api === "chat" ? say("I look.") : think("I need both.");
    steps = [
      [first, callTool("read_file", {}), callTool("read_file", {})],
      callTool("read_file", {}),
      say("Two files."),
      say("You are welcome."),
    ];
    const options = {
      session,
      ...(place === "filter" ? { callModelInputFilter: session.callModelInputFilter } : {}),
    };
    const ask = async (text: string) => {
      if (place !== "stream") return (await sdk.run(agent, text, options)).finalOutput;
      const result = await sdk.run(agent, text, { ...options, stream: true });
      await result.completed;
      return result.finalOutput;
    };
    expect(await ask("Read the files.")).toBe("Two files.");
    expect(await ask("Thanks.")).toBe("You are welcome.");
    expect(events.filter(({ type }) => type === "host-edit")).toEqual([]);
    const used = events.filter((event) => event.type === "answer" && event.usage !== undefined);
    expect(used).toHaveLength(4);
    expect(provider.violations).toEqual([]);
    const stored = await session.getItems();
    expect(await session.popItem()).toEqual(stored.at(-1));
    await palimpsest.close();
    const again = openPalimpsest();
    const resumed = agentsSession<agents.AgentInputItem>(await again.session("s"));
    const items: agents.AgentInputItem[] = await resumed.getItems();
    expect(toOpenAIAgents(fromOpenAIAgents(items))).toEqual(asStored(stored.slice(0, -1)));
    await again.close();
  });

  it("never see the refusal of a prompt that is too long", async () => {
    agents.setTracingDisabled(true);
    // The session believes in a larger window than the provider has.
    const palimpsest = openPalimpsest(200_000);
    const session = agentsSession<agents.AgentInputItem>(await palimpsest.session("s"));
    steps = Array.from({ length: 12 }, () => callTool("read_file", {}));
    const agent = new agents.Agent({
      name: "keeper",
      model: session.model(new agents.OpenAIResponsesModel(client(), "gpt-5.2")),
      tools: [readFile(agents)],
    });
    const { finalOutput } = await agents.run(agent, "Read twelve files.", { session, maxTurns: 20 });
    expect(finalOutput).toBe("Done.");
    expect(provider.overflows.length).toBeGreaterThan(0);
    await palimpsest.close();
  });

  it("leave no trace of an input that a guardrail stopped", async () => {
    agents.setTracingDisabled(true);
    const palimpsest = openPalimpsest();
    const own = await palimpsest.session("s");
    const session = agentsSession<agents.AgentInputItem>(own);
    const agent = new agents.Agent({
      name: "keeper",
      model: session.model(new agents.OpenAIResponsesModel(client(), "gpt-5.2")),
      inputGuardrails: [
        {
          name: "no secrets",
          execute: async ({ input }) => ({
            tripwireTriggered: JSON.stringify(input).includes("secret"),
            outputInfo: undefined,
          }),
        },
      ],
    });
    await agents.run(agent, "Hello.", { session });
    await expect(agents.run(agent, "The secret is teal.", { session })).rejects.toThrow();
    await agents.run(agent, "Who are you?", { session });
    expect(JSON.stringify(provider.requests.at(-1)?.body)).not.toContain("teal");
    expect(JSON.stringify(own.visible)).not.toContain("teal");
    await palimpsest.close();
  });
});
