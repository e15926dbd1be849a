/**
 * Messages → contents of the Gemini API, for counting: what they say, without the signatures that
 * only matter where they are sent.
 */
import type { JsonObject, JsonValue } from "../../base/json/json.ts";
import { toWellFormed } from "../../base/text/text.ts";
import { type ContentBlock, type Message, partText, toolResultText } from "../../transcript/blocks.ts";
import { hasReadableSource } from "../shared/media-source.ts";

/** The contents; neighbours of one role stay apart, which costs nothing. @internal */
export function geminiContents(messages: readonly Message[]): readonly JsonObject[] {
  const toolNames = new Map<string, string>();
  return messages.flatMap(({ role, content }) => {
    const parts = content.flatMap((block) => partOf(block, toolNames));
    return parts.length === 0 ? [] : [{ role: role === "assistant" ? "model" : "user", parts }];
  });
}

/** Text as one content of the user's. @internal */
export function geminiContentsText(text: string): JsonObject {
  return { role: "user", parts: [{ text: toWellFormed(text) }] };
}

function partOf(block: ContentBlock, toolNames: Map<string, string>): readonly JsonObject[] {
  switch (block.type) {
    case "text":
      return block.text === "" ? [] : [{ text: toWellFormed(block.text) }];
    case "tool_use":
      toolNames.set(block.id, block.name);
      return [{ functionCall: { name: block.name, args: argumentsOf(block.input) } }];
    case "tool_result": {
      const name = toolNames.get(block.tool_use_id) ?? "unknown";
      return [{ functionResponse: { name, response: { output: toWellFormed(toolResultText(block)) } } }];
    }
    case "image":
    case "document": {
      const { source } = block;
      const text = partText(block) ?? "";
      if (text !== "") return [{ text: toWellFormed(text) }];
      if (source["type"] !== "base64" || !hasReadableSource(source, block.type)) return [];
      return [{ inlineData: { mimeType: source["media_type"]!, data: source["data"]! } }];
    }
    case "compaction":
      return block.content === null || block.content === "" ? [] : [{ text: toWellFormed(block.content) }];
    default:
      return [];
  }
}

function argumentsOf(input: JsonValue): JsonValue {
  return typeof input === "object" && input !== null && !Array.isArray(input) ? input : { arguments: input };
}
