/**
 * The loops of the OpenAI SDK 5, 6 and 7: Chat Completions by hand and with `runTools`, whole and streamed, and Responses
 * with the whole list or from answer to answer. The variant is the major and the loop, such as `7 runTools`.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import OpenAI5 from "openai-5";
import OpenAI6 from "openai-6";
import OpenAI7 from "openai-7";
import { createPalimpsest } from "palimpsest";
import {
  historyTools,
  openaiChatModel,
  openaiResponsesModel,
  responsesHistoryTools,
  withPalimpsest,
} from "palimpsest/openai";
import { type OpenLoop, READ_FILE, SESSION_ID, SYSTEM } from "../shared/loop.ts";

type Messages = OpenAI7.ChatCompletionMessageParam[];
type Items = OpenAI7.Responses.ResponseInputItem[];

/** The text of an answer; `output_text` is not there in streams of SDK 5. */
function textOf(output: OpenAI7.Responses.ResponseOutputItem[]): string {
  const parts = output.flatMap((item) => (item.type === "message" ? item.content : []));
  return parts.map((part) => (part.type === "output_text" ? part.text : "")).join("");
}

/** The host's state between two processes. */
interface Kept {
  readonly messages: Messages;
  readonly items: Items;
  readonly previousId?: string;
}

export const openLoop: OpenLoop = async ({ openAiUrl, folder, windowTokens, variant }) => {
  const [major = "", loop = ""] = variant.split(" ");
  const options = { apiKey: "key", baseURL: openAiUrl, maxRetries: 0 };
  // `openai-types.ts` checks the types of the others.
  const openai = { 5: new OpenAI5(options), 6: new OpenAI6(options), 7: new OpenAI7(options) }[
    major
  ] as OpenAI7;
  const isChat = !loop.startsWith("responses");
  const model = isChat
    ? openaiChatModel(openai, { model: "gpt-4.1" })
    : openaiResponsesModel(openai, { model: "gpt-5.6-sol" });
  const palimpsest = createPalimpsest({ model, folder, window: { windowTokens } });
  const session = await palimpsest.session(SESSION_ID);
  const client = withPalimpsest(openai, session);

  // The host keeps its whole list; it is longer than any window.
  const path = join(folder, "list.json");
  let kept: Kept = existsSync(path)
    ? (JSON.parse(readFileSync(path, "utf8")) as Kept)
    : { messages: [{ role: "system", content: SYSTEM }], items: [{ role: "developer", content: SYSTEM }] };
  let beforeTurn = kept;
  const { name, description } = READ_FILE;
  const parameters = { ...READ_FILE.inputSchema, required: ["path"] };
  const readFile = {
    type: "function" as const,
    function: {
      ...{ name, description, parameters },
      function: (input: { path: string }) => READ_FILE.run(input),
      parse: (text: string) => JSON.parse(text) as { path: string },
    },
  };
  const tools = [readFile, ...historyTools(session)];
  const chat = { model: "gpt-4.1", max_completion_tokens: 2_000 };
  const responses = { model: "gpt-5.6-sol", max_output_tokens: 2_000 };
  const run = async (called: string, text: string): Promise<string> =>
    called === name
      ? readFile.function.function(readFile.function.parse(text))
      : ((await session.runTool(called, JSON.parse(text))) ?? "");

  async function chatByHand(
    call: (messages: Messages) => Promise<OpenAI7.ChatCompletion>,
  ): Promise<string | null | undefined> {
    for (;;) {
      const message = (await call(kept.messages)).choices[0]?.message;
      if (message === undefined) return undefined;
      kept.messages.push(message);
      if (message.tool_calls === undefined || message.tool_calls.length === 0) return message.content;
      for (const one of message.tool_calls)
        if (one.type === "function")
          kept.messages.push({
            ...{ role: "tool", tool_call_id: one.id },
            content: await run(one.function.name, one.function.arguments),
          });
    }
  }

  async function responsesByHand(isChained: boolean): Promise<string> {
    const definitions = [
      { type: "function" as const, name, description, parameters, strict: false },
      ...responsesHistoryTools(),
    ];
    for (;;) {
      const { previousId } = kept;
      const input = isChained && previousId !== undefined ? fresh : kept.items;
      const params = { ...responses, instructions: SYSTEM, tools: definitions, input };
      const response = isChained
        ? await client.responses.create({ ...params, previous_response_id: previousId ?? null })
        : await client.responses.stream(params).finalResponse();
      kept = { ...kept, previousId: response.id };
      kept.items.push(...(response.output as Items));
      fresh = [];
      const calls = response.output.flatMap((item) => (item.type === "function_call" ? [item] : []));
      if (calls.length === 0) return textOf(response.output);
      for (const { call_id, name: called, arguments: text } of calls)
        fresh.push({ type: "function_call_output", call_id, output: await run(called, text) });
      kept.items.push(...fresh);
    }
  }

  let fresh: Items = [];
  const loops: Readonly<Record<string, () => Promise<string | null | undefined>>> = {
    create: () =>
      chatByHand((messages) => client.chat.completions.create({ ...chat, messages, tools: [...tools] })),
    stream: () =>
      chatByHand((messages) =>
        client.chat.completions.stream({ ...chat, messages, tools: [...tools] }).finalChatCompletion(),
      ),
    runTools: async () => {
      const runner = client.chat.completions.runTools({ ...chat, messages: kept.messages, tools });
      const content = await runner.finalContent();
      kept = { ...kept, messages: [...(runner.messages as Messages)] };
      return content;
    },
    runToolsStreamed: async () => {
      const runner = client.chat.completions.runTools({
        ...{ ...chat, messages: kept.messages, tools },
        ...{ stream: true, stream_options: { include_usage: true } },
      });
      const content = await runner.finalContent();
      kept = { ...kept, messages: [...(runner.messages as Messages)] };
      return content;
    },
    responses: () => responsesByHand(false),
    responsesChained: () => responsesByHand(true),
  };

  return {
    session,
    say: async (text) => {
      beforeTurn = { ...kept, messages: [...kept.messages], items: [...kept.items] };
      kept.messages.push({ role: "user", content: text });
      fresh = [{ role: "user", content: text }];
      kept.items.push(...fresh);
      const content = await (loops[loop] ?? Promise.reject)();
      writeFileSync(path, JSON.stringify(kept));
      return content ?? "";
    },
    takeBack: async () => {
      kept = beforeTurn;
    },
    close: () => palimpsest.close(),
  };
};
