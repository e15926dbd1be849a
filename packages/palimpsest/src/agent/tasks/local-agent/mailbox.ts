/**
 * Mailbox of an agent that works as a task: texts that it was sent and has not read.
 *
 * DESIGN. A text is in the task's journal, with its number, before its sender hears that it was taken. It reaches the
 * agent's own log together with that number. So an agent that is interrupted at any point reads each text once when it
 * is resumed.
 */

import { TaskError } from "../../../base/errors.ts";
import { asNumber, asString, isObject, type JsonObject } from "../../../base/json/json.ts";
import { maxOf } from "../../../base/lists.ts";
import type { TaskRun } from "../kind/task-kind.ts";

/** A text in a mailbox. */
export interface Mail {
  readonly no: number;
  readonly text: string;
}

export class Mailbox {
  readonly #run: TaskRun;
  #unread: Mail[];
  #lastNo: number;
  #isClosed = false;
  #wake: () => void = () => undefined;

  constructor(run: TaskRun) {
    this.#run = run;
    this.#unread = run.earlier.flatMap(mailIn);
    this.#lastNo = Math.max(0, maxOf(this.#unread.map(({ no }) => no)));
    run.signal.addEventListener("abort", () => this.#wake(), { once: true });
  }

  /** Takes a text for the agent; `key` names the request. @throws `TaskError` `TASK_ENDED` where the agent reads no more */
  put(text: string, key?: string): void {
    if (this.#isClosed)
      throw new TaskError("TASK_ENDED", {
        message: `Task ${this.#run.taskId} has ended and takes no more input.`,
        hint: "Start another one, with the input in its prompt.",
      });
    const mail = { no: this.#lastNo + 1, text };
    this.#run.record({ mail, ...(key === undefined ? {} : { request: key }) });
    this.#lastNo = mail.no;
    this.#unread.push(mail);
    this.#wake();
  }

  /** Leaves out what the agent read before it was interrupted, up to a number. */
  skip(readNo: number): void {
    this.#unread = this.#unread.filter(({ no }) => no > readNo);
    this.#lastNo = Math.max(this.#lastNo, readNo);
  }

  /** The next text; `undefined` if there is none, or the agent is stopped. */
  take(): Mail | undefined {
    return this.#run.signal.aborted ? undefined : this.#unread.shift();
  }

  /** The next text; waits for one. `undefined` once the agent is stopped. */
  async next(): Promise<Mail | undefined> {
    while (this.#unread.length === 0 && !this.#run.signal.aborted)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    return this.take();
  }

  /** Takes no more texts. The agent reads the unread ones when it is resumed. */
  close(): void {
    this.#isClosed = true;
  }
}

function mailIn({ mail }: JsonObject): readonly Mail[] {
  const { no, text } = isObject(mail) ? mail : {};
  const [number, words] = [asNumber(no), asString(text)];
  return number === undefined || words === undefined ? [] : [{ no: number, text: words }];
}
