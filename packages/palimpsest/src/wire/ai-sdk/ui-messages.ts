/**
 * `UIMessage`s of the AI SDK ↔ our messages, without a loss both ways.
 *
 * A `UIMessage` of an assistant has all steps of a turn: it becomes one message for each step, and one for the results of
 * its tools. Its parts are read as those of a `ModelMessage`; their further fields, and parts that no model sees (sources,
 * data, starts of steps), travel in the carriers of blocks. A block that a chat has no part for is a part of type
 * `data-palimpsest`.
 */

import { asString, isObject, type JsonObject, type JsonValue } from "../../base/json/json.ts";
import { addAll } from "../../base/lists.ts";
import type { ContentBlock, Message, ToolResultBlock } from "../../transcript/blocks.ts";
import {
  asMember,
  carrierOf,
  defined,
  isSameJson,
  opaqueBlock,
  opaqueValue,
  withCarrier,
} from "./carrier.ts";
import { OWN, readPart } from "./model-messages.ts";
import { MessageWriter } from "./to-ai-sdk.ts";
import { resultBlock } from "./tool-output.ts";

/** A message of a chat, such as a `UIMessage` of `ai` 5, 6 or 7. */
export interface AiSdkUiMessage {
  readonly id: string;
  readonly role: "system" | "user" | "assistant";
  readonly parts: readonly { readonly type: string }[];
}

type Fields = Readonly<Record<string, unknown>>;
type Part = JsonObject & { readonly type: string };

/** Fields of a part that a model sees, by type; those of tools are `CALL_FIELDS`. */
const MODEL_FIELDS: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  reasoning: ["text"],
  file: ["mediaType", "filename", "url"],
  "reasoning-file": ["mediaType", "url"],
  custom: ["kind"],
};
const CALL_FIELDS = ["toolCallId", "input", "providerExecuted", "output", "errorText"];
/** Begins ids that are made up for messages without one. */
const MADE_UP_ID = "palimpsest-";
const CARRYING_TYPE = "data-palimpsest";

/** The blocks of a step, and the results of its tools. */
interface Step {
  readonly blocks: ContentBlock[];
  readonly results: ToolResultBlock[];
}

/** Reads `UIMessage`s of `ai` 5, 6 or 7. Nothing is lost: {@link toUiMessages} returns the same messages. */
export function fromUiMessages(messages: readonly AiSdkUiMessage[]): Message[] {
  return messages.flatMap(({ id, role, parts, ...fields }) => {
    const steps = readSteps(role, parts as readonly Part[]);
    const message = defined(fields);
    const [first] = steps[0]!.blocks;
    if (Object.keys(message).length > 0) steps[0]!.blocks[0] = withUi(first ?? opaqueBlock({}), { message });
    const hostId = id.startsWith(MADE_UP_ID) ? {} : { hostId: id };
    return steps.flatMap(({ blocks, results }): Message[] => [
      { role, content: blocks, ...hostId },
      ...(results.length === 0 ? [] : [{ role: "user" as const, content: results, ...hostId }]),
    ]);
  });
}

function readSteps(role: AiSdkUiMessage["role"], parts: readonly Part[]): readonly Step[] {
  const steps: Step[] = [{ blocks: [], results: [] }];
  let before: Part[] = [];
  for (const part of parts) {
    const isStart = part.type === "step-start" && role === "assistant";
    if (isStart && steps.at(-1)!.blocks.length > 0) steps.push({ blocks: [], results: [] });
    const { blocks, results } = readUiPart(role, part);
    const [first, ...rest] = blocks;
    if (first === undefined) before.push(part);
    else addAll(steps.at(-1)!.blocks, [before.length === 0 ? first : withUi(first, { before }), ...rest]);
    if (first !== undefined) before = [];
    addAll(steps.at(-1)!.results, results);
  }
  if (steps.length > 1 && steps.at(-1)!.blocks.length === 0) steps.pop();
  const { blocks } = steps.at(-1)!;
  if (before.length > 0) blocks.push(withUi(blocks.pop() ?? opaqueBlock({}), { after: before }));
  return steps;
}

const withUi = (block: ContentBlock, ui: JsonObject): ContentBlock => {
  const merged = { ...carrierOf(block).ui, ...ui };
  const kept = Object.entries(merged).filter(([, value]) => !isSameJson(value, {}));
  return kept.length === 0 ? block : withCarrier(block, { ui: Object.fromEntries(kept) });
};

function readUiPart(role: AiSdkUiMessage["role"], part: Part): Step {
  if (part.type === CARRYING_TYPE) {
    const block = part["data"] as unknown as ContentBlock;
    return { blocks: [block], results: [] };
  }
  const name = toolNameOf(part);
  if (name !== undefined) return part["state"] === "input-streaming" ? NOTHING : readTool(name, part);
  const fields = MODEL_FIELDS[part.type];
  if (fields === undefined) return NOTHING;
  const { type, url, providerMetadata, ...others } = part;
  const own = Object.entries(others).filter(([field]) => fields.includes(field));
  const rest = Object.entries(others).filter(([field]) => !fields.includes(field));
  const data = url === undefined ? {} : { data: url };
  const block = readPart(role, { type, ...Object.fromEntries(own), ...data, ...optionsOf(providerMetadata) });
  return { blocks: [withUi(block, { part: Object.fromEntries(rest) })], results: [] };
}

const NOTHING: Step = { blocks: [], results: [] };

const optionsOf = (providerMetadata: unknown): Fields =>
  isObject(providerMetadata) ? { providerOptions: providerMetadata } : {};

function toolNameOf({ type, toolName }: Fields): string | undefined {
  if (type === "dynamic-tool") return asString(toolName) ?? "";
  return String(type).startsWith("tool-") ? String(type).slice("tool-".length) : undefined;
}

/** A call, and its result if there is one. What only the provider executes stays inside the answer. */
function readTool(toolName: string, part: Part): Step {
  const { toolCallId, input, providerExecuted, callProviderMetadata } = part;
  const { [OWN]: own, ...metadata } = asMember(callProviderMetadata) ?? {};
  const providerOptions = Object.keys(metadata).length === 0 ? undefined : metadata;
  const call = defined({
    type: "tool-call",
    toolCallId,
    toolName,
    input: input === undefined ? part["rawInput"] : input,
    providerExecuted,
    providerOptions,
  });
  const rest = Object.entries(part).filter(
    ([field]) => !CALL_FIELDS.includes(field) && field !== "callProviderMetadata",
  );
  const kept = { ...Object.fromEntries(rest), ...(input === undefined ? { hasNoInput: true } : {}) };
  const block = withUi(readPart("assistant", call), { part: kept });
  const carried = asMember(own)?.["result"];
  if (carried !== undefined) return { blocks: [block], results: [carried as unknown as ToolResultBlock] };
  const output = outputOf(part);
  if (output === undefined) return { blocks: [block], results: [] };
  const result = { type: "tool-result", toolCallId, toolName, output };
  if (providerExecuted !== true) return { blocks: [block], results: [resultBlock(result)] };
  return { blocks: [block, withUi(readPart("assistant", result), { isResult: true })], results: [] };
}

function outputOf({ state, output, errorText, approval }: Part): JsonObject | undefined {
  if (state === "output-available")
    return typeof output === "string"
      ? { type: "text", value: output }
      : { type: "json", value: output ?? null };
  if (state === "output-error") return { type: "error-text", value: errorText ?? "" };
  if (state !== "output-denied") return undefined;
  return { type: "error-text", value: asMember(approval)?.["reason"] ?? "The call was denied." };
}

/**
 * Writes messages as `UIMessage`s of `ai` 5, 6 and 7. Nothing is lost: {@link fromUiMessages} returns the same messages.
 * The answers of a turn and the results of its tools are one message; messages without a `hostId` get an id.
 *
 * @typeParam Wire - the message type of your chat: `toUiMessages<UIMessage>(messages)`
 */
export function toUiMessages<Wire = AiSdkUiMessage>(messages: readonly Message[]): Wire[] {
  const chat = new ChatWriter();
  for (const message of messages) chat.add(message);
  return chat.messages as unknown as Wire[];
}

interface OpenMessage {
  readonly id: string;
  readonly role: string;
  readonly parts: Fields[];
  readonly fields: JsonObject;
}

class ChatWriter {
  readonly #open: OpenMessage[] = [];

  get messages(): readonly Fields[] {
    return this.#open.map(({ fields, ...message }) => ({ ...message, ...fields }));
  }

  add({ role, content, hostId }: Message): void {
    const last = this.#open.at(-1);
    const rest = content.filter((block) => block.type !== "tool_result" || !answer(last, block));
    if (rest.length === 0 && content.length > 0) return;
    const id = hostId ?? `${MADE_UP_ID}${this.#open.length}`;
    const ui = uiOf(rest[0] ?? {});
    const isOpen = hostId === undefined ? last?.id.startsWith(MADE_UP_ID) === true : last?.id === id;
    if (role === "assistant" && last?.role === role && isOpen) {
      const starts = ((ui["before"] ?? []) as readonly Part[]).some(({ type }) => type === "step-start");
      if (!starts) last.parts.push({ type: "step-start" });
    } else this.#open.push({ id, role, parts: [], fields: asMember(ui["message"]) ?? {} });
    for (const block of rest) pushPart(this.#open.at(-1)!, block);
  }
}

const uiOf = (block: object): JsonObject => carrierOf(block).ui ?? {};

function pushPart({ parts, role }: OpenMessage, block: ContentBlock): void {
  const { before = [], after = [], part, isResult } = uiOf(block);
  addAll(parts, before as readonly Part[]);
  if (isResult === true) parts.push(withOutput(parts.pop() ?? {}, modelPart(role, block)?.["output"]));
  else if (!isSameJson(opaqueValue(block), {})) parts.push(writePart(role, block, asMember(part)));
  addAll(parts, after as readonly Part[]);
}

/** The part of a `ModelMessage` that a block is. */
function modelPart(role: string, block: ContentBlock): JsonObject | undefined {
  const writer = new MessageWriter({ version: "v3", takesMarks: false, form: "stored" });
  const [message] = writer.write([{ role: role === "assistant" ? role : "user", content: [block] }]);
  const content = message?.["content"] as readonly JsonObject[] | undefined;
  return content?.length === 1 ? content[0] : undefined;
}

function writePart(role: string, block: ContentBlock, kept: JsonObject | undefined): Fields {
  const carrying = { type: CARRYING_TYPE, data: block };
  const model = modelPart(role, block);
  if (model === undefined) return carrying;
  const { type, toolName, providerOptions, data, ...fields } = model;
  const part: Fields =
    type === "tool-call"
      ? defined({
          type: `tool-${String(toolName)}`,
          state: "input-available",
          ...fields,
          callProviderMetadata: providerOptions,
        })
      : defined({ type, ...fields, url: data && urlOf(data, fields), providerMetadata: providerOptions });
  if (kept !== undefined || carrierOf(block).ui !== undefined) {
    const { hasNoInput, ...others } = kept ?? {};
    return defined({ ...part, ...others, ...(hasNoInput === true ? { input: undefined } : {}) });
  }
  const [read, ...more] = readUiPart(role as AiSdkUiMessage["role"], part as Part).blocks;
  return more.length === 0 && isSameBlock(read, block) ? part : carrying;
}

function urlOf(data: JsonValue, { mediaType }: JsonObject): string {
  if ((data as unknown) instanceof URL) return (data as unknown as URL).href;
  const text = String(data);
  return /^(?:https?|data):/i.test(text) ? text : `data:${String(mediaType)};base64,${text}`;
}

/** Adds the result of a tool to its call; false if the call is not in the message. */
function answer(message: OpenMessage | undefined, block: ToolResultBlock): boolean {
  const place = (message?.parts ?? []).findIndex(
    (part) =>
      part["toolCallId"] === block.tool_use_id &&
      part["output"] === undefined &&
      part["errorText"] === undefined,
  );
  const call = message?.parts[place];
  if (message === undefined || call === undefined) return false;
  const isOfChat = call["state"] !== "input-available";
  const state = isOfChat ? call["state"] : block.is_error === true ? "output-error" : "output-available";
  const answered = withOutput({ ...call, state }, modelPart("user", block)?.["output"]);
  const [read] = readTool(toolNameOf(answered) ?? "", answered as Part).results;
  const isWhole = isOfChat || isSameBlock(read, block);
  const callProviderMetadata = {
    ...asMember(call["callProviderMetadata"]),
    [OWN]: { result: block as unknown as JsonObject },
  };
  message.parts[place] = isWhole ? answered : { ...answered, callProviderMetadata };
  return true;
}

function withOutput(call: Fields, output: unknown): Fields {
  const value = asMember(output)?.["value"];
  if (call["state"] === "output-available") return { ...call, output: value };
  return call["state"] === "output-error" ? { ...call, errorText: value } : call;
}

/** True if both say the same, whatever is kept beside them. */
function isSameBlock(one: object | undefined, other: object): boolean {
  const bare = (block: object): JsonObject => defined({ ...block, aiSdk: undefined });
  return one !== undefined && isSameJson(bare(one), bare(other));
}
