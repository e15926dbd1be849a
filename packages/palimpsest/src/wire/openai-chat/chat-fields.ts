/**
 * The vocabulary of the Chat Completions API: fields of a message by role, content parts by role, and the
 * letters of ids and names. It refuses a whole request over one field more.
 *
 * Source: `openai` SDK 7.55, `chat/completions`.
 */
import { isObject, type JsonObject, type JsonValue, wellFormedJson } from "../../base/json/json.ts";

type ChatRole = "system" | "developer" | "user" | "assistant" | "tool";

const NAME = /^[^\s<|\\/>]{1,64}$/;

/** Fields beyond those that are rendered, with what they hold. */
const MESSAGE_FIELDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  name: (value) => typeof value === "string" && NAME.test(value),
  audio: (value) => isObject(value) && typeof value["id"] === "string",
};
const FIELDS_OF_ROLE: Readonly<Record<ChatRole, readonly string[]>> = {
  system: ["name"],
  developer: ["name"],
  user: ["name"],
  assistant: ["name", "audio"],
  tool: ["name"],
};
const PARTS_OF_ROLE: Readonly<Record<ChatRole, readonly string[]>> = {
  system: ["text"],
  developer: ["text"],
  user: ["text", "image_url", "input_audio", "file"],
  assistant: ["text", "refusal"],
  tool: ["text"],
};
/** The field that a part is about. */
const PART_FIELDS: Readonly<Record<string, "text" | "object">> = {
  text: "text",
  refusal: "text",
  image_url: "object",
  input_audio: "object",
  file: "object",
};

/** The fields a host kept on a message that may be sent in this role. @internal */
export function chatMessageFields(extra: JsonObject | undefined, role: string): JsonObject {
  if (extra === undefined) return {};
  const known = FIELDS_OF_ROLE[role as ChatRole] ?? [];
  return Object.fromEntries(known.flatMap((key) => field(extra, key))) as JsonObject;
}

function field(extra: JsonObject, key: string): readonly (readonly [string, JsonValue])[] {
  const value = extra[key];
  return value !== undefined && MESSAGE_FIELDS[key]!(value) ? [[key, wellFormedJson(value)]] : [];
}

/** True if a value is a content part that the API knows in any role. @internal */
export function isChatPart(value: unknown): boolean {
  if (!isObject(value) || typeof value["type"] !== "string") return false;
  const { type } = value;
  if (!Object.hasOwn(PART_FIELDS, type)) return false;
  const about = value[type];
  if (PART_FIELDS[type] === "text") return typeof about === "string" && about !== "";
  return isObject(about) && (type !== "image_url" || typeof about["url"] === "string");
}

/** The part with the fields that the API knows; nothing where this role may not say it. @internal */
export function chatPart(value: JsonObject, role: string): readonly JsonObject[] {
  if (!isChatPart(value)) return [];
  const type = value["type"] as string;
  if (PARTS_OF_ROLE[role as ChatRole]?.includes(type) !== true) return [];
  return [{ type, [type]: wellFormedJson(value[type]!) }];
}

/** Longest id of a call in either API. Source: the APIs' own refusals (`string too long`). */
const CHAT_ID_CHARACTERS = 40;
const RESPONSES_ID_CHARACTERS = 64;
/** Longest name of a function. Source: OpenAI API reference, "Create chat completion". */
const NAME_CHARACTERS = 64;

/** An id of a call as the API takes it, call and result alike; different ids stay different. @internal */
export function chatCallId(id: string): string {
  return id === "" ? "_empty_" : fitted(id, CHAT_ID_CHARACTERS);
}

/** The same as the Responses API takes it. @internal */
export function responsesCallId(id: string): string {
  return id === "" ? "_empty_" : fitted(id, RESPONSES_ID_CHARACTERS);
}

/** The name of a function in the letters that both APIs take. @internal */
export function chatFunctionName(name: string): string {
  return fitted(name.replace(/[^a-zA-Z0-9_-]/g, "_") || "_", NAME_CHARACTERS);
}

function fitted(text: string, length: number): string {
  if (text.length <= length) return wellFormedJson(text);
  const mark = `_${fingerprint(text)}`;
  return wellFormedJson(text.slice(0, length - mark.length)) + mark;
}

/** 53 bits that tell texts apart (cyrb53, public domain); no protection against anyone. */
function fingerprint(text: string): string {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    high = Math.imul(high ^ unit, 2_654_435_761);
    low = Math.imul(low ^ unit, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return (4_294_967_296 * (2_097_151 & low) + (high >>> 0)).toString(36);
}
