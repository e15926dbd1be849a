/**
 * Our messages → items of the OpenAI Agents SDK.
 *
 * Each call, each result and each opaque item is an item again; texts and media are parts of a message. Other providers'
 * reasoning and opaque blocks are left out.
 */
import { isObject, type JsonObject, type JsonValue } from "../../base/json/json.ts";
import {
  type ContentBlock,
  partText,
  type Role,
  type ToolResultBlock,
  type ToolResultPart,
} from "../../transcript/blocks.ts";
import type { RequestMessage } from "../../transcript/window.ts";
import { readablePart, urlOfSource } from "../shared/media-source.ts";
import { argumentsText } from "../shared/openai-fields.ts";
import { partInWords } from "../shared/part-in-words.ts";
import { agentsFields, OPENAI_AGENTS } from "./agents-fields.ts";

/** Writes items for a run, or for a session: `toOpenAIAgents<AgentInputItem>(messages)`. */
export function toOpenAIAgents<Item = JsonObject>(messages: readonly RequestMessage[]): Item[] {
  const names = new ToolNames();
  return messages.flatMap(agentsUnits).flatMap((unit) => names.write(unit)) as Item[];
}

interface AgentsUnit {
  readonly role: Role;
  readonly blocks: readonly ContentBlock[];
}

/** The blocks of each item of a message. @internal */
export function agentsUnits({ role, content }: RequestMessage): readonly AgentsUnit[] {
  const units: { role: Role; blocks: ContentBlock[] }[] = [];
  let open: ContentBlock[] | undefined;
  for (const block of content) {
    const isItem = !isPart(block);
    if (open === undefined || isItem || agentsFields(block).message !== undefined) {
      open = [];
      units.push({ role, blocks: open });
    }
    open.push(block);
    if (isItem) open = undefined;
  }
  return units;
}

function isPart(block: ContentBlock): boolean {
  if (block.type === "opaque") return agentsFields(block).part !== undefined;
  return (
    block.type === "text" ||
    block.type === "image" ||
    block.type === "document" ||
    block.type === "compaction"
  );
}

/** Writes items one after the other: a result names the tool of its call. @internal */
export class ToolNames {
  readonly #names = new Map<string, string>();

  /** The item of a unit; nothing for one that only another provider understands. */
  write({ role, blocks }: AgentsUnit): readonly JsonObject[] {
    const [first] = blocks;
    if (first === undefined) return [];
    const { message = {}, arguments: recorded } = agentsFields(first);
    // An item of the SDK says itself how it ended.
    const status = "openaiAgents" in first ? {} : { status: "completed" };
    if (first.type === "tool_use") {
      const { id, name, input } = first;
      this.#names.set(id, name);
      const sent = argumentsText(input, recorded);
      return [{ type: "function_call", callId: id, name, arguments: sent, ...status, ...message }];
    }
    if (first.type === "tool_result") return [this.#result(first, message)];
    if (first.type === "opaque" && !isPart(first))
      return first.provider === OPENAI_AGENTS && isObject(first.value) ? [first.value as JsonObject] : [];
    const content = blocks.flatMap((block) => writePart(block, role));
    if (content.length === 0) return [];
    const { isText, ...fields } = message;
    const isPlain = role === "system" || (isText === true && content.length === 1);
    const texts = content.map(({ text = "" }) => text).join("\n\n");
    return [{ role, content: isPlain ? texts : content, ...(role === "assistant" ? status : {}), ...fields }];
  }

  #result(
    { tool_use_id: callId, content = "" }: ToolResultBlock,
    { form, ...fields }: JsonObject,
  ): JsonObject {
    const name = this.#names.get(callId) ?? "unknown";
    const parts = typeof content === "string" ? [] : content.map(writeResultPart);
    const text = form === "text" ? { type: "text", text: content as string } : content;
    const output =
      typeof content === "string" ? text : form === "part" && parts.length === 1 ? parts[0]! : parts;
    return {
      type: "function_call_result",
      name,
      callId,
      status: "completed",
      ...fields,
      output: output as JsonObject,
    };
  }
}

function writePart(block: ContentBlock, role: Role): readonly JsonObject[] {
  const type = role === "assistant" ? "output_text" : "input_text";
  const { part = {} } = agentsFields(block);
  switch (block.type) {
    case "text":
      return [{ type, text: block.text, ...part }];
    case "compaction":
      return block.content === null ? [] : [{ type, text: block.content }];
    case "image":
    case "document":
      return [writeMedia(block, { type, part })];
    case "opaque":
      return block.provider === OPENAI_AGENTS && isObject(block.value) ? [block.value as JsonObject] : [];
    default:
      return [];
  }
}

function writeMedia(
  block: ContentBlock & { readonly type: "image" | "document" },
  { type: textType, part }: { readonly type: string; readonly part: JsonObject },
): JsonObject {
  const { type, source } = block;
  const url = urlOfSource(source);
  if (url === undefined || textType === "output_text")
    return { type: textType, text: partText(block) ?? `[${type}]` };
  return type === "image"
    ? { type: "input_image", image: url, ...part }
    : { type: "input_file", file: url, ...part };
}

function writeResultPart(given: ToolResultPart): JsonObject {
  const part = readablePart(given);
  const { type, value } = part as JsonObject;
  if (type === OPENAI_AGENTS && isObject(value)) return value as JsonObject;
  const isBare = (type === "image" || type === "document") && !isObject((part as JsonObject)["source"]);
  const [written] = isBare ? [] : writePart(part as ContentBlock, "user");
  return written ?? { type: "input_text", text: partInWords(part) };
}

/** Types of calls that a result of another type answers. */
const CALL = /^(?:computer|shell|apply_patch|tool_search)_call$|^program$/;
const RESULT = /^(?:computer_call_result|(?:shell_call|apply_patch_call|tool_search|program)_output)$/;

/** The items without those that are refused once others are hidden: halves of pairs, reasoning that led to nothing. @internal */
export function fittingAgentsItems<Item extends object>(items: readonly Item[]): Item[] {
  const [calls, results] = [new Set<JsonValue>(), new Set<JsonValue>()];
  for (const item of items) {
    const { asks = [], answers } = pairOf(item as JsonObject);
    for (const id of asks) calls.add(id);
    if (answers !== undefined) results.add(answers);
    // A program runs until the calls that it made are answered.
    const { caller } = item as JsonObject;
    if (isObject(caller) && caller["type"] === "program") results.add(caller["callerId"] as JsonValue);
  }
  const isWhole = (item: Item): boolean => {
    const { asks, answers } = pairOf(item as JsonObject);
    if (answers !== undefined) return calls.has(answers);
    return asks === undefined || asks.some((id) => results.has(id));
  };
  let isLedTo = false;
  const isKept = (item: Item): boolean => {
    const { type, role } = item as JsonObject;
    if (type === "reasoning") return isLedTo;
    isLedTo =
      role === "assistant" ||
      (role === undefined && !RESULT.test(String(type)) && type !== "function_call_result");
    return true;
  };
  return items.filter(isWhole).toReversed().filter(isKept).reverse();
}

interface Pair {
  /** Ids under which it may be answered. */
  readonly asks?: readonly JsonValue[];
  readonly answers?: JsonValue;
}

/** Source: `tool-result-correlation` of `@openai/agents-core`; a search that the server ran has no other half. */
function pairOf(item: JsonObject): Pair {
  const { type, id, callId, call_id, execution } = item;
  const own = isObject(item["providerData"]) ? (item["providerData"] as JsonObject) : {};
  if (own["type"] === "mcp_approval_request" || item["name"] === "mcp_approval_request")
    return { asks: [id, own["id"]].filter((found) => typeof found === "string") };
  if (typeof own["approval_request_id"] === "string" && item["name"] === "mcp_approval_response")
    return { answers: own["approval_request_id"] };
  const called = callId ?? call_id ?? own["call_id"] ?? own["callId"];
  if (called === undefined || called === null || (execution ?? own["execution"]) === "server") return {};
  if (CALL.test(String(type))) return { asks: [called] };
  return RESULT.test(String(type)) ? { answers: called } : {};
}
