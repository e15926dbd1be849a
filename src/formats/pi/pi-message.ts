/**
 * One message of a pi session in our terms.
 */
import { asNumber, asString, isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { ContentBlock, ToolResultPart } from "../../transcript/blocks.ts";
import type { Message, Origin, Role, Usage } from "../../transcript/messages.ts";
import { parseBounded } from "../parse-bounded.ts";

/** @internal */
export interface PiMessage {
  readonly message: Omit<Message, "content">;
  readonly content: readonly ContentBlock[];
  readonly usage?: Usage;
  readonly stopReason?: string;
  readonly isAttachment?: boolean;
  /** Recorded, but kept from the model. */
  readonly isHidden?: boolean;
}

/** Reads the `message` of a record; `undefined` for a role that is not known. @internal */
export function piMessage(raw: Readonly<Record<string, unknown>>): PiMessage | undefined {
  switch (raw["role"]) {
    case "user":
      return said("user", "user", piContent(raw["content"]));
    case "system":
      return said("system", "host", piContent(raw["content"]));
    case "assistant":
      return assistant(raw);
    case "toolResult":
      return toolResult(raw);
    case "bashExecution":
      return {
        ...said("user", "host", bashExecution(raw)),
        isAttachment: true,
        isHidden: raw["excludeFromContext"] === true,
      };
    case "custom":
    case "hookMessage":
      return { ...said("user", "host", piContent(raw["content"])), isAttachment: true };
    case "branchSummary":
    case "compactionSummary":
      return { ...said("user", "summary", piContent(raw["summary"])), isAttachment: true };
    default:
      return undefined;
  }
}

function said(role: Role, origin: Origin, content: readonly ContentBlock[]): PiMessage {
  return { message: { role, origin }, content };
}

/** Content as a string or as blocks. `api` is what answered, which decides whose a signature is. @internal */
export function piContent(content: unknown, api = ""): readonly ContentBlock[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  if (!Array.isArray(content)) return [];
  return content
    .filter(isObject)
    .flatMap((block) => (block["type"] === "thinking" ? thinking(block, api) : [piBlock(block)]));
}

function piBlock(block: Record<string, unknown>): ContentBlock {
  const type = block["type"];
  if (type === "text" && typeof block["text"] === "string") return { type, text: block["text"] };
  if (type === "image" && typeof block["data"] === "string") {
    const mediaType = asString(block["mimeType"]) ?? "image/png";
    return { type, source: { type: "base64", media_type: mediaType, data: block["data"] } };
  }
  const id = asString(block["id"]);
  const name = asString(block["name"]);
  if (type === "toolCall" && id !== undefined && name !== undefined) {
    return { type: "tool_use", id, name, input: (block["arguments"] ?? {}) as JsonValue };
  }
  return { type: "opaque", provider: "pi", value: block as JsonObject };
}

/** A signature means something only to the API that gave it: elsewhere thinking counts as unsigned. */
function thinking(block: Record<string, unknown>, api: string): readonly ContentBlock[] {
  const text = asString(block["thinking"]) ?? "";
  const signature = asString(block["thinkingSignature"]);
  if (signature === undefined || signature === "") return [{ type: "thinking", thinking: text }];
  if (api === "anthropic-messages") {
    return block["redacted"] === true
      ? [{ type: "redacted_thinking", data: signature }]
      : [{ type: "thinking", thinking: text, signature }];
  }
  // For OpenAI the whole reasoning item stands where the signature would be.
  const item = api.includes("responses") ? parseBounded(signature) : undefined;
  const unsigned: ContentBlock = { type: "thinking", thinking: text };
  return item?.ok === true && isObject(item.value)
    ? [unsigned, { type: "opaque", provider: "openai-responses", value: item.value as JsonObject }]
    : [unsigned];
}

function assistant(raw: Readonly<Record<string, unknown>>): PiMessage {
  const stopReason = asString(raw["stopReason"]);
  const responseId = asString(raw["responseId"]);
  const model = asString(raw["model"]);
  const usage = piUsage(raw["usage"]);
  return {
    message: {
      role: "assistant",
      origin: "assistant",
      ...(responseId === undefined ? {} : { responseId }),
      ...(model === undefined ? {} : { model }),
      ...(stopReason === "aborted" || stopReason === "error" ? { interrupted: true } : {}),
    },
    content: piContent(raw["content"], asString(raw["api"])),
    ...(usage === undefined ? {} : { usage }),
    ...(stopReason === undefined ? {} : { stopReason }),
  };
}

function piUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const usage: Usage = {
    inputTokens: asNumber(value["input"]) ?? 0,
    cacheReadTokens: asNumber(value["cacheRead"]) ?? 0,
    cacheWriteTokens: asNumber(value["cacheWrite"]) ?? 0,
    outputTokens: asNumber(value["output"]) ?? 0,
  };
  const total = usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens + usage.outputTokens;
  return total > 0 ? usage : undefined;
}

function toolResult(raw: Readonly<Record<string, unknown>>): PiMessage {
  const id = asString(raw["toolCallId"]) ?? "";
  const parts = piContent(raw["content"]).map((block) =>
    block.type === "opaque" ? (block.value as ToolResultPart) : (block as unknown as ToolResultPart),
  );
  const [only, ...others] = parts;
  const content =
    others.length === 0 && only?.type === "text" ? (only as { readonly text: string }).text : parts;
  const block: ContentBlock = {
    type: "tool_result",
    tool_use_id: id,
    ...(parts.length === 0 ? {} : { content }),
    ...(raw["isError"] === true ? { is_error: true } : {}),
  };
  return said("user", "tool", [block]);
}

/** A command that the user ran next to the agent, in the words in which pi tells the model. */
function bashExecution(raw: Readonly<Record<string, unknown>>): readonly ContentBlock[] {
  const output = asString(raw["output"]) ?? "";
  const exitCode = asNumber(raw["exitCode"]);
  const lines = [
    `Ran \`${asString(raw["command"]) ?? ""}\``,
    output === "" ? "(no output)" : `\`\`\`\n${output}\n\`\`\``,
  ];
  if (raw["cancelled"] === true) lines.push("(command cancelled)");
  else if (exitCode !== undefined && exitCode !== 0) lines.push(`Command exited with code ${exitCode}`);
  return [{ type: "text", text: lines.join("\n") }];
}
