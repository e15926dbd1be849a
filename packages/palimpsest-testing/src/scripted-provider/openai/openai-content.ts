/**
 * Reads the content of messages in requests of both OpenAI APIs, for the scripted provider: a text, or a list of parts.
 *
 * Of each content there are two texts. `contentWords` has only what a model would read, for counting tokens.
 * `contentText` has everything, so that equal texts are equal content.
 */
import { asString, isObject } from "palimpsest/internal";
import { type PromptPosition, positionTokens, type TextCounter } from "../dialect/prompt.ts";

export type ContentFields = Readonly<Record<string, unknown>>;

/** Makes a position of the prompt: `text` identifies its content, `counted` is the part that has tokens. */
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

/** Makes a position of each tool. */
export function toolPositions(tools: unknown, count: TextCounter): readonly PromptPosition[] {
  return listOf(tools)
    .filter(isObject)
    .map((tool, index) => {
      const text = fieldsText(tool);
      return openAiPosition({ text, counted: text }, { tier: "tools", path: `tools[${index}]`, count });
    });
}

/** Returns the words of a content that a model reads. */
export function contentWords(content: unknown): string {
  if (typeof content === "string") return content;
  return listOf(content)
    .flatMap((part) => (isObject(part) ? (asString(part["text"]) ?? asString(part["refusal"]) ?? []) : []))
    .join("\n");
}

/** Counts the parts that are images, sounds or files. */
export function mediaCountOf(content: unknown): number {
  return listOf(content).filter(
    (part) => isObject(part) && part["text"] === undefined && part["refusal"] === undefined,
  ).length;
}

/** Returns a text that identifies a content. A text and a list with only that text are the same content. */
export function contentText(content: unknown): string {
  if (typeof content === "string") return JSON.stringify([content]);
  return JSON.stringify(
    listOf(content).map((part) =>
      isObject(part) ? (asString(part["text"]) ?? asString(part["refusal"]) ?? fieldsText(part)) : part,
    ),
  );
}

/**
 * Returns a text that identifies an object by its fields, in whatever order. Nulls and `ignored` fields do not count.
 */
export function fieldsText(fields: ContentFields, ignored: readonly string[] = []): string {
  return JSON.stringify(
    Object.entries(fields)
      .filter(([field, value]) => value !== null && value !== undefined && !ignored.includes(field))
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Version of the first GPT model that bills writing to its cache. */
const FIRST_BILLED_WRITES = 5.6;

/** True if a model reports what it writes to its cache. */
export function reportsCacheWrites(model: string): boolean {
  return Number(/^gpt-(\d+(?:\.\d+)?)/.exec(model)?.[1] ?? 0) >= FIRST_BILLED_WRITES;
}
