/**
 * Pictures and files of a Copilot session: inline, or stored once in an event of their own and
 * referred to by id.
 */
import { asNumber, asString, isObject } from "../../base/json/json.ts";
import type { DocumentBlock, ImageBlock } from "../../transcript/blocks.ts";
import { hasReadableSource } from "../../wire/shared/media-source.ts";
import type { CopilotRecord } from "./copilot-record.ts";

/** @internal */
export class CopilotMedia {
  readonly #assets = new Map<string, string>();

  constructor(records: readonly CopilotRecord[]) {
    for (const { type, data } of records) {
      const { assetId, data: base64 } = data;
      if (type === "session.binary_asset" && typeof assetId === "string" && typeof base64 === "string")
        this.#assets.set(assetId, base64);
    }
  }

  /** What was attached or returned; `undefined` where it is neither an image nor a PDF, or was not recorded. */
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

/** What stands for media that was not recorded or that no model takes. @internal */
export function mediaNote(value: unknown): string {
  const { mimeType, byteLength, description } = isObject(value) ? value : {};
  const bytes = asNumber(byteLength);
  const known = [
    asString(mimeType) ?? "a file",
    asString(description),
    bytes === undefined ? undefined : `${bytes} bytes`,
  ];
  return `[${known.filter((text) => text !== undefined).join(", ")}: not recorded]`;
}
