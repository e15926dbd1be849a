/**
 * Outputs of tools in the AI SDK ↔ the content of a result's block.
 *
 * A text is a text and parts are parts. A value in JSON becomes its text, which is what a model reads of it, and the
 * carrier says that it was JSON; a result that was shortened since is a text.
 */
import { asString, isObject, type JsonObject } from "../../base/json/json.ts";
import { parseBounded } from "../../base/json/parse-bounded.ts";
import { toWellFormed } from "../../base/text/text.ts";
import { partText, type ToolResultBlock, type ToolResultPart } from "../../transcript/blocks.ts";
import { hasReadableSource, readablePart } from "../shared/media-source.ts";
import { partInWords } from "../shared/part-in-words.ts";
import { asMember, carrierOf, defined, opaqueBlock, opaqueValue, withCarrier } from "./carrier.ts";
import { aiSdkFileBlock, filePart } from "./file-data.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A part of type `tool-result` as a block. @internal */
export function resultBlock({ toolCallId, output, providerOptions, ...rest }: Fields): ToolResultBlock {
  const { content, isError, kept } = readOutput(output);
  const block: ToolResultBlock = {
    type: "tool_result",
    tool_use_id: String(toolCallId),
    content,
    ...(isError ? { is_error: true } : {}),
  };
  const { type: _, ...part } = rest;
  return withCarrier(block, {
    providerOptions: asMember(providerOptions),
    part: defined(part),
    output: kept,
  });
}

interface ReadOutput {
  readonly content: string | readonly ToolResultPart[];
  readonly isError: boolean;
  /** What a block cannot say. */
  readonly kept?: JsonObject;
}

function readOutput(output: unknown): ReadOutput {
  const { type, value, ...rest } = isObject(output) ? output : {};
  const isError = type === "error-text" || type === "error-json" || type === "execution-denied";
  if ((type === "text" || type === "error-text") && typeof value === "string")
    return { content: value, isError, kept: rest as JsonObject };
  if (type === "content" && Array.isArray(value))
    return { content: value.map(readPart), isError, kept: rest as JsonObject };
  if (type === "execution-denied")
    return {
      content: asString(rest["reason"]) ?? "The call was denied.",
      isError,
      kept: defined({ type, ...rest }),
    };
  if (type === "json" || type === "error-json")
    return { content: JSON.stringify(value) ?? "null", isError, kept: { type, ...(rest as JsonObject) } };
  // No output of any version.
  return { content: JSON.stringify(output) ?? "null", isError, kept: { type: "unknown" } };
}

/** Types of parts with a file inside. */
const FILE_PARTS: ReadonlySet<unknown> = new Set(["media", "file-data", "image-data", "file"]);

function readPart(part: unknown): ToolResultPart {
  const { type, text, ...rest } = isObject(part) ? part : {};
  if (type === "text" && typeof text === "string")
    return withCarrier({ type, text }, { part: rest as JsonObject });
  if (isObject(part) && FILE_PARTS.has(type)) {
    const block = aiSdkFileBlock(part);
    return withCarrier(opaqueValue(block) ?? block, { form: carrierOf(block).form }) as ToolResultPart;
  }
  return { ...(isObject(part) ? defined(part) : {}), type: String(type) };
}

/** Options of writing an output. */
interface OutputOptions {
  /** Version of the interface, which decides how files are written. */
  readonly version: string;
  /** True for messages of the SDK, which get their files back in the form that they had. */
  readonly keepsForms: boolean;
}

/** The output of a result's block. @internal */
export function outputOf(block: ToolResultBlock, options: OutputOptions): JsonObject {
  const { output: { type: kind, ...rest } = {} } = carrierOf(block);
  const { content, is_error: isError } = block;
  if (typeof content === "object" && isError !== true)
    return { type: "content", value: content.map((part) => writePart(part, options)), ...rest };
  const text = toWellFormed(typeof content === "string" ? content : (content ?? []).map(sentText).join("\n"));
  if (kind === "execution-denied" && text === (rest["reason"] ?? "The call was denied."))
    return { type: kind, ...rest };
  if (kind === "json" || kind === "error-json" || kind === "unknown") {
    const parsed = parseBounded(text);
    // A shortened result is a text.
    if (parsed.ok && kind === "unknown") return parsed.value as JsonObject;
    if (parsed.ok) return { type: kind, value: parsed.value as JsonObject, ...rest };
  }
  const plain = kind === undefined ? rest : {};
  if (isError === true)
    return { type: "error-text", value: text || (options.keepsForms ? "" : "(no output)"), ...plain };
  return { type: "text", value: text, ...plain };
}

function writePart(given: ToolResultPart, { version, keepsForms }: OutputOptions): JsonObject {
  const part = readablePart(given);
  const { part: fields = {} } = carrierOf(part);
  if (part.type === "text") return { ...fields, type: "text", text: toWellFormed(sentText(part)) };
  const isMedia = part.type === "image" || part.type === "document";
  if (!isMedia && SDK_PARTS.has(part.type)) {
    const { aiSdk: _, ...value } = part as JsonObject;
    return (filePart(withCarrier(opaqueBlock(value), carrierOf(part))) as JsonObject | undefined) ?? value;
  }
  const own = isMedia && keepsForms ? filePart(part as never) : undefined;
  if (own !== undefined) return own as JsonObject;
  const source = (part as { readonly source?: unknown }).source;
  if (!isMedia || !isObject(source) || source["type"] !== "base64" || !hasReadableSource(source, part.type))
    return { type: "text", text: toWellFormed(sentText(part)) };
  const { data, media_type: mediaType } = source as { readonly data: string; readonly media_type: string };
  if (version === "v2") return { type: "media", data, mediaType };
  return version === "v3"
    ? { type: "file-data", data, mediaType }
    : { type: "file", data: { type: "data", data }, mediaType };
}

/** Parts of an output that have no block; they are kept as they came. */
const SDK_PARTS: ReadonlySet<string> = new Set([
  ...["media", "file", "file-data", "file-url", "file-id", "file-reference"],
  ...["image-data", "image-url", "image-file-id", "image-file-reference", "custom"],
]);

function sentText(part: ToolResultPart): string {
  if (part.type === "text") return (part as { readonly text: string }).text;
  const isMedia = part.type === "image" || part.type === "document";
  return isMedia ? (partText(part) ?? `[${part.type}]`) : partInWords(part);
}
