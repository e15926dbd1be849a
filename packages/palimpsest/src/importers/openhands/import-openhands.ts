/**
 * Recordings of OpenHands: the events of a conversation (as a list, or one a line), and the output
 * of its evaluations, where each line holds the `history` of one conversation.
 */

import { asNumber, asString, isObject } from "../../base/json/json.ts";
import { conversationId, findElements, type HeldElements } from "../shared/conversations.ts";
import { type Fields, fieldsOf } from "../shared/fields.ts";
import type { RecordedSession } from "../shared/imported-session.ts";
import { type Importer, readingAll } from "../shared/importer.ts";
import type { SourceRecord } from "../shared/read-records.ts";
import { RepairLog } from "../shared/repair-log.ts";
import { isLegacyEvent, readLegacyEvent } from "./legacy-event.ts";
import { type OpenhandsEvent, OpenhandsSession } from "./openhands-session.ts";
import { isSdkEvent, readSdkEvent } from "./sdk-event.ts";

/** Fields under which a list of events is found. */
const LIST_FIELDS = ["history", "events", "trajectory"] as const;

/** The list of events that a record holds. */
function eventList(value: Fields): readonly unknown[] | undefined {
  for (const field of LIST_FIELDS) {
    const list = value[field];
    if (Array.isArray(list) && list.slice(0, EVENTS_LOOKED_AT).flat().some(isOpenhandsEvent)) return list;
  }
  return undefined;
}

/** Enough to find one event that says what it is. */
const EVENTS_LOOKED_AT = 20;

function isOpenhandsEvent(value: unknown): boolean {
  if (!isObject(value)) return false;
  if (isSdkEvent(value)) return typeof value["source"] === "string";
  const isEvent = isLegacyEvent(value);
  return isEvent && ["source", "cause", "tool_call_metadata"].some((field) => Object.hasOwn(value, field));
}

/** @internal */
export const openhands = {
  format: "openhands",
  recognises: (sample) => sample.some((value) => eventList(value) !== undefined || isOpenhandsEvent(value)),
  begin: readingAll(importOpenhands),
} as const satisfies Importer;

/** Imports every conversation of the file. */
function importOpenhands(
  records: readonly SourceRecord[],
  fileRepairs: RepairLog,
): readonly RecordedSession[] {
  // The oldest output pairs each action with its observation.
  const listIn = (value: Fields) => eventList(value)?.flat();
  const isElement = (value: Fields): boolean => isSdkEvent(value) || isLegacyEvent(value);
  const found = findElements(records, { listIn, isElement, what: "event" }, fileRepairs);
  return found.map((held) => importOne(held, fileRepairs));
}

function importOne({ holder, elements }: HeldElements, fileRepairs: RepairLog): RecordedSession {
  const repairs = new RepairLog();
  const session = new OpenhandsSession({ repairs, model: modelOf(holder["metadata"]) });
  elements.forEach(({ value, line }, index) => {
    if (!isObject(value)) {
      repairs.leftOutElement("history", "event", { index, line });
      fileRepairs.countValueNotRead(value);
      return;
    }
    const event = openhandsEvent(value, line);
    if (isSdkEvent(value)) readSdkEvent(event, session);
    else if (isLegacyEvent(value)) readLegacyEvent(event, session);
    else repairs.add("unknown-record", `element ${index} of the history is of no known kind; ignored`, line);
  });
  return {
    sessionId: conversationId(holder),
    ...session.finish(),
    repairs: repairs.list(),
    recordCount: elements.length,
  };
}

/** The model of an evaluation, under the name that its version gives it. */
function modelOf(metadata: unknown): string | undefined {
  const { llm_config: config, llm } = fieldsOf(metadata);
  return asString(fieldsOf(config ?? llm)["model"]);
}

function openhandsEvent(raw: Fields, line: number | undefined): OpenhandsEvent {
  const number = asNumber(raw["id"]);
  const id = number === undefined ? asString(raw["id"]) : String(number);
  return { raw, line, id, at: timeOf(raw["timestamp"]) };
}

/** Time stamps are written without a zone: they are read as UTC, so that they mean the same everywhere. */
function timeOf(value: unknown): number | undefined {
  const text = asString(value);
  if (text === undefined) return undefined;
  return asNumber(Date.parse(/(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`));
}
