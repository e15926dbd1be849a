/**
 * Delivers the notices of tasks to the agent, each once.
 *
 * The message and the number of its last notice are appended to the session's log together. So a notice is delivered
 * once even if the process dies at any point between a task's end and the next call. A fork has no tasks at first,
 * and none of the notices that its original waits for. A rewind takes back what was said, not what tasks did: a notice
 * behind it is not delivered again; the list of tasks has its task.
 */
import { asNumber, asString, isObject } from "../../base/json/json.ts";
import type { Restorer } from "../../ports/restorer.ts";
import { TASKS_MARK } from "../../session/append/carried-marks.ts";
import { listRestorer } from "../../session/compact/restored-lists.ts";
import { internalsOf, type Session } from "../../session/session.ts";
import { endedText, listedText, messageText, stateInWords, waitingText } from "../../tasks/notice-text.ts";
import type { EndRecord, NoticeRecord } from "../../tasks/task-record.ts";
import type { Message } from "../../transcript/blocks.ts";
import type { SessionTasks } from "./session-tasks.ts";

/** Notices that are delivered with the end of the output; earlier ones are a line each. */
const SHOWN_NOTICES = 20;
/** The end of an output that a notice shows: the last lines of a failed test. */
const SHOWN_BYTES = 1_000;
const SHOWN_LINES = 15;
/** Tasks that have ended and are shown again after a compaction. */
const LISTED_ENDED = 10;

/** The last notice that was delivered, by the session's log. A fork has other tasks than its original. */
export function deliveredNoOf(session: Session): number {
  const mark = internalsOf(session).carried.get(TASKS_MARK);
  if (!isObject(mark) || asString(mark["session"]) !== session.id) return 0;
  const no = asNumber(mark["deliveredNo"]);
  return no !== undefined && Number.isSafeInteger(no) && no > 0 ? no : 0;
}

/** Notices as the agent gets them. */
export interface Delivery {
  readonly message: Message;
  readonly lastNo: number;
}

/** The notices that the agent has not had yet; `undefined` if there are none. @throws `StoreError` */
export async function pendingNotices(tasks: SessionTasks, now: number): Promise<Delivery | undefined> {
  if (tasks.pendingCount === 0) return undefined;
  await tasks.journal.sync();
  const notices = tasks.journal.noticesAfter(tasks.deliveredNo);
  const last = notices.at(-1)!;
  const firstWhole = notices.length - SHOWN_NOTICES;
  const texts = notices.map((notice, index) =>
    noticeText(tasks, notice, { now, isShort: index < firstWhole }),
  );
  const content = [{ type: "text", text: texts.join("\n\n") }] as const;
  return { message: { role: "user", origin: "engine", content }, lastNo: last.no };
}

/** Appends notices, and that the agent has had them. @throws `StoreError` */
export async function appendNotices(session: Session, { message, lastNo }: Delivery): Promise<void> {
  const value = { session: session.id, deliveredNo: lastNo };
  await internalsOf(session).appendWith([message], { after: [{ type: "metadata", key: TASKS_MARK, value }] });
}

/** Shows the tasks again after a compaction: those that run, and those that ended last. */
export function tasksRestorer(known: () => SessionTasks | undefined, now: () => number): Restorer {
  const listed = listRestorer({
    name: "tasks",
    kind: "task",
    label: "Background tasks",
    list: async () => {
      const all = known()?.list() ?? [];
      const running = all.filter(({ status }) => status === "running");
      const ended = all.filter(({ status }) => status !== "running").slice(-LISTED_ENDED);
      return [...running, ...ended.reverse()].map((task) => ({
        key: task.id,
        text: listedText(task, stateInWords(task, now()), task),
      }));
    },
  });
  return {
    ...listed,
    restore: async (context) => ((known()?.list().length ?? 0) === 0 ? [] : listed.restore(context)),
  };
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
