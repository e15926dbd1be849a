/**
 * The common part of reading a request of the two OpenAI APIs: content that is a text or a list of parts.
 */
import { asString, isObject } from "palimpsest/internal";
import { type PromptPosition, positionTokens, type TextCounter } from "../dialect/prompt.ts";

export type ContentFields = Readonly<Record<string, unknown>>;

/** A position and what it is made of. */
export function openAiPosition(
  content: { readonly text: string; readonly counted: string; readonly mediaCount?: number },
  at: { readonly tier: PromptPosition["tier"]; readonly path: string; readonly count: TextCounter },
): PromptPosition {
  return {
    tier: at.tier,
    path: at.path,
    text: content.text,
    tokens: positionTokens(content.counted, at.count, content.mediaCount),
    isMarkable: false,
  };
}

/** Tools, one position each. */
export function toolPositions(tools: unknown, count: TextCounter): readonly PromptPosition[] {
  return listOf(tools)
    .filter(isObject)
    .map((tool, index) => {
      const text = fieldsText(tool);
      return openAiPosition({ text, counted: text }, { tier: "tools", path: `tools[${index}]`, count });
    });
}

/** The text of a content. */
export function contentWords(content: unknown): string {
  if (typeof content === "string") return content;
  return listOf(content)
    .flatMap((part) => (isObject(part) ? (asString(part["text"]) ?? asString(part["refusal"]) ?? []) : []))
    .join("\n");
}

/** Parts that are images, sounds or files. */
export function mediaCountOf(content: unknown): number {
  return listOf(content).filter(
    (part) => isObject(part) && part["text"] === undefined && part["refusal"] === undefined,
  ).length;
}

/** A content in one text: a text and a list with that text alone are the same. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return JSON.stringify([content]);
  return JSON.stringify(
    listOf(content).map((part) =>
      isObject(part) ? (asString(part["text"]) ?? asString(part["refusal"]) ?? fieldsText(part)) : part,
    ),
  );
}

/** All fields in one text, without nulls, ids and the order in which they were written. */
export function fieldsText(fields: ContentFields, left: readonly string[] = []): string {
  return JSON.stringify(
    Object.entries(fields)
      .filter(([field, value]) => value !== null && value !== undefined && !left.includes(field))
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** First model that bills what it writes to its cache. */
const FIRST_BILLED_WRITES = 5.6;

/** True if a model reports what it writes to its cache. */
export function reportsCacheWrites(model: string): boolean {
  return Number(/^gpt-(\d+(?:\.\d+)?)/.exec(model)?.[1] ?? 0) >= FIRST_BILLED_WRITES;
}
