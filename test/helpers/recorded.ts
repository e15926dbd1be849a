/**
 * Recorded sessions as messages, read in the simplest way that is true to them: three formats,
 * only what these tests need. Sequence numbers count messages from 1.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { JsonValue } from "#palimpsest/base/json/json.ts";
import { type ContentBlock, defaultOrigin, type Message } from "#palimpsest/transcript/blocks.ts";
import type { VisibleMessage } from "#palimpsest/transcript/window.ts";
import { corpusFolder } from "./corpus.ts";

// biome-ignore lint/suspicious/noExplicitAny: recorded JSON, whose shape is the format's.
type Recorded = any;

function readLines(path: string): readonly Recorded[] {
  return gunzipSync(readFileSync(join(corpusFolder, "trajectories", path)))
    .toString("utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

const blocksOf = (content: Recorded): readonly ContentBlock[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : content;

/** Lines of one response are joined; recorded summaries are left out, as an importer does. */
export function readClaudeCode(path: string): readonly Message[] {
  const messages: Message[] = [];
  for (const line of readLines(path)) {
    if ((line.type !== "user" && line.type !== "assistant") || line.isCompactSummary || line.isSidechain)
      continue;
    const content = blocksOf(line.message.content);
    const last = messages.at(-1);
    const responseId: string | undefined = line.type === "assistant" ? line.message.id : undefined;
    if (responseId !== undefined && last?.responseId === responseId)
      messages[messages.length - 1] = { ...last, content: [...last.content, ...content] };
    else
      messages.push({
        role: line.type,
        content,
        responseId,
        ...(line.isMeta ? { origin: "host" as const } : {}),
      });
  }
  return messages;
}

export function readPi(path: string): readonly Message[] {
  return readLines(path)
    .filter((line) => line.type === "message" && line.message.role !== "bashExecution")
    .map(({ message }): Message => {
      if (message.role === "user") return { role: "user", content: blocksOf(message.content) };
      if (message.role === "assistant") return { role: "assistant", content: message.content.map(piBlock) };
      const content = message.content;
      return {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: message.toolCallId,
            content,
            ...(message.isError ? { is_error: true } : {}),
          },
        ],
      };
    })
    .filter((message) => message.content.length > 0);
}

const piBlock = (block: Recorded): ContentBlock =>
  block.type === "toolCall"
    ? { type: "tool_use", id: block.id, name: block.name, input: block.arguments }
    : block;

export function readOpenAIChat(path: string, line = 0): readonly Message[] {
  const recorded: readonly Recorded[] = readLines(path)[line].traj;
  return recorded
    .filter((message) => message.role !== "system")
    .map((message): Message => {
      if (message.role === "tool")
        return {
          role: "user",
          content: [{ type: "tool_result", tool_use_id: message.tool_call_id, content: message.content }],
        };
      const text: readonly ContentBlock[] = message.content ? [{ type: "text", text: message.content }] : [];
      const calls = (message.tool_calls ?? []).map(
        (call: Recorded): ContentBlock => ({
          type: "tool_use",
          id: call.id,
          name: call.function.name,
          input: JSON.parse(call.function.arguments) as JsonValue,
        }),
      );
      return { role: message.role, content: [...text, ...calls] };
    });
}

/** The messages as a window of which nothing was left out. */
export function asWindow(messages: readonly Message[], firstSeq = 1): readonly VisibleMessage[] {
  return messages.map((message, position) => ({
    seq: firstSeq + position,
    role: message.role,
    origin: message.origin ?? defaultOrigin(message),
    responseId: message.responseId,
    at: 0,
    blocks: message.content.map((block, index) => ({ index, block, form: "original" as const })),
  }));
}
