/**
 * The carrier: one field of a block, `aiSdk`, for what a part of the AI SDK says beyond it.
 *
 * Our blocks have no place for a provider's metadata, the form of a file's data, or the kind of a tool's output. They
 * are kept beside the block, and written into the part again. A carrier says nothing to a model, so it is not counted, and
 * other providers never see it.
 */
import { asString, isObject, type JsonObject } from "../../base/json/json.ts";
import type { ContentBlock, OpaqueBlock } from "../../transcript/blocks.ts";

/** Parts without a matching block travel as opaque blocks of this provider. */
const AI_SDK = "ai-sdk";

/** Members of the carrier; all are optional. */
export interface Carrier {
  /** A provider's metadata of the part. */
  readonly providerOptions?: JsonObject | undefined;
  /** Further fields of the part, such as a file's name or the tool of a result. */
  readonly part?: JsonObject | undefined;
  /** The form of a file's data, where it is not plain base64. */
  readonly form?: string | undefined;
  /** Type and further fields of a tool's output, where it is not a plain text. */
  readonly output?: JsonObject | undefined;
  /** Further fields of the message, on its first block. */
  readonly message?: JsonObject | undefined;
  /** The part of a `UIMessage`, and parts beside it that no model sees. */
  readonly ui?: JsonObject | undefined;
}

/** The carrier of a block; empty where it has none. @internal */
export function carrierOf(block: object): Carrier {
  const { aiSdk } = block as { readonly aiSdk?: unknown };
  return isObject(aiSdk) ? aiSdk : {};
}

/** The block with these members in its carrier; empty members are left out. @internal */
export function withCarrier<Block extends object>(block: Block, members: Carrier): Block {
  const kept = Object.entries(members).filter(
    ([, value]) => value !== undefined && !(isObject(value) && Object.keys(value).length === 0),
  );
  return kept.length === 0
    ? block
    : { ...block, aiSdk: { ...carrierOf(block), ...Object.fromEntries(kept) } };
}

/** A part as a block that only the AI SDK understands. @internal */
export function opaqueBlock(value: object): OpaqueBlock {
  return { type: "opaque", provider: AI_SDK, value: value as JsonObject };
}

/** The part that an opaque block holds; `undefined` for other blocks. @internal */
export function opaqueValue(block: ContentBlock): JsonObject | undefined {
  return block.type === "opaque" && block.provider === AI_SDK ? asMember(block.value) : undefined;
}

/** A value as a member of the carrier; `undefined` where it is not an object. @internal */
export function asMember(value: unknown): JsonObject | undefined {
  return isObject(value) ? (value as JsonObject) : undefined;
}

/** A text field of one provider's options. @internal */
export function optionOf(
  options: unknown,
  { provider, field }: { readonly provider: string; readonly field: string },
): string | undefined {
  return asString(asMember(asMember(options)?.[provider])?.[field]);
}

/** A copy of an object without its undefined members. @internal */
export function defined(fields: object): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as JsonObject;
}

/** True if both are the same in JSON, in whatever order their members are. @internal */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null)
    return one === other;
  const [own, others] = [defined(one), defined(other)];
  const keys = Object.keys(own);
  return (
    Array.isArray(one) === Array.isArray(other) &&
    keys.length === Object.keys(others).length &&
    keys.every((key) => Object.hasOwn(others, key) && isSameJson(own[key], others[key]))
  );
}
