/** An adapter that gets what makes sessions, or nothing, says at once which call is right. */
import { describe, expect, it } from "vitest";
import { createPalimpsest } from "#host/create-palimpsest.ts";
import { aiSdkMiddleware } from "#integrations/ai-sdk/ai-sdk-middleware.ts";
import { aiSdkTools } from "#integrations/ai-sdk/ai-sdk-tools.ts";
import { aiSdkWindow } from "#integrations/ai-sdk/ai-sdk-window.ts";
import { anthropicHistoryTools } from "#integrations/anthropic/with-anthropic.ts";
import { chatHistory } from "#integrations/langchain/chat-history.ts";
import { palimpsestMiddleware } from "#integrations/langchain/middleware.ts";
import { mastraProcessor } from "#integrations/mastra/mastra-processor.ts";
import { openaiHistoryTools } from "#integrations/openai/with-openai.ts";
import { agentsSession } from "#integrations/openai-agents/agents-session.ts";
import { functionModel } from "#models/function/function-model.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";

const palimpsest = createPalimpsest({
  model: functionModel(() => "x", { model: "m" }),
  store: new InMemorySessionStore(),
});
const SESSION = 'await palimpsest.session("my-agent")';

describe("an adapter", () => {
  it.each<{ of: string; make: (session: never) => unknown; call: string }>([
    { of: "aiSdkWindow", make: (given) => aiSdkWindow(given), call: `aiSdkWindow(${SESSION}, options)` },
    { of: "aiSdkMiddleware", make: aiSdkMiddleware, call: `aiSdkMiddleware(${SESSION})` },
    {
      of: "aiSdkTools",
      make: (session) => aiSdkTools({ session: session ?? (null as never) }),
      call: `aiSdkTools({ session: ${SESSION} })`,
    },
    { of: "mastraProcessor", make: (given) => mastraProcessor(given), call: `mastraProcessor(${SESSION})` },
    {
      of: "palimpsestMiddleware",
      make: (given) => palimpsestMiddleware(given),
      call: `palimpsestMiddleware(${SESSION})`,
    },
    {
      of: "chatHistory",
      make: (given) => chatHistory(given, {}, () => []),
      call: `chatHistory(${SESSION}, history, mapStoredMessagesToChatMessages)`,
    },
    { of: "agentsSession", make: agentsSession, call: `agentsSession(${SESSION})` },
    { of: "anthropicHistoryTools", make: anthropicHistoryTools, call: `anthropicHistoryTools(${SESSION})` },
    { of: "openaiHistoryTools", make: openaiHistoryTools, call: `openaiHistoryTools(${SESSION})` },
  ])("refuses what makes sessions, an id and nothing: $of", async ({ of, make, call }) => {
    const hint = `Pass one of \`createPalimpsest\`: ${call}.`;
    const refusal = (got: string): unknown =>
      expect.objectContaining({
        code: "OPTION_INVALID",
        message: `\`${of}\` got ${got}, not a session.`,
        hint,
      });
    expect(() => make(palimpsest as never)).toThrow(refusal("the object that makes sessions"));
    expect(() => make("my-agent" as never)).toThrow(refusal("a string"));
    expect(() => make(undefined as never)).toThrow(refusal(of === "aiSdkTools" ? "null" : "undefined"));
    expect(() => make(Promise.resolve() as never)).toThrow(refusal("a promise, which is not awaited"));
    const session = await palimpsest.session(of);
    expect(() => make(session as never)).not.toThrow();
  });

  it("refuses what makes sessions from a function that finds one, too", async () => {
    const find = () => palimpsest as never;
    const step = { messages: [], stepNumber: 0, state: {} } as never;
    const request = { messages: [], runtime: {} } as never;
    const refusal = (of: string): unknown =>
      expect.objectContaining({ message: `\`${of}\` got the object that makes sessions, not a session.` });
    await expect(mastraProcessor(find).processInputStep(step)).rejects.toThrow(refusal("mastraProcessor"));
    const { wrapModelCall } = palimpsestMiddleware(find);
    await expect(wrapModelCall(request, (() => undefined) as never)).rejects.toThrow(
      refusal("palimpsestMiddleware"),
    );
  });
});
