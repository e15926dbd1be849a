/**
 * What a provider of the AI SDK says about a part beyond what our blocks have: kept on the block under one
 * foreign field, and handed back with the part, because signatures and ids of items stand there.
 */
import { asString, isObject, type JsonObject } from "../../base/json/json.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";

/** Parts without a block of their own travel as opaque blocks of this provider. @internal */
export const AI_SDK = "ai-sdk";

/** What a provider said of the part that a block was. @internal */
export function providerOptionsOf(block: ContentBlock): JsonObject | undefined {
  const kept = (block as { readonly aiSdk?: unknown }).aiSdk;
  const options = isObject(kept) ? kept["providerOptions"] : undefined;
  return isObject(options) ? (options as JsonObject) : undefined;
}

/** The block with what its provider said, or itself where it said nothing. @internal */
export function withProviderOptions<T extends ContentBlock>(block: T, metadata: unknown): T {
  return isObject(metadata) && Object.keys(metadata).length > 0
    ? { ...block, aiSdk: { providerOptions: metadata as JsonObject } }
    : block;
}

/** A text field of one provider's options. @internal */
export function optionOf(
  options: unknown,
  { provider, field }: { readonly provider: string; readonly field: string },
): string | undefined {
  const own = isObject(options) ? options[provider] : undefined;
  return isObject(own) ? asString(own[field]) : undefined;
}
