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
  if (bytes === undefined) return toWellFormed(JSON.stringify(part, withoutBytes));
  const { data, named } = bytes;
  const words = [part.type, ...named, sizeOf(data)].join(", ");
  return toWellFormed(`[${words}, not shown: only text can be sent in a result here]`);
}

/** Least length of a text that is taken for bytes by its letters alone. Our choice: a shorter one costs little, and may be words. */
const ENCODED_CHARACTERS = 1_000;
const ENCODED = /^(?:data:[^,]{0,100},)?[A-Za-z0-9+/_=\r\n-]+$/;

/** True for base64, by itself or in a data URL; not for a table, a listing or other text. */
function isEncoded(text: string): boolean {
  return text.length >= ENCODED_CHARACTERS && ENCODED.test(text.slice(0, 1_000));
}

/** Four characters of base64 are three bytes. */
function sizeOf(data: string): string {
  return `${Math.max(1, Math.round((data.length * 3) / 4_000))} KB`;
}

/** Bytes deeper inside of a part, as other libraries write them. */
function withoutBytes(_name: string, value: unknown): unknown {
  return typeof value === "string" && isEncoded(value) ? `[${sizeOf(value)}, not shown]` : value;
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
    const blob = asString(holder["blob"]);
    const data = blob ?? asString(holder["data"]);
    const mediaType =
      asString(holder["media_type"]) ?? asString(holder["mimeType"]) ?? asString(holder["mediaType"]);
    const mayBeText = blob === undefined && (mediaType === undefined || mediaType.startsWith("text/"));
    if (data === undefined || (mayBeText && !isEncoded(data))) continue;
    return { data, named: [mediaType, asString(holder["uri"])].filter((name) => name !== undefined) };
  }
  return undefined;
}
