/**
 * Files of the AI SDK ↔ images and documents.
 *
 * The data of a file is base64, bytes, an address, or any of these with a tag. The carrier says which, so that
 * the part is written in the same form again. Files that are neither image nor PDF travel as opaque blocks.
 */
import { asString, isObject, type JsonObject, type JsonValue } from "../../base/json/json.ts";
import type { ContentBlock, OpaqueBlock } from "../../transcript/blocks.ts";
import { sourceOfUrl, urlOfSource } from "../shared/media-source.ts";
import { asMember, carrierOf, defined, opaqueBlock, opaqueValue, withCarrier } from "./carrier.ts";

type Fields = Readonly<Record<string, unknown>>;

interface FileData {
  /** `base64` with data, and a media type where a `data:` URL names one; or `url`. */
  readonly source: JsonObject;
  readonly form?: string;
}

/** How pictures begin in base64, for parts that do not say what they are. */
const MAGIC: readonly (readonly [start: string, mediaType: string])[] = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
];

/** A part with a file as a block. @internal */
export function aiSdkFileBlock(part: Fields): ContentBlock {
  const name = nameOfData(part);
  const { [name]: data, providerOptions, ...rest } = part;
  const read = readData(data);
  if (read === undefined) return opaqueBlock(defined(part));
  const { source, form } = read;
  const mediaType = asString(source["media_type"]) ?? asString(rest["mediaType"]) ?? sniff(source["data"]);
  const isImage = mediaType?.startsWith("image/") ?? part["type"] === "image";
  if (!isImage && mediaType !== "application/pdf") return opaqueFile(part);
  return withCarrier(
    {
      type: isImage ? "image" : "document",
      source: source["type"] === "url" ? source : { ...source, media_type: mediaType ?? "image/*" },
    },
    { providerOptions: asMember(providerOptions), part: defined(rest), form },
  );
}

/** A part with a file as an opaque block, its data as text. @internal */
export function opaqueFile(part: Fields): OpaqueBlock {
  const name = nameOfData(part);
  const read = readData(part[name]);
  if (read === undefined) return opaqueBlock(defined(part));
  return withCarrier(opaqueBlock(defined({ ...part, [name]: plainData(read) })), { form: read.form });
}

/** The part that `aiSdkFileBlock` made this block of, in the form that it had; `undefined` for other blocks. @internal */
export function filePart(block: ContentBlock): Fields | undefined {
  const { part, form, providerOptions } = carrierOf(block);
  const value = opaqueValue(block);
  if (value !== undefined && form !== undefined)
    return { ...value, [nameOfData(value)]: writeData(value[nameOfData(value)], form) };
  if ((block.type !== "image" && block.type !== "document") || part === undefined) return undefined;
  const data = writeData(plainData({ source: block.source, form }), form);
  return defined({ ...part, [nameOfData(part)]: data, providerOptions });
}

const nameOfData = (part: Fields): string => (part["type"] === "image" ? "image" : "data");

function plainData({ source, form }: FileData): JsonValue {
  return (form?.endsWith("data-url") ? urlOfSource(source) : (source["data"] ?? source["url"])) ?? null;
}

/** Data in any of its forms; `undefined` for what is neither bytes nor an address. */
function readData(data: unknown): FileData | undefined {
  if (data instanceof Uint8Array || data instanceof ArrayBuffer) {
    const text = Buffer.from(data as Uint8Array).toString("base64");
    return { source: { type: "base64", data: text }, form: "bytes" };
  }
  if (data instanceof URL) return { source: { type: "url", url: data.href }, form: "address" };
  if (typeof data === "string") {
    const isUrl = /^(?:https?|data):/i.test(data);
    const source = isUrl ? sourceOfUrl(data) : { type: "base64", data };
    return isUrl ? { source, form: source["type"] === "url" ? "text" : "data-url" } : { source };
  }
  const tag = isObject(data) ? data["type"] : undefined;
  if (!isObject(data) || (tag !== "data" && tag !== "url") || (isObject(data[tag]) && !isBinary(data[tag])))
    return undefined;
  const inner = readData(data[tag]);
  return inner && { ...inner, form: `${tag}:${inner.form ?? ""}` };
}

const isBinary = (value: unknown): boolean =>
  value instanceof Uint8Array || value instanceof ArrayBuffer || value instanceof URL;

function writeData(plain: unknown, form: string | undefined): unknown {
  const tag = form?.startsWith("data:") ? "data" : form?.startsWith("url:") ? "url" : undefined;
  if (tag !== undefined) return { type: tag, [tag]: writeData(plain, form?.slice(tag.length + 1)) };
  if (form === "bytes") return new Uint8Array(Buffer.from(String(plain), "base64"));
  return form === "address" ? new URL(String(plain)) : plain;
}

const sniff = (data: unknown): string | undefined =>
  MAGIC.find(([start]) => asString(data)?.startsWith(start))?.[1];
