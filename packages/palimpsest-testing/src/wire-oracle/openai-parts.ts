/**
 * Judges content parts of an OpenAI request: which may stand where, and what they hold.
 */
import type { OpenAIJudge } from "./openai-rules.ts";
import { type FieldKind, type FieldTable, fieldOf, isRecord, stringOf } from "./violation.ts";

type Fields = Readonly<Record<string, FieldKind>>;

function part(required: Fields, optional: Fields = {}): FieldTable {
  return {
    required: { type: "string", ...required },
    optional: { prompt_cache_breakpoint: "any", ...optional },
  };
}

const FILE: Fields = {
  file_data: "string",
  file_id: "string",
  file_url: "string",
  filename: "string",
  detail: "string",
};

/** Parts of both APIs by their type. Source: `openai` 7.55, `chat/completions` and `responses`. */
const PARTS: ReadonlyMap<string, FieldTable> = new Map([
  ["text", part({ text: "string" })],
  ["refusal", part({ refusal: "string" })],
  ["image_url", part({ image_url: "object" })],
  ["input_audio", part({ input_audio: "object" })],
  ["file", part({ file: "object" })],
  ["input_text", part({ text: "string" })],
  ["output_text", part({ text: "string" }, { annotations: "array", logprobs: "array" })],
  ["input_image", part({}, { detail: "string", file_id: "string", image_url: "string" })],
  ["input_file", part({}, FILE)],
]);

/** Judges a list of parts at `path`, of which only `allowed` types may stand there. @internal */
export function judgeParts(
  parts: readonly unknown[],
  allowed: readonly string[],
  path: string,
  judge: OpenAIJudge,
): void {
  if (parts.length === 0) judge.emptyList(path);
  for (const [index, item] of parts.entries()) judgePart(item, allowed, `${path}[${index}]`, judge);
}

function judgePart(item: unknown, allowed: readonly string[], path: string, judge: OpenAIJudge): void {
  if (!isRecord(item)) {
    judge.wrongType(path, "object");
    return;
  }
  const type = stringOf(item, "type");
  const table = type === undefined ? undefined : PARTS.get(type);
  if (type === undefined || table === undefined || !allowed.includes(type)) {
    const known = allowed.map((known) => `'${known}'`).join(", ");
    judge.unsupported("part-type", `${path}.type`, { value: `'${type ?? ""}'`, known });
    return;
  }
  judge.fields(item, table, path);
  if (type === "image_url") {
    const image = fieldOf(item, "image_url");
    if (isRecord(image) && (stringOf(image, "url") ?? "") === "") judge.missing(`${path}.image_url.url`);
  }
}
