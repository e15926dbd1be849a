/**
 * Compaction as OpenAI's Responses API does it: items before the newest compaction item are not read, and a conversation
 * that reaches the threshold of its request becomes one such item, which only OpenAI can read.
 *
 * Source: OpenAI docs, "Compaction"; `openai` SDK 7.57, `resources/responses`.
 */
import { asNumber, asString, isObject, type JsonObject } from "palimpsest/internal";
import type { Violation } from "../../wire-oracle/wire-oracle.ts";
import type { IncomingRequest, ManagedContext } from "../dialect/dialect.ts";
import { openText, sealText } from "../dialect/reasoning-seal.ts";
import { listOf } from "./openai-content.ts";

type Fields = Readonly<Record<string, unknown>>;

const SEAL_PREFIX = "gAAAAC";

/** Rules of a request that asks for compaction, or that carries items of it. */
export function judgeCompaction({ body }: IncomingRequest): readonly Violation[] {
  const managed = body["context_management"];
  if (managed === undefined || managed === null) return [];
  const broken = (path: string, message: string): Violation => ({
    rule: "context-management",
    path,
    message,
  });
  if (!Array.isArray(managed)) return [broken("context_management", "Expected an array of objects.")];
  return managed.flatMap((entry: unknown, index): Violation[] => {
    const path = `context_management[${index}]`;
    if (!isObject(entry) || entry["type"] !== "compaction")
      return [broken(`${path}.type`, "Supported values are: 'compaction'.")];
    const extra = Object.keys(entry).find((field) => field !== "type" && field !== "compact_threshold");
    if (extra !== undefined)
      return [
        { rule: "extra-field", path: `${path}.${extra}`, message: `Unknown parameter: '${path}.${extra}'.` },
      ];
    const threshold = entry["compact_threshold"];
    const isCount = threshold === undefined || threshold === null || (asNumber(threshold) ?? 0) >= 1_000;
    return isCount ? [] : [broken(`${path}.compact_threshold`, "Expected a value >= 1000.")];
  });
}

/** The request as the model reads it; `undefined` where nothing changes. `count`: tokens of a body. */
export function manageResponsesContext(
  body: Fields,
  count: (body: Fields) => number,
): ManagedContext | undefined {
  const items = Array.isArray(body["input"]) ? (body["input"] as readonly Fields[]) : [];
  const from = items.findLastIndex((item) => isObject(item) && item["type"] === "compaction");
  const edited = from > 0 ? { ...body, input: items.slice(from) } : body;
  const [asked] = listOf(body["context_management"]).filter(isObject);
  if (asked === undefined && edited === body) return undefined;
  const threshold = asked === undefined ? undefined : asNumber(asked["compact_threshold"]);
  const compacts = threshold !== undefined && count(edited) >= threshold;
  return { body: edited, applied: [], compacts, originalTokens: count(body) };
}

/** The conversation with a summary in its place: what the user said stays where it was asked for on demand. */
export function compactResponses(
  body: Fields,
  summary: string,
  key: string,
): { readonly body: Fields; readonly block: JsonObject } {
  const sealed = sealText(summary, key, SEAL_PREFIX);
  const block: JsonObject = { id: `cmp_${sealed.slice(-20)}`, type: "compaction", encrypted_content: sealed };
  const { context_management: _, ...rest } = body;
  return { body: { ...rest, input: [block] }, block };
}

/** The text of a compaction item; `undefined` where it was changed, or is another provider's. */
export function summaryOf(item: Fields, key: string): string | undefined {
  return openText(asString(item["encrypted_content"]) ?? "", key, SEAL_PREFIX);
}
