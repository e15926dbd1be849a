/**
 * Images and files between the wire of Anthropic (a source object) and that of OpenAI (a URL).
 */
import { asString, type JsonObject } from "../../base/json/json.ts";

/** A base64 `data:` URL, or the URL itself; `undefined` for a source that only Anthropic can read. @internal */
export function urlOfSource(source: JsonObject): string | undefined {
  const data = asString(source["data"]);
  const mediaType = asString(source["media_type"]);
  if (source["type"] === "base64" && data !== undefined) {
    return `data:${mediaType ?? "application/octet-stream"};base64,${data}`;
  }
  return source["type"] === "url" ? asString(source["url"]) : undefined;
}

/** The other direction. @internal */
export function sourceOfUrl(url: string): JsonObject {
  const comma = url.startsWith("data:") ? url.indexOf(";base64,") : -1;
  // A media type is short: anything longer is no data URL that we could take apart.
  if (comma === -1 || comma > 200) return { type: "url", url };
  return { type: "base64", media_type: url.slice(5, comma), data: url.slice(comma + 8) };
}
