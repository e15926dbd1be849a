/**
 * The common part of all dialects' replies: a scripted answer as one of the library's, and the wire's own writers
 * for its form.
 */
import type { ContentBlock } from "palimpsest";
import {
  type AnswerWriter,
  asString,
  isObject,
  type JsonObject,
  type ModelAnswer,
  type ReadRequest,
} from "palimpsest/internal";
import type { AnswerTurn, PromptReading, Reply } from "./dialect.ts";
import { PROVIDER_FACTS } from "./provider-facts.ts";
import { jsonReply, streamReply } from "./reply.ts";

/** Length of a piece in a stream, as the writers take it. */
export const PIECES = { pieceLength: PROVIDER_FACTS.deltaLength };

/** A scripted answer with its blocks as a dialect makes them. */
export function answerOf({ answer, usage }: AnswerTurn, content: readonly ContentBlock[]): ModelAnswer {
  const { stopReason } = answer;
  const messages = [{ role: "assistant" as const, content }];
  if (usage === undefined) return { messages, stopReason };
  const { cache, reported } = usage;
  const cacheReadTokens = reported.cacheReadTokens ?? cache.readTokens;
  const cacheWriteTokens = reported.cacheWriteTokens ?? cache.writtenTokens["5m"] + cache.writtenTokens["1h"];
  const inputTokens =
    reported.promptTokens === undefined
      ? cache.plainTokens
      : Math.max(0, reported.promptTokens - cacheReadTokens - cacheWriteTokens);
  const outputTokens = reported.outputTokens ?? usage.outputTokens;
  return { messages, stopReason, usage: { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } };
}

/** An answer in the form that its request asked for. */
export function answerReply(
  { incoming }: AnswerTurn,
  {
    body,
    content,
    writer,
    headers,
  }: {
    readonly body: JsonObject;
    readonly content: readonly ContentBlock[];
    readonly writer: AnswerWriter;
    readonly headers: Readonly<Record<string, string>>;
  },
): Reply {
  if (!incoming.isStreaming) return jsonReply(body, 200, headers);
  const begun = writer.begin(body);
  const frames = content.flatMap((block) => writer.take({ type: "block", block }));
  return streamReply([...begun, ...frames, ...writer.end(body)], headers);
}

/** The parts of a request that scripts look at, whichever API it came in on. */
export function askedOf({
  request,
}: ReadRequest): Pick<PromptReading, "systemText" | "lastUserText" | "toolNames" | "maxOutputTokens"> {
  const { system = "", messages, tools = [], maxOutputTokens } = request;
  const textsOf = (role: string): readonly string[] =>
    messages.filter((message) => message.role === role).map(({ content }) => textOf(content));
  return {
    systemText: [system, ...textsOf("system")].filter((text) => text !== "").join("\n"),
    lastUserText: textsOf("user").findLast((text) => text !== "") ?? "",
    toolNames: tools.filter(isObject).flatMap((tool) => {
      const named = isObject(tool["function"]) ? tool["function"] : tool;
      return asString(named["name"]) ?? [];
    }),
    maxOutputTokens,
  };
}

function textOf(content: readonly ContentBlock[]): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}
