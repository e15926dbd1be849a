/**
 * What a session has to know of a call of LangChain's models: model, tools and system prompt before it, the answer with
 * its usage after it.
 */
import type { AgentSession } from "../../agent/agent-session.ts";
import { SESSION_TOOLS } from "../../agent/tools/run-tools.ts";
import { asNumber, asString, isObject, type JsonObject } from "../../base/json/json.ts";
import type { ModelAnswer, StopReason, ToolDefinition } from "../../ports/model-client.ts";
import { formatTools } from "../../session/model/model-call.ts";
import type { Message, Usage } from "../../transcript/blocks.ts";
import type { LangChainMessage } from "../../wire/langchain/langchain-fields.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A tool in the form of OpenAI's tools, which all models of LangChain take. */
export const asFunctionTool = ({ name, description, inputSchema }: ToolDefinition) => ({
  type: "function",
  function: { name, description, parameters: inputSchema },
});

/** The history tools, as a model is offered them. */
export const OFFERED_TOOLS = SESSION_TOOLS.map(asFunctionTool);

/** The id of a model; `undefined` where it is chosen later. */
export function modelOf(model: unknown): string | undefined {
  if (!isObject(model)) return undefined;
  const { model: id, modelName, bound, _defaultConfig: config } = model;
  return asString(id) ?? asString(modelName) ?? modelOf(bound) ?? modelOf(config);
}

/** A tool of a class of LangChain, or in OpenAI's form; `undefined` for one that a provider runs. */
export function readTool(tool: unknown): ToolDefinition | undefined {
  if (!isObject(tool)) return undefined;
  const { name, description, schema, parameters } = isObject(tool["function"])
    ? tool["function"]
    : (tool as Fields);
  const isOwn = schema !== undefined || isObject(tool["function"]);
  if (!isOwn || typeof name !== "string") return undefined;
  return { name, description: asString(description) ?? "", inputSchema: jsonSchema(schema ?? parameters) };
}

/** A tool as the session's own model takes it. */
export function definitionOf(tool: unknown, { model }: AgentSession): unknown {
  const read = readTool(tool);
  return read === undefined ? tool : formatTools(model, [read])[0];
}

interface StandardJsonSchema {
  readonly input: (options: { readonly target: string }) => JsonObject;
}

const SCHEMAS = new WeakMap<object, JsonObject>();

/** Schemas that cannot say what they are in JSON count as little; the provider's report corrects that. */
function jsonSchema(schema: unknown): JsonObject {
  if (!isObject(schema)) return { type: "object" };
  const standard = schema["~standard"];
  if (standard === undefined) return schema as JsonObject;
  const written = isObject(standard) ? standard["jsonSchema"] : undefined;
  try {
    const known = SCHEMAS.get(schema) ?? (written as StandardJsonSchema).input({ target: "draft-07" });
    SCHEMAS.set(schema, known);
    return known;
  } catch {
    return { type: "object" };
  }
}

/** The text of a system prompt. */
export function textOf(message: { readonly content: unknown } | undefined): string {
  const content = message?.content;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part: unknown) => (isObject(part) ? (asString(part["text"]) ?? "") : String(part)))
    .join("\n");
}

/** What a call of a model resolved with, for the log; with structured output the answer is the first of several. */
export function answerOf(answer: unknown, read: (message: LangChainMessage) => Message): ModelAnswer {
  const { messages } = answer as { readonly messages?: readonly LangChainMessage[] };
  const native = messages?.[0] ?? (answer as LangChainMessage);
  const { response_metadata: metadata, usage_metadata: usage } = native as unknown as Fields;
  const { stop_reason, finish_reason, model, model_name } = (metadata ?? {}) as Fields;
  const raw = asString(stop_reason) ?? asString(finish_reason);
  const named = asString(model) ?? asString(model_name);
  const message = read(native);
  return {
    messages: [named === undefined ? message : { ...message, model: named }],
    stopReason: STOP_REASONS.get(raw) ?? (raw === undefined && hasCall(message) ? "tool-use" : "other"),
    ...(raw === undefined ? {} : { rawStopReason: raw }),
    ...(isObject(usage) ? { usage: usageOf(usage) } : {}),
  };
}

const hasCall = ({ content }: Message): boolean => content.some(({ type }) => type === "tool_use");

const STOP_REASONS: ReadonlyMap<unknown, StopReason> = new Map<string, StopReason>([
  ["end_turn", "end"],
  ["stop_sequence", "end"],
  ["stop", "end"],
  ["tool_use", "tool-use"],
  ["tool_calls", "tool-use"],
  ["max_tokens", "output-limit"],
  ["length", "output-limit"],
  ["model_context_window_exceeded", "window-full"],
  ["refusal", "refusal"],
  ["content_filter", "refusal"],
  ["pause_turn", "paused"],
]);

/** LangChain counts cached tokens as input. */
function usageOf({
  input_tokens: input,
  output_tokens: output,
  input_token_details: details,
}: Fields): Usage {
  const { cache_read, cache_creation } = (isObject(details) ? details : {}) as Fields;
  const cacheReadTokens = asNumber(cache_read) ?? 0;
  const cacheWriteTokens = asNumber(cache_creation) ?? 0;
  return {
    inputTokens: Math.max(0, (asNumber(input) ?? 0) - cacheReadTokens - cacheWriteTokens),
    cacheReadTokens,
    cacheWriteTokens,
    outputTokens: asNumber(output) ?? 0,
  };
}
