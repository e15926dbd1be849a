/**
 * A model for tests of the engine: answers come from a function, and requests are kept.
 */
import type { ModelAnswer, ModelClient, ModelRequest } from "#ports/model-client.ts";
import { estimateMessage } from "#tokens/estimate/estimate-block.ts";
import type { ContentBlock } from "#transcript/blocks.ts";

/** Answer of a test's model: a text, blocks, a whole answer, or an error. */
export type FakeReply = string | readonly ContentBlock[] | ModelAnswer | Error;

export interface FakeModel extends ModelClient {
  readonly requests: ModelRequest[];
}

/** A summary of the right form. */
export const SUMMARY = `<analysis>thinking</analysis><summary>${[
  "Primary request and intent: mend the parser.",
  "Key technical concepts: tokens.",
  "Files and code sections: src/parser.ts.",
  "Errors and fixes: none.",
  "Problem solving: found it.",
  "All user messages: carried over from the log.",
  "Pending tasks: none.",
  "Current work: reading.",
  "Optional next step: go on.",
]
  .map((line, index) => `${index + 1}. ${line}`)
  .join("\n")}</summary>`;

/** True if a request asks for a summary. */
export const asksForSummary = ({ messages }: ModelRequest): boolean => {
  const block = messages.at(-1)?.content.at(-1);
  return block?.type === "text" && block.text.includes("<summary> tags");
};

/** An update of the notes: what is done now, and one more entry of the worklog. */
export const NOTES_PATCHES = [
  '<replace section="Current State">',
  "Reading the documents of the parser; src/parser.ts is next.",
  "</replace>",
  '<append section="Worklog">',
  "- read one more document",
  "</append>",
].join("\n");

/** True if a request asks for an update of the notes. */
export const asksForNotes = ({ messages }: ModelRequest): boolean => {
  const block = messages.at(-1)?.content.at(-1);
  return block?.type === "text" && block.text.includes("Bring the session's notes up to date");
};

export function fakeModel(
  reply: (request: ModelRequest, index: number) => FakeReply | Promise<FakeReply>,
): FakeModel {
  const requests: ModelRequest[] = [];
  return {
    provider: "fake",
    model: "claude-sonnet-4-5",
    requests,
    generate: async (request) => {
      requests.push(request);
      const replied = await reply(request, requests.length - 1);
      if (replied instanceof Error) throw replied;
      if (typeof replied === "object" && "messages" in replied) return replied;
      const content: readonly ContentBlock[] =
        typeof replied === "string" ? [{ type: "text", text: replied }] : replied;
      const calls = content.some(({ type }) => type === "tool_use");
      const inputTokens = Math.round(
        request.messages.reduce((sum, message) => sum + estimateMessage(message), 0),
      );
      return {
        messages: [{ role: "assistant", content }],
        stopReason: calls ? "tool-use" : "end",
        usage: { inputTokens, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 50 },
      };
    },
  };
}
