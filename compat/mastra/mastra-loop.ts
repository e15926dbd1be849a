/**
 * An agent of Mastra over the window of a session. A variant is three words: `new` or `full`; `generate` or `stream`;
 * `5`, `6` or `7`, the major of the AI SDK whose provider it uses.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAnthropic as anthropic5 } from "@ai-sdk/anthropic-5";
import { createAnthropic as anthropic6 } from "@ai-sdk/anthropic-6";
import { createAnthropic as anthropic7 } from "@ai-sdk/anthropic-7";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { createPalimpsest } from "palimpsest";
import { aiSdkModel } from "palimpsest/ai-sdk";
import { mastraProcessor } from "palimpsest/mastra";
import { z } from "zod";
import { type OpenLoop, READ_FILE, SESSION_ID, SYSTEM } from "../shared/loop.ts";

const read_file = createTool({
  id: READ_FILE.name,
  description: READ_FILE.description,
  inputSchema: z.object({ path: z.string() }),
  execute: async (input) => READ_FILE.run(input),
});

export const openLoop: OpenLoop = async ({ url, folder, windowTokens, variant }) => {
  const [list = "", method = "", major = ""] = variant.split(" ");
  const settings = { apiKey: "key", baseURL: `${url}/v1` };
  const model =
    major === "5"
      ? anthropic5(settings)("claude-opus-4-6")
      : major === "6"
        ? anthropic6(settings)("claude-opus-4-6")
        : anthropic7(settings)("claude-opus-4-6");
  const palimpsest = createPalimpsest({ model: aiSdkModel(model), folder, window: { windowTokens } });
  const session = await palimpsest.session(SESSION_ID);
  const agent = new Agent({
    id: "archivist",
    name: "Archivist",
    instructions: SYSTEM,
    // The types of Mastra 1.71 are those of an older provider of the AI SDK 7.
    model: model as Exclude<typeof model, { specificationVersion: "v4" }>,
    tools: { read_file },
    inputProcessors: [mastraProcessor(session, { list: list === "full" ? "full" : "new" })],
  });

  // A host that keeps the whole list keeps it in a file.
  type Messages = Extract<Parameters<typeof agent.generate>[0], unknown[]>;
  const path = join(folder, "list.json");
  let messages = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Messages) : ([] as Messages);
  let messagesBefore = messages;
  let seqBefore = 0;
  return {
    session,
    say: async (text) => {
      messagesBefore = [...messages];
      seqBefore = session.visible.at(-1)?.seq ?? 0;
      messages = [...messages, { role: "user", content: text }] as Messages;
      const input = list === "full" ? messages : text;
      const options = { maxSteps: 10, modelSettings: { maxRetries: 0 } };
      const result =
        method === "generate"
          ? await agent.generate(input, options)
          : await (await agent.stream(input, options)).getFullOutput();
      if (result.error !== undefined) throw result.error;
      messages = [...messages, ...(result.response.messages ?? [])] as Messages;
      writeFileSync(path, JSON.stringify(messages));
      return result.steps.at(-1)?.text ?? "";
    },
    takeBack: async () => {
      messages = messagesBefore;
      if (list === "new") await session.rewind(seqBefore);
    },
    close: () => palimpsest.close(),
  };
};
