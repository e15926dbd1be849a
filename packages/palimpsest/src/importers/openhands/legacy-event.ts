/**
 * Events of OpenHands before its SDK (until 1.0): an `action` of someone, or an `observation` that
 * answers one.
 *
 * With function calling the response of the model is recorded with each action
 * (`tool_call_metadata`), and its ids identify calls and results. Without, an action is a call
 * in our terms and the observation that names it as its cause is the result. What OpenHands told
 * the model as a message of the user (errors, what it recalled) stays a message, put in by the host.
 */

import { asNumber, asString, isObject } from "../../base/json/json.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";
import { chatMessage, LegacyCallIds } from "../../wire/openai-chat/from-openai-chat.ts";
import { sourceOfUrl } from "../../wire/shared/media-source.ts";
import { type OnDamage, resultPart, wellFormedBlock } from "../../wire/shared/well-formed-block.ts";
import {
  ASSISTANT,
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
import { recordedOpenAIUsage } from "../shared/recorded-usage.ts";
import type { ContextIds } from "./context-ids.ts";
import type { OpenhandsEvent, OpenhandsSession } from "./openhands-session.ts";

/** Events that tell the user interface something, and the model nothing. */
const WITHOUT_WORDS: ReadonlySet<unknown> = new Set([
  "null",
  "change_agent_state",
  "agent_state_changed",
  "recall",
  "condensation_request",
  "loop_recovery",
  "pause",
  "resume",
  "stop",
  "start",
  "add_task",
  "modify_task",
  "push",
  "send_pr",
]);

/** @internal */
export function isLegacyEvent(raw: Fields): boolean {
  return typeof raw["action"] === "string" || typeof raw["observation"] === "string";
}

/** Reads one event. @internal */
export function readLegacyEvent(event: OpenhandsEvent, session: OpenhandsSession): void {
  if (typeof event.raw["action"] === "string") readAction(event, event.raw["action"], session);
  else readObservation(event, String(event.raw["observation"]), session);
}

function readAction(event: OpenhandsEvent, action: string, session: OpenhandsSession): void {
  const { raw, line } = event;
  const args = fieldsOf(raw["args"]);
  const onDamage = session.repairs.blockDamage(line);
  const isUsers = raw["source"] === "user";
  if (action === "system") session.instructed({ system: args["content"], tools: args["tools"] });
  else if (action === "condensation")
    session.condensed(event, { forget: (context) => forget(context, args), summary: args["summary"] });
  else if (action === "message")
    session.say(event, {
      message: isUsers ? USER : { ...ASSISTANT, model: modelOf(raw) },
      content: [...texts(args["content"], onDamage), ...images(args["image_urls"], onDamage)],
    });
  else if (WITHOUT_WORDS.has(action)) session.skip(action);
  else if (isUsers) {
    const command = asString(args["command"]) ?? asString(args["code"]) ?? JSON.stringify(args);
    const content = texts(`User executed the command:\n${command}`, onDamage);
    session.say(event, { message: HOST, content, isAttachment: true });
  } else readCall(event, action, session);
  if (action === "delegate") session.delegated();
}

/** An action of the agent: as the model's response says it, or as the event does. */
function readCall(event: OpenhandsEvent, action: string, session: OpenhandsSession): void {
  const { raw, line, id } = event;
  const onDamage = session.repairs.blockDamage(line);
  const metadata = fieldsOf(raw["tool_call_metadata"]);
  const response = fieldsOf(metadata["model_response"]);
  const [choice] = listOf(response["choices"]).filter(isObject);
  const answer = fieldsOf(choice?.["message"]);
  const calls = Array.isArray(answer["tool_calls"])
    ? chatMessage(
        { role: "assistant", content: answer["content"], tool_calls: answer["tool_calls"] },
        new LegacyCallIds(),
        onDamage,
      )
    : undefined;
  const model = asString(response["model"]) ?? modelOf(raw);
  if (calls === undefined) {
    const { thought, ...input } = fieldsOf(raw["args"]);
    const call = { type: "tool_use", id: callId(raw, id), name: metadata["function_name"] ?? action, input };
    session.say(event, {
      message: { ...ASSISTANT, model },
      content: [...texts(thought, onDamage), wellFormedBlock(call, { role: "assistant", onDamage })],
    });
    return;
  }
  const responseId = asString(response["id"]);
  if (!session.isNewResponse(responseId)) return;
  session.say(event, {
    message: { ...ASSISTANT, responseId, model },
    content: [
      ...unsignedThinking(asString(answer["reasoning_content"]) ?? answer["reasoning"]),
      ...calls.content,
    ],
    usage: recordedOpenAIUsage(response["usage"]),
    stopReason: asString(choice?.["finish_reason"]),
  });
}

function readObservation(event: OpenhandsEvent, observation: string, session: OpenhandsSession): void {
  const { raw, line } = event;
  const onDamage = session.repairs.blockDamage(line);
  if (observation === "delegate") session.returned();
  if (observation === "recall") {
    const content = recalled(fieldsOf(raw["extras"])).flatMap((text) => texts(text, onDamage));
    if (content.length === 0) session.skip(observation);
    else session.say(event, { message: HOST, content, isAttachment: true });
    return;
  }
  if (WITHOUT_WORDS.has(observation)) {
    session.skip(observation);
    return;
  }
  session.workedIn(fieldsOf(fieldsOf(raw["extras"])["metadata"])["working_dir"]);
  const cause = asNumber(raw["cause"]);
  const id = callId(raw, cause === undefined ? undefined : String(cause));
  if (!session.isCalled(id)) {
    const content = observedParts(raw).map((part) => wellFormedBlock(part, { role: "user", onDamage }));
    session.say(event, { message: HOST, content });
    return;
  }
  const isError = observation === "error" || raw["success"] === false;
  const block = toolResult(id, textOrParts(observedParts(raw).map(resultPart)), isError);
  session.say(event, { message: TOOL, content: [wellFormedBlock(block, { role: "user", onDamage })] });
}

/** The shown part of an observation: its content between prefix and suffix, and its images. */
function observedParts(raw: Fields): readonly unknown[] {
  const extras = fieldsOf(raw["extras"]);
  const metadata = fieldsOf(extras["metadata"]);
  const outputs = fieldsOf(extras["outputs"]);
  const content = asString(outputs["content"]) ?? raw["content"];
  const text =
    asString(content) ?? (content === undefined || content === null ? "" : JSON.stringify(content));
  const around = [asString(metadata["prefix"]) ?? "", text, asString(metadata["suffix"]) ?? ""].join("");
  return [{ type: "text", text: around }, ...listOf(extras["image_urls"]).flatMap(imageOf)];
}

/** Texts that OpenHands looked up for the model; it wraps them in its own words. */
function recalled(extras: Fields): readonly string[] {
  return [
    extras["repo_instructions"],
    extras["additional_agent_instructions"],
    extras["conversation_instructions"],
    ...listOf(extras["microagent_knowledge"]).map((agent) => fieldsOf(agent)["content"]),
  ].flatMap((text) => (typeof text === "string" && text.trim() !== "" ? [text] : []));
}

/** By a list of ids, or by the first and the last. */
function forget(context: ContextIds, args: Fields): void {
  for (const id of listOf(args["forgotten_event_ids"])) context.forget(String(id));
  const first = asNumber(args["forgotten_events_start_id"]);
  const last = asNumber(args["forgotten_events_end_id"]);
  if (first !== undefined && last !== undefined) context.forgetRange(first, last);
}

function callId(raw: Fields, fallback: string | undefined): string | undefined {
  const recorded = asString(fieldsOf(raw["tool_call_metadata"])["tool_call_id"]);
  return recorded ?? (fallback === undefined ? undefined : `event_${fallback}`);
}

function modelOf(raw: Fields): string | undefined {
  return asString(fieldsOf(fieldsOf(raw["llm_metrics"])["accumulated_token_usage"])["model"]);
}

function texts(value: unknown, onDamage: OnDamage): readonly ContentBlock[] {
  if (value === undefined || value === null || value === "") return [];
  return [wellFormedBlock(value, { role: "user", onDamage })];
}

function images(urls: unknown, onDamage: OnDamage): readonly ContentBlock[] {
  return listOf(urls)
    .flatMap(imageOf)
    .map((block) => wellFormedBlock(block, { role: "user", onDamage }));
}

function imageOf(url: unknown): readonly object[] {
  return typeof url === "string" && url.trim() !== "" ? [{ type: "image", source: sourceOfUrl(url) }] : [];
}
