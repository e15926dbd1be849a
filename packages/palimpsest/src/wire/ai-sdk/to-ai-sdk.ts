/**
 * A request → the prompt of an AI SDK language model.
 *
 * Results of tools are separate messages there and name the tool, so calls are looked up. A `system`
 * message in the middle of a conversation goes as the user's, because most providers refuse it there.
 *
 * A provider of the AI SDK may say more about a part than our blocks have, such as signatures and ids of items. It is
 * kept on the block under one foreign field, and handed back with the part.
 */
import { asString, isObject, type JsonObject, type JsonValue } from "../../base/json/json.ts";
import { toWellFormed } from "../../base/text/text.ts";
import type { ModelRequest } from "../../ports/model-client.ts";
import type {
  ContentBlock,
  DocumentBlock,
  ImageBlock,
  ToolResultBlock,
  ToolResultPart,
} from "../../transcript/blocks.ts";
import type { RequestMessage } from "../../transcript/window.ts";
import { hasReadableSource } from "../shared/media-source.ts";

/** Options of the prompt. @internal */
interface ToAiSdkOptions {
  /** Version of the interface: `v3` writes files bare, `v4` names their kind. */
  readonly version: string;
  /** True if the provider takes Anthropic's cache marks. */
  readonly takesMarks: boolean;
}

type Part = JsonObject;

/** One place of a request where a cache mark stands. */
type IsMarked = (blockIndex: number) => boolean;

/** The messages of the prompt, the system prompt first. @internal */
export function toAiSdk(
  { system, messages, cacheMarks = [], cacheTtl = "5m" }: ModelRequest,
  options: ToAiSdkOptions,
): readonly JsonObject[] {
  const marks = options.takesMarks ? cacheMarks : [];
  const mark = {
    anthropic: { cacheControl: { type: "ephemeral", ...(cacheTtl === "1h" ? { ttl: cacheTtl } : {}) } },
  };
  const writer = new PromptWriter({ version: options.version, mark });
  const head =
    system === undefined || system.trim() === ""
      ? []
      : [
          {
            role: "system",
            content: toWellFormed(system),
            ...(marks.length === 0 ? {} : { providerOptions: mark }),
          },
        ];
  const rest = messages.flatMap((message, index) => {
    const marked = new Set(marks.filter((one) => one.message === index).map(({ block }) => block));
    return writer.write(message, (block) => marked.has(block));
  });
  return [...head, ...rest];
}

class PromptWriter {
  readonly #version: string;
  readonly #mark: JsonObject;
  readonly #toolNames = new Map<string, string>();

  constructor({ version, mark }: { readonly version: string; readonly mark: JsonObject }) {
    this.#version = version;
    this.#mark = mark;
  }

  write({ role, content }: RequestMessage, isMarked: IsMarked): readonly JsonObject[] {
    if (role === "assistant") {
      const parts = content.flatMap((block, index) => this.#marked(this.#answered(block), isMarked(index)));
      return parts.length === 0 ? [] : [{ role, content: parts }];
    }
    const results = content.flatMap((block, index) =>
      block.type === "tool_result" ? this.#marked([this.#result(block)], isMarked(index)) : [],
    );
    const given = content.flatMap((block, index) => this.#marked(this.#given(block), isMarked(index)));
    return [
      ...(results.length === 0 ? [] : [{ role: "tool", content: results }]),
      ...(given.length === 0 ? [] : [{ role: "user", content: given }]),
    ];
  }

  #marked(parts: readonly Part[], isMarked: boolean): readonly Part[] {
    if (!isMarked) return parts;
    return parts.map((part) => {
      // The API refuses marks on thinking.
      if (part["type"] === "reasoning") return part;
      const options = isObject(part["providerOptions"]) ? (part["providerOptions"] as JsonObject) : {};
      const anthropic = isObject(options["anthropic"]) ? (options["anthropic"] as JsonObject) : {};
      const merged = { ...anthropic, ...(this.#mark["anthropic"] as JsonObject) };
      return { ...part, providerOptions: { ...options, anthropic: merged } };
    });
  }

  #answered(block: ContentBlock): readonly Part[] {
    const providerOptions = providerOptionsOf(block);
    const options = providerOptions === undefined ? {} : { providerOptions };
    switch (block.type) {
      case "text":
        return block.text === "" ? [] : [{ type: "text", text: toWellFormed(block.text), ...options }];
      case "thinking":
        return block.signature === undefined
          ? []
          : [reasoning(block.thinking, providerOptions, { signature: block.signature })];
      case "redacted_thinking":
        return [reasoning("", providerOptions, { redactedData: block.data })];
      case "tool_use":
        this.#toolNames.set(block.id, block.name);
        return [
          { type: "tool-call", toolCallId: block.id, toolName: block.name, input: block.input, ...options },
        ];
      case "compaction":
        return block.content === null || block.content === ""
          ? []
          : [{ type: "text", text: toWellFormed(block.content), ...options }];
      case "opaque":
        return isSendable(block.value) && block.provider === AI_SDK ? [block.value as Part] : [];
      default:
        return [];
    }
  }

  #given(block: ContentBlock): readonly Part[] {
    if (block.type === "text")
      return block.text === "" ? [] : [{ type: "text", text: toWellFormed(block.text) }];
    return block.type === "image" || block.type === "document" ? [this.#file(block)] : [];
  }

  #file({ type, source }: ImageBlock | DocumentBlock): Part {
    const { data, url } = source;
    if (source["type"] === "text" && typeof data === "string")
      return { type: "text", text: toWellFormed(data) };
    if (!hasReadableSource(source, type)) return { type: "text", text: `[${type}]` };
    const mediaType =
      typeof source["media_type"] === "string"
        ? source["media_type"]
        : type === "image"
          ? "image/*"
          : "application/pdf";
    if (source["type"] === "base64")
      return { type: "file", mediaType, data: this.#fileData({ type: "data", data: data! }) };
    if (source["type"] !== "url" || !URL.canParse(String(url))) return { type: "text", text: `[${type}]` };
    // A bare text would be read as base64.
    const address = new URL(String(url)) as unknown as JsonValue;
    return { type: "file", mediaType, data: this.#fileData({ type: "url", url: address }) };
  }

  #fileData(tagged: JsonObject): JsonValue {
    return this.#version === "v3" ? (tagged["data"] ?? tagged["url"]!) : tagged;
  }

  #result(block: ToolResultBlock): Part {
    return {
      type: "tool-result",
      toolCallId: block.tool_use_id,
      toolName: this.#toolNames.get(block.tool_use_id) ?? "unknown",
      output: this.#output(block),
    };
  }

  #output({ content, is_error: isError }: ToolResultBlock): JsonObject {
    const texts = typeof content === "string" ? content : (content ?? []).map(partText).join("\n");
    if (isError === true) return { type: "error-text", value: toWellFormed(texts) || "(no output)" };
    if (typeof content === "string" || content === undefined)
      return { type: "text", value: toWellFormed(content ?? "") };
    return { type: "content", value: content.map((part) => this.#resultPart(part)) };
  }

  #resultPart(part: ToolResultPart): JsonObject {
    const source = (part as { readonly source?: unknown }).source;
    const isMedia = part.type === "image" || part.type === "document";
    if (!isMedia || !isObject(source) || source["type"] !== "base64" || !hasReadableSource(source, part.type))
      return { type: "text", text: toWellFormed(partText(part)) };
    const { data, media_type: mediaType } = source as { readonly data: string; readonly media_type: string };
    return this.#version === "v3"
      ? { type: "file-data", data, mediaType }
      : { type: "file", data: { type: "data", data }, mediaType };
  }
}

/** Reasoning with its signature, in the signer's words. */
function reasoning(text: string, kept: JsonObject | undefined, signed: JsonObject): Part {
  return { type: "reasoning", text, providerOptions: kept ?? { anthropic: signed } };
}

function partText(part: ToolResultPart): string {
  if (part.type === "text") return (part as { readonly text: string }).text;
  return part.type === "image" || part.type === "document" ? `[${part.type}]` : JSON.stringify(part);
}

/** Kinds of parts that an assistant's message may hold; sources and requests for approval are for people only. */
const SENDABLE: ReadonlySet<unknown> = new Set([
  ...["text", "reasoning", "file", "tool-call", "tool-result", "custom", "reasoning-file"],
]);

function isSendable(value: JsonValue): boolean {
  return isObject(value) && SENDABLE.has(value["type"]);
}

/** Parts without a matching block travel as opaque blocks of this provider. @internal */
export const AI_SDK = "ai-sdk";

/** A provider's metadata of the part that a block was. @internal */
function providerOptionsOf(block: ContentBlock): JsonObject | undefined {
  const kept = (block as { readonly aiSdk?: unknown }).aiSdk;
  const options = isObject(kept) ? kept["providerOptions"] : undefined;
  return isObject(options) ? (options as JsonObject) : undefined;
}

/** The block with what its provider said, or itself where it said nothing. @internal */
export function withProviderOptions<T extends ContentBlock>(block: T, metadata: unknown): T {
  return isObject(metadata) && Object.keys(metadata).length > 0
    ? { ...block, aiSdk: { providerOptions: metadata as JsonObject } }
    : block;
}

/** A text field of one provider's options. @internal */
export function optionOf(
  options: unknown,
  { provider, field }: { readonly provider: string; readonly field: string },
): string | undefined {
  const own = isObject(options) ? options[provider] : undefined;
  return isObject(own) ? asString(own[field]) : undefined;
}
