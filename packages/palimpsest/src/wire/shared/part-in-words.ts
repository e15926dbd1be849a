/**
 * A part of a tool's result where an API takes nothing but text: its own text, a line that says what is not shown, or its
 * JSON. Encoded bytes are never written out: they cost more tokens than the whole conversation, and no model reads them.
 */
import { asString, isObject, type JsonObject } from "../../base/json/json.ts";
import { isBlank } from "../../base/text/markdown-lines.ts";
import { toWellFormed } from "../../base/text/text.ts";
import { partText } from "../../transcript/blocks.ts";

/** The part in words, which are never blank. @internal */
export function partInWords(part: { readonly type: string }): string {
  const text = partText(part) ?? "";
  if (!isBlank(text)) return toWellFormed(text);
  const bytes = encodedBytes(part as JsonObject);
  if (bytes === undefined) return toWellFormed(JSON.stringify(part));
  const { data, named } = bytes;
  // Four characters of base64 are three bytes.
  const kilobytes = Math.max(1, Math.round((data.length * 3) / 4_000));
  const words = [part.type, ...named, `${kilobytes} KB`].join(", ");
  return toWellFormed(`[${words}, not shown: only text can be sent in a result here]`);
}

interface EncodedBytes {
  readonly data: string;
  /** The type and the address, as far as they are given. */
  readonly named: readonly string[];
}

/** Media of this library (`source`), of MCP (`data`), and embedded resources of MCP (`blob`). */
function encodedBytes(part: JsonObject): EncodedBytes | undefined {
  for (const holder of [part["source"], part["resource"], part]) {
    if (!isObject(holder)) continue;
    const data = asString(holder["blob"]) ?? asString(holder["data"]);
    if (data === undefined) continue;
    const mediaType = asString(holder["media_type"]) ?? asString(holder["mimeType"]);
    return { data, named: [mediaType, asString(holder["uri"])].filter((name) => name !== undefined) };
  }
  return undefined;
}
