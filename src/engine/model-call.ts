/**
 * A call of a model client: the request that a session prepared, what came of it, and what a failure means.
 */

import type { JsonObject } from "../base/json.ts";
import type { ModelAnswer, ModelClient, ModelRequest, ToolDefinition } from "../ports/model-client.ts";
import type { ModelFailure } from "../ports/model-failure.ts";
import { classifyModelError } from "../tokens/model-failure.ts";
import type { Usage } from "../transcript/messages.ts";
import type { RequestMessage } from "../transcript/window.ts";
import { receiveUsage } from "./answer-door.ts";
import { type AskLimits, askWithin } from "./ask-within.ts";
import type { CallRequest } from "./prepared-call.ts";

/** What changes from call to call of one session. */
type Conversation = Pick<ModelRequest, "messages" | "cacheMarks">;

/** The request for a client: the host's part as it was handed over, and the conversation. */
export function modelRequest(
  request: CallRequest,
  conversation: Conversation,
  cacheTtl: ModelRequest["cacheTtl"],
): ModelRequest {
  const { model, system, tools, parameters, betas } = request;
  return {
    model,
    ...(system === undefined ? {} : { system }),
    ...(tools === undefined ? {} : { tools }),
    ...(parameters === undefined ? {} : { parameters }),
    ...(betas === undefined ? {} : { betas }),
    ...(cacheTtl === undefined ? {} : { cacheTtl }),
    ...conversation,
  };
}

/** Tools as a client's provider takes them. */
export function formatTools(
  client: Pick<ModelClient, "formatTool">,
  tools: readonly ToolDefinition[],
): readonly unknown[] {
  const format = client.formatTool?.bind(client) ?? asAnthropicTool;
  return tools.map(({ name, description, inputSchema }) => format({ name, description, inputSchema }));
}

const asAnthropicTool = ({ name, description, inputSchema }: ToolDefinition): JsonObject => ({
  name,
  description,
  input_schema: inputSchema,
});

/** What an error of a client's call means, by the client's own judgement where it has one. */
export function failureOf(client: ModelClient, error: unknown): ModelFailure {
  return client.classifyError?.(error) ?? classifyModelError(error);
}

/** Asks a model once, whole; it ends with an answer, an error, the time limit or an abort. */
export async function askModel(
  client: ModelClient,
  request: ModelRequest,
  limits: AskLimits,
): Promise<ReadAnswer> {
  return readAnswer(await askWithin((signal) => client.generate(request, { signal }), limits));
}

/** What of an answer is of use beside a conversation. */
interface ReadAnswer {
  readonly content: RequestMessage["content"];
  readonly stopReason: string;
  readonly usage?: Usage;
}

/** An answer from outside: what is not of its shape is no answer. */
function readAnswer(answer: ModelAnswer): ReadAnswer {
  const messages = Array.isArray(answer?.messages) ? answer.messages : [];
  const content = messages.flatMap((message) => (Array.isArray(message?.content) ? message.content : []));
  const stopReason = String(answer?.stopReason ?? "other");
  const usage = readUsage(answer?.usage);
  return { content, stopReason, ...(usage === undefined ? {} : { usage }) };
}

function readUsage(usage: unknown): Usage | undefined {
  try {
    return receiveUsage(usage);
  } catch {
    // A figure that is none must not get into the log, and does not make the summary worse.
    return undefined;
  }
}

/** The instruction stands in the last message where that is the user's, so that roles alternate. */
export function withInstruction(
  messages: readonly RequestMessage[],
  text: string,
): readonly RequestMessage[] {
  const block = { type: "text", text } as const;
  const last = messages.at(-1);
  if (last?.role !== "user") return [...messages, { role: "user", content: [block] }];
  return [...messages.slice(0, -1), { ...last, content: [...last.content, block] }];
}
