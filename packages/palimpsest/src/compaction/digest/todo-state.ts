/**
 * The open tasks of a session, from whatever the agent keeps them in: a to-do tool, a plan tool, a
 * task list or check boxes in its own words.
 */
import type { JsonValue } from "../../base/json/json.ts";
import { asString, isObject } from "../../base/json/json.ts";
import { oneLine, toolKey } from "../shared/tool-kinds.ts";

export interface TodoItem {
  readonly text: string;
  readonly status: "open" | "active" | "done";
  readonly seq: number;
}

export interface TodoState {
  /** The tool's list, by its id or position. A rewritten list replaces the old one. */
  readonly listed: Map<string, TodoItem>;
  /** Check boxes in the assistant's words, by their text. */
  readonly checked: Map<string, TodoItem>;
}

const TEXT_CHARACTERS = 300;
const MAX_ITEMS = 200;

export function createTodoState(): TodoState {
  return { listed: new Map(), checked: new Map() };
}

/** The open items, active ones first; check boxes count only where no tool keeps the list. */
export function openTodos({ listed, checked }: TodoState): readonly TodoItem[] {
  const items = [...(listed.size > 0 ? listed : checked).values()];
  const isActive = (item: TodoItem) => item.status === "active";
  return [...items.filter(isActive), ...items.filter((item) => item.status === "open")];
}

export function doneTodos({ listed, checked }: TodoState): readonly TodoItem[] {
  return [...(listed.size > 0 ? listed : checked).values()].filter((item) => item.status === "done");
}

/** Records a call of a to-do tool. Changes the state; ignores other tools. */
export function readTodoCall(state: TodoState, seq: number, name: string, input: JsonValue): void {
  if (!isObject(input)) return;
  const key = toolKey(name);
  if (key === "taskcreate") createTask(state, seq, input);
  else if (key === "taskupdate") updateTask(state, seq, input);
  else replaceList(state, seq, input);
}

function replaceList(state: TodoState, seq: number, input: Record<string, unknown>): void {
  const list = input["todos"] ?? input["plan"] ?? input["todoList"];
  if (!Array.isArray(list)) return;
  state.listed.clear();
  list.slice(0, MAX_ITEMS).forEach((item: unknown, index) => {
    const text = isObject(item)
      ? firstOf(item, ["content", "step", "text", "title", "description"])
      : asString(item);
    const status = statusOf(isObject(item) ? asString(item["status"]) : undefined);
    if (text !== undefined)
      state.listed.set(String(index), { text: oneLine(text, TEXT_CHARACTERS), status, seq });
  });
}

/** Hosts count tasks from one, in the order in which they are made. */
function createTask(state: TodoState, seq: number, input: Record<string, unknown>): void {
  const text = firstOf(input, ["subject", "title", "description"]);
  if (text === undefined || state.listed.size >= MAX_ITEMS) return;
  state.listed.set(String(state.listed.size + 1), {
    text: oneLine(text, TEXT_CHARACTERS),
    status: "open",
    seq,
  });
}

function updateTask(state: TodoState, seq: number, input: Record<string, unknown>): void {
  const id = String(input["taskId"] ?? input["id"] ?? "");
  const task = state.listed.get(id);
  const status = asString(input["status"]);
  if (task === undefined) return;
  const text = firstOf(input, ["subject", "title"]) ?? task.text;
  const isGone = status === "deleted" || status === "cancelled";
  state.listed.set(id, {
    text: oneLine(text, TEXT_CHARACTERS),
    status: isGone ? "done" : status === undefined ? task.status : statusOf(status),
    seq,
  });
}

const CHECK_BOX = /^\s{0,12}(?:[-*]|\d{1,3}\.)\s+\[([ xX])\]\s+(\S.*)$/;

/** Takes over check boxes in the assistant's words. Changes the state. */
export function readCheckBoxes(state: TodoState, seq: number, text: string): void {
  if (!text.includes("[ ]") && !/\[[xX]\]/.test(text)) return;
  for (const line of text.split("\n")) {
    const box = CHECK_BOX.exec(line.slice(0, 400));
    if (box === null) continue;
    const item = oneLine(box[2]!, TEXT_CHARACTERS);
    if (state.checked.size >= MAX_ITEMS && !state.checked.has(item))
      state.checked.delete(state.checked.keys().next().value!);
    state.checked.set(item, { text: item, status: box[1] === " " ? "open" : "done", seq });
  }
}

function statusOf(status: string | undefined): TodoItem["status"] {
  const key = (status ?? "").toLowerCase().replace(/[^a-z]/g, "");
  if (key === "completed" || key === "done" || key === "complete" || key === "finished") return "done";
  return key === "inprogress" || key === "active" || key === "doing" ? "active" : "open";
}

function firstOf(value: Record<string, unknown>, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const text = asString(value[key]);
    if (text !== undefined && text.trim() !== "") return text;
  }
  return undefined;
}
