/**
 * State of a session's tasks, folded from its journal.
 *
 * A journal may be damaged or written by another hand: a line that is not a record, or that belongs to no task, is
 * skipped and counted. A task is running from its start to its end; a later start goes on with it. The first end after
 * a start counts, so that two processes that both find a task interrupted end it once.
 */
import { asNumber, asString, isObject, type JsonObject } from "../base/json/json.ts";
import { parseBounded } from "../base/json/parse-bounded.ts";
import {
  type EndRecord,
  type NoticeRecord,
  type StartRecord,
  TASK_KINDS,
  type TaskKindName,
  type TaskOutcome,
  type TaskOwner,
  type TaskRecord,
} from "./task-record.ts";

/** A task as its records describe it. */
export interface TaskState {
  readonly id: string;
  readonly kind: TaskKindName;
  readonly title: string;
  readonly input: JsonObject;
  /** The request that it was started by first. */
  readonly key?: string;
  /** How long it may take from a start on, in milliseconds. */
  readonly timeoutMs?: number;
  /** True while its caller waits for it and reports its end itself: the agent gets no notices. */
  readonly isAwaited?: boolean;
  /** The process that started it last. */
  readonly owner: TaskOwner;
  /** Time of its first start, in milliseconds since the epoch. */
  readonly startedAt: number;
  readonly status: "running" | TaskOutcome;
  readonly end?: EndRecord;
  readonly endedAt?: number;
  /** Everything that its kind recorded, oldest first. */
  readonly facts: readonly JsonObject[];
  readonly notices: readonly NoticeRecord[];
}

const OUTCOMES: ReadonlySet<string> = new Set<TaskOutcome>(["done", "failed", "stopped", "interrupted"]);
const NOTICES: ReadonlySet<string> = new Set<NoticeRecord["what"]>(["waiting", "message", "state"]);
const KINDS: ReadonlySet<string> = new Set(TASK_KINDS);
const TASK_ID = /^t([1-9]\d{0,9})$/;
/** Far above what a session can start; a damaged line cannot use the numbers up. */
const LAST_NUMBER = 1_000_000_000;

/** True if the text can be the id of a task. It is then safe as the name of a file, too. */
export function isTaskId(id: unknown): id is string {
  return typeof id === "string" && TASK_ID.test(id);
}

/** The tasks of a session; grows record by record. */
export class TaskFold {
  readonly #tasks = new Map<string, TaskState>();
  readonly #notices = new Map<number, NoticeRecord | EndRecord>();
  #lastId = 0;
  #lastNo = 0;
  #skippedLines = 0;

  /** In the order of their first start. */
  get tasks(): ReadonlyMap<string, TaskState> {
    return this.#tasks;
  }

  /** Ends and notices after the one of this number, in order; of each number one, also if it was written twice. */
  noticesAfter(no: number): readonly (NoticeRecord | EndRecord)[] {
    return [...this.#notices.values()]
      .filter((notice) => notice.no > no)
      .sort((one, other) => one.no - other.no);
  }

  /** Lines that were not records, and records of tasks that never started. */
  get skippedLines(): number {
    return this.#skippedLines;
  }

  /** Id for a task that starts next. */
  get nextTaskId(): string {
    return `t${this.#lastId + 1}`;
  }

  /** Number for the notice or the end that is written next. */
  get nextNoticeNo(): number {
    return this.#lastNo + 1;
  }

  /** Adds a line of the journal. */
  addLine(line: string): void {
    const record = parseTaskRecord(line);
    if (record === undefined || !this.add(record)) this.#skippedLines++;
  }

  /** Adds a record; returns false if it belongs to no task. */
  add(record: TaskRecord): boolean {
    // Numbers of records that have no effect are used up all the same.
    this.#lastId = Math.max(this.#lastId, Number(record.id.slice(1)));
    if ("no" in record) this.#lastNo = Math.max(this.#lastNo, record.no);
    const known = this.#tasks.get(record.id);
    const next = record.type === "start" ? started(record, known) : known && changed(known, record);
    if (next === undefined) return false;
    this.#tasks.set(record.id, next);
    if ("no" in record && next !== known && !this.#notices.has(record.no))
      this.#notices.set(record.no, record);
    return true;
  }
}

/** Folds the lines of a journal, oldest first. */
export function foldTasks(lines: readonly string[]): TaskFold {
  const fold = new TaskFold();
  for (const line of lines) fold.addLine(line);
  return fold;
}

function started(
  { id, kind, title, input, owner, at, ...record }: StartRecord,
  known: TaskState | undefined,
): TaskState {
  const { startedAt = at, facts = [], notices = [], key = record.key } = known ?? {};
  const timeoutMs = (asNumber(record.timeoutMs) ?? 0) > 0 ? record.timeoutMs : undefined;
  const awaited = record.isAwaited === true ? { isAwaited: true } : {};
  const state = { id, kind, title, input, key, timeoutMs, owner, startedAt, facts, notices };
  return { ...state, ...awaited, status: "running" };
}

function changed(state: TaskState, record: Exclude<TaskRecord, StartRecord>): TaskState {
  if (record.type === "facts") {
    const isLetGo = record.facts["isAwaited"] === false;
    return { ...state, ...(isLetGo ? { isAwaited: false } : {}), facts: [...state.facts, record.facts] };
  }
  if (record.type === "notice") return { ...state, notices: [...state.notices, record] };
  if (state.end !== undefined) return state;
  return { ...state, status: record.outcome, end: record, endedAt: record.at };
}

/** True if the agent hears of the task: its caller does not report it, or died before it could. */
export function isReported({ isAwaited, status }: Pick<TaskState, "isAwaited" | "status">): boolean {
  return isAwaited !== true || status === "interrupted";
}

/** Status of a task, now: one that runs in a dead process was interrupted. */
export function statusOf(
  { status, owner }: Pick<TaskState, "status" | "owner">,
  isOwnerAlive: (owner: TaskOwner) => boolean,
): TaskState["status"] {
  return status === "running" && !isOwnerAlive(owner) ? "interrupted" : status;
}

/** Parses a line of the journal, which may be anything; returns `undefined` unless it is a record. */
function parseTaskRecord(line: string): TaskRecord | undefined {
  const parsed = parseBounded(line);
  if (!parsed.ok || !isObject(parsed.value)) return undefined;
  const fields = parsed.value;
  const { id, at, type } = fields;
  if (!isTaskId(id) || Number(id.slice(1)) > LAST_NUMBER || asNumber(at) === undefined) return undefined;
  if (type === "start") return isStart(fields) ? (fields as unknown as StartRecord) : undefined;
  if (type === "facts") return isObject(fields["facts"]) ? (fields as unknown as TaskRecord) : undefined;
  if (!isCount(fields["no"]) || fields["no"] === 0) return undefined;
  if (type === "notice") return isNotice(fields) ? (fields as unknown as NoticeRecord) : undefined;
  return type === "end" && isEnd(fields) ? (fields as unknown as EndRecord) : undefined;
}

type Fields = Readonly<Record<string, unknown>>;

function isStart({ kind, title, input, owner, key }: Fields): boolean {
  const hasTexts = typeof title === "string" && isTextOrAbsent(key);
  return KINDS.has(asString(kind) ?? "") && hasTexts && isObject(input) && isOwner(owner);
}

function isOwner(owner: unknown): boolean {
  if (!isObject(owner)) return false;
  const { pid, space, host, startedAt } = owner;
  return isCount(pid) && typeof space === "string" && typeof host === "string" && isTextOrAbsent(startedAt);
}

function isNotice({ what, text }: Fields): boolean {
  return NOTICES.has(asString(what) ?? "") && typeof text === "string";
}

function isEnd({ outcome, outputBytes, exitCode, result, signal, reason, usage, spent }: Fields): boolean {
  return (
    OUTCOMES.has(asString(outcome) ?? "") &&
    asNumber(outputBytes) !== undefined &&
    [usage, spent].every((figures) => figures === undefined || isObject(figures)) &&
    (exitCode === undefined || asNumber(exitCode) !== undefined) &&
    [result, signal, reason].every(isTextOrAbsent)
  );
}

function isTextOrAbsent(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= 1_000 * LAST_NUMBER;
}
