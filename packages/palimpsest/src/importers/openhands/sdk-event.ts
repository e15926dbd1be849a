/**
 * Events of the OpenHands SDK (from 1.0), told apart by `kind`. An action event holds its call as
 * the model made it; actions of one response share its id. An observation holds what the model got.
 */

import { asString, isObject, type JsonValue } from "../../base/json/json.ts";
import type { ContentBlock, Role } from "../../transcript/blocks.ts";
import { sourceOfUrl } from "../../wire/shared/media-source.ts";
import { parseArguments, withOpenAIFields } from "../../wire/shared/openai-fields.ts";
import { type OnDamage, resultPart, wellFormedBlock } from "../../wire/shared/well-formed-block.ts";
import {
  ASSISTANT,
  contentParts,
  type Fields,
  fieldsOf,
  HOST,
  listOf,
  TOOL,
  textOrParts,
  toolResult,
  USER,
  unsignedThinking,
} from "../shared/fields.ts";
import type { OpenhandsEvent, OpenhandsSession } from "./openhands-session.ts";

/** True if an event is one of the SDK's: its kinds are names of its classes. @internal */
export function isSdkEvent(raw: Fields): boolean {
  const kind = raw["kind"];
  return typeof kind === "string" && /Event$|^UserRejectObservation$|^Condensation/.test(kind);
}

/** Reads one event. @internal */
export function readSdkEvent(event: OpenhandsEvent, session: OpenhandsSession): void {
  const { raw } = event;
  const kind = String(raw["kind"]);
  switch (kind) {
    case "SystemPromptEvent":
      session.instructed({
        system: [textOf(raw["system_prompt"]), textOf(raw["dynamic_context"])]
          .filter((text) => text !== "")
          .join("\n"),
        tools: raw["tools"],
      });
      break;
    case "MessageEvent":
      readMessage(event, session);
      break;
    case "ActionEvent":
      readCall(event, session);
      break;
    case "ObservationEvent":
    case "UserRejectObservation":
    case "AgentErrorEvent":
      readResult(event, session);
      break;
    case "Condensation":
      session.condensed(event, {
        forget: (context) => {
          for (const id of listOf(raw["forgotten_event_ids"])) context.forget(String(id));
        },
        summary: raw["summary"],
      });
      break;
    default:
      session.skip(kind);
  }
}

function readMessage(event: OpenhandsEvent, session: OpenhandsSession): void {
  const { raw, line } = event;
  const onDamage = session.repairs.blockDamage(line);
  const message = fieldsOf(raw["llm_message"]);
  const added = parts(raw["extended_content"]);
  if (message["role"] === "assistant") {
    const content = [
      ...reasoning(message, onDamage),
      ...blocks(parts(message["content"]), "assistant", onDamage),
    ];
    session.say(event, {
      message: { ...ASSISTANT, responseId: asString(raw["llm_response_id"]) },
      content,
    });
    return;
  }
  const content = blocks(parts(message["content"]), "user", onDamage);
  session.say(event, { message: raw["source"] === "user" ? USER : HOST, content });
  if (added.length === 0) return;
  const { id: _, ...unnamed } = event;
  session.say(unnamed, {
    message: HOST,
    content: blocks(added, "user", onDamage),
    isAttachment: true,
  });
}

function readCall(event: OpenhandsEvent, session: OpenhandsSession): void {
  const { raw, line } = event;
  const onDamage = session.repairs.blockDamage(line);
  const made = fieldsOf(raw["tool_call"]);
  const sent = made["arguments"] ?? fieldsOf(made["function"])["arguments"];
  const { input, text } =
    typeof sent === "string"
      ? parseArguments(sent)
      : { input: (sent ?? raw["action"] ?? {}) as JsonValue, text: undefined };
  const call = wellFormedBlock(
    { type: "tool_use", id: raw["tool_call_id"], name: raw["tool_name"], input },
    { role: "assistant", onDamage, original: raw },
  );
  session.say(event, {
    message: { ...ASSISTANT, responseId: asString(raw["llm_response_id"]) },
    content: [
      ...reasoning(raw, onDamage),
      ...blocks(parts(raw["thought"]), "assistant", onDamage),
      withOpenAIFields(call, { arguments: text }),
    ],
  });
}

function readResult(event: OpenhandsEvent, session: OpenhandsSession): void {
  const { raw, line } = event;
  const onDamage = session.repairs.blockDamage(line);
  const observation = fieldsOf(raw["observation"]);
  session.workedIn(fieldsOf(observation["metadata"])["working_dir"]);
  const rejection = asString(raw["rejection_reason"]);
  const error =
    asString(raw["error"]) ?? (rejection === undefined ? undefined : `Action rejected: ${rejection}`);
  const output =
    error === undefined
      ? [...parts(observation["content"] ?? observation["output"]), ...parts(raw["extended_content"])]
      : [{ type: "text", text: error }];
  const isError = error !== undefined || observation["is_error"] === true;
  const block = toolResult(raw["tool_call_id"], textOrParts(output.map(resultPart)), isError);
  session.say(event, {
    message: TOOL,
    content: [wellFormedBlock(block, { role: "user", onDamage, original: raw })],
  });
}

function textOf(value: unknown): string {
  return asString(value) ?? asString(fieldsOf(value)["text"]) ?? "";
}

/** Content as a list of parts in our words; one image part of the SDK may hold several. */
function parts(content: unknown): readonly unknown[] {
  return contentParts(content).flatMap((part): readonly unknown[] => {
    if (!isObject(part)) return [part];
    if (part["type"] === "text") return part["text"] === "" ? [] : [{ type: "text", text: part["text"] }];
    const urls = part["image_urls"];
    if (part["type"] !== "image" || !Array.isArray(urls)) return [part];
    return urls.flatMap((url: unknown) =>
      typeof url === "string" ? [{ type: "image", source: sourceOfUrl(url) }] : [],
    );
  });
}

function blocks(list: readonly unknown[], role: Role, onDamage: OnDamage): readonly ContentBlock[] {
  return list.map((part) => wellFormedBlock(part, { role, onDamage }));
}

/** Signed thinking, an item of the Responses API, or a provider's account of the reasoning. */
function reasoning(from: Fields, onDamage: OnDamage): readonly ContentBlock[] {
  const { thinking_blocks: signed, responses_reasoning_item: item, reasoning_content: text } = from;
  if (Array.isArray(signed) && signed.length > 0) return blocks(signed, "assistant", onDamage);
  const thinking = unsignedThinking(text);
  if (!isObject(item) || typeof item["id"] !== "string") return thinking;
  const summary = listOf(item["summary"]).filter((part) => typeof part === "string");
  const value = {
    type: "reasoning",
    id: item["id"],
    summary: summary.map((part) => ({ type: "summary_text", text: part })),
    encrypted_content: asString(item["encrypted_content"]),
  };
  return [...thinking, { type: "opaque", provider: "openai-responses", value }];
}
