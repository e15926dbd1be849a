/** The types of each major: the managed client is the SDK's own, and its tool runner takes the history tools. */
import OpenAI5 from "openai-5";
import OpenAI6 from "openai-6";
import OpenAI7 from "openai-7";
import type { AgentSession } from "palimpsest";
import { historyTools, openaiChatModel, responsesHistoryTools, withPalimpsest } from "palimpsest/openai";

const CHAT = { model: "gpt-4.1", messages: [{ role: "user" as const, content: "Hello." }] };
const RESPONSES = { model: "gpt-5.6-sol", input: "Hello." };

export async function openai5(session: AgentSession): Promise<readonly [string | null, string]> {
  const client: OpenAI5 = withPalimpsest(new OpenAI5(), session);
  openaiChatModel(client);
  const runner = client.chat.completions.runTools({ ...CHAT, tools: historyTools(session) });
  const response = await client.responses.create({ ...RESPONSES, tools: responsesHistoryTools() });
  return [await runner.finalContent(), response.output_text];
}

export async function openai6(session: AgentSession): Promise<readonly [string | null, string]> {
  const client: OpenAI6 = withPalimpsest(new OpenAI6(), { session });
  openaiChatModel(client);
  const runner = client.chat.completions.runTools({ ...CHAT, tools: historyTools(session) });
  const response = await client.responses.create({ ...RESPONSES, tools: responsesHistoryTools() });
  return [await runner.finalContent(), response.output_text];
}

export async function openai7(session: AgentSession): Promise<readonly [string | null, string]> {
  const client: OpenAI7 = withPalimpsest(new OpenAI7(), { session: async () => session });
  openaiChatModel(client);
  const runner = client.chat.completions.runTools({ ...CHAT, tools: historyTools(session) });
  const response = await client.responses.create({ ...RESPONSES, tools: responsesHistoryTools() });
  return [await runner.finalContent(), response.output_text];
}
