/**
 * The Anthropic Messages API: `POST /v1/messages`, `POST /v1/messages/count_tokens`.
 */
import { anthropicError, anthropicErrorEvent, parseModelId, type WrittenError } from "palimpsest/internal";
import type { Dialect, ErrorCase } from "../dialect/dialect.ts";
import { PROVIDER_FACTS } from "../dialect/provider-facts.ts";
import { jsonReply } from "../dialect/reply.ts";
import { writeAnthropicAnswer, writeAnthropicSummary } from "./anthropic-answer.ts";
import { compactAnthropic } from "./anthropic-context.ts";
import { judgeContextManagement } from "./anthropic-context-form.ts";
import { isClaudeSince, judgeAnthropicForm } from "./anthropic-form.ts";
import { readAnthropicPrompt } from "./anthropic-prompt.ts";

export const ANTHROPIC_DIALECT: Dialect = {
  api: "anthropic",
  judge: (incoming) => [...judgeContextManagement(incoming), ...judgeAnthropicForm(incoming)],
  read: readAnthropicPrompt,
  useCache: (cache, { incoming, reading, nowMs }) =>
    cache.useMarks({
      positions: reading.positions,
      salts: {
        tools: incoming.model,
        system: "",
        // What the vendor's docs list as invalidating messages only.
        messages: JSON.stringify([
          incoming.body["tool_choice"],
          thinkingParameters(incoming.body["thinking"]),
          incoming.body["output_config"],
          reading.positions.some(({ text }) => text.includes('"type":"image"')),
        ]),
      },
      minimumTokens: minimumPrefixTokens(incoming.model),
      nowMs,
    }),
  refusesLongOutput: (model) => !isClaudeSince(model, PROVIDER_FACTS.firstClaudeThatRunsIntoWindow),
  compact: ({ body }, summary, key) =>
    compactAnthropic(body, summary, { key, isOnDemand: body["compaction"] !== undefined }),
  writeSummary: writeAnthropicSummary,
  writeCount: (promptTokens, managed) =>
    jsonReply({
      input_tokens: promptTokens,
      ...(managed === undefined
        ? {}
        : { context_management: { original_input_tokens: managed.originalTokens } }),
    }),
  writeModel: ({ model, windowTokens, maxOutputTokens }) =>
    jsonReply({
      type: "model",
      id: model,
      display_name: model,
      created_at: "2026-01-01T00:00:00Z",
      lifecycle: "active",
      max_input_tokens: windowTokens,
      max_tokens: maxOutputTokens,
      capabilities: null,
    }),
  writeAnswer: writeAnthropicAnswer,
  writeWrongShape: () => jsonReply({ result: "ok" }),
  words: {
    notJson: "The request body is not valid JSON: parse error",
    notFound: (path) => `Not Found: ${path}`,
  },
  tellsFigures: true,
  writeError: (problem, { model }) => {
    const { status, headers, body } = errorOf(problem, model);
    return jsonReply(body, status, headers);
  },
  writeStreamError: () => anthropicErrorEvent(errorOf({ kind: "overloaded" }, "")),
};

function errorOf({ message = "", violation: _, ...failure }: ErrorCase, model: string): WrittenError {
  return anthropicError({ ...failure, message }, { requestId: "req_011CScriptedProvider", model });
}

/** Block binding is a setting of the check, and how thinking is shown is not how the model thinks. */
function thinkingParameters(thinking: unknown): unknown {
  if (typeof thinking !== "object" || thinking === null) return undefined;
  const { block_binding: _binding, display: _display, ...rest } = thinking as Record<string, unknown>;
  return rest;
}

function minimumPrefixTokens(model: string): number {
  const { name } = parseModelId(model);
  return (
    PROVIDER_FACTS.minimumPrefixTokens.find(([names]) => names.test(name))?.[1] ??
    PROVIDER_FACTS.usualMinimumPrefixTokens
  );
}
