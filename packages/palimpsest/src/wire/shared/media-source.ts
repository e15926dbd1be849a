/**
 * Sources of images and documents in the form of the Messages API: checks which the API can read, and conversion from and
 * to URLs; and the text of search results for other APIs.
 */
import { asString, isObject, type JsonObject } from "../../base/json/json.ts";
import { toWellFormed } from "../../base/text/text.ts";
import { type OpaqueBlock, withSource } from "../../transcript/blocks.ts";

interface SourceShape {
  readonly fields: readonly string[];
  readonly mediaTypes?: readonly string[];
}

const IMAGE_SOURCES: ReadonlyMap<unknown, SourceShape> = new Map<string, SourceShape>([
  [
    "base64",
    { fields: ["media_type", "data"], mediaTypes: ["image/jpeg", "image/png", "image/gif", "image/webp"] },
  ],
  ["url", { fields: ["url"] }],
  ["file", { fields: ["file_id"] }],
]);
const DOCUMENT_SOURCES: ReadonlyMap<unknown, SourceShape> = new Map<string, SourceShape>([
  ["base64", { fields: ["media_type", "data"], mediaTypes: ["application/pdf"] }],
  ["text", { fields: ["media_type", "data"], mediaTypes: ["text/plain"] }],
  ["url", { fields: ["url"] }],
  ["file", { fields: ["file_id"] }],
]);

/** True if the API can read this source; the contents of a `content` source are not checked. @internal */
export function hasReadableSource(source: unknown, type: "image" | "document"): boolean {
  if (!isObject(source)) return false;
  if (type === "document" && source["type"] === "content") return Array.isArray(source["content"]);
  const shape = (type === "image" ? IMAGE_SOURCES : DOCUMENT_SOURCES).get(source["type"]);
  if (shape === undefined) return false;
  const isWhole = shape.fields.every((field) => typeof source[field] === "string" && source[field] !== "");
  const { mediaTypes } = shape;
  const isKnown = mediaTypes === undefined || mediaTypes.includes(source["media_type"] as string);
  return isWhole && isKnown && (source["type"] !== "base64" || isBase64(source["data"] as string));
}

/** The part as an API can read it: a picture of MCP as an image with a source. @internal */
export function readablePart<Part extends { readonly type: string }>(part: Part): Part {
  const own = withSource(part);
  return hasReadableSource(own["source"], "image") ? (own as unknown as Part) : part;
}

/** Returns the source with only the fields that the API knows; the same object if it has no others. @internal */
export function knownSource(source: JsonObject, type: "image" | "document"): JsonObject {
  const shape = (type === "image" ? IMAGE_SOURCES : DOCUMENT_SOURCES).get(source["type"]);
  const keys = Object.keys(source);
  const isKnown = (key: string): boolean =>
    key === "type" || (shape?.fields.includes(key) ?? key === "content");
  if (keys.every(isKnown)) return source;
  return Object.fromEntries(Object.entries(source).filter(([key]) => isKnown(key)));
}

/** True for base64. Searches for a wrong character: matching megabytes with one pattern would exhaust the stack. */
function isBase64(data: string): boolean {
  if (data.length % 4 !== 0) return false;
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return !/[^A-Za-z0-9+/]/.test(padding === 0 ? data : data.slice(0, -padding));
}

/**
 * Returns the text of a search result that a user passed, for APIs without such a block; `undefined` for any other block.
 * @internal
 */
export function searchResultText({ provider, value }: OpaqueBlock): string | undefined {
  if (provider !== "anthropic" || !isObject(value) || value["type"] !== "search_result") return undefined;
  const { title, source, content } = value;
  const parts = Array.isArray(content) ? content : [];
  const texts = parts.flatMap((part) => (isObject(part) ? (asString(part["text"]) ?? []) : []));
  return toWellFormed([asString(title), asString(source), ...texts].filter(Boolean).join("\n"));
}

/** Returns a source as a base64 `data:` URL or a plain URL; `undefined` if only Anthropic can read it. @internal */
export function urlOfSource(source: JsonObject): string | undefined {
  const data = asString(source["data"]);
  const mediaType = asString(source["media_type"]);
  if (source["type"] === "base64" && data !== undefined) {
    return `data:${mediaType ?? "application/octet-stream"};base64,${data}`;
  }
  return source["type"] === "url" ? asString(source["url"]) : undefined;
}

/** Returns the source of a `data:` URL or a plain URL. @internal */
export function sourceOfUrl(url: string): JsonObject {
  const comma = url.startsWith("data:") ? url.indexOf(";base64,") : -1;
  // A media type is short: with a longer one the URL is kept as it is.
  if (comma === -1 || comma > 200) return { type: "url", url };
  return { type: "base64", media_type: url.slice(5, comma), data: url.slice(comma + 8) };
}
