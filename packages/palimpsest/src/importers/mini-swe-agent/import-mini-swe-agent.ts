/**
 * Imports trajectories of mini-swe-agent (`*.traj.json`): `{ info, messages, trajectory_format }`.
 *
 * In version 1, and in the text mode of version 2, the command is a code block in the answer, and its output is a user
 * message. It stays such a text, with the origin `host`, because the user did not write it. Otherwise version 2 records
 * the API's own objects: calls and results of Chat Completions, or whole responses and items of the Responses API. The
 * field `extra` of a message was never sent; usage, model and reasoning are read from it.
 */

import { asNumber, asString, isObject } from "../../base/json/json.ts";
import type { ContentBlock, Message, Role } from "../../transcript/blocks.ts";
import { chatMessage, LegacyCallIds } from "../../wire/openai-chat/from-openai-chat.ts";
import { fromOpenAIResponses } from "../../wire/openai-responses/from-openai-responses.ts";
import { type OnDamage, wellFormedBlock } from "../../wire/shared/well-formed-block.ts";
import { ConversationBuilder, type ParsedMessage } from "../shared/conversation-builder.ts";
import { conversationId } from "../shared/conversations.ts";
import { ASSISTANT, type Fields, fieldsOf, HOST, listOf, unsignedThinking } from "../shared/fields.ts";
import type { RecordedSession } from "../shared/imported-session.ts";
import { type Importer, readingAll } from "../shared/importer.ts";
import type { SourceRecord } from "../shared/read-records.ts";
import { recordedOpenAIUsage } from "../shared/recorded-usage.ts";
import { RepairLog } from "../shared/repair-log.ts";

/** @internal */
export const miniSweAgent = {
  format: "mini-swe-agent",
  recognises: (sample) => sample.some(isMiniTrajectory),
  begin: readingAll(importMiniSweAgent),
} as const satisfies Importer;

function isMiniTrajectory({ trajectory_format: format, info, messages }: Fields): boolean {
  if (!Array.isArray(messages)) return false;
  const isNamed = typeof format === "string" && format.startsWith("mini-swe-agent");
  return isNamed || (isObject(info) && typeof info["mini_version"] === "string");
}

/** Imports every trajectory of the file. */
function importMiniSweAgent(
  records: readonly SourceRecord[],
  fileRepairs: RepairLog,
): readonly RecordedSession[] {
  return records.flatMap(({ value, line }) => {
    if (Array.isArray(value["messages"])) return [importOne(value, value["messages"], fileRepairs)];
    fileRepairs.add("unknown-record", "a record that is no trajectory; ignored", line);
    return [];
  });
}

function importOne(holder: Fields, messages: readonly unknown[], fileRepairs: RepairLog): RecordedSession {
  const repairs = new RepairLog();
  const config = fieldsOf(fieldsOf(holder["info"])["config"]);
  const reader = new MiniReader(repairs, asString(fieldsOf(config["model"])["model_name"]));
  messages.forEach((element, index) => {
    if (isObject(element) && reader.read(element)) return;
    repairs.leftOutElement("messages", "message", { index });
    if (!isObject(element)) fileRepairs.countValueNotRead(element);
  });
  return {
    sessionId: conversationId(holder),
    workingCopy: asString(fieldsOf(config["environment"])["cwd"]),
    ...reader.finish(),
    repairs: repairs.list(),
    recordCount: messages.length,
  };
}

class MiniReader {
  readonly #builder: ConversationBuilder;
  readonly #onDamage: OnDamage;
  readonly #model: string | undefined;
  readonly #legacyIds = new LegacyCallIds();
  #system: string | undefined;
  #hasAnswered = false;

  constructor(repairs: RepairLog, model: string | undefined) {
    this.#builder = new ConversationBuilder(repairs);
    this.#onDamage = repairs.blockDamage(undefined);
    this.#model = model;
  }

  /** Reads one element; `false` where it is not a message. */
  read(element: Fields): boolean {
    const { role, content } = element;
    if (role === "system" && this.#system === undefined && !this.#builder.hasMessages()) {
      const text = systemText(content);
      if (text !== undefined) {
        this.#system = text;
        return true;
      }
    }
    if (role === "exit") {
      // How the run ended, in the form of a message; the model never got it.
      const block = wellFormedBlock(content ?? "", { role: "user", onDamage: this.#onDamage });
      this.#builder.addMessage({ message: HOST, content: [block], isAttachment: true }, "transcript-only");
      return true;
    }
    const message = this.#message(element);
    if (message === undefined) return false;
    this.#builder.addMessage(this.#parse(message, element));
    this.#hasAnswered ||= message.role === "assistant";
    return true;
  }

  finish(): Omit<RecordedSession, "recordCount"> {
    return { ...this.#builder.finish(), system: this.#system };
  }

  #message(element: Fields): Message | undefined {
    const { object, output, type, extra: _, ...item } = element;
    if (object === "response" && Array.isArray(output))
      return { ...ASSISTANT, content: this.#ofItems("assistant", output) };
    if (type !== undefined) {
      const [message] = fromOpenAIResponses([{ ...item, type, output }]).messages;
      return message && { ...message, content: this.#checked(message.role, message.content) };
    }
    const { role, content, tool_calls: calls, tool_call_id: id } = element;
    const wire = {
      role,
      content,
      ...(calls === null || calls === undefined ? {} : { tool_calls: calls }),
      ...(id === undefined ? {} : { tool_call_id: id }),
    };
    return chatMessage(wire, this.#legacyIds, this.#onDamage);
  }

  /** Joins all output items of one response into one message. */
  #ofItems(role: Role, items: readonly unknown[]): readonly ContentBlock[] {
    return this.#checked(
      role,
      fromOpenAIResponses(items).messages.flatMap(({ content }) => content),
    );
  }

  #checked(role: Role, content: readonly ContentBlock[]): readonly ContentBlock[] {
    return content.map((block) =>
      block.type === "opaque" ? block : wellFormedBlock(block, { role, onDamage: this.#onDamage }),
    );
  }

  #parse({ content, ...message }: Message, element: Fields): ParsedMessage {
    const extra = fieldsOf(element["extra"]);
    const response = isObject(extra["response"]) ? extra["response"] : element;
    const at = timeOf(extra, response);
    if (message.role !== "assistant") {
      const isPutIn = message.origin === "user" && this.#hasAnswered && !isUsersOwn(element, extra);
      return {
        message: { ...message, ...(isPutIn ? HOST : {}), at },
        content: [...content],
      };
    }
    const [choice] = listOf(response["choices"]).filter(isObject);
    const model = asString(response["model"]) ?? this.#model;
    return {
      message: { ...message, model, at },
      content: [...this.#reasoning(element, fieldsOf(choice?.["message"])), ...content],
      usage: recordedOpenAIUsage(response["usage"]),
      stopReason: asString(choice?.["finish_reason"]),
    };
  }

  /** Reads signed thinking, which was sent back to the provider, or else reasoning text, which was only recorded. */
  #reasoning(element: Fields, answer: Fields): readonly ContentBlock[] {
    const blocks = element["thinking_blocks"] ?? answer["thinking_blocks"];
    if (Array.isArray(blocks) && blocks.length > 0)
      return blocks.map((block: unknown) =>
        wellFormedBlock(block, { role: "assistant", onDamage: this.#onDamage }),
      );
    return unsignedThinking(
      asString(answer["reasoning"]) ?? asString(answer["reasoning_content"]) ?? element["reasoning_content"],
    );
  }
}

function systemText(content: unknown): string | undefined {
  if (!Array.isArray(content)) return asString(content);
  const texts = content.map((part: unknown) => asString(fieldsOf(part)["text"]));
  return texts.every((text) => text !== undefined) ? texts.join("\n") : undefined;
}

/** Beginnings of messages in which the tool passes on what the user typed while the agent worked. */
const USERS_WORDS = [
  "User command:",
  "Interrupted by user:",
  "The user added a new task:",
  "Command not executed. The user rejected",
  "Commands not executed. The user rejected",
];

function isUsersOwn(element: Fields, extra: Fields): boolean {
  const kind = asString(extra["interrupt_type"]);
  if (kind !== undefined) return kind.startsWith("User");
  // Only the output of a command has this field.
  if (extra["raw_output"] !== undefined) return false;
  const content = asString(element["content"]) ?? "";
  return USERS_WORDS.some((words) => content.startsWith(words));
}

/** Returns the time of a message in milliseconds; it is recorded in seconds. */
function timeOf(extra: Fields, response: Fields): number | undefined {
  const seconds =
    asNumber(extra["timestamp"]) ?? asNumber(response["created"]) ?? asNumber(response["created_at"]);
  return seconds === undefined ? undefined : asNumber(Math.round(seconds * 1_000));
}
