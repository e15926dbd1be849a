/**
 * Definitions of tools as a counter gets them: the JSON that is sent.
 */
import { isObject, type JsonObject } from "../../base/json/json.ts";
import { parseBounded } from "../../base/json/parse-bounded.ts";

/** The definitions; none where the text holds no list. @internal */
export function toolDefinitions(tools: string | undefined): readonly unknown[] {
  const parsed = tools === undefined ? undefined : parseBounded(tools);
  return parsed?.ok === true && Array.isArray(parsed.value) ? parsed.value : [];
}

/** Fields of a tool that the endpoint knows without a beta header. Source: Anthropic API reference, "Count tokens in a Message". */
const COUNTED_FIELDS: ReadonlySet<string> = new Set([
  ...["type", "name", "description", "input_schema", "strict", "max_characters"],
]);
/** Tools of Anthropic's that the client runs, which the endpoint takes; those that the server runs it refuses. */
const CLIENT_TOOL = /^(?:custom$|bash_|text_editor_)/;

/**
 * The definitions as Anthropic's counting endpoint takes them: without tools that are deferred (they are not in
 * the prompt) or run by the server, and without fields that only a beta header allows. @internal
 */
export function anthropicToolDefinitions(tools: string | undefined): readonly unknown[] {
  return toolDefinitions(tools).flatMap((tool) => {
    if (!isObject(tool)) return [tool];
    const { type } = tool;
    const isServers = typeof type === "string" && !CLIENT_TOOL.test(type);
    if (isServers || tool["defer_loading"] === true) return [];
    const fields = Object.entries(tool).filter(([field]) => COUNTED_FIELDS.has(field));
    return [Object.fromEntries(fields) as JsonObject];
  });
}
