/**
 * Turns what tools return into results for the model.
 */
import { isObject } from "../../base/json/json.ts";
import { validateJson } from "../../session/input/copy-input.ts";
import type { ToolResultBlock, ToolResultPart, ToolUseBlock } from "../../transcript/blocks.ts";
import type { ToolOutput } from "../options/turn/turn-options.ts";

/** The content of parts, by their type, without which no provider takes them. */
const PARTS: ReadonlyMap<unknown, (part: Readonly<Record<string, unknown>>) => boolean> = new Map([
  ["text", ({ text }) => typeof text === "string"],
  ["image", ({ source }) => isObject(source)],
  ["document", ({ source }) => isObject(source)],
  ["search_result", ({ content }) => Array.isArray(content)],
  ["tool_reference", ({ tool_name }) => typeof tool_name === "string"],
]);

const isPart = (value: unknown): boolean => isObject(value) && PARTS.get(value["type"])?.(value) === true;

const isContent = (value: unknown): value is string | readonly ToolResultPart[] =>
  typeof value === "string" || (Array.isArray(value) && value.length > 0 && value.every(isPart));

const OUTPUT_FIELDS: ReadonlySet<string> = new Set(["content", "isError"]);

/** The output as text or parts. Any other value, and an object with other members than an output has, becomes JSON. */
export function toToolOutput(value: unknown): Exclude<ToolOutput, string | readonly ToolResultPart[]> {
  if (isContent(value)) return { content: value };
  if (isObject(value) && "content" in value && Object.keys(value).every((name) => OUTPUT_FIELDS.has(name))) {
    const { content, isError } = value;
    return { content: isContent(content) ? content : writeJson(content), isError: isError === true };
  }
  return { content: writeJson(value) };
}

/** @throws `TypeError` where JSON has no place for the value */
function writeJson(value: unknown): string {
  return JSON.stringify(value) ?? "The tool answered nothing.";
}

/**
 * The result of a call.
 * @throws `TypeError`, `OptionError` where JSON has no place for what the tool returned, such as the bytes of an image
 */
export function resultOf(call: ToolUseBlock, returned: unknown): ToolResultBlock {
  const { content: given, isError } = toToolOutput(returned);
  // Here it is one failed result. Later the session would refuse the results of all calls of the answer.
  const content = validateJson(given, `The result of ${call.name}`) as ToolResultBlock["content"];
  const result = { type: "tool_result", tool_use_id: call.id, content } as const;
  return isError === true ? { ...result, is_error: true } : result;
}

/** The result of a call that failed, in words for the model. */
export function failed(call: ToolUseBlock, text: string): ToolResultBlock {
  return { type: "tool_result", tool_use_id: call.id, content: text, is_error: true };
}
