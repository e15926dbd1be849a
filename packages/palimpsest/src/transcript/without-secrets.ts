/**
 * Blocks and messages as derived material may quote them: without secrets.
 *
 * The log keeps what was said. Whatever is made of it (summaries, lists, previews, snippets, reports) is made of these
 * copies, so that secrets are gone before anything is cut into strings, lines or names.
 */

import { writeDeepJson } from "../base/json/json.ts";
import { redactBroken } from "../base/redaction/broken-secrets.ts";
import type { KnownSecrets } from "../base/redaction/known-secrets.ts";
import type { ContentBlock } from "./blocks.ts";
import type { VisibleMessage } from "./window.ts";

/** Deeper values are read as text. */
const MAX_DEPTH = 200;
/** Members that only a provider can use. */
const OPAQUE = /^(?:signature|encrypted_\w{1,40}|file_id|tool_use_id)$/;
/** Names that say what their value is. */
const SENSITIVE_NAME =
  /pass|secret|token|key|auth|cookie|credential|pwd|contrase|senha|kennwort|wachtwoord|heroku/i;

/** By the block, which never changes: each is looked through once, whatever is made of it. One without a secret is itself. */
const known = new WeakMap<ContentBlock, ContentBlock>();

/** The block without secrets; the same block where it holds none. */
export function withoutSecrets(block: ContentBlock): ContentBlock {
  const before = known.get(block);
  if (before !== undefined) return before;
  const clean = redactBlock(block, (text) => redactBroken(text).text);
  known.set(block, clean);
  if (clean !== block) known.set(clean, clean);
  return clean;
}

/** The block without secrets and without pieces of known ones; its own secrets are known from then on. */
export function withoutKnownSecrets(block: ContentBlock, secrets: KnownSecrets): ContentBlock {
  if (withoutSecrets(block) !== block) return redactBlock(block, (text) => secrets.redact(text).text);
  return secrets.isEmpty ? block : redactBlock(block, (text) => secrets.redactPieces(text));
}

/** Remembers the secrets of the blocks. */
export function learnSecrets(blocks: Iterable<ContentBlock>, secrets: KnownSecrets): void {
  // Pieces that others hold teach nothing.
  for (const block of blocks) if (withoutSecrets(block) !== block) withoutKnownSecrets(block, secrets);
}

/** The message without secrets; the same message where it holds none. */
export function visibleWithoutSecrets(message: VisibleMessage): VisibleMessage {
  const blocks = message.blocks.map((shown) => {
    const block = withoutSecrets(shown.block);
    return block === shown.block ? shown : { ...shown, block };
  });
  return blocks.every((shown, index) => shown === message.blocks[index]) ? message : { ...message, blocks };
}

/** Any value of JSON without secrets, names of members included. The same value where it holds none. */
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

/** Hostile nesting must not overflow the stack; a text takes its place where it holds a secret. */
function redactDeep<Value>(value: Value, redact: (text: string) => string): Value {
  const written = writeDeepJson(value, { maxValues: 1_000_000 });
  if (!written.ok) return `(${written.reason})` as Value;
  const clean = redact(written.text);
  return clean === written.text ? value : (clean as Value);
}

/** `password: "…"` is known by its name, which stands apart from the value in JSON. */
function redactMember(
  name: string,
  member: unknown,
  redact: (text: string) => string,
  depth: number,
): unknown {
  if (typeof member !== "string" || !SENSITIVE_NAME.test(name)) return redactJson(member, redact, depth + 1);
  const beginning = `${name}=`;
  const together = redact(`${beginning}${member}`);
  return redact(together.startsWith(beginning) ? together.slice(beginning.length) : member);
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
        return content === block.content ? block : { ...block, content };
      }
      return redactJson(block, redactUnlessEncoded(redact));
    default:
      return redactJson(block, redact);
  }
}

/** Pictures in results are long and hold no words; a long line of JSON does. */
function redactUnlessEncoded(redact: (text: string) => string): (text: string) => string {
  return (text) =>
    text.length > ENCODED_CHARACTERS && ENCODED.test(text.slice(0, 1_000)) ? text : redact(text);
}

const ENCODED_CHARACTERS = 50_000;
const ENCODED = /^(?:data:[^,]{0,100},)?[A-Za-z0-9+/_=-]+$/;
