/**
 * Imports trajectories of SWE-agent (`*.traj`): `{ trajectory, history, info, replay_config }`, or several
 * `attempts` of that shape.
 *
 * `history` has the messages that were sent to the model. With function calling it has calls and their results. Without,
 * the command is in the text of the answer, and its output is a user message. It stays such a text, with the origin
 * `host`, because the user did not write it. Usage is not recorded per response. If `history` is missing, the steps of
 * `trajectory` are read instead.
 */

import { asString, isObject } from "../../base/json/json.ts";
import { parseBounded } from "../../base/json/parse-bounded.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";
import { chatMessage, LegacyCallIds } from "../../wire/openai-chat/from-openai-chat.ts";
import { type OnDamage, wellFormedBlock } from "../../wire/shared/well-formed-block.ts";
import { ConversationBuilder, type ParsedMessage } from "../shared/conversation-builder.ts";
import { conversationId } from "../shared/conversations.ts";
import { type Fields, fieldsOf, HOST, listOf } from "../shared/fields.ts";
import type { LeftOutReason, RecordedSession } from "../shared/imported-session.ts";
import { type Importer, readingAll } from "../shared/importer.ts";
import type { SourceRecord } from "../shared/read-records.ts";
import { RepairLog } from "../shared/repair-log.ts";

/** @internal */
export const sweAgent = {
  format: "swe-agent",
  recognises: (sample) => sample.some(isSweTrajectory),
  begin: readingAll(importSweAgent),
} as const satisfies Importer;

/** A step has an action and its observation; each of several attempts is a trajectory. */
function isSweTrajectory(value: Fields): boolean {
  const { trajectory, attempts } = value;
  if (Array.isArray(attempts) && attempts.some((attempt) => isObject(attempt) && isSweTrajectory(attempt)))
    return true;
  return Array.isArray(trajectory) && trajectory.some(isSweStep);
}

function isSweStep(step: unknown): boolean {
  return (
    isObject(step) &&
    Object.hasOwn(step, "observation") &&
    Object.hasOwn(step, "action") &&
    !Object.hasOwn(step, "source")
  );
}

/** Imports every attempt of every trajectory of the file. */
function importSweAgent(
  records: readonly SourceRecord[],
  fileRepairs: RepairLog,
): readonly RecordedSession[] {
  return records.flatMap(({ value, line }) => {
    // The file repeats the chosen attempt at its top level; only the list is read.
    const attempts = listOf(value["attempts"]).filter(isTrajectory);
    if (attempts.length > 0) return attempts.map((attempt) => importOne(attempt, value, fileRepairs));
    if (isTrajectory(value)) return [importOne(value, value, fileRepairs)];
    fileRepairs.add("unknown-record", "a record that is no trajectory; ignored", line);
    return [];
  });
}

function isTrajectory(value: unknown): value is Fields {
  return isObject(value) && (Array.isArray(value["history"]) || Array.isArray(value["trajectory"]));
}

function importOne(attempt: Fields, file: Fields, fileRepairs: RepairLog): RecordedSession {
  const repairs = new RepairLog();
  const config = configOf(attempt["replay_config"] ?? file["replay_config"]);
  const reader = new HistoryReader(repairs, modelOf(config));
  const history: readonly unknown[] = Array.isArray(attempt["history"])
    ? attempt["history"]
    : (attempt["trajectory"] as readonly unknown[]).flatMap(messagesOfStep);
  history.forEach((element, index) => {
    if (isObject(element)) reader.read(element);
    else {
      repairs.leftOutElement("history", "message", { index });
      fileRepairs.countValueNotRead(element);
    }
  });
  const problem = fieldsOf(config["problem_statement"]);
  return {
    sessionId: asString(problem["id"]) ?? conversationId(attempt),
    workingCopy: workingCopy(attempt["trajectory"]),
    ...reader.finish(),
    repairs: repairs.list(),
    recordCount: history.length,
  };
}

/** The configuration of the run; some versions store it as JSON in a text. */
function configOf(value: unknown): Fields {
  if (isObject(value)) return value;
  const parsed = typeof value === "string" ? parseBounded(value) : undefined;
  return parsed?.ok === true ? fieldsOf(parsed.value) : {};
}

/** Values in the place of a model's name when no model answered. */
const NO_MODELS: ReadonlySet<string> = new Set(["replay", "human", "human_thought", "instant_empty_submit"]);

function modelOf(config: Fields): string | undefined {
  const model = fieldsOf(fieldsOf(config["agent"])["model"]);
  const name = asString(model["name"]) ?? asString(model["model_name"]);
  return name === undefined || NO_MODELS.has(name) ? undefined : name;
}

/** A step as the two messages it came from. */
function messagesOfStep(step: unknown): readonly unknown[] {
  if (!isObject(step)) return [step];
  return [
    { role: "assistant", content: step["response"], thinking_blocks: step["thinking_blocks"] },
    { role: "user", content: step["observation"] },
  ];
}

/** Folder of the shell after the first command. */
function workingCopy(trajectory: unknown): string | undefined {
  return asString(configOf(fieldsOf(listOf(trajectory)[0])["state"])["working_dir"]);
}

class HistoryReader {
  readonly #builder: ConversationBuilder;
  readonly #onDamage: OnDamage;
  readonly #repairs: RepairLog;
  readonly #model: string | undefined;
  readonly #legacyIds = new LegacyCallIds();
  #system: string | undefined;
  /** The agent whose conversation is imported; others in the file are its sub-agents. */
  #agent: string | undefined;
  #hasAnswered = false;

  constructor(repairs: RepairLog, model: string | undefined) {
    this.#repairs = repairs;
    this.#builder = new ConversationBuilder(repairs);
    this.#onDamage = repairs.blockDamage(undefined);
    this.#model = model;
  }

  read(element: Fields): void {
    const { role, content, agent, is_demo: isDemo } = element;
    this.#agent ??= asString(agent);
    const isOthers = typeof agent === "string" && agent !== this.#agent;
    if (role === "system" && this.#system === undefined && !isOthers && typeof content === "string") {
      this.#system = content;
      return;
    }
    const parsed = this.#parse(element);
    if (parsed === undefined) {
      this.#repairs.add(
        "bad-record",
        `a message of the unknown role ${JSON.stringify(role ?? null)}; left out`,
      );
      return;
    }
    const reason: LeftOutReason | undefined = isOthers ? "side-chain" : undefined;
    this.#builder.addMessage(
      {
        ...parsed,
        ...(isDemo === true ? { isAttachment: true } : {}),
        ...(isOthers ? { isSidechain: true } : {}),
      },
      reason,
    );
    this.#hasAnswered ||= role === "assistant" && isDemo !== true && !isOthers;
  }

  finish(): Omit<RecordedSession, "recordCount"> {
    return { ...this.#builder.finish(), system: this.#system };
  }

  #parse(element: Fields): ParsedMessage | undefined {
    const { role, content, tool_calls: calls, tool_call_ids: ids, is_demo: isDemo } = element;
    const [id] = listOf(ids);
    // Only the fields that were sent; the others were derived from them.
    const wire = {
      role: role === "tool" && id === undefined ? "user" : role,
      content,
      ...(calls === null || calls === undefined ? {} : { tool_calls: calls }),
      ...(id === undefined ? {} : { tool_call_id: id }),
    };
    const message = chatMessage(wire, this.#legacyIds, this.#onDamage);
    if (message === undefined) return undefined;
    const { content: rawContent, ...rest } = message;
    const isText = message.origin === "user";
    const isPutIn = isText && (isDemo === true || this.#hasAnswered);
    const isAnswer = message.role === "assistant";
    return {
      message: {
        ...rest,
        ...(isPutIn ? HOST : {}),
        model: isAnswer ? this.#model : undefined,
      },
      content: [...(isAnswer ? this.#thinking(element["thinking_blocks"]) : []), ...rawContent],
    };
  }

  #thinking(blocks: unknown): readonly ContentBlock[] {
    return listOf(blocks).map((block) =>
      wellFormedBlock(block, { role: "assistant", onDamage: this.#onDamage }),
    );
  }
}
