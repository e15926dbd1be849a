/** Errors that a summary without a model counts. */
import { describe, expect, it } from "vitest";
import { hasFailed } from "#conversation/compression/heuristic-summary.ts";
import type { ConversationEntry } from "#conversation/entries/conversation-entry.ts";

const resultOf = (content: string, fields: Partial<ConversationEntry> = {}): ConversationEntry => {
  const usual = { id: "1", type: "tool_result", role: "system", tokenCount: 1, compressed: false } as const;
  return { ...usual, timestamp: new Date(0), content, ...fields };
};

describe("a result is an error", () => {
  it.each([
    { content: "fine", fields: { metadata: { isError: true } }, isError: true, why: "its host says so" },
    {
      content: "Error: no",
      fields: { metadata: { isError: false } },
      isError: false,
      why: "its host says it is none",
    },
    { content: "Error: ENOENT", fields: {}, isError: true, why: "it begins like one" },
    { content: "TypeError: x is undefined", fields: {}, isError: true, why: "of any kind" },
    { content: "Uncaught Error (in promise)", fields: {}, isError: true, why: "uncaught" },
    { content: "Traceback (most recent call last):", fields: {}, isError: true, why: "of Python" },
    { content: "Failed to open a.ts", fields: {}, isError: true, why: "in words" },
    { content: '{"error":"quota"}', fields: {}, isError: true, why: "data with an error" },
    { content: '{"isError":true}', fields: {}, isError: true, why: "data that says so" },
    { content: '{"error":null,"rows":[]}', fields: {}, isError: false, why: "data whose error is none" },
    { content: "Errors: 0", fields: {}, isError: false, why: "a count of none" },
    { content: "Error handling in depth", fields: {}, isError: false, why: "a title" },
    { content: "12 lines, no error: all good", fields: {}, isError: false, why: "words further on" },
    { content: "Error: no", fields: { type: "message" as const }, isError: false, why: "somebody's words" },
  ])("$isError for $content: $why", ({ content, fields, isError }) => {
    expect(hasFailed(resultOf(content, fields))).toBe(isError);
  });
});
