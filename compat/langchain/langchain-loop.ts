/** An agent of LangChain 1.x; its variant is the vendor whose models it asks, `anthropic` or `openai`, or `openai-responses`. */
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ChatAnthropic } from "@langchain/anthropic";
import {
  type BaseMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
} from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, createMiddleware, tool } from "langchain";
import { createPalimpsest } from "palimpsest";
import { langchainModel, palimpsestMiddleware } from "palimpsest/langchain";
import { z } from "zod";
import { type LoopSettings, type OpenLoop, READ_FILE, SESSION_ID, SYSTEM } from "../shared/loop.ts";

export const openLoop: OpenLoop = async (settings) => {
  const { folder, windowTokens } = settings;
  const model = modelOf(settings);
  const palimpsest = createPalimpsest({ model: langchainModel(model), folder, window: { windowTokens } });
  const session = await palimpsest.session(SESSION_ID);
  const readFileTool = tool(async ({ path }) => READ_FILE.run({ path }), {
    name: READ_FILE.name,
    description: READ_FILE.description,
    schema: z.object({ path: z.string() }),
  });
  const agent = createAgent({
    model,
    tools: [readFileTool],
    systemPrompt: SYSTEM,
    middleware: [createMiddleware(palimpsestMiddleware(session))],
  });
  const list = await StoredList.open(join(folder, "messages.jsonl"));
  return {
    session,
    say: async (text) => {
      const before = list.messages.length;
      const result = await agent.invoke({ messages: [...list.messages, new HumanMessage(text)] });
      await list.add(result.messages.slice(before));
      return list.messages.at(-1)!.text;
    },
    takeBack: () => list.takeBack(),
    close: () => palimpsest.close(),
  };
};

function modelOf({ url, openAiUrl, variant }: LoopSettings) {
  const common = { apiKey: "key", maxRetries: 0 };
  if (variant === "anthropic")
    return new ChatAnthropic({ ...common, model: "claude-opus-4-6", anthropicApiUrl: url });
  const useResponsesApi = variant === "openai-responses";
  return new ChatOpenAI({
    ...common,
    model: "gpt-5.2",
    configuration: { baseURL: openAiUrl },
    useResponsesApi,
  });
}

/** The agent's messages in a file, a turn a line, as a program without a checkpointer keeps them. */
class StoredList {
  readonly #path: string;
  #turns: BaseMessage[][] = [];

  private constructor(path: string) {
    this.#path = path;
  }

  static async open(path: string): Promise<StoredList> {
    const list = new StoredList(path);
    const text = await readFile(path, "utf8").catch(() => "");
    const lines = text.split("\n").filter((line) => line !== "");
    list.#turns = lines.map((line) => mapStoredMessagesToChatMessages(JSON.parse(line)));
    return list;
  }

  get messages(): BaseMessage[] {
    return this.#turns.flat();
  }

  async add(turn: BaseMessage[]): Promise<void> {
    this.#turns.push(turn);
    await appendFile(this.#path, lineOf(turn));
  }

  async takeBack(): Promise<void> {
    this.#turns.pop();
    await writeFile(this.#path, this.#turns.map(lineOf).join(""));
  }
}

const lineOf = (turn: BaseMessage[]): string => `${JSON.stringify(mapChatMessagesToStoredMessages(turn))}\n`;
