/**
 * Redacted copies of blocks and messages: secrets such as keys and passwords are replaced.
 *
 * The log keeps messages unchanged. Everything derived from it (summaries, lists, previews, snippets, reports) is made of
 * these copies. So secrets are gone before a text is cut: a cut secret could no longer be recognized.
 */

import { writeDeepJson } from "../base/json/json.ts";
import { redactBroken, redactInSteps } from "../base/redaction/broken-secrets.ts";
import type { KnownSecrets } from "../base/redaction/known-secrets.ts";
import type { ContentBlock } from "./blocks.ts";
import type { VisibleMessage } from "./window.ts";

/** Values nested deeper than this are redacted as JSON text. */
const MAX_DEPTH = 200;
/** Names of members whose values have a meaning only for the provider; they are not redacted. */
const OPAQUE = /^(?:signature|encrypted_\w{1,40}|file_id)$/;
/** @internal */
export const isOpaqueName = (name: string): boolean => OPAQUE.test(name);
/** Names of members whose values are probably secrets. */
const SENSITIVE_NAME =
  /pass|secret|token|key|auth|cookie|credential|pwd|contrase|senha|kennwort|wachtwoord|heroku/i;

/** The redacted copy of each block, so that each is searched once: blocks never change. A block without secrets maps to itself. */
const redactedBlocks = new WeakMap<ContentBlock, ContentBlock>();

/** Returns the block without secrets; the same object if it has none. */
export function withoutSecrets(block: ContentBlock): ContentBlock {
  const known = redactedBlocks.get(block);
  if (known !== undefined) return known;
  const clean = redactBlock(block, (text) => redactBroken(text).text);
  redactedBlocks.set(block, clean);
  if (clean !== block) redactedBlocks.set(clean, clean);
  return clean;
}

/** Makes the redacted copy of a block with a long text in steps, so that {@link withoutSecrets} only looks it up. */
export function* secretsInSteps(block: ContentBlock): Generator<void> {
  if (redactedBlocks.has(block)) return;
  const texts = longTextsOf(block);
  if (texts.length === 0) return;
  const redacted = new Map<string, string>();
  for (const text of texts) {
    redacted.set(text, yield* redactInSteps(text));
    if (texts.length > 1) yield;
  }
  const clean = redactBlock(block, (text) => redacted.get(text) ?? redactBroken(text).text);
  redactedBlocks.set(block, clean);
  if (clean !== block) redactedBlocks.set(clean, clean);
}

/** The texts of a block that may be long: its own, or those of its arguments. */
function longTextsOf(block: ContentBlock): readonly string[] {
  if (block.type === "text") return [block.text];
  if (block.type === "tool_use") return longStrings(block.input, 0);
  return block.type === "tool_result" && typeof block.content === "string" ? [block.content] : [];
}

/** Shorter strings of arguments are searched together, in one step. Our choice: well below a millisecond each. */
const LONG_CHARACTERS = 2_000;

function longStrings(value: unknown, depth: number): readonly string[] {
  if (typeof value === "string") return value.length < LONG_CHARACTERS ? [] : [value];
  if (typeof value !== "object" || value === null || depth >= MAX_DEPTH) return [];
  return Object.values(value).flatMap((member) => longStrings(member, depth + 1));
}

/** True if the block was searched already, and has no secret. */
export function isKnownClean(block: ContentBlock): boolean {
  return redactedBlocks.get(block) === block;
}

/** Returns the block without secrets and without pieces of known secrets, and adds its own secrets to the known ones. */
export function withoutKnownSecrets(block: ContentBlock, secrets: KnownSecrets): ContentBlock {
  if (withoutSecrets(block) !== block) return redactBlock(block, (text) => secrets.redact(text).text);
  return secrets.isEmpty ? block : redactBlock(block, (text) => secrets.redactPieces(text));
}

/** Adds the secrets of the blocks to the known ones. */
export function learnSecrets(blocks: Iterable<ContentBlock>, secrets: KnownSecrets): void {
  // Blocks without a whole secret add nothing.
  for (const block of blocks) if (withoutSecrets(block) !== block) withoutKnownSecrets(block, secrets);
}

/** Returns the message without secrets; the same object if it has none. */
export function visibleWithoutSecrets(message: VisibleMessage): VisibleMessage {
  const blocks = message.blocks.map((shown) => {
    const block = withoutSecrets(shown.block);
    return block === shown.block ? shown : { ...shown, block };
  });
  return blocks.every((shown, index) => shown === message.blocks[index]) ? message : { ...message, blocks };
}

/** Redacts the texts of any JSON value, names of members included. Returns the same value if nothing changed. */
export function redactJson<Value>(value: Value, redact: (text: string) => string, depth = 0): Value {
  if (typeof value === "string") return redact(value) as Value;
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) return redactDeep(value, redact);
  if (Array.isArray(value)) {
    const members = value.map((member: unknown) => redactJson(member, redact, depth + 1));
    return members.every((member, index) => member === value[index]) ? value : (members as Value);
  }
  let isChanged = false;
  const members = Object.entries(value).map(([name, member]: [string, unknown]) => {
    const clean = OPAQUE.test(name) ? member : redactMember(name, member, redact, depth);
    const cleanName = redact(name);
    isChanged ||= clean !== member || cleanName !== name;
    return [cleanName, clean];
  });
  return isChanged ? (Object.fromEntries(members) as Value) : value;
}

/**
 * Redacts a deeply nested value, which must not overflow the stack. If it has a secret, its redacted JSON text replaces
 * it.
 */
function redactDeep<Value>(value: Value, redact: (text: string) => string): Value {
  const written = writeDeepJson(value, { maxValues: 1_000_000 });
  if (!written.ok) return `(${written.reason})` as Value;
  const clean = redact(written.text);
  return clean === written.text ? value : (clean as Value);
}

/** Redacts a member by its name as well: in `{"password": "…"}` only the name shows that the value is a secret. */
function redactMember(
  name: string,
  member: unknown,
  redact: (text: string) => string,
  depth: number,
): unknown {
  if (typeof member !== "string" || !SENSITIVE_NAME.test(name)) return redactJson(member, redact, depth + 1);
  const prefix = `${name}=`;
  const assignment = redact(`${prefix}${member}`);
  return redact(assignment.startsWith(prefix) ? assignment.slice(prefix.length) : member);
}

function redactBlock(block: ContentBlock, redact: (text: string) => string): ContentBlock {
  switch (block.type) {
    case "text": {
      const text = redact(block.text);
      return text === block.text ? block : { ...block, text };
    }
    case "image":
    case "redacted_thinking":
      return block;
    case "document":
      return block.source["type"] === "base64" ? block : redactJson(block, redact);
    case "tool_result":
      if (typeof block.content === "string") {
        const content = redact(block.content);
        const id = redact(block.tool_use_id);
        if (content === block.content && id === block.tool_use_id) return block;
        return { ...block, tool_use_id: id, content };
      }
      return redactJson(block, redactUnlessEncoded(redact));
    default:
      return redactJson(block, redact);
  }
}

/** Skips long base64 texts, which are images: searching them is slow and finds nothing. */
function redactUnlessEncoded(redact: (text: string) => string): (text: string) => string {
  return (text) =>
    text.length > ENCODED_CHARACTERS && ENCODED.test(text.slice(0, 1_000)) ? text : redact(text);
}

const ENCODED_CHARACTERS = 50_000;
const ENCODED = /^(?:data:[^,]{0,100},)?[A-Za-z0-9+/_=-]+$/;
