/**
 * Converts the messages of a Copilot CLI session into our blocks: those of the user and of the model, and tool results.
 *
 * Pictures and files are inline, or stored once in a separate event and referred to by id.
 */
import { asNumber, asString, isObject, type JsonObject, type JsonValue } from "../../base/json/json.ts";
import type {
  ContentBlock,
  DocumentBlock,
  ImageBlock,
  Origin,
  ToolResultPart,
  Usage,
} from "../../transcript/blocks.ts";
import { hasReadableSource } from "../../wire/shared/media-source.ts";
import { parseArguments, withOpenAIFields } from "../../wire/shared/openai-fields.ts";
import { type OnDamage, wellFormedBlock } from "../../wire/shared/well-formed-block.ts";
import { type Fields, fieldsOf, listOf, toolResult, usageOf } from "../shared/fields.ts";
import type { CopilotRecord } from "./copilot-record.ts";

/** @internal */
interface CopilotMessage {
  readonly content: readonly ContentBlock[];
  readonly origin: Origin;
  /** Types of attachments that were not recorded as media. */
  readonly unattached: readonly string[];
}

/**
 * A message in the user's role. The sent text is the user's text with the time and reminders around
 * it; messages with a source were written by Copilot.
 */
export function copilotUserMessage(data: Fields, media: CopilotMedia, onDamage: OnDamage): CopilotMessage {
  const { transformedContent: sent, content: typed, attachments, source } = data;
  const text = typeof sent === "string" && sent !== "" ? sent : typed;
  const isText = text !== undefined && text !== null && text !== "";
  const content: ContentBlock[] = isText
    ? [wellFormedBlock({ type: "text", text }, { role: "user", onDamage, original: data })]
    : [];
  const unattached: string[] = [];
  for (const attachment of listOf(attachments)) {
    const block = media.find(attachment);
    if (block !== undefined) content.push(block);
    else unattached.push(asString(fieldsOf(attachment)["type"]) ?? "(no type)");
  }
  const isByUser = source === undefined && data["isAutopilotContinuation"] !== true;
  return { content, origin: isByUser ? "user" : "host", unattached };
}

/** Fields with reasoning that only the provider can read. Copilot itself drops it when a session is resumed. */
const OPAQUE_FIELDS = ["reasoningOpaque", "encryptedContent", "serverTools"] as const;

/** One message of the model: a whole response, or a chunk of one. @internal */
export function copilotAnswer(data: Fields, onDamage: OnDamage): readonly ContentBlock[] {
  const place = { role: "assistant", onDamage } as const;
  const { reasoningText, content: text, phase, toolRequests } = data;
  const content: ContentBlock[] = [];
  if (typeof reasoningText === "string" && reasoningText !== "")
    content.push({ type: "thinking", thinking: reasoningText });
  const opaque = OPAQUE_FIELDS.filter((field) => data[field] !== undefined && data[field] !== null);
  if (opaque.length > 0) {
    const value = Object.fromEntries(opaque.map((field) => [field, data[field]])) as JsonObject;
    content.push({ type: "opaque", provider: "copilot", value });
  }
  if (text !== undefined && text !== null && text !== "") {
    const block = wellFormedBlock({ type: "text", text }, { ...place, original: data });
    const extra = typeof phase === "string" ? { phase } : {};
    content.push(block.type === "text" ? withOpenAIFields(block, { extra }) : block);
  }
  return [...content, ...listOf(toolRequests).map((request) => readCall(request, onDamage))];
}

/** True if a call has free text for arguments, for which OpenAI has separate items. @internal */
export function isCustomCall(block: ContentBlock): boolean {
  return block.type === "tool_use" && isCustom(block);
}

function isCustom(block: object): boolean {
  const { openai } = block as { readonly openai?: { readonly extra?: JsonObject } };
  return openai?.extra?.["type"] === "custom_tool_call";
}

function readCall(request: unknown, onDamage: OnDamage): ContentBlock {
  const place = { role: "assistant", onDamage, original: request } as const;
  if (!isObject(request)) return wellFormedBlock({ type: undefined }, place);
  const { toolCallId: id, name, arguments: sent, type } = request;
  const isText = type === "custom" && typeof sent === "string";
  const { input, text } =
    typeof sent === "string" && !isText ? parseArguments(sent) : { input: sent, text: undefined };
  const block = wellFormedBlock({ type: "tool_use", id, name, input }, place);
  if (block.type !== "tool_use") return block;
  return withOpenAIFields(block, {
    arguments: text,
    ...(isText ? { extra: { type: "custom_tool_call" } } : {}),
  });
}

/** The tokens of an answer; Copilot does not write down how large the prompt was. @internal */
export function copilotUsage(data: Fields): Usage | undefined {
  return usageOf({ input: 0, output: data["outputTokens"] });
}

/** A tool's answer, or why it has none. @internal */
export function copilotResult(
  data: Fields,
  {
    media,
    isCustom: isOfCustomCall,
    onDamage,
  }: { readonly media: CopilotMedia; readonly isCustom: boolean; readonly onDamage: OnDamage },
): ContentBlock {
  const block = wellFormedBlock(
    toolResult(data["toolCallId"], resultContent(data, media), data["success"] === false),
    { role: "user", onDamage, original: data },
  );
  return isOfCustomCall && block.type === "tool_result"
    ? withOpenAIFields(block, { extra: { type: "custom_tool_call_output" } })
    : block;
}

function resultContent(
  { result, error }: Fields,
  media: CopilotMedia,
): string | readonly ToolResultPart[] | undefined {
  const content = isObject(result) ? result["content"] : (result ?? undefined);
  const failure = isObject(error) ? error["message"] : (error ?? undefined);
  const text = inWords(content ?? failure);
  const binaries = isObject(result) ? result["binaryResultsForLlm"] : undefined;
  if (!Array.isArray(binaries) || binaries.length === 0) return text;
  const parts = binaries.map(
    (binary: unknown): ToolResultPart => media.find(binary) ?? { type: "text", text: mediaNote(binary) },
  );
  return text === undefined || text === "" ? parts : [{ type: "text", text }, ...parts];
}

function inWords(value: unknown): string | undefined {
  return value === undefined || value === null ? undefined : (asString(value) ?? JSON.stringify(value));
}

/** Returns the text for a tool that the user ran without the model. @internal */
export function copilotUserRun(request: Fields | undefined, data: Fields, media: CopilotMedia): string {
  const name = asString(request?.["toolName"]) ?? "a tool";
  const input = request?.["arguments"] as JsonValue | undefined;
  const content = resultContent(data, media);
  const output = typeof content === "string" ? content : JSON.stringify(content ?? "");
  return `The user ran ${name}${input === undefined ? "" : ` ${JSON.stringify(input)}`}:\n${output}`;
}

/** The images and PDFs of a session, inline or by the id of their event. @internal */
export class CopilotMedia {
  readonly #assets = new Map<string, string>();

  constructor(records: readonly CopilotRecord[]) {
    for (const { type, data } of records) {
      const { assetId, data: base64 } = data;
      if (type === "session.binary_asset" && typeof assetId === "string" && typeof base64 === "string")
        this.#assets.set(assetId, base64);
    }
  }

  /** The attached or returned media; `undefined` where it is neither an image nor a PDF, or was not recorded. */
  find(value: unknown): ImageBlock | DocumentBlock | undefined {
    if (!isObject(value)) return undefined;
    const mediaType = asString(value["mimeType"]) ?? "";
    const type = mediaType === "application/pdf" ? "document" : "image";
    const data = asString(value["data"]) ?? this.#assets.get(asString(value["assetId"]) ?? "");
    if (data === undefined) return undefined;
    const source = { type: "base64", media_type: mediaType, data };
    return hasReadableSource(source, type) ? { type, source } : undefined;
  }
}

/** The text that replaces media that was not recorded or that no model takes. @internal */
function mediaNote(value: unknown): string {
  const { mimeType, byteLength, description } = isObject(value) ? value : {};
  const bytes = asNumber(byteLength);
  const known = [
    asString(mimeType) ?? "a file",
    asString(description),
    bytes === undefined ? undefined : `${bytes} bytes`,
  ];
  return `[${known.filter((text) => text !== undefined).join(", ")}: not recorded]`;
}
