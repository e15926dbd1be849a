/**
 * Our messages → messages of the AI SDK: the prompt of a language model, and `ModelMessage`s.
 *
 * Results of tools are separate messages there and name the tool, so calls are looked up. A part is written with what
 * its carrier kept of it. A prompt leaves out what no provider takes, and a `system` message in the middle of it goes as
 * the user's, because most providers refuse it there.
 */

import type { JsonObject, JsonValue } from "../../base/json/json.ts";
import { addAll } from "../../base/lists.ts";
import { toWellFormed } from "../../base/text/text.ts";
import type { ModelRequest } from "../../ports/model-client.ts";
import {
  blockText,
  type ContentBlock,
  type DocumentBlock,
  type ImageBlock,
  partText,
  type ToolResultBlock,
} from "../../transcript/blocks.ts";
import type { CacheMark, RequestMessage } from "../../transcript/window.ts";
import { hasReadableSource, searchResultText } from "../shared/media-source.ts";
import { asMember, carrierOf, opaqueValue } from "./carrier.ts";
import { filePart } from "./file-data.ts";
import { outputOf } from "./tool-output.ts";

/** Options of the messages. */
interface ToAiSdkOptions {
  /** Version of the interface: `v2` and `v3` write files bare, `v4` names their kind. */
  readonly version: string;
  /** True if the provider takes Anthropic's cache marks. */
  readonly takesMarks: boolean;
  /**
   * `prompt`: what a provider takes. `request`: the same as messages of a host, whose own parts and system messages
   * stay as they are. `stored`: everything.
   */
  readonly form: "prompt" | "request" | "stored";
}

type Part = JsonObject;

/** The prompt of a language model, the system prompt first. @internal */
export function toAiSdk(
  { system, tools = [], messages, cacheMarks, cacheTtl, ...request }: ModelRequest,
  options: Omit<ToAiSdkOptions, "form">,
): readonly JsonObject[] {
  // A prompt begins with the tools, and the API takes marks of an hour only before those of five minutes.
  const headCacheTtl = tools.some(isMarked) ? cacheTtl : request.headCacheTtl;
  const writer = new MessageWriter({ ...options, form: "prompt" }, { cacheMarks, cacheTtl, headCacheTtl });
  return [...writer.system(system), ...writer.write(messages)];
}

/** Where a request is cached. */
interface CacheMarks {
  readonly cacheMarks?: readonly CacheMark[] | undefined;
  readonly cacheTtl?: "5m" | "1h" | undefined;
  readonly headCacheTtl?: "5m" | "1h" | undefined;
}

/** Writes the messages of one request. @internal */
export class MessageWriter {
  readonly #options: ToAiSdkOptions;
  readonly #marks: readonly CacheMark[];
  readonly #mark: JsonObject;
  readonly #headMark: JsonObject;
  readonly #toolNames = new Map<string, string>();

  constructor(
    options: ToAiSdkOptions,
    { cacheMarks = [], cacheTtl, headCacheTtl = cacheTtl }: CacheMarks = {},
  ) {
    this.#options = options;
    this.#marks = options.takesMarks ? cacheMarks : [];
    this.#mark = markFor(cacheTtl);
    this.#headMark = markFor(headCacheTtl);
  }

  system(text: string | undefined): readonly JsonObject[] {
    if (text === undefined || text.trim() === "") return [];
    const message = { role: "system", content: toWellFormed(text) };
    return this.#marks.length === 0 ? [message] : [{ ...message, ...withMark(undefined, this.#headMark) }];
  }

  write(messages: readonly RequestMessage[]): readonly JsonObject[] {
    return messages.flatMap((message, index) => {
      const marked = new Set(this.#marks.filter((one) => one.message === index).map(({ block }) => block));
      const written = this.#message(message, marked);
      const { form } = this.#options;
      const fields = form === "prompt" ? undefined : carrierOf(message.content[0] ?? {}).message;
      if (fields === undefined) return written;
      return written.map((one) => ({ ...one, ...(form === "stored" ? fields : unmarked(fields)) }));
    });
  }

  #message({ role, content }: RequestMessage, marked: ReadonlySet<number>): readonly JsonObject[] {
    const { form } = this.#options;
    if (role === "system" && form !== "prompt") return [{ role, content: content.map(blockText).join("\n") }];
    const results: Part[] = [];
    const others: Part[] = [];
    content.forEach((block, index) => {
      const written = role === "assistant" ? this.#answered(block) : this.#given(block);
      const parts = form === "stored" ? written : written.map(unmarked);
      const own = marked.has(index) ? parts.map((part) => this.#marked(part)) : parts;
      addAll(role !== "assistant" && isOfTool(own) ? results : others, own);
    });
    const isEmpty = form === "stored" && results.length === 0;
    return [
      ...(results.length === 0 ? [] : [{ role: "tool", content: results }]),
      ...(others.length === 0 && !isEmpty
        ? []
        : [{ role: role === "assistant" ? role : "user", content: others }]),
    ];
  }

  #marked(part: Part): Part {
    // The API refuses marks on thinking.
    return part["type"] === "reasoning"
      ? part
      : { ...part, ...withMark(part["providerOptions"], this.#mark) };
  }

  #answered(block: ContentBlock): readonly Part[] {
    switch (block.type) {
      case "thinking":
        if (block.signature === undefined && this.#options.form !== "stored") return [];
        return [this.#reasoning(block, block.thinking, { signature: block.signature })];
      case "redacted_thinking":
        return [this.#reasoning(block, "", { redactedData: block.data })];
      case "tool_use": {
        const { id: toolCallId, name: toolName, input } = block;
        this.#toolNames.set(toolCallId, toolName);
        return [{ type: "tool-call", toolCallId, toolName, input, ...kept(block) }];
      }
      case "compaction":
        return this.#text(block, block.content ?? "");
      case "text":
        return this.#text(block, block.text);
      case "opaque":
        return this.#opaque(block);
      default:
        return [];
    }
  }

  #given(block: ContentBlock): readonly Part[] {
    switch (block.type) {
      case "text":
        return this.#text(block, block.text);
      case "image":
      case "document":
        return [this.#file(block)];
      case "tool_result":
        return [this.#result(block)];
      case "opaque":
        return this.#options.form === "prompt"
          ? this.#text(block, searchResultText(block) ?? "")
          : this.#opaque(block);
      default:
        return [];
    }
  }

  #text(block: ContentBlock, text: string): readonly Part[] {
    if (text === "" && this.#options.form !== "stored") return [];
    return [{ type: "text", text: toWellFormed(text), ...kept(block) }];
  }

  /** Reasoning with its signature, in the signer's words. */
  #reasoning(block: ContentBlock, text: string, signed: JsonObject): Part {
    const { providerOptions, part } = carrierOf(block);
    const isSigned = Object.values(signed).some((value) => value !== undefined);
    const options = providerOptions ?? (isSigned ? { anthropic: signed } : undefined);
    return {
      type: "reasoning",
      text,
      ...(options === undefined ? {} : { providerOptions: options }),
      ...part,
    };
  }

  #opaque(block: ContentBlock): readonly Part[] {
    const value = opaqueValue(block);
    if (value?.["type"] === undefined) return [];
    if (this.#options.form === "prompt") return SENDABLE.has(value["type"]) ? [value] : [];
    return [(filePart(block) as Part | undefined) ?? value];
  }

  #file(block: ImageBlock | DocumentBlock): Part {
    const { source, type } = block;
    const { data, url } = source;
    const own = this.#options.form === "prompt" ? undefined : filePart(block);
    if (own !== undefined) return own as Part;
    const text = partText(block);
    if (text !== undefined) return { type: "text", text: toWellFormed(text) };
    if (!hasReadableSource(source, type)) return { type: "text", text: `[${type}]` };
    const mediaType =
      typeof source["media_type"] === "string"
        ? source["media_type"]
        : type === "image"
          ? "image/*"
          : "application/pdf";
    if (source["type"] === "base64")
      return { type: "file", mediaType, data: this.#fileData({ type: "data", data: data! }), ...kept(block) };
    if (source["type"] !== "url" || !URL.canParse(String(url))) return { type: "text", text: `[${type}]` };
    // A bare text would be read as base64.
    const address = new URL(String(url)) as unknown as JsonValue;
    return { type: "file", mediaType, data: this.#fileData({ type: "url", url: address }), ...kept(block) };
  }

  /** Messages of the SDK take bare data in every version. */
  #fileData(tagged: JsonObject): JsonValue {
    const isTagged = this.#options.version === "v4" && this.#options.form === "prompt";
    return isTagged ? tagged : (tagged["data"] ?? tagged["url"]!);
  }

  #result(block: ToolResultBlock): Part {
    const { version, form } = this.#options;
    return {
      type: "tool-result",
      toolCallId: block.tool_use_id,
      toolName: this.#toolNames.get(block.tool_use_id) ?? "unknown",
      output: outputOf(block, { version, keepsForms: form !== "prompt" }),
      ...kept(block),
    };
  }
}

function markFor(ttl: "5m" | "1h" | undefined): JsonObject {
  return { type: "ephemeral", ...(ttl === "1h" ? { ttl } : {}) };
}

function withMark(given: unknown, cacheControl: JsonObject): JsonObject {
  const options = asMember(given) ?? {};
  return { providerOptions: { ...options, anthropic: { ...asMember(options["anthropic"]), cacheControl } } };
}

/** True for providers with cache marks: Anthropic's own API, and Claude on other clouds through the same provider. @internal */
export function takesMarks(provider: string): boolean {
  return provider.includes("anthropic");
}

/** What the carrier kept of the part. */
function kept(block: ContentBlock): JsonObject {
  const { providerOptions, part } = carrierOf(block);
  return { ...part, ...(providerOptions === undefined ? {} : { providerOptions }) };
}

/** The part or message without cache marks of the host: it moves them, and the session sets its own. */
function unmarked(fields: JsonObject): JsonObject {
  const options = asMember(fields["providerOptions"]);
  const anthropic = asMember(options?.["anthropic"]);
  if (anthropic?.["cacheControl"] === undefined) return fields;
  const { cacheControl: _, ...others } = anthropic;
  return { ...fields, providerOptions: { ...options, anthropic: others } };
}

/** True if the host has marked the tool for the cache. */
const isMarked = (tool: unknown): boolean =>
  asMember(asMember(asMember(tool)?.["providerOptions"])?.["anthropic"])?.["cacheControl"] !== undefined;

const isOfTool = (parts: readonly Part[]): boolean => String(parts[0]?.["type"]).startsWith("tool-");

/** Kinds of parts that an assistant's message may hold; sources and requests for approval are for people only. */
const SENDABLE: ReadonlySet<unknown> = new Set([
  ...["text", "reasoning", "file", "tool-call", "tool-result", "custom", "reasoning-file"],
]);
