/**
 * Finds the conversations in records that are messages, or that hold a list of messages: the ways
 * in which people store what they send to a chat API.
 */
import { asString, isObject } from "../../base/json/json.ts";
import type { Fields } from "./fields.ts";
import type { SourceRecord } from "./read-records.ts";
import type { RepairLog } from "./repair-log.ts";

/** Records looked at to tell the format. Our choice; a session may begin with a page of metadata. */
export const DETECTION_RECORDS = 200;

/** Fields under which a list of messages is found: requests, and recorders of trajectories. */
const LIST_FIELDS = ["messages", "traj", "trajectory", "conversation"] as const;

const ROLES: ReadonlySet<unknown> = new Set(["system", "developer", "user", "assistant", "tool", "function"]);

/** True if the role of a record is that of a message. */
function isChatMessage(value: unknown): value is Fields {
  return isObject(value) && ROLES.has(value["role"]) && value["type"] !== "response_item";
}

/** The list of messages that a record holds. */
export function messageList(value: Fields): readonly unknown[] | undefined {
  for (const field of LIST_FIELDS) {
    const list = value[field];
    if (Array.isArray(list) && (list.length === 0 || list.some(isChatMessage))) return list;
  }
  return undefined;
}

/** The first messages of the records; `undefined` where none is a message or has a list of them. */
export function messagesIn(sample: readonly Fields[]): readonly unknown[] | undefined {
  const found = sample.flatMap((value) => {
    if (isChatMessage(value)) return [[value]];
    const list = messageList(value);
    return list === undefined ? [] : [list.slice(0, DETECTION_RECORDS)];
  });
  return found.length === 0 ? undefined : found.flat();
}

/** All conversations, in order; messages that stand alone are one conversation. Other records are reported. */
export function findConversations(
  records: readonly SourceRecord[],
  repairs: RepairLog,
): readonly HeldElements[] {
  return findElements(records, { listIn: messageList, isElement: isChatMessage, what: "message" }, repairs);
}

/** A value of a list, or a record by itself. */
export interface SourceElement {
  readonly value: unknown;
  readonly line: number | undefined;
}

/** A list of recorded elements, and what stood around it; empty where the elements stood alone. */
export interface HeldElements {
  readonly holder: Fields;
  readonly elements: readonly SourceElement[];
}

/**
 * The lists of a file, and its records that stand alone, which are one list before the others. Records that are
 * neither are reported.
 */
export function findElements(
  records: readonly SourceRecord[],
  {
    listIn,
    isElement,
    what,
  }: {
    readonly listIn: (value: Fields) => readonly unknown[] | undefined;
    readonly isElement: (value: Fields) => boolean;
    /** Name of an element in reports. */
    readonly what: string;
  },
  repairs: RepairLog,
): readonly HeldElements[] {
  const found: HeldElements[] = [];
  const single: SourceElement[] = [];
  for (const { value, line } of records) {
    const list = listIn(value);
    if (list !== undefined)
      found.push({ holder: value, elements: list.map((element) => ({ value: element, line })) });
    else if (isElement(value)) single.push({ value, line });
    else repairs.add("unknown-record", `a record that is no ${what} and holds none; ignored`, line);
  }
  return single.length > 0 ? [{ holder: {}, elements: single }, ...found] : found;
}

/** The holder's id of the conversation. */
export function conversationId(holder: Fields): string | undefined {
  for (const field of ["session_id", "sessionId", "conversation_id", "instance_id", "task_id", "id"]) {
    const id = holder[field];
    if (typeof id === "number") return String(id);
    if (asString(id) !== undefined && id !== "") return asString(id);
  }
  return undefined;
}
