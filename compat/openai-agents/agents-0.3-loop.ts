/**
 * A runner of the OpenAI Agents SDK 0.3; its variant says which API the model has (`responses` or `chat`), and where the
 * window is made (`model`, `stream` for a model whose answers are streamed, or `filter`).
 */
import {
  Agent,
  type AgentInputItem,
  OpenAIChatCompletionsModel,
  OpenAIResponsesModel,
  run,
  setTracingDisabled,
  tool,
} from "@openai/agents-0.3";
import OpenAI from "openai-6";
import { createPalimpsest } from "palimpsest";
import { openaiChatModel, openaiResponsesModel } from "palimpsest/openai";
import { agentsSession } from "palimpsest/openai-agents";
import { type OpenLoop, READ_FILE, SESSION_ID, SYSTEM } from "../shared/loop.ts";
import { withoutStrayFields } from "./stray-fields.ts";

const MODEL = "gpt-5.2";

export const openLoop: OpenLoop = async ({ openAiUrl, folder, windowTokens, variant }) => {
  setTracingDisabled(true);
  const [api, place] = variant.split(" ");
  const client = new OpenAI({ apiKey: "key", baseURL: openAiUrl, maxRetries: 0, fetch: withoutStrayFields });
  const own =
    api === "chat"
      ? openaiChatModel(client, { model: MODEL })
      : openaiResponsesModel(client, { model: MODEL });
  const palimpsest = createPalimpsest({ model: own, folder, window: { windowTokens } });
  const agentSession = await palimpsest.session(SESSION_ID);
  const session = agentsSession<AgentInputItem>(agentSession);
  // The SDK has another installation of `openai` here.
  const sdk = client as never;
  const model =
    api === "chat" ? new OpenAIChatCompletionsModel(sdk, MODEL) : new OpenAIResponsesModel(sdk, MODEL);
  const readFile = tool({
    name: READ_FILE.name,
    description: READ_FILE.description,
    parameters: READ_FILE.inputSchema as never,
    execute: (input: unknown) => READ_FILE.run(input as { path: string }),
  });
  const agent = new Agent({
    name: "keeper",
    instructions: SYSTEM,
    model: place === "filter" ? model : session.model(model),
    tools: [readFile, ...session.historyTools(tool)],
  });
  const { callModelInputFilter } = session;
  const options = { session, ...(place === "filter" ? { callModelInputFilter } : {}) };
  return {
    session: agentSession,
    say: async (text) => {
      if (place !== "stream") return String((await run(agent, text, options)).finalOutput);
      const result = await run(agent, text, { ...options, stream: true });
      await result.completed;
      return String(result.finalOutput);
    },
    takeBack: async () => {
      for (let item = await session.popItem(); item !== undefined; item = await session.popItem())
        if ("role" in item && item.role === "user") return;
    },
    close: () => palimpsest.close(),
  };
};
