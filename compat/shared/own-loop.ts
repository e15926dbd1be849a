/** The library's own turns, without a framework: they show that the session of 300 turns asks for what can be had. */
import Anthropic from "@anthropic-ai/sdk";
import { createPalimpsest } from "palimpsest";
import { anthropicModel } from "palimpsest/anthropic";
import { type OpenLoop, READ_FILE, SESSION_ID, SYSTEM } from "./loop.ts";

export const openLoop: OpenLoop = async ({ url, folder, windowTokens }) => {
  const client = new Anthropic({ apiKey: "key", baseURL: url, maxRetries: 0 });
  const model = anthropicModel(client, { model: "claude-opus-4-6" });
  const palimpsest = createPalimpsest({ model, folder, window: { windowTokens } });
  const session = await palimpsest.session(SESSION_ID);
  const tools = [{ ...READ_FILE, run: (input: unknown) => READ_FILE.run(input as { path: string }) }];
  let beforeTurn = 0;
  return {
    session,
    say: async (text) => {
      beforeTurn = session.session.visible.at(-1)?.seq ?? 0;
      return (await session.turn(text, { system: SYSTEM, tools })).text;
    },
    takeBack: () => session.session.rewind(beforeTurn),
    close: () => palimpsest.close(),
  };
};
