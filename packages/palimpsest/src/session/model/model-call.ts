/**
 * A call of a model client: the request that a session prepared, what came of it, and what a failure means.
 */

import { asNumber, isObject, type JsonObject } from "../../base/json/json.ts";
import type { ModelAnswer, ModelClient, ModelRequest, ToolDefinition } from "../../ports/model-client.ts";
import type { ModelFailure } from "../../ports/model-failure.ts";
import { findModel } from "../../tokens/models/model-catalogue.ts";
import { blockText, type ContentBlock, type Usage } from "../../transcript/blocks.ts";
import type { CacheMark, RequestMessage } from "../../transcript/window.ts";
import { classifyModelError } from "../../wire/errors/model-failure.ts";
import type { CallRequest } from "../options/prepared-call.ts";
import { type AskLimits, askWithin } from "./ask-within.ts";
import { validateUsage } from "./validate-answer.ts";

/** The parts of a request that change from call to call. */
type Conversation = Pick<ModelRequest, "messages" | "cacheMarks" | "providerEdits">;

/** The lifetimes that cache marks ask the provider for. */
export type CacheLifetimes = Pick<ModelRequest, "cacheTtl" | "headCacheTtl">;

/** The request for a client: the host's part as it was handed over, and the conversation. */
export function modelRequest(
  request: CallRequest,
  conversation: Conversation,
  lifetimes: CacheLifetimes,
): ModelRequest {
  const { model, system, tools, parameters, betas } = request;
  return {
    model,
    system,
    tools,
    parameters,
    betas,
    ...lifetimes,
    ...conversation,
    ...(readsSummaries(request) ? {} : withSummariesAsText(conversation)),
  };
}

/** False if the model or its endpoint is known not to take back the summary of a provider. */
function readsSummaries({ endpointEdits, parameters }: CallRequest): boolean {
  if (endpointEdits === undefined || parameters?.["context_management"] !== undefined) return true;
  return endpointEdits.compacts || endpointEdits.compactsOnDemand;
}

/** To others a readable summary is what it says: a text before what follows it. */
function withSummariesAsText({
  messages,
  cacheMarks = [],
}: Conversation): Pick<Conversation, "messages" | "cacheMarks"> {
  const isSummary = ({ type }: ContentBlock): boolean => type === "compaction";
  if (!messages.some(({ content }) => content.some(isSummary))) return { messages, cacheMarks };
  const sent: RequestMessage[] = [];
  const marks: CacheMark[] = [];
  messages.forEach((message, index) => {
    const texts = message.content.filter(isSummary).flatMap((block): ContentBlock[] => {
      const text = blockText(block);
      return text === "" ? [] : [{ type: "text", text }];
    });
    if (texts.length > 0) sent.push({ role: "user", content: texts });
    const content = message.content.filter((block) => !isSummary(block));
    for (const mark of cacheMarks)
      if (mark.message === index && content.length > 0) {
        const before = message.content.slice(0, mark.block).filter(isSummary).length;
        marks.push({ ...mark, message: sent.length, block: Math.max(0, mark.block - before) });
      }
    if (content.length === message.content.length) sent.push(message);
    else if (content.length > 0) sent.push({ ...message, content });
  });
  return { messages: sent, cacheMarks: marks };
}

/** Parameters that limit the length of an answer, by provider. */
export const OUTPUT_PARAMETERS = [
  "max_tokens",
  "max_completion_tokens",
  "max_output_tokens",
  "maxOutputTokens",
] as const;

/** The longest answer of a side call that shares the conversation's request, in tokens. */
interface SideOutput {
  /** Enough for the answer. */
  readonly wantedTokens: number;
  /** The tokens that the window has left beside the prompt, padded: providers refuse a longer answer. */
  readonly freeTokens: number;
  /** The model's own limit; `undefined` if it is not known. */
  readonly maxOutputTokens: number | undefined;
}

/**
 * Gives a side call its own output limit: the conversation's limit is for the host's answers. Providers
 * do not cache the limit, so the prefix stays as it is. It replaces the host's parameter of that name,
 * and lowers it only where the window has no room for it. A thinking budget, which is part of what is cached, comes
 * on top; a window that has no more than that left keeps the host's limit.
 */
export function withOutputLimit(request: ModelRequest, output: SideOutput): ModelRequest {
  const { parameters = {} } = request;
  const names = OUTPUT_PARAMETERS.filter((name) => typeof parameters[name] === "number");
  const thinkingTokens = thinkingBudget(parameters);
  const freeTokens = Math.floor(output.freeTokens);
  if (freeTokens <= thinkingTokens) return request;
  const limit = Math.min(
    output.wantedTokens + thinkingTokens,
    freeTokens,
    output.maxOutputTokens ?? Number.POSITIVE_INFINITY,
  );
  if (names.length === 0) return { ...request, maxOutputTokens: limit };
  const own = names.map((name) => [name, Math.min(freeTokens, Math.max(limit, Number(parameters[name])))]);
  return { ...request, parameters: { ...parameters, ...Object.fromEntries(own) } };
}

/** Tokens that the Messages API takes out of the output limit for thinking. */
function thinkingBudget({ thinking }: JsonObject): number {
  const budget =
    isObject(thinking) && thinking["type"] !== "disabled" ? thinking["budget_tokens"] : undefined;
  return Math.max(0, asNumber(budget) ?? 0);
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

/** Classifies an error of a client's call, by the client's own rules if it has some. */
export function failureOf(client: ModelClient, error: unknown): ModelFailure {
  return client.classifyError?.(error) ?? classifyModelError(error);
}

/**
 * Asks a model once, whole; it ends with an answer, an error, the time limit or an abort. If the provider refuses
 * the output limit, because the model gives less than anybody said, the request goes again as `unlimited`.
 */
export async function askModel(
  client: ModelClient,
  request: ModelRequest,
  limits: AskLimits & { readonly unlimited?: ModelRequest },
): Promise<ReadAnswer> {
  const ask = async (asked: ModelRequest): Promise<ReadAnswer> =>
    readAnswer(await askWithin((signal) => client.generate(asked, { signal }), limits));
  const { maxOutputTokens, ...plain } = request;
  const unlimited = limits.unlimited ?? (maxOutputTokens === undefined ? undefined : plain);
  try {
    return await ask(withinModel(request));
  } catch (error) {
    if (unlimited === undefined || !refusesLimit(failureOf(client, error))) throw error;
    return ask(unlimited);
  }
}

/** True if the provider names the output limit as what is wrong with the request. */
function refusesLimit({ kind, message }: ModelFailure): boolean {
  return kind === "invalid-request" && /max_(?:completion_|output_)?tokens|maxOutputTokens/i.test(message);
}

/** Providers refuse a request for a longer answer than the model gives. */
function withinModel(request: ModelRequest): ModelRequest {
  const { model, maxOutputTokens } = request;
  const most = maxOutputTokens === undefined ? undefined : findModel(model)?.maxOutputTokens;
  if (maxOutputTokens === undefined || most === undefined || maxOutputTokens <= most) return request;
  return { ...request, maxOutputTokens: most };
}

/** The parts of an answer that a side call uses. */
interface ReadAnswer {
  readonly content: RequestMessage["content"];
  readonly stopReason: string;
  readonly usage?: Usage;
}

/** Checks an answer from outside: anything of another shape is an error. */
function readAnswer(answer: ModelAnswer): ReadAnswer {
  const messages = Array.isArray(answer?.messages) ? answer.messages : [];
  const content = messages.flatMap((message) => (Array.isArray(message?.content) ? message.content : []));
  const stopReason = String(answer?.stopReason ?? "other");
  const usage = readUsage(answer?.usage);
  return { content, stopReason, usage };
}

function readUsage(usage: unknown): Usage | undefined {
  try {
    return validateUsage(usage);
  } catch {
    // A figure that is none must not get into the log, and does not make the summary worse.
    return undefined;
  }
}

/** Adds the instruction to the last message if that is the user's, so that roles alternate. */
export function withInstruction(
  messages: readonly RequestMessage[],
  text: string,
): readonly RequestMessage[] {
  const block = { type: "text", text } as const;
  const last = messages.at(-1);
  if (last?.role !== "user") return [...messages, { role: "user", content: [block] }];
  return [...messages.slice(0, -1), { ...last, content: [...last.content, block] }];
}
