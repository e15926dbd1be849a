/**
 * Turns any value that a recording has in the place of a block into a valid `ContentBlock`, so that it can be counted,
 * edited and sent.
 *
 * Small damage is repaired: an id that is a number, a flag that is a word. A value that cannot be repaired is kept whole
 * as an opaque block of the provider `unknown`, which is never sent.
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

/** Called with what was wrong with a block, in words that follow "a block". @internal */
export type OnDamage = (what: string) => void;

/** Provider of a block that cannot be read; such a block is kept and never sent. @internal */
export const UNKNOWN_PROVIDER = "unknown";

interface Place {
  readonly role: Role;
  readonly onDamage: OnDamage;
  /** The recorded value to keep if the block cannot be repaired. @defaultValue the value that is checked */
  readonly original?: unknown;
}

/** Roles whose messages may have a block, by its type. Source: Anthropic API reference, "Create a Message". */
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

/** Returns a value that should be a {@link ContentBlock} as a valid block. Never throws. @internal */
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

/** Returns the block with its fields repaired; itself if nothing was wrong; `undefined` if it cannot be repaired. */
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

/** Returns a part of a tool result; a value that is not a valid part becomes its JSON text. @internal */
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

/** Returns the block with these fields set; itself if it has them; `undefined` if one of them is `undefined`. */
function filled(block: Fields, fields: Fields): Fields | undefined {
  const wrong = Object.entries(fields).filter(([key, value]) => value !== block[key]);
  if (Object.values(fields).includes(undefined)) return undefined;
  return wrong.length === 0 ? block : { ...block, ...Object.fromEntries(wrong) };
}

/** Returns the block without an optional field whose value does not fit. */
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

/** True for a text without lone surrogates. A signature or a ciphertext with one is invalid and cannot be repaired. */
function isWholeText(value: unknown): boolean {
  return isText(value) && isWellFormed(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** Returns a text, a number or a flag as text; `undefined` for anything else. */
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
