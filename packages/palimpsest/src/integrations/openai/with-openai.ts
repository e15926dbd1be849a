/**
 * A client of `openai` whose requests carry a session's window.
 *
 * The SDK has no middleware, so the window is put in by the client's `fetch`. Chat Completions and Responses are managed;
 * instructions at the start of a list are not part of the conversation and are sent as they are.
 */
import type { AgentSession } from "../../agent/agent-session.ts";
import { SESSION_TOOLS } from "../../agent/tools/run-tools.ts";
import { isObject } from "../../base/json/json.ts";
import { parseBounded } from "../../base/json/parse-bounded.ts";
import { checkClient } from "../../models/shared/check-client.ts";
import { checkRunner } from "../shared/given-session.ts";
import {
  managedClient,
  optionsOf,
  type SdkClient,
  type SessionOrOptions,
  wrappedFetch,
} from "../shared/sdk-client.ts";
import { OPENAI_APIS } from "./openai-apis.ts";

/** A client of the OpenAI SDK, as far as it is used here. */
interface OpenAISdkClient extends SdkClient {
  /** Tells it from a client of another vendor. */
  readonly chat: object;
}

/**
 * The same client with a managed window: you keep your whole list of messages and call the SDK as ever, and what leaves is
 * the session's window. Answers and their usage are recorded, also streamed ones; a prompt that is refused for its size is
 * made smaller once. The original client is not changed. Give it, not the managed one, to the session's own model.
 *
 * @example
 * ```ts
 * const openai = new OpenAI();
 * const palimpsest = createPalimpsest({ model: openaiChatModel(openai, { model: "gpt-5.6-sol" }) });
 * const client = withPalimpsest(openai, await palimpsest.session("my-agent"));
 * ```
 * @throws `OptionError` for a client of another vendor, and where there is no session
 */
export function withOpenAIWindow<Client extends OpenAISdkClient>(
  client: Client,
  session: SessionOrOptions,
): Client {
  checkClient("withPalimpsest", client, "openai-chat");
  return managedClient(client, { fetch: wrappedFetch(client, { ...optionsOf(session), apis: OPENAI_APIS }) });
}

/** A tool as `runTools` of the SDK runs it. */
interface RunnableFunction {
  readonly type: "function";
  readonly function: {
    readonly name: string;
    readonly description: string;
    readonly parameters: Record<string, unknown>;
    function(input: object): Promise<string>;
    parse(text: string): object;
  };
}

/**
 * The tools with which the model reads what left the window (`history_search`, `history_read`, `history_pin`), ready for
 * `client.chat.completions.runTools`. In your own loop, `session.runTool` answers their calls.
 */
export function openaiHistoryTools(session: Pick<AgentSession, "runTool">): RunnableFunction[] {
  checkRunner(session, { of: "openaiHistoryTools", call: "$" });
  return SESSION_TOOLS.map(({ name, description, inputSchema }) => ({
    type: "function",
    function: {
      name,
      description,
      parameters: { ...inputSchema },
      function: async (input) => (await session.runTool(name, input)) ?? "",
      // What cannot be read becomes empty input, which the session answers in words for the model.
      parse: (text) => {
        const parsed = parseBounded(text);
        return parsed.ok && isObject(parsed.value) ? parsed.value : {};
      },
    },
  }));
}

/** A tool as the Responses API takes it. */
interface ResponsesFunction {
  readonly type: "function";
  readonly name: string;
  readonly description: string;
  readonly parameters: Record<string, unknown>;
  readonly strict: false;
}

/** The same tools for `client.responses`; `session.runTool(call.name, JSON.parse(call.arguments))` answers their calls. */
export function responsesHistoryTools(): ResponsesFunction[] {
  return SESSION_TOOLS.map(({ name, description, inputSchema }) => ({
    ...{ type: "function", name, description, parameters: { ...inputSchema } },
    strict: false,
  }));
}
