/**
 * The loops of the AI SDK 7: `generateText` and `streamText`, with the session's window or with a wrapped model. A
 * variant is three words: `new`, `full` or `wrapped`; `generate` or `stream`; `anthropic`, `chat` or `responses`.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAnthropic } from "@ai-sdk/anthropic-7";
import { createOpenAI } from "@ai-sdk/openai-7";
import {
  generateText,
  jsonSchema,
  type ModelMessage,
  stepCountIs,
  streamText,
  tool,
  wrapLanguageModel,
} from "ai-7";
import { createPalimpsest } from "palimpsest";
import { aiSdkMiddleware, aiSdkModel, aiSdkTools, aiSdkWindow } from "palimpsest/ai-sdk";
import { type OpenLoop, READ_FILE, SESSION_ID, SYSTEM } from "../shared/loop.ts";

const read_file = tool({
  description: READ_FILE.description,
  inputSchema: jsonSchema<{ path: string }>({ ...READ_FILE.inputSchema, required: ["path"] }),
  execute: async (input) => READ_FILE.run(input),
});

export const openLoop: OpenLoop = async ({ url, openAiUrl, folder, windowTokens, variant }) => {
  const [way = "", method = "", wire = ""] = variant.split(" ");
  const openai = createOpenAI({ apiKey: "key", baseURL: openAiUrl });
  const model =
    wire === "anthropic"
      ? createAnthropic({ apiKey: "key", baseURL: `${url}/v1` })("claude-opus-4-6")
      : wire === "chat"
        ? openai.chat("gpt-4.1")
        : openai.responses("gpt-4.1");
  const palimpsest = createPalimpsest({ model: aiSdkModel(model), folder, window: { windowTokens } });
  const session = await palimpsest.session(SESSION_ID);

  // A host that keeps the whole list keeps it in a file.
  const path = join(folder, "list.json");
  let list = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as ModelMessage[]) : [];
  let listBefore = list;
  let seqBefore = 0;

  const tools = { read_file };
  const window = aiSdkWindow(session, { system: SYSTEM, tools, list: way === "full" ? "full" : "new" });
  const wrapped = wrapLanguageModel({ model, middleware: aiSdkMiddleware(session) });
  const stopWhen = stepCountIs(10);
  const shared = { maxRetries: 0, stopWhen, providerOptions: { openai: { store: false } } } as const;
  const loops = {
    "new generate": (prompt: string) => generateText({ ...shared, model, prompt, ...window }),
    "new stream": (prompt: string) => streamText({ ...shared, model, prompt, ...window }),
    "full generate": () => generateText({ ...shared, model, messages: list, ...window }),
    "full stream": () => streamText({ ...shared, model, messages: list, ...window }),
    "wrapped generate": () =>
      generateText({
        ...{ ...shared, model: wrapped, messages: list, system: SYSTEM },
        tools: { ...tools, ...aiSdkTools({ session }) },
      }),
    "wrapped stream": () =>
      streamText({
        ...{ ...shared, model: wrapped, messages: list, system: SYSTEM },
        tools: { ...tools, ...aiSdkTools({ session }) },
      }),
  };
  return {
    session,
    say: async (text) => {
      listBefore = [...list];
      seqBefore = session.visible.at(-1)?.seq ?? 0;
      list.push({ role: "user", content: text });
      const result = await loops[`${way} ${method}` as keyof typeof loops](text);
      const answer = await result.text;
      list.push(...(await result.responseMessages));
      writeFileSync(path, JSON.stringify(list));
      return answer;
    },
    takeBack: async () => {
      list = listBefore;
      if (way === "new") await session.rewind(seqBefore);
    },
    close: () => palimpsest.close(),
  };
};
