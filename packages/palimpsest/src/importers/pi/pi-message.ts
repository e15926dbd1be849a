/**
 * One message of a pi session in our terms.
 */
import { asNumber, asString, isObject, type JsonObject } from "../../base/json/json.ts";
import { parseBounded } from "../../base/json/parse-bounded.ts";
import type { ContentBlock, Message, Role, Usage } from "../../transcript/blocks.ts";
import { type OnDamage, resultPart, wellFormedBlock } from "../../wire/shared/well-formed-block.ts";
import {
  ASSISTANT,
  contentParts,
  type Fields,
  fieldsOf,
  HOST,
  TOOL,
  textOrParts,
  toolResult,
  USER,
  usageOf,
} from "../shared/fields.ts";

/** @internal */
export interface PiMessage {
  readonly message: Omit<Message, "content">;
  readonly content: readonly ContentBlock[];
  readonly usage?: Usage | undefined;
  readonly stopReason?: string | undefined;
  readonly isAttachment?: boolean;
  /** Recorded, but kept from the model. */
  readonly isHidden?: boolean;
}

/** Reads the `message` of a record; `undefined` for a role that is not known. @internal */
export function piMessage(raw: Fields, onDamage: OnDamage): PiMessage | undefined {
  switch (raw["role"]) {
    case "user":
      return messageItem(USER, piContent(raw["content"], { role: "user", onDamage }));
    case "system":
      return {
        message: { role: "system", origin: "host" },
        content: piContent(raw["content"], { role: "system", onDamage }),
      };
    case "assistant":
      return assistant(raw, onDamage);
    case "toolResult":
      return resultMessage(raw, onDamage);
    case "bashExecution":
      return {
        ...messageItem(HOST, bashExecution(raw)),
        isAttachment: true,
        isHidden: raw["excludeFromContext"] === true,
      };
    case "custom":
    case "hookMessage":
      return {
        ...messageItem(HOST, piContent(raw["content"], { role: "user", onDamage })),
        isAttachment: true,
      };
    case "branchSummary":
    case "compactionSummary":
      return {
        message: { role: "user", origin: "summary" },
        content: piContent(raw["summary"], { role: "user", onDamage }),
        isAttachment: true,
      };
    default:
      return undefined;
  }
}

function messageItem(message: PiMessage["message"], content: readonly ContentBlock[]): PiMessage {
  return { message, content };
}

interface PiPlace {
  readonly role: Role;
  readonly onDamage: OnDamage;
  /** The provider of the answer, which decides whose a signature is. */
  readonly api?: string | undefined;
}

/** Content as a string or as blocks. @internal */
export function piContent(content: unknown, place: PiPlace): readonly ContentBlock[] {
  return contentParts(content).flatMap((block) =>
    isObject(block) && block["type"] === "thinking" && place.role === "assistant"
      ? thinking(block, place.api ?? "")
      : [wellFormedBlock(inOurWords(block), { ...place, original: block })],
  );
}

/** pi's own names for blocks in ours; whether they are whole is seen afterwards. */
function inOurWords(block: unknown): unknown {
  if (!isObject(block)) return block;
  const { type } = block;
  if (type === "text") return { type, text: block["text"] };
  if (type === "image") {
    const mediaType = asString(block["mimeType"]) ?? "image/png";
    return { type, source: { type: "base64", media_type: mediaType, data: block["data"] } };
  }
  if (type === "toolCall")
    return { type: "tool_use", id: block["id"], name: block["name"], input: block["arguments"] ?? {} };
  return { ...block, type: typeof type === "string" ? `pi ${type}` : undefined };
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

function assistant(raw: Fields, onDamage: OnDamage): PiMessage {
  const stopReason = asString(raw["stopReason"]);
  const { input, cacheRead, cacheWrite, output } = fieldsOf(raw["usage"]);
  return {
    message: {
      ...ASSISTANT,
      responseId: asString(raw["responseId"]),
      model: asString(raw["model"]),
      ...(stopReason === "aborted" || stopReason === "error" ? { interrupted: true } : {}),
    },
    content: piContent(raw["content"], { role: "assistant", onDamage, api: asString(raw["api"]) }),
    usage: usageOf({ input, cacheRead, cacheWrite, output }),
    stopReason,
  };
}

function resultMessage(raw: Fields, onDamage: OnDamage): PiMessage {
  const given = raw["content"];
  const parts = (Array.isArray(given) ? given : given === undefined || given === null ? [] : [given]).map(
    (part: unknown) => resultPart(inOurWords(part)),
  );
  const block = toolResult(raw["toolCallId"], textOrParts(parts), raw["isError"] === true);
  return messageItem(TOOL, [wellFormedBlock(block, { role: "user", onDamage, original: raw })]);
}

/** A command that the user ran next to the agent, in the words in which pi tells the model. */
function bashExecution(raw: Fields): readonly ContentBlock[] {
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
