/**
 * The door for blocks from recordings: whatever a file holds in the place of a block, what comes out
 * has the fields that its type promises, so that it can be counted, edited and sent.
 *
 * Small damage is mended (an id that is a number, a flag that is a word). A block that says nothing
 * readable is kept whole as an opaque one of the provider `unknown`, which is sent to no one.
 */
import { isObject, type JsonObject, type JsonValue } from "../../base/json/json.ts";
import { isWellFormed } from "../../base/text/text.ts";
import {
  type ContentBlock,
  type Message,
  type Role,
  SERVER_TOOL_RESULT_TYPES,
  type ToolResultPart,
} from "../../transcript/blocks.ts";
import { hasReadableSource } from "./media-source.ts";

/** Told what was wrong with a block, in words that follow "a block". @internal */
export type OnDamage = (what: string) => void;

/** Provider of a block that no one can read; it is kept and sent to no one. @internal */
export const UNKNOWN_PROVIDER = "unknown";

interface Place {
  readonly role: Role;
  readonly onDamage: OnDamage;
  /** The value to keep where it cannot be mended; the value itself, where it was not translated before. */
  readonly original?: unknown;
}

/** Roles that may say a block. Source: Anthropic API reference, "Create a Message". */
const ROLES: ReadonlyMap<unknown, readonly Role[]> = new Map<string, readonly Role[]>([
  ["text", ["user", "assistant", "system"]],
  ["image", ["user", "assistant"]],
  ["document", ["user"]],
  ["tool_result", ["user"]],
  ["thinking", ["assistant"]],
  ["redacted_thinking", ["assistant"]],
  ["tool_use", ["assistant"]],
  ["server_tool_use", ["assistant"]],
  ["mcp_tool_use", ["assistant"]],
  ["compaction", ["assistant"]],
  ...SERVER_TOOL_RESULT_TYPES.map((type) => [type, ["assistant"]] as [string, readonly Role[]]),
]);

/** A value in the vocabulary of {@link ContentBlock} as a block that fits its type. Never throws. @internal */
export function wellFormedBlock(value: unknown, place: Place): ContentBlock {
  const keep = (what: string): ContentBlock => {
    place.onDamage(`${what}; it is kept, and sent to nobody`);
    const original = place.original === undefined ? value : place.original;
    return { type: "opaque", provider: UNKNOWN_PROVIDER, value: (original ?? null) as JsonValue };
  };
  if (typeof value === "string") return { type: "text", text: value };
  if (!isObject(value)) return keep(`that is ${describe(value)}`);
  const type = value["type"];
  const roles = ROLES.get(type);
  if (roles === undefined)
    return keep(typeof type === "string" ? `of the unknown type ${JSON.stringify(type)}` : "without a type");
  if (!roles.includes(place.role)) return keep(`of type ${String(type)} in a message of the ${place.role}`);
  const repaired = repair(value, String(type));
  if (repaired === undefined) return keep(`of type ${String(type)} without what makes it one`);
  if (repaired !== value) place.onDamage(`of type ${String(type)} with a field of the wrong kind; mended`);
  return repaired as unknown as ContentBlock;
}

type Fields = Readonly<Record<string, unknown>>;

/** The block with its fields mended, itself where nothing was wrong, `undefined` where it is beyond that. */
function repair(block: Fields, type: string): Fields | undefined {
  switch (type) {
    case "text":
      return optional(filled(block, { text: asText(block["text"]) }), "citations", Array.isArray);
    case "image":
      return hasReadableSource(block["source"], type) ? block : undefined;
    case "document":
      return hasReadableSource(block["source"], type) ? repairDocument(block) : undefined;
    case "thinking":
      return optional(filled(block, { thinking: asText(block["thinking"]) }), "signature", isWholeText);
    case "redacted_thinking":
      return isWholeText(block["data"]) && block["data"] !== "" ? block : undefined;
    case "tool_use":
    case "mcp_tool_use":
      return repairCall(block);
    case "server_tool_use":
      return SERVER_CALL_ID.test(String(block["id"])) ? repairCall(block) : undefined;
    case "tool_result":
      return repairResult(block);
    case "compaction":
      return repairSummary(block);
    default:
      return isText(block["tool_use_id"]) && block["content"] !== undefined ? block : undefined;
  }
}

const SERVER_CALL_ID = /^srvtoolu_[a-zA-Z0-9_]+$/;

function repairCall(block: Fields): Fields | undefined {
  const name = asText(block["name"]);
  if (name === "") return undefined;
  const known = filled(block, { id: asText(block["id"]), name, input: block["input"] ?? {} });
  return optional(known, "caller", isObject);
}

function repairDocument(block: Fields): Fields | undefined {
  return optional(optional(optional(block, "citations", isObject), "title", isText), "context", isText);
}

function repairSummary(block: Fields): Fields | undefined {
  if (!isText(block["content"]) && block["content"] !== null) return undefined;
  const signed = optional(optional(block, "signature", isText), "encrypted_content", isText);
  return optional(signed, "tool_changes", Array.isArray);
}

function repairResult(block: Fields): Fields | undefined {
  const known = optional(
    filled(block, { tool_use_id: asText(block["tool_use_id"]) }),
    "is_error",
    (value) => typeof value === "boolean",
  );
  const content = known?.["content"];
  if (known === undefined || content === undefined || isText(content)) return known;
  if (content === null) return without(known, "content");
  if (!Array.isArray(content)) return { ...known, content: JSON.stringify(content) };
  const parts = content.map(resultPart);
  return parts.every((part, index) => part === content[index]) ? known : { ...known, content: parts };
}

/** A part of a result; what cannot be read as one goes as the text that was recorded. @internal */
export function resultPart(part: unknown): ToolResultPart {
  if (typeof part === "string") return { type: "text", text: part };
  if (isObject(part)) {
    const { type } = part;
    const isReadable =
      type === "text"
        ? isText(part["text"])
        : type === "image" || type === "document"
          ? hasReadableSource(part["source"], type)
          : type === "tool_reference" && isText(part["tool_name"]);
    if (isReadable) return (type === "document" ? repairDocument(part) : part) as ToolResultPart;
  }
  return { type: "text", text: JSON.stringify(part) ?? "" };
}

/** `block` with these fields, `undefined` where one of them cannot be had. */
function filled(block: Fields, fields: Fields): Fields | undefined {
  const wrong = Object.entries(fields).filter(([key, value]) => value !== block[key]);
  if (Object.values(fields).includes(undefined)) return undefined;
  return wrong.length === 0 ? block : { ...block, ...Object.fromEntries(wrong) };
}

function optional(
  block: Fields | undefined,
  field: string,
  fits: (value: unknown) => boolean,
): Fields | undefined {
  const value = block?.[field];
  return block === undefined || value === undefined || fits(value) ? block : without(block, field);
}

function without(block: Fields, field: string): Fields {
  return Object.fromEntries(Object.entries(block).filter(([key]) => key !== field)) as JsonObject;
}

/** A signature or a cipher is never mended: half a character in it, and it is none. */
function isWholeText(value: unknown): boolean {
  return isText(value) && isWellFormed(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** A text, or a number or a flag as people would write it. */
function asText(value: unknown): string | undefined {
  if (isText(value)) return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return "null";
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}

/** Messages of a request; elements that are not messages are listed in `unreadable`. */
export interface ReadMessages {
  readonly messages: readonly Message[];
  /** Indexes of elements that are not messages. */
  readonly unreadable: readonly number[];
}
