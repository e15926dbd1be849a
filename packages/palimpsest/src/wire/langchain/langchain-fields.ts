/**
 * LangChain's messages, structurally, and the fields of them that our blocks lack. Those are kept on the blocks under one
 * foreign field, so that a message goes back as it came, and are dropped for everybody else.
 */
import { isObject, type JsonObject } from "../../base/json/json.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";

/** A message of LangChain: an instance of one of its classes, or the plain form that it takes for one. */
export interface LangChainMessage {
  /** `human`, `ai`, `system`, `tool` …; a plain message may have `role` instead. */
  readonly type?: string;
  /** Also `user` and `assistant`. Of a `ChatMessage`, which has a type, whatever its author chose. */
  readonly role?: string;
  readonly content: unknown;
  readonly id?: string | undefined;
}

/** A message of LangChain as plain data, as `toLangChain` returns it. */
export interface LangChainFields {
  readonly role: string;
  readonly content: string | { type: string; [field: string]: unknown }[];
  readonly [field: string]: unknown;
}

/** Fields of a block under `langchain`. @internal */
interface BlockFields {
  /** Fields of the message that begins with this block or has it as its first. */
  readonly message?: JsonObject;
  /** A part's own type and further fields, where they are not the block's. */
  readonly part?: JsonObject;
}

/** Parts and messages without a block of ours travel as opaque blocks of this provider. @internal */
export const LANGCHAIN = "langchain";
/** Type of the opaque block that holds the fields of a message without content. @internal */
export const EMPTY_MESSAGE = "palimpsest:message";

/** @internal */
export function langchainFields(block: ContentBlock): BlockFields {
  const fields = (block as { readonly langchain?: unknown }).langchain;
  return isObject(fields) ? (fields as BlockFields) : {};
}

/** The block with fields that are worth keeping, or itself. @internal */
export function withLangChainFields<T extends object>(block: T, fields: BlockFields): T {
  const kept = Object.entries(fields).filter(([, value]) => isObject(value) && Object.keys(value).length > 0);
  if (kept.length === 0) return block;
  const known = (block as { readonly langchain?: object }).langchain;
  return { ...block, langchain: { ...known, ...Object.fromEntries(kept) } };
}

/** A value of a host as JSON: bytes as base64, addresses as text; `undefined` if it has no place in JSON. @internal */
export function plainJson(value: unknown): unknown {
  try {
    const text = JSON.stringify(
      value,
      function (this: Readonly<Record<string, unknown>>, key, item: unknown) {
        const own = this[key];
        if (own instanceof Uint8Array) return Buffer.from(own).toString("base64");
        return typeof item === "bigint" ? String(item) : item;
      },
    );
    return text === undefined ? undefined : (JSON.parse(text) as unknown);
  } catch {
    // A cycle, or a getter that throws: what a model never sees must not stop the call.
    return undefined;
  }
}
