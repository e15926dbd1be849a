/** Clients with a managed window whose provider edits the context, over HTTP: the host keeps its whole list. */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { callTool, FakeClock, type ScriptedProvider, scriptedProvider, think } from "palimpsest-testing";
import { afterEach, expect, it } from "vitest";
import { createPalimpsest } from "#host/create-palimpsest.ts";
import { withAnthropicWindow } from "#integrations/anthropic/with-anthropic.ts";
import { withOpenAIWindow } from "#integrations/openai/with-openai.ts";
import { anthropicModel } from "#models/anthropic/anthropic-model.ts";
import { openaiResponsesModel } from "#models/openai/responses-model.ts";
import type { ModelClient } from "#ports/model-client.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";

const WINDOW_TOKENS = 20_000;
const RESULT = "the parser reads tokens one by one and keeps their places ".repeat(120);

let provider: ScriptedProvider;
afterEach(() => provider.close());

async function open(model: (provider: ScriptedProvider) => ModelClient, layers: string[]) {
  let count = 0;
  provider = await scriptedProvider({
    windowTokens: WINDOW_TOKENS,
    script: () => [think("Next."), callTool("Read", { name: `file-${++count}` })],
  });
  return createPalimpsest({
    model: model(provider),
    store: new InMemorySessionStore(),
    clock: new FakeClock(1_000),
    notes: "off",
    window: {
      windowTokens: WINDOW_TOKENS,
      policy: "faithful",
      providerEdits: { clear: true, compact: true },
    },
    observer: {
      onEvent: (event) => {
        if (event.type === "layer") layers.push(`${event.layer} ${event.edit.reason}`);
      },
    },
  }).session("s");
}

it("has Anthropic clear, and names the beta feature for it", async () => {
  const layers: string[] = [];
  const sdk = (url: string) => new Anthropic({ apiKey: "key", baseURL: url, maxRetries: 0 });
  const session = await open(
    ({ url }) => anthropicModel(sdk(url), { model: "claude-opus-5-5", endpoint: "anthropic" }),
    layers,
  );
  const client = withAnthropicWindow(sdk(provider.url), session);
  const messages: Anthropic.Beta.Messages.BetaMessageParam[] = [{ role: "user", content: "Read them all." }];
  for (let turn = 0; turn < 12; turn++) {
    const answer = await client.beta.messages.create({
      model: "claude-opus-5-5",
      max_tokens: 500,
      tools: [{ name: "Read", input_schema: { type: "object" } }],
      messages,
    });
    const call = answer.content.find((block) => block.type === "tool_use")!;
    messages.push(
      { role: "assistant", content: answer.content as Anthropic.Beta.Messages.BetaContentBlockParam[] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: RESULT }] },
    );
  }
  expect(provider.violations).toEqual([]);
  expect(provider.overflows).toEqual([]);
  expect(new Set(layers)).toEqual(new Set(["provider-clear cleared"]));
  expect(provider.requests.at(-1)).toMatchObject({ betas: ["context-management-2025-06-27"] });
  expect(provider.requests.at(-1)?.appliedEdits).toHaveLength(2);
  await session.close();
});

it("has OpenAI summarise, whatever the host still has in its list", async () => {
  const layers: string[] = [];
  const sdk = (url: string) => new OpenAI({ apiKey: "key", baseURL: url, maxRetries: 0 });
  const session = await open(
    ({ openAiUrl }) => openaiResponsesModel(sdk(openAiUrl), { model: "gpt-6-sol", endpoint: "openai" }),
    layers,
  );
  const client = withOpenAIWindow(sdk(provider.openAiUrl), session);
  const input: OpenAI.Responses.ResponseInputItem[] = [{ role: "user", content: "Read them all." }];
  for (let turn = 0; turn < 17; turn++) {
    const { output } = await client.responses.create({
      model: "gpt-6-sol",
      store: false,
      include: ["reasoning.encrypted_content"],
      tools: [{ type: "function", name: "Read", parameters: {}, strict: false }],
      input,
    });
    const call = output.find((item) => item.type === "function_call")!;
    input.push(...(output as OpenAI.Responses.ResponseInputItem[]), {
      type: "function_call_output",
      call_id: call.call_id,
      output: RESULT,
    });
  }
  expect(provider.violations).toEqual([]);
  expect(provider.overflows).toEqual([]);
  expect(new Set(layers)).toEqual(new Set(["provider-clear compacted"]));
  const sent = provider.requests.at(-1)?.body as { readonly input: readonly { readonly type: string }[] };
  expect(sent.input[0]?.type).toBe("compaction");
  expect(sent.input.length).toBeLessThan(input.length / 2);
  await session.close();
});
