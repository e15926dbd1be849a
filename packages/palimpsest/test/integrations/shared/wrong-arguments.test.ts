/** An argument of `withPalimpsest` that would leave a program without a managed window is refused, also by the compiler. */
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentSession } from "#agent/agent-session.ts";
import { createPalimpsest } from "#host/create-palimpsest.ts";
import { withAnthropicWindow } from "#integrations/anthropic/with-anthropic.ts";
import { withOpenAIWindow } from "#integrations/openai/with-openai.ts";
import { functionModel } from "#models/function/function-model.ts";
import { InMemorySessionStore } from "#stores/in-memory/in-memory-session-store.ts";

const anthropic = new Anthropic({ apiKey: "key" });
const openai = new OpenAI({ apiKey: "key" });
const palimpsest = createPalimpsest({
  model: functionModel(() => "x", { model: "m" }),
  store: new InMemorySessionStore(),
});
let session: AgentSession;
beforeAll(async () => {
  session = await palimpsest.session("s");
});
afterAll(() => palimpsest.close());

const RIGHT_CALL = 'withPalimpsest(client, await palimpsest.session("my-agent"))';
const USE_ANTHROPIC = "`anthropicModel` or `withPalimpsest` of `palimpsest/anthropic`";
const USE_OPENAI = "`openaiChatModel`, `openaiResponsesModel` or `withPalimpsest` of `palimpsest/openai`";

describe("the client", () => {
  it.each([
    {
      given: "OpenAI's",
      // @ts-expect-error The client is another vendor's.
      make: () => withAnthropicWindow(openai, session),
      message: "`withPalimpsest` takes a client of `@anthropic-ai/sdk`; it got a client of `openai`.",
      hint: `Pass that one to ${USE_OPENAI}.`,
    },
    {
      given: "Anthropic's",
      // @ts-expect-error The client is another vendor's.
      make: () => withOpenAIWindow(anthropic, session),
      message: "`withPalimpsest` takes a client of `openai`; it got a client of `@anthropic-ai/sdk`.",
      hint: `Pass that one to ${USE_ANTHROPIC}.`,
    },
    {
      given: "missing",
      make: () => withAnthropicWindow(undefined as never, session),
      message: "`withPalimpsest` takes a client of `@anthropic-ai/sdk`; it got undefined.",
      hint: "Pass one, such as new Anthropic().",
    },
    {
      given: "a session",
      // @ts-expect-error The arguments are swapped.
      make: () => withOpenAIWindow(session, openai),
      message:
        "`withPalimpsest` takes a client of `openai`; it got an object without `chat.completions.create`.",
      hint: "Pass one, such as new OpenAI().",
    },
  ])("is refused if it is $given", ({ make, message, hint }) => {
    expect(make).toThrow(expect.objectContaining({ code: "OPTION_INVALID", message, hint }));
  });
});

describe("the session", () => {
  it.each([
    {
      given: "what makes sessions",
      // @ts-expect-error It makes sessions, and is none.
      make: () => withAnthropicWindow(anthropic, palimpsest),
      message: "`withPalimpsest` got the object that makes sessions, not a session.",
      hint: `Pass one of \`createPalimpsest\`: ${RIGHT_CALL}.`,
    },
    {
      given: "what makes sessions, for OpenAI",
      // @ts-expect-error It makes sessions, and is none.
      make: () => withOpenAIWindow(openai, palimpsest),
      message: "`withPalimpsest` got the object that makes sessions, not a session.",
      hint: `Pass one of \`createPalimpsest\`: ${RIGHT_CALL}.`,
    },
    {
      given: "missing",
      make: () => withOpenAIWindow(openai, undefined as never),
      message: "There is no session whose window the client sends.",
      hint: `Pass one of \`createPalimpsest\`: ${RIGHT_CALL}.`,
    },
    {
      given: "an id",
      make: () => withAnthropicWindow(anthropic, { session: "my-agent" } as never),
      message:
        'The option `session` of `withPalimpsest` is "my-agent"; it is a session, or a function that finds one.',
      hint: "Pass a session, or a function that finds one, or leave it out.",
    },
    {
      given: "beside a misspelt option",
      make: () => withAnthropicWindow(anthropic, { session, sesion: session } as never),
      message: "`withPalimpsest` has no option `sesion`.",
      hint: "Did you mean `session`? Its options are session.",
    },
  ])("is refused if it is $given", ({ make, message, hint }) => {
    expect(make).toThrow(expect.objectContaining({ code: "OPTION_INVALID", message, hint }));
  });

  it("may be found by a function", () => {
    expect(withAnthropicWindow(anthropic, { session: () => session })).toBeInstanceOf(Anthropic);
    expect(withOpenAIWindow(openai, { session: async () => session })).toBeInstanceOf(OpenAI);
  });
});
