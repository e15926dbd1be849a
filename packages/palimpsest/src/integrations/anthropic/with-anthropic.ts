/**
 * A client of `@anthropic-ai/sdk` whose requests carry a session's window.
 *
 * The window is put in below the SDK's methods: as a middleware in SDK 1.x, which also serves the clients of Bedrock,
 * Vertex and Foundry, and as the client's `fetch` in earlier ones. Message threads, which keep the list on the server, are
 * refused in the words in which the API refuses them; the tool runner then goes on without.
 */
import type { AgentSession } from "../../agent/agent-session.ts";
import { SESSION_TOOLS } from "../../agent/tools/run-tools.ts";
import { asNumber, asString, isObject, type JsonObject } from "../../base/json/json.ts";
import { checkClient } from "../../models/shared/check-client.ts";
import { internalsOf } from "../../session/session.ts";
import type { ContentBlock, Message } from "../../transcript/blocks.ts";
import { anthropicAnswer } from "../../wire/anthropic/answer.ts";
import { contextManagement } from "../../wire/anthropic/context-management.ts";
import { anthropicBody, readAnthropicRequest } from "../../wire/anthropic/request.ts";
import { AnthropicAssembly } from "../../wire/anthropic/stream.ts";
import { checkRunner } from "../shared/given-session.ts";
import { type HttpRequest, type ManagedApi, managedFetch } from "../shared/managed-fetch.ts";
import {
  managedClient,
  optionsOf,
  type SdkClient,
  type SessionOrOptions,
  wrappedFetch,
} from "../shared/sdk-client.ts";

/** A client of the Anthropic SDK, as far as it is used here. */
interface AnthropicSdkClient extends SdkClient {
  /** Tells it from a client of another vendor. */
  readonly messages: object;
  readonly middleware?: readonly unknown[];
}

/**
 * The same client with a managed window: you keep your whole list of messages and call the SDK as ever, and what leaves is
 * the session's window. Answers and their usage are recorded, also streamed ones; a prompt that is refused for its size is
 * made smaller once. The original client is not changed. Give it, not the managed one, to the session's own model.
 *
 * @example
 * ```ts
 * const anthropic = new Anthropic();
 * const palimpsest = createPalimpsest({ model: anthropicModel(anthropic, { model: "claude-opus-5-5" }) });
 * const client = withPalimpsest(anthropic, await palimpsest.session("my-agent"));
 * ```
 * @throws `OptionError` for a client of another vendor, and where there is no session
 */
export function withAnthropicWindow<Client extends AnthropicSdkClient>(
  client: Client,
  session: SessionOrOptions,
): Client {
  checkClient("withPalimpsest", client, "anthropic");
  const options = { ...optionsOf(session), apis: APIS };
  const { middleware } = client;
  const manage = (
    request: HttpRequest,
    send: (request: HttpRequest) => Promise<Response>,
  ): Promise<Response> => managedFetch(request, { ...options, send });
  return managedClient(
    client,
    middleware === undefined
      ? { fetch: wrappedFetch(client, options) }
      : { middleware: [...middleware, manage] },
  );
}

/** A tool as the SDK's tool runner runs it. */
interface RunnableTool {
  readonly type: "custom";
  readonly name: string;
  readonly description: string;
  readonly input_schema: { readonly type: "object" };
  run(input: unknown): Promise<string>;
  parse(input: unknown): unknown;
}

/**
 * The tools with which the model reads what left the window (`history_search`, `history_read`, `history_pin`), ready for
 * `client.beta.messages.toolRunner`. In your own loop, `session.runTool` answers their calls.
 */
export function anthropicHistoryTools(session: Pick<AgentSession, "runTool">): RunnableTool[] {
  checkRunner(session, { of: "anthropicHistoryTools", call: "$" });
  return SESSION_TOOLS.map(({ name, description, inputSchema }) => ({
    type: "custom",
    name,
    description,
    input_schema: inputSchema as { readonly type: "object" },
    run: async (input) => (await session.runTool(name, input)) ?? "",
    parse: (input) => input,
  }));
}

const MESSAGES_API: ManagedApi = {
  read: (body, { headers }) => {
    if (body["thread"] !== undefined) return THREAD_REFUSAL;
    const { request: read, unreadable } = readAnthropicRequest(body);
    if (unreadable.length > 0) return undefined;
    const {
      model,
      system,
      tools,
      parameters: { system: blocks, ...parameters } = {},
      maxOutputTokens,
    } = read;
    // One block says the same as a text; the text is stored once.
    const hasBlocks = Array.isArray(blocks) && blocks.length > 1;
    const betas =
      headers
        .get("anthropic-beta")
        ?.split(",")
        .flatMap((beta) => beta.trim() || []) ?? [];
    return {
      messages: read.messages,
      request: {
        model,
        ...(system === undefined ? {} : { system }),
        ...(tools === undefined ? {} : { tools }),
        parameters: {
          ...parameters,
          ...(hasBlocks ? { system: blocks } : {}),
          ...(maxOutputTokens === undefined ? {} : { max_tokens: maxOutputTokens }),
        },
        ...(betas.length === 0 ? {} : { betas }),
        // One for the end of system prompt and tools, unless the host marks them, and the API's automatic one.
        reservedMarks: Math.max(1, fixedMarks(body).length) + (isObject(body["cache_control"]) ? 1 : 0),
      },
    };
  },
  write: (body, { call, request }, { session }) => {
    const hostMarks = [...fixedMarks(body), ...markOf(body)];
    // The API takes marks of an hour only before those of five minutes.
    const isShort = hostMarks.some((ttl) => ttl !== "1h");
    const lifetimes = internalsOf(session.session).cache.lifetimes;
    const cacheTtl = isShort ? "5m" : lifetimes.cacheTtl;
    const headCacheTtl = fixedMarks(body).length > 0 ? cacheTtl : lifetimes.headCacheTtl;
    const { messages, cacheMarks } = call;
    const sent = anthropicBody(
      {
        ...request,
        model: call.model,
        messages,
        providerEdits: call.providerEdits,
        cacheMarks,
        cacheTtl,
        headCacheTtl,
      },
      asNumber(body["max_tokens"]) ?? 0,
    );
    return { ...body, ...sent };
  },
  betas: ({ call }) => contextManagement(call).betas,
  answer: (body) => anthropicAnswer(body),
  assembly: () => new AnthropicAssembly(),
  plain: plainMessage,
};

const APIS: ReadonlyMap<string, ManagedApi> = new Map([["/v1/messages", MESSAGES_API]]);

/** Source: SDK 1.12, `lib/internal/threads/ThreadState`. */
const THREAD_REFUSAL = {
  refused: {
    message:
      'A client with a managed window keeps no message thread on the server. Send the whole list of messages, or start the thread with `unsupportedRequestBehavior: "continue_unthreaded"`.',
    details: { error_code: "thread_unsupported_request", unsupported: ["managed_window"] },
  },
};

/** Leaves out empty fields, which an answer has and a host may drop, and what the SDK's helpers parse. */
function plainMessage(message: Message): Message {
  const isPlain = ([key, value]: [string, unknown]): boolean => value !== null && !key.startsWith("parsed");
  const content = message.content.map((block) => {
    const fields = Object.entries(block);
    return fields.every(isPlain)
      ? block
      : (Object.fromEntries(fields.filter(isPlain)) as unknown as ContentBlock);
  });
  return { ...message, content };
}

/** Lifetimes of the host's own cache marks on system prompt and tools. */
function fixedMarks({ system, tools }: JsonObject): readonly string[] {
  return [system, tools].flatMap((parts) => (Array.isArray(parts) ? parts.flatMap(markOf) : []));
}

function markOf(part: unknown): readonly string[] {
  const mark = isObject(part) ? part["cache_control"] : undefined;
  return isObject(mark) ? [asString(mark["ttl"]) ?? "5m"] : [];
}
