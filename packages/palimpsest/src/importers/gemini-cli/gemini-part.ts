/**
 * Parts of a Gemini message (`text`, `inlineData`, `functionCall` …) in our terms, and how a tool's
 * answer is read out of them.
 */

import { asString, isObject, type JsonObject } from "../../base/json/json.ts";
import type { ContentBlock, Role, ToolResultPart } from "../../transcript/blocks.ts";
import { type OnDamage, resultPart, wellFormedBlock } from "../../wire/shared/well-formed-block.ts";
import { contentParts, type Fields, fieldsOf, textOrParts, toolResult } from "../shared/fields.ts";

/** Content that only Gemini reads; it goes back to Gemini unchanged, and to no other provider. */
const GEMINI_ONLY = ["executableCode", "codeExecutionResult", "fileData", "inlineData"] as const;

/** @internal */
interface GeminiPlace {
  readonly role: Role;
  readonly onDamage: OnDamage;
  /** Id of a call or a result that names none. */
  readonly callId: (name: string, kind: "call" | "result") => string;
}

/** One part as a block. @internal */
export function geminiBlock(part: unknown, place: GeminiPlace): ContentBlock {
  const { role, onDamage } = place;
  const checked = (block: unknown): ContentBlock =>
    wellFormedBlock(block, { role, onDamage, original: part });
  if (!isObject(part)) return checked(part);
  const { text, functionCall: call, functionResponse: response } = part;
  if (text !== undefined && part["thought"] === true && role === "assistant")
    return checked({ type: "thinking", thinking: text });
  if (text !== undefined) return checked({ type: "text", text });
  if (isObject(call)) {
    const name = asString(call["name"]) ?? "";
    const id = asString(call["id"]) ?? place.callId(name, "call");
    return checked({ type: "tool_use", id, name, input: call["args"] ?? {} });
  }
  if (isObject(response)) {
    const id = asString(response["id"]) ?? place.callId(asString(response["name"]) ?? "", "result");
    return checked(toolResultOf(id, [part]));
  }
  const media = mediaBlock(part);
  if (media !== undefined && role === "user") return checked(media);
  return GEMINI_ONLY.some((field) => isObject(part[field]))
    ? { type: "opaque", provider: "gemini", value: part as JsonObject }
    : checked({ type: "gemini part" });
}

/** An image or a PDF in Anthropic's words; other media only Gemini reads. */
function mediaBlock(part: Fields): JsonObject | undefined {
  const inline = fieldsOf(part["inlineData"]);
  const file = fieldsOf(part["fileData"]);
  const mediaType = asString(inline["mimeType"]) ?? asString(file["mimeType"]) ?? "";
  const type = mediaType === "application/pdf" ? "document" : mediaType.startsWith("image/") ? "image" : "";
  const data = asString(inline["data"]);
  const url = asString(file["fileUri"]);
  if (type === "") return undefined;
  if (data !== undefined) return { type, source: { type: "base64", media_type: mediaType, data } };
  return url?.startsWith("http") === true ? { type, source: { type: "url", url } } : undefined;
}

/** A tool's answer as the tool recorded it: a text, or parts of which one is the function's response. @internal */
export function toolResultOf(callId: string, result: unknown, isFailed = false): Fields {
  const parts = contentParts(result);
  const responses = parts.filter((part) => isObject(part) && isObject(part["functionResponse"]));
  // The record of a call may hold the answers of its siblings as well.
  const own = responses.length < 2 ? undefined : responses.find((part) => idOf(part) === callId);
  const read = (own === undefined ? parts : [own]).flatMap(answerParts);
  const content = textOrParts(read.map(({ part }) => part));
  return toolResult(callId, content, isFailed || read.some((answer) => answer.isError));
}

function idOf(part: unknown): unknown {
  return fieldsOf(fieldsOf(part)["functionResponse"])["id"];
}

interface AnswerPart {
  readonly part: ToolResultPart;
  readonly isError: boolean;
}

function answerParts(part: unknown): readonly AnswerPart[] {
  const plain = (value: unknown, isError = false): AnswerPart => ({ part: resultPart(value), isError });
  if (!isObject(part)) return [plain(part)];
  const response = part["functionResponse"];
  if (!isObject(response)) {
    const text = asString(part["text"]);
    return [plain(text ?? mediaBlock(part) ?? part)];
  }
  const given = response["response"];
  const nested = contentParts(response["parts"]).map((inner) => plain(partOf(inner)));
  if (!isObject(given)) return given === undefined ? nested : [plain(given), ...nested];
  const { output, error } = given;
  if (typeof output === "string") return [plain(output), ...nested];
  if (typeof error === "string") return [plain(error, true), ...nested];
  return [plain(JSON.stringify(given)), ...nested];
}

function partOf(inner: unknown): unknown {
  return isObject(inner) ? (asString(inner["text"]) ?? mediaBlock(inner) ?? inner) : inner;
}
