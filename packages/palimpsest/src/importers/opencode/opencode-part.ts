/**
 * Parts of an opencode message in our terms: texts, reasoning, files, and calls together with what
 * they gave.
 */

import { asNumber, asString, isObject, type JsonObject } from "../../base/json/json.ts";
import type { ContentBlock, Usage } from "../../transcript/blocks.ts";
import { sourceOfUrl } from "../../wire/shared/media-source.ts";
import { type OnDamage, resultPart, wellFormedBlock } from "../../wire/shared/well-formed-block.ts";
import { type Fields, fieldsOf, listOf, usageOf } from "../shared/fields.ts";

/** @internal */
export type Part = Fields;

const PART_ID = /^prt_[0-9a-f]{12}/;

/**
 * The parts in the order in which they were made. Their ids count up in time and are what opencode
 * itself sorts by; a file may hold them in the order of a directory. @internal
 */
export function orderedParts(parts: readonly Part[]): readonly Part[] {
  const ids = parts.map((part) => asString(part["id"]) ?? "");
  if (!ids.every((id) => PART_ID.test(id))) return parts;
  return [...parts].sort((left, right) => (String(left["id"]) < String(right["id"]) ? -1 : 1));
}

/** A call and its result out of one part. @internal */
export function toolBlocks(
  part: Part,
  onDamage: OnDamage,
): { readonly call: ContentBlock; readonly result?: ContentBlock } {
  const state = fieldsOf(part["state"]);
  const id = part["callID"];
  const call = wellFormedBlock(
    { type: "tool_use", id, name: part["tool"], input: state["input"] ?? {} },
    { role: "assistant", onDamage, original: part },
  );
  const answer = call.type === "tool_use" ? answerOf(state) : undefined;
  if (answer === undefined) return { call };
  const result = wellFormedBlock(
    { type: "tool_result", tool_use_id: id, ...answer },
    { role: "user", onDamage, original: part },
  );
  return { call, result };
}

/** The result that the model got; a call that was pending when the recording ended has no answer. */
function answerOf(state: Part): JsonObject | undefined {
  const { status, output, error, attachments } = state;
  const metadata = fieldsOf(state["metadata"]);
  if (status === "error") {
    // What an interrupted call had said so far went to the model as its output.
    const interruptedOutput = metadata["interrupted"] === true ? asString(metadata["output"]) : undefined;
    return interruptedOutput === undefined
      ? { content: textOf(error), is_error: true }
      : { content: interruptedOutput };
  }
  if (status !== "completed" && output === undefined) return undefined;
  const files = listOf(attachments).filter(isObject).map(fileBlock);
  if (files.length === 0) return { content: textOf(output) };
  const parts = [...(textOf(output) === "" ? [] : [textOf(output)]), ...files].map(resultPart);
  return { content: parts as unknown as JsonObject[] };
}

function textOf(value: unknown): string {
  return asString(value) ?? (value === undefined || value === null ? "" : (JSON.stringify(value) ?? ""));
}

/** An image or a document, as far as the file itself is in the recording or on the web. @internal */
export function fileBlock(part: Part): JsonObject {
  const mime = asString(part["mime"]) ?? "";
  const url = asString(part["url"]) ?? "";
  const type = mime === "application/pdf" ? "document" : "image";
  if (/^(data:|https?:)/.test(url) && (mime.startsWith("image/") || type === "document"))
    return { type, source: sourceOfUrl(url) };
  return { type: "text", text: `[${mime === "" ? "file" : mime}: ${asString(part["filename"]) ?? url}]` };
}

/**
 * Reasoning as far as its API takes it back: signed for Anthropic, one item for OpenAI, which may
 * have been recorded in several parts. @internal
 */
export function reasoningBlocks(part: Part, previous: ContentBlock | undefined): readonly ContentBlock[] {
  const text = asString(part["text"]) ?? "";
  const metadata = fieldsOf(part["metadata"]);
  const { anthropic, openai } = metadata;
  if (isObject(anthropic)) {
    const { signature, redactedData } = anthropic;
    if (typeof redactedData === "string" && redactedData !== "")
      return [{ type: "redacted_thinking", data: redactedData }];
    if (typeof signature === "string" && signature !== "")
      return [{ type: "thinking", thinking: text, signature }];
  }
  const item = isObject(openai) ? reasoningItem(openai) : undefined;
  const isSameItem =
    item !== undefined &&
    previous?.type === "opaque" &&
    isObject(previous.value) &&
    previous.value["id"] === item["id"];
  const unsigned: readonly ContentBlock[] = text === "" ? [] : [{ type: "thinking", thinking: text }];
  if (item === undefined || isSameItem) return unsigned;
  return [...unsigned, { type: "opaque", provider: "openai-responses", value: item }];
}

/** The text of the summary is in the thinking block: the API takes the item without it. */
function reasoningItem({ itemId, reasoningEncryptedContent }: Part): JsonObject | undefined {
  if (typeof itemId !== "string" || typeof reasoningEncryptedContent !== "string") return undefined;
  return { type: "reasoning", id: itemId, summary: [], encrypted_content: reasoningEncryptedContent };
}

/** Usage of one request. Whether `output` includes the reasoning depends on the version; `total` always does. @internal */
export function opencodeUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const { read: cacheRead, write: cacheWrite } = fieldsOf(value["cache"]);
  const [input = 0, output = 0, reasoning = 0, total = 0, read = 0, write = 0] = [
    ...[value["input"], value["output"], value["reasoning"], value["total"], cacheRead, cacheWrite],
  ].map(asNumber);
  const answered = Math.max(output, reasoning, total - input - read - write);
  return usageOf({ input, cacheRead, cacheWrite, output: answered });
}
