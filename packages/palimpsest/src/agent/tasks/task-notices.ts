/**
 * Delivers the notices of tasks to the agent, each once.
 *
 * The message and the number of its last notice are appended to the session's log together. So a notice is delivered
 * once even if the process dies at any point between a task's end and the next call. A fork has no tasks at first,
 * and none of the notices that its original waits for.
 *
 * A rewind takes back what was said, not what tasks did. Tasks go on, and a notice behind it is not delivered again.
 * Before the next call, a list says which tasks there are and how those ended whose notices left the window.
 */
import { asNumber, asString, isObject } from "../../base/json/json.ts";
import type { Restorer } from "../../ports/restorer.ts";
import { TASKS_MARK } from "../../session/append/carried-marks.ts";
import { listRestorer } from "../../session/compact/restored-lists.ts";
import { internalsOf, type Session } from "../../session/session.ts";
import { isReported } from "../../tasks/fold-tasks.ts";
import {
  endedText,
  listedText,
  messageText,
  rewoundText,
  stateInWords,
  waitingText,
} from "../../tasks/notice-text.ts";
import type { EndRecord, NoticeRecord } from "../../tasks/task-record.ts";
import type { Message } from "../../transcript/blocks.ts";
import { isWithin } from "../../transcript/line.ts";
import type { SessionTasks } from "./session-tasks.ts";

/** Notices that are delivered with the end of the output; earlier ones are a line each. */
const SHOWN_NOTICES = 20;
/** The end of an output that a notice shows: the last lines of a failed test. */
const SHOWN_BYTES = 1_000;
const SHOWN_LINES = 15;
/** Tasks that have ended and are shown again after a compaction. */
const LISTED_ENDED = 10;

/** The last notice that was delivered, and its entry, by the session's log. A fork has other tasks than its original. */
function deliveredOf(session: Session): { readonly no: number; readonly seq: number | undefined } {
  const mark = internalsOf(session).carried.get(TASKS_MARK);
  if (!isObject(mark) || asString(mark["session"]) !== session.id) return { no: 0, seq: undefined };
  const no = asNumber(mark["deliveredNo"]);
  const isNo = no !== undefined && Number.isSafeInteger(no) && no > 0;
  return { no: isNo ? no : 0, seq: asNumber(mark["seq"]) };
}

/** The number of the last notice that was delivered. */
export function deliveredNoOf(session: Session): number {
  return deliveredOf(session).no;
}

/** Finds out if an agent needs a list of its tasks, because its conversation was rewound. */
export class RewindWatch {
  readonly #session: Session;
  #lastRewind: number;

  constructor(session: Session) {
    this.#session = session;
    this.#lastRewind = lastRewindOf(session);
  }

  /** True if a notice was rewound away, or if tasks run and something was: it may have been their start. */
  isDue(tasks: SessionTasks): boolean {
    const { seq } = deliveredOf(this.#session);
    if (seq !== undefined && !isWithin(internalsOf(this.#session).writer.projection.lineRanges, seq))
      return true;
    if (this.#lastRewind === lastRewindOf(this.#session)) return false;
    return tasks.list().some(({ status }) => status === "running");
  }

  /** The agent knows its tasks now. */
  listed(): void {
    this.#lastRewind = lastRewindOf(this.#session);
  }
}

/** The entry with which the conversation goes on after its last rewind. */
function lastRewindOf(session: Session): number {
  return internalsOf(session).writer.projection.lineRanges.at(-1)?.from ?? 1;
}

/** Notices as the agent gets them. */
export interface Delivery {
  readonly message: Message;
  readonly lastNo: number;
}

/**
 * The notices that the agent has not had yet; `undefined` if there are none.
 * @param isRewound true if a list of the tasks goes before them
 * @throws `StoreError`
 */
export async function pendingNotices(
  tasks: SessionTasks,
  now: number,
  isRewound: boolean,
): Promise<Delivery | undefined> {
  if (tasks.pendingCount === 0 && !isRewound) return undefined;
  await tasks.journal.sync();
  const notices = tasks.journal.noticesAfter(tasks.deliveredNo);
  const firstWhole = notices.length - SHOWN_NOTICES;
  const texts = notices.map((notice, index) =>
    noticeText(tasks, notice, { now, isShort: index < firstWhole }),
  );
  const ending = new Set(notices.flatMap(({ id, type }) => (type === "end" ? [id] : [])));
  const listed = isRewound ? listedTasks(tasks, now).filter(({ key }) => !ending.has(key)) : [];
  if (listed.length > 0) texts.unshift(rewoundText(listed.map(({ key, text }) => `- ${key}: ${text}`)));
  if (texts.length === 0) return undefined;
  const content = [{ type: "text", text: texts.join("\n\n") }] as const;
  const lastNo = notices.at(-1)?.no ?? tasks.deliveredNo;
  return { message: { role: "user", origin: "engine", content }, lastNo };
}

/** Appends notices, and that the agent has had them. @throws `StoreError` */
export async function appendNotices(session: Session, { message, lastNo }: Delivery): Promise<void> {
  const seq = internalsOf(session).writer.nextSeq;
  const value = { session: session.id, deliveredNo: lastNo, seq };
  await internalsOf(session).appendWith([message], { after: [{ type: "metadata", key: TASKS_MARK, value }] });
}

/** After the context of the session's start (20) and before files (30), which can be read again and would leave nothing. */
const RESTORER_PRIORITY = 25;

/** Shows the tasks again after a compaction: those that run, and those that ended last. */
export function tasksRestorer(known: () => SessionTasks | undefined, now: () => number): Restorer {
  const listed = listRestorer({
    name: "tasks",
    kind: "task",
    label: "Background tasks",
    priority: RESTORER_PRIORITY,
    list: async () => {
      const tasks = known();
      return tasks === undefined ? [] : listedTasks(tasks, now());
    },
  });
  return {
    ...listed,
    restore: async (context) => ((known()?.list().length ?? 0) === 0 ? [] : listed.restore(context)),
  };
}

/** The tasks that run, and those that ended last, the newest first. */
function listedTasks(
  tasks: SessionTasks,
  now: number,
): readonly { readonly key: string; readonly text: string }[] {
  const all = tasks.list().filter(({ id }) => {
    const task = tasks.journal.find(id);
    return task !== undefined && isReported(task);
  });
  const running = all.filter(({ status }) => status === "running");
  const ended = all.filter(({ status }) => status !== "running").slice(-LISTED_ENDED);
  return [...running, ...ended.reverse()].map((task) => ({
    key: task.id,
    text: listedText(task, stateInWords(task, now), task),
  }));
}

function noticeText(
  tasks: SessionTasks,
  notice: NoticeRecord | EndRecord,
  { now, isShort }: { readonly now: number; readonly isShort: boolean },
): string {
  const task = tasks.get(notice.id);
  if (notice.type === "notice") {
    const silentMs = task.silence?.silentMs ?? now - notice.at;
    return notice.what === "waiting"
      ? waitingText(task, silentMs, notice.text)
      : messageText(task, notice.text);
  }
  const { outputPath } = task;
  const tookMs = notice.at - task.startedAt;
  if (isShort) return endedText(task, { ...notice, outputPath, result: undefined }, { tookMs, lastText: "" });
  const offset = Math.max(0, notice.outputBytes - SHOWN_BYTES);
  return endedText(
    task,
    { ...notice, outputPath },
    { tookMs, lastText: lastLines(tasks, notice.id, offset) },
  );
}

function lastLines(tasks: SessionTasks, id: string, offset: number): string {
  try {
    const { text, pending } = tasks.read(id, { offset });
    return `${text}${pending}`.trim().split("\n").slice(-SHOWN_LINES).join("\n");
  } catch {
    // It cannot be read, for instance because a task replaced the file by a link. The agent still hears of its end.
    return "";
  }
}
