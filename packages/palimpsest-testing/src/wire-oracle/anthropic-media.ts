/**
 * Judges where an image or a document of an Anthropic request comes from.
 */
import type { AnthropicJudge } from "./anthropic-rules.ts";
import { fieldOf, isRecord, stringOf, type UnknownRecord } from "./violation.ts";

interface SourceShape {
  readonly fields: readonly string[];
  readonly mediaTypes?: readonly string[];
}

const IMAGE_SOURCES: ReadonlyMap<string, SourceShape> = new Map([
  [
    "base64",
    { fields: ["data", "media_type"], mediaTypes: ["image/jpeg", "image/png", "image/gif", "image/webp"] },
  ],
  ["url", { fields: ["url"] }],
  ["file", { fields: ["file_id"] }],
]);

const DOCUMENT_SOURCES: ReadonlyMap<string, SourceShape> = new Map([
  ["base64", { fields: ["data", "media_type"], mediaTypes: ["application/pdf"] }],
  ["text", { fields: ["data", "media_type"], mediaTypes: ["text/plain"] }],
  ["content", { fields: ["content"] }],
  ["url", { fields: ["url"] }],
  ["file", { fields: ["file_id"] }],
]);

/** Reports a `source` that names no known place, or names it in a way the API cannot read. @internal */
export function judgeMediaSource(
  block: UnknownRecord,
  type: "image" | "document",
  path: string,
  judge: AnthropicJudge,
): void {
  const at = `${path}.${type}.source`;
  const source = fieldOf(block, "source");
  if (!isRecord(source)) return; // missing or of the wrong kind: said with the block's fields
  const kind = stringOf(source, "type") ?? "";
  const shape = (type === "image" ? IMAGE_SOURCES : DOCUMENT_SOURCES).get(kind);
  if (shape === undefined) {
    judge.complain(
      "media-source",
      at,
      `Input tag '${kind}' found using 'type' does not match any expected tag`,
    );
    return;
  }
  judgeSourceFields(source, shape, at, judge);
  if (kind === "base64" && !isBase64(stringOf(source, "data") ?? ""))
    judge.report("media-source", `${at}.data`, `${at}.base64: invalid base64 data`);
}

function judgeSourceFields(
  source: UnknownRecord,
  shape: SourceShape,
  at: string,
  judge: AnthropicJudge,
): void {
  for (const field of shape.fields) {
    const value = fieldOf(source, field);
    const isContent = field === "content" && Array.isArray(value);
    if (!isContent && (typeof value !== "string" || value === ""))
      judge.missing(`${at}.${field}`, "media-source");
  }
  const mediaType = stringOf(source, "media_type");
  if (shape.mediaTypes !== undefined && mediaType !== undefined && !shape.mediaTypes.includes(mediaType))
    judge.report(
      "media-source",
      `${at}.media_type`,
      `${at}.media_type: Input should be ${shape.mediaTypes.map((known) => `'${known}'`).join(" or ")}`,
    );
  judge.onlyFields(source, ["type", ...shape.fields], at);
}

/** By looking for what may not be there: one greedy pattern over megabytes would exhaust the regular expression's stack. */
function isBase64(data: string): boolean {
  if (data.length % 4 !== 0) return false;
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return !/[^A-Za-z0-9+/]/.test(data.slice(0, data.length - padding));
}
