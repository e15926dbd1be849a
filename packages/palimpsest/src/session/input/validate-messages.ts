/**
 * Validates and copies the messages that a host hands over.
 *
 * Hosts in plain JavaScript pass strings for content, `null` for absent values, and objects that they change
 * later. Input with one possible meaning is normalised; input that cannot be kept is refused before anything is
 * written; a block of an unknown type becomes an opaque block. Well-formed messages stay equal to the byte.
 */
import { isObject } from "../../base/json/json.ts";
import type { ContentBlock, Message, MessageInput, Role } from "../../transcript/blocks.ts";
import { findBlockMisfit, isKnownBlockType } from "../../transcript/entry-shape.ts";
import { copyInput, type InputCopier } from "./copy-input.ts";
import { refuseForeign } from "./foreign-blocks.ts";

type Fields = Record<string, unknown>;

const ROLES: ReadonlySet<unknown> = new Set(["user", "assistant", "system"]);
const ORIGINS: ReadonlySet<unknown> = new Set([
  "user",
  "assistant",
  "tool",
  "host",
  "engine",
  "restored",
  "recalled",
  "summary",
]);

/**
 * The message, or the list of messages, copied and checked. Of a message only the fields of
 * {@link Message} are taken; of a block, all. A string is a message of `role`.
 * @throws `OptionError` that names the place, where something cannot be kept.
 */
export function validateMessages(value: unknown, role: Role = "user"): readonly Message[] {
  if (!Array.isArray(value))
    return [copyInput("message", (copier) => validateMessage(value, copier, 0, role))];
  return copyInput("messages", (copier) => {
    const received: Message[] = [];
    for (let index = 0; index < value.length; index++) {
      copier.enter(0, index);
      received.push(validateMessage(value[index], copier, 1, role));
    }
    return received;
  });
}

/** Writes strings out as messages of `role`, and as blocks. Copies and checks nothing else. */
export function writeOutStrings(
  input: MessageInput | readonly MessageInput[],
  role: Role = "user",
): readonly Message[] {
  const block = (value: string | ContentBlock): ContentBlock =>
    typeof value === "string" ? { type: "text", text: value } : value;
  return (Array.isArray(input) ? (input as readonly MessageInput[]) : [input as MessageInput]).map(
    (message): Message => {
      if (typeof message === "string") return { role, content: [block(message)] };
      const { content } = message;
      if (typeof content === "string") return { ...message, content: [block(content)] };
      const hasStrings = Array.isArray(content) && content.some((part) => typeof part === "string");
      return (hasStrings ? { ...message, content: content.map(block) } : message) as Message;
    },
  );
}

/** The message at `depth` of a hand-over; a string is one of `role`. */
export function validateMessage(
  value: unknown,
  copier: InputCopier,
  depth: number,
  role: Role = "user",
): Message {
  if (typeof value === "string") return { role, content: [{ type: "text", text: value }] };
  if (!isObject(value))
    throw copier.refusal(depth, `is ${sayWhat(value)}, not a message`, "`{ role, content }`, or a string");
  const message: Fields = {};
  for (const field of Object.keys(value)) {
    const receive = MESSAGE_FIELDS.get(field);
    if (receive === undefined) continue;
    copier.enter(depth, field);
    const received = receive(value[field], copier, depth + 1, role);
    if (received !== undefined) message[field] = received;
  }
  for (const field of ["role", "content"]) {
    if (message[field] === undefined) {
      const isBlock = typeof value["type"] === "string" && value["content"] === undefined;
      copier.enter(depth, field);
      throw copier.refusal(
        depth + 1,
        "is missing",
        isBlock ? '`{ role: "user", content: [ … ] }` around content blocks' : "`{ role, content }`",
      );
    }
  }
  return message as unknown as Message;
}

/** `role` is that of strings: `assistant` in an answer, which is kept as its provider wrote it. */
type Validate = (value: unknown, copier: InputCopier, depth: number, role: Role) => unknown;

/** A field that may be left out: `null` means the same. */
const optional =
  (fits: (value: unknown) => boolean, pass: string): Validate =>
  (value, copier, depth) => {
    if (value === undefined || value === null) return undefined;
    if (fits(value)) return value;
    throw copier.refusal(depth, `is ${sayWhat(value)}`, pass);
  };

const optionalText = optional((value) => typeof value === "string", "a string, or leave it out");
const optionalTime = optional(Number.isFinite, "milliseconds since the epoch, or a `Date`");

const MESSAGE_FIELDS: ReadonlyMap<string, Validate> = new Map<string, Validate>([
  ["role", validateRole],
  ["content", validateContent],
  ["origin", optional((value) => ORIGINS.has(value), [...ORIGINS].map((one) => `"${one}"`).join(", "))],
  ["responseId", optionalText],
  ["model", optionalText],
  ["hostId", optionalText],
  [
    "at",
    (value, copier, depth, role) =>
      optionalTime(value instanceof Date ? value.getTime() : value, copier, depth, role),
  ],
  ["interrupted", optional((value) => typeof value === "boolean", "`true`, or leave it out")],
]);

function validateRole(value: unknown, copier: InputCopier, depth: number): unknown {
  if (ROLES.has(value)) return value;
  const pass =
    '"user", "assistant" or "system"; the converters of `palimpsest/formats` read other vocabularies';
  throw copier.refusal(depth, `is ${sayWhat(value)}`, pass);
}

function validateContent(
  value: unknown,
  copier: InputCopier,
  depth: number,
  role: Role,
): readonly ContentBlock[] {
  if (typeof value === "string") return [{ type: "text", text: value }];
  if (!Array.isArray(value))
    throw copier.refusal(depth, `is ${sayWhat(value)}`, "a string, or a list of content blocks");
  const blocks: ContentBlock[] = [];
  for (let index = 0; index < value.length; index++) {
    copier.enter(depth, index);
    blocks.push(validateBlock(value[index], copier, depth + 1, role));
  }
  return blocks;
}

function validateBlock(value: unknown, copier: InputCopier, depth: number, role: Role): ContentBlock {
  if (typeof value === "string") return { type: "text", text: value };
  const block = copier.copy(value, depth);
  if (!isObject(block)) {
    throw copier.refusal(depth, `is ${sayWhat(block)}, not a content block`, "`{ type, … }`, or a string");
  }
  const { type } = block;
  if (typeof type !== "string") {
    copier.enter(depth, "type");
    throw copier.refusal(depth + 1, `is ${sayWhat(type)}`, 'the type of the block, such as "text"');
  }
  // Answers of models are kept whatever they have.
  const foreign = role === "assistant" ? undefined : refuseForeign(type, block);
  if (foreign !== undefined) throw copier.refusal(depth, foreign.problem, foreign.pass);
  if (ANTHROPIC_TYPES.has(type)) return { type: "opaque", provider: "anthropic", value: block as never };
  // Also of the log's own "blob": only the session itself may say what lies beside its log.
  if (!isKnownBlockType(type)) return { type: "opaque", provider: "unknown", value: block as never };
  if (type === "tool_result") tidyResult(block);
  else if (type === "thinking" && block["signature"] === null) delete block["signature"];
  else if (USES.has(type) && block["input"] === undefined) block["input"] = {};
  const misfit = findBlockMisfit(block);
  if (misfit === undefined) return block as unknown as ContentBlock;
  copier.enter(depth, misfit);
  throw copier.refusal(
    depth + 1,
    `is ${sayWhat(block[misfit])}, which a ${type} block cannot have`,
    PASS_INSTEAD.get(`${type}.${misfit}`) ?? PASS_INSTEAD.get(misfit) ?? `what \`${misfit}\` is in the types`,
  );
}

/** Blocks of the user that only the Messages API has. */
const ANTHROPIC_TYPES: ReadonlySet<string> = new Set(["search_result", "container_upload"]);

const USES: ReadonlySet<string> = new Set(["tool_use", "server_tool_use", "mcp_tool_use"]);

/** By field, or by type and field where types differ. */
const PASS_INSTEAD: ReadonlyMap<string, string> = new Map([
  ["text", "a string"],
  ["thinking", "a string"],
  ["signature", "a string, or leave it out"],
  ["data", "a string"],
  ["source", '`{ type: "base64", media_type, data }` or another source of the Messages API'],
  ["id", "the id of the call, a string"],
  ["name", "the name of the tool, a string"],
  ["tool_use_id", "the id of the call that it answers, a string"],
  ["is_error", "`true` or `false`, or leave it out"],
  ["tool_result.content", "a string, or a list of parts with a `type` (text parts with a `text`)"],
  ["compaction.content", "a string or `null`"],
  ["provider", "the name of the provider that understands it"],
  ["value", "what the provider sent"],
]);

/** `null` for absent, and strings among the parts of an answer, as careless callers write them. */
function tidyResult(block: Fields): void {
  for (const field of ["content", "is_error"]) if (block[field] === null) delete block[field];
  const { content } = block;
  if (Array.isArray(content) && content.some((part) => typeof part === "string"))
    block["content"] = content.map((part) =>
      typeof part === "string" ? { type: "text", text: part } : part,
    );
}

/** The value in a few words, for a refusal: its kind, and its value where that is short. */
export function sayWhat(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null || typeof value === "boolean" || typeof value === "number") return String(value);
  if (Array.isArray(value)) return "a list";
  if (typeof value !== "string") return typeof value === "object" ? "an object" : `a ${typeof value}`;
  return value.length <= 20 ? JSON.stringify(value) : "a string";
}
