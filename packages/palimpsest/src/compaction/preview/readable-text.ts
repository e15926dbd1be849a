/**
 * The words of a block for a reader who does not need its provider's form: without ciphers, signatures and
 * ids. For display; `blockText` is read back to the letter.
 */
import { isObject } from "../../base/json/json.ts";
import { blockText, type ContentBlock, isServerToolResult, isThinking } from "../../transcript/blocks.ts";

/** Nesting beyond this is not looked into. */
const MAX_DEPTH = 12;
/** Members whose text only the provider can use. */
const UNREADABLE = /^(?:encrypted_.*|signature|data|file_id|.*_id|id|type|status|index)$/;
/** Base64 or a hash rather than words: long, and without a space in it. */
const CIPHER = /^[A-Za-z0-9+/=_-]{200,}$/;

/** The words of a block; empty if it has none. Thinking is never included. */
export function readableText(block: ContentBlock): string {
  if (isThinking(block)) return "";
  if (isServerToolResult(block)) return readable(block.content);
  if (block.type === "opaque") return readable(block.value);
  return blockText(block);
}

function readable(value: unknown): string {
  if (typeof value === "string") return value;
  // A reasoning item has only a cipher, and a summary that is thinking, too.
  if (isObject(value) && value["type"] === "reasoning") return "";
  const lines: string[] = [];
  collect(value, { name: "", depth: 0 }, lines);
  return lines.join("\n");
}

interface Place {
  readonly name: string;
  readonly depth: number;
}

function collect(value: unknown, { name, depth }: Place, lines: string[]): void {
  if (typeof value === "string") {
    if (value.trim() !== "" && !CIPHER.test(value)) lines.push(name === "" ? value : `${name}: ${value}`);
    return;
  }
  if (typeof value === "number" || typeof value === "boolean") {
    if (name !== "") lines.push(`${name}: ${value}`);
    return;
  }
  if (depth >= MAX_DEPTH) return;
  if (Array.isArray(value)) for (const member of value) collect(member, { name, depth: depth + 1 }, lines);
  else if (isObject(value))
    for (const [key, member] of Object.entries(value))
      if (isReadable(key, value)) collect(member, { name: key, depth: depth + 1 }, lines);
}

/** `data` is a cipher or a picture, unless the object around it says that it is text. */
function isReadable(key: string, { type }: Record<string, unknown>): boolean {
  return !UNREADABLE.test(key) || (key === "data" && type === "text");
}
