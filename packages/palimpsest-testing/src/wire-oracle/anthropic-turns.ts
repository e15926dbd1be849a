/**
 * The conversation as the Anthropic API reads it: neighbouring messages of one role are one turn.
 *
 * Pairing of calls and results is judged on turns, because two user messages in a row are accepted
 * and count as one. System messages never join their neighbours.
 */
import { fieldOf, isRecord, stringOf, type UnknownRecord } from "./violation.ts";

/** @internal */
type AnthropicRole = "user" | "assistant" | "system";

/** A block and where it stands. @internal */
export interface TurnBlock {
  readonly type: string;
  readonly block: UnknownRecord;
  /** Such as `messages.3.content.0`. */
  readonly path: string;
  /** Such as `messages.3`. */
  readonly messagePath: string;
}

/** @internal */
export interface Turn {
  readonly role: AnthropicRole;
  readonly blocks: readonly TurnBlock[];
  /** The first message of the turn, such as `messages.3`. */
  readonly path: string;
}

/** @internal */
export function isAnthropicRole(role: unknown): role is AnthropicRole {
  return role === "user" || role === "assistant" || role === "system";
}

/** Joins messages into turns; values without a known role are left out. @internal */
export function turnsOf(messages: readonly unknown[]): readonly Turn[] {
  const turns: { role: AnthropicRole; blocks: TurnBlock[]; path: string }[] = [];
  for (const [index, message] of messages.entries()) {
    if (!isRecord(message)) continue;
    const role = fieldOf(message, "role");
    if (!isAnthropicRole(role)) continue;
    const path = `messages.${index}`;
    const last = turns.at(-1);
    if (last !== undefined && last.role === role && role !== "system") addBlocks(last.blocks, message, path);
    else {
      const blocks: TurnBlock[] = [];
      addBlocks(blocks, message, path);
      turns.push({ role, blocks, path });
    }
  }
  return turns;
}

function addBlocks(blocks: TurnBlock[], message: UnknownRecord, messagePath: string): void {
  const content = fieldOf(message, "content");
  const path = `${messagePath}.content`;
  if (typeof content === "string") {
    blocks.push({ type: "text", block: { type: "text", text: content }, path, messagePath });
  } else if (Array.isArray(content)) {
    for (const [index, block] of content.entries())
      if (isRecord(block))
        blocks.push({ type: stringOf(block, "type") ?? "", block, path: `${path}.${index}`, messagePath });
  }
}
