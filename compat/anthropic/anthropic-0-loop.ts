/** The same loops with the Anthropic SDK 0.95, which has no middleware: the window goes in by its `fetch`. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk-0";
import { createPalimpsest } from "palimpsest";
import { anthropicModel, historyTools, withPalimpsest } from "palimpsest/anthropic";
import { type OpenLoop, READ_FILE, SESSION_ID, SYSTEM } from "../shared/loop.ts";

type List = Anthropic.Beta.BetaMessageParam[];

export const openLoop: OpenLoop = async ({ url, folder, windowTokens, variant }) => {
  const anthropic = new Anthropic({ apiKey: "key", baseURL: url, maxRetries: 0 });
  const model = anthropicModel(anthropic, { model: "claude-opus-4-6" });
  const palimpsest = createPalimpsest({ model, folder, window: { windowTokens } });
  const session = await palimpsest.session(SESSION_ID);
  const client = withPalimpsest(anthropic, session);

  // The host keeps its whole list; it is longer than any window.
  const path = join(folder, "list.json");
  let list = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as List) : [];
  let beforeTurn = list;
  const tools = [
    {
      ...({ type: "custom", name: READ_FILE.name, description: READ_FILE.description } as const),
      input_schema: { ...READ_FILE.inputSchema, required: [...READ_FILE.inputSchema.required] },
      run: (input: { path: string }) => READ_FILE.run(input),
      parse: (input: unknown) => input as { path: string },
    },
    ...historyTools(session),
  ];
  const params = { model: "claude-opus-4-6", max_tokens: 2_000, system: SYSTEM, tools } as const;

  const loops: Readonly<Record<string, () => Promise<Anthropic.Beta.BetaMessage>>> = {
    create: () => byHand((messages) => client.beta.messages.create({ ...params, messages })),
    stream: () => byHand((messages) => client.beta.messages.stream({ ...params, messages }).finalMessage()),
    toolRunner: async () => {
      const runner = client.beta.messages.toolRunner({ ...params, messages: list });
      const last = await runner.runUntilDone();
      list = [...runner.params.messages];
      return last;
    },
    toolRunnerStreamed: async () => {
      const runner = client.beta.messages.toolRunner({ ...params, messages: list, stream: true });
      for await (const stream of runner) await stream.finalMessage();
      list = [...runner.params.messages];
      return runner.done();
    },
  };

  async function byHand(
    call: (messages: List) => Promise<Anthropic.Beta.BetaMessage>,
  ): Promise<Anthropic.Beta.BetaMessage> {
    for (;;) {
      const message = await call(list);
      list.push({ role: "assistant", content: message.content });
      if (message.stop_reason !== "tool_use") return message;
      const calls = message.content.filter((block) => block.type === "tool_use");
      const results = calls.map(async ({ id, name, input }) => ({
        ...({ type: "tool_result", tool_use_id: id } as const),
        content: (await tools.find((tool) => tool.name === name)?.run(input as { path: string })) ?? "",
      }));
      list.push({ role: "user", content: await Promise.all(results) });
    }
  }

  return {
    session,
    say: async (text) => {
      beforeTurn = [...list];
      list.push({ role: "user", content: text });
      const { content } = await (loops[variant] ?? Promise.reject)();
      writeFileSync(path, JSON.stringify(list));
      return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
    },
    takeBack: async () => {
      list = beforeTurn;
    },
    close: () => palimpsest.close(),
  };
};
