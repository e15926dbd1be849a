/**
 * Fields of an item of the OpenAI Agents SDK that our blocks lack: kept on the block under one foreign field, so that the
 * item goes back as it came.
 */
import { isObject, type JsonObject } from "../../base/json/json.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";

/** @internal */
interface AgentsFields {
  /** Further fields of the item that begins with this block. */
  readonly message?: JsonObject;
  /** Further fields of the part of a message; also of an opaque one, which is an item without it. */
  readonly part?: JsonObject;
  /** A call's arguments, where serialising `input` gives another text. */
  readonly arguments?: string;
}

/** Items and parts without a block of ours travel as opaque blocks of this provider. @internal */
export const OPENAI_AGENTS = "openai-agents";

/** @internal */
export function agentsFields(block: ContentBlock): AgentsFields {
  const fields = (block as { readonly openaiAgents?: unknown }).openaiAgents;
  return isObject(fields) ? (fields as AgentsFields) : {};
}

/** @internal */
export function withAgentsFields<Block extends ContentBlock>(block: Block, fields: AgentsFields): Block {
  return { ...block, openaiAgents: { ...agentsFields(block), ...fields } };
}
