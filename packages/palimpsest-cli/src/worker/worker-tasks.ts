/**
 * The one agent of a worker and its mailbox: answers requests of the protocol from the tasks of a session.
 *
 * The session is kept, so that after a restart its tasks are known, as interrupted, and can be resumed. So are the keys
 * of requests: one that is sent again because its answer was lost has its effect once, also after a restart.
 */
import { PalimpsestError } from "palimpsest";
import { REMOTE_LIMITS, type RemoteRequest, type Tasks, writeRemoteView } from "palimpsest/internal";

/** Name of the agent among the definitions of the session. */
export const WORKER_AGENT = "worker";

/** An answer over HTTP. */
interface WorkerAnswer {
  readonly status: number;
  readonly body: string;
}

const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  TASK_NOT_FOUND: 404,
  TASK_INVALID: 400,
  TASK_ENDED: 409,
  TASK_REFUSED: 409,
};

export class WorkerTasks {
  readonly #tasks: Tasks;

  constructor(tasks: Tasks) {
    this.#tasks = tasks;
  }

  /** Never rejects. */
  async answer(request: RemoteRequest): Promise<WorkerAnswer> {
    try {
      return await this.#answer(request);
    } catch (error) {
      const status = error instanceof PalimpsestError ? STATUS_OF_CODE[error.code] : undefined;
      return problem(status ?? 500, "The request could not be done.");
    }
  }

  async #answer(request: RemoteRequest): Promise<WorkerAnswer> {
    const tasks = this.#tasks;
    if (request.type === "read") return this.#view(request.id, request.offset);
    if (request.type === "start") {
      const { key, prompt } = request;
      const isNew = tasks.list().every((task) => task.key !== key);
      if (isNew && this.#isBusy()) return BUSY;
      return this.#view((await tasks.start("local_agent", { agent: WORKER_AGENT, prompt }, { key })).id);
    }
    const { id } = request;
    if (request.type === "stop") await tasks.stop(id, "its client stopped it");
    else if (request.type === "input") await tasks.input(id, request.text, { key: request.key });
    else if (tasks.get(id).status !== "running") {
      if (this.#isBusy()) return BUSY;
      await tasks.resume(id);
    }
    return this.#view(id);
  }

  #isBusy(): boolean {
    return this.#tasks.list().some(({ status }) => status === "running");
  }

  /** The task, with its output from an offset on where one is given. */
  #view(id: string, offset?: number): WorkerAnswer {
    const { status, result, reason, usage, outputBytes } = this.#tasks.get(id);
    if (offset !== undefined && offset > outputBytes)
      return problem(400, `The output has ${outputBytes} bytes, so it cannot be read from ${offset}.`);
    const { text, nextOffset, isEnd } =
      offset === undefined
        ? { text: "", nextOffset: 0, isEnd: false }
        : this.#tasks.read(id, { offset, maxBytes: REMOTE_LIMITS.outputBytes });
    const view = { id, status, offset: offset ?? 0, nextOffset, text, isEnd, result, reason, usage };
    return { status: 200, body: writeRemoteView(view) };
  }
}

/** An answer without a task. */
export function problem(status: number, message: string): WorkerAnswer {
  return { status, body: JSON.stringify({ error: message }) };
}

const BUSY = problem(409, "A task is running. Wait for it, or stop it.");
