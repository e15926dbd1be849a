/**
 * Requests to one worker: bounded in size and time, sent again where the network fails.
 *
 * A worker may lie, hang, redirect or send without end. Nothing of its answer is used before it is checked, and its
 * token goes to its address only.
 */
import { errorCode, errorMessage, TaskError } from "../../../base/errors.ts";
import type { Deadline } from "../../../ports/runtime.ts";
import type { HttpAnswer, HttpFetch } from "../../../ports/tasks.ts";
import {
  parseRemoteView,
  REMOTE_LIMITS,
  type RemoteRequest,
  type RemoteView,
  writeRemoteRequest,
} from "../../../tasks/remote-protocol.ts";
import { pause, within } from "../kind/waits.ts";

/** An agent on another machine, served by `palimpsest worker`. */
export interface RemoteWorker {
  /** Address of the worker, such as `https://build.example.com:8080`. */
  readonly url: string;
  /** The token in the worker's token file. */
  readonly token: string;
  /** What it is good for, for the model that chooses it. */
  readonly description?: string;
}

/** Why a worker cannot be used. */
type RemoteProblem = "unreachable" | "redirect" | "too-large" | "bad-answer" | "refused";

/** A worker did not do what was asked. */
export class RemoteFailure extends TaskError {
  readonly problem: RemoteProblem;

  constructor(problem: RemoteProblem, message: string) {
    super("TASK_REFUSED", {
      message: `${message} (${problem})`,
      hint: "Look at the worker, then resume the task.",
    });
    this.problem = problem;
  }
}

/** What the client of a worker is made with. */
export interface RemotePorts {
  readonly fetch: HttpFetch;
  readonly deadline: Deadline;
  /** Makes a text that was never used before. */
  readonly newKey: () => string;
}

/** A worker that has not answered within this time does not answer. */
const ANSWER_MS = 10_000;
/** Attempts of one request; with the pauses between them a worker has a minute and a half to be restarted. */
const ATTEMPTS = 8;
/** Pause before the second attempt; doubled each time, up to the longest. */
const RETRY_MS = 1_000;
const RETRY_MOST_MS = 30_000;

export class RemoteClient {
  readonly #name: string;
  readonly #worker: RemoteWorker;
  readonly #ports: RemotePorts;

  constructor(name: string, worker: RemoteWorker, ports: RemotePorts) {
    this.#name = name;
    this.#worker = worker;
    this.#ports = ports;
  }

  /** Asks until there is an answer. @throws {@link RemoteFailure} */
  async ask(request: RemoteRequest, signal: AbortSignal): Promise<RemoteView> {
    for (let attempt = 1; ; attempt++) {
      try {
        // An answer to a start is waited for: without the id the task could not be stopped.
        return await this.askOnce(request, request.type === "start" ? undefined : signal);
      } catch (error) {
        if (!(error instanceof RemoteFailure) || error.problem !== "unreachable") throw error;
        if (attempt === ATTEMPTS || signal.aborted) throw error;
        const { deadline } = this.#ports;
        await pause(Math.min(RETRY_MOST_MS, RETRY_MS * 2 ** (attempt - 1)), { deadline, signal });
      }
    }
  }

  /** @throws {@link RemoteFailure} */
  async askOnce(request: RemoteRequest, signal?: AbortSignal): Promise<RemoteView> {
    const { status, text } = await this.#exchange(request, signal);
    if (status >= 300 && status < 400) throw this.#failure("redirect", `sends elsewhere (status ${status})`);
    if (status === 429 || status >= 500) throw this.#failure("unreachable", `answers with status ${status}`);
    if (status === 409)
      throw this.#failure("refused", "is busy, or the task takes no input now (status 409)");
    if (status !== 200) throw this.#failure("refused", `refuses the request (status ${status})`);
    const offset = request.type === "read" ? request.offset : 0;
    const view = parseRemoteView(text, { id: request.type === "start" ? undefined : request.id, offset });
    if ("problem" in view) throw this.#failure("bad-answer", `cannot be trusted: ${view.problem}`);
    return view;
  }

  async #exchange(
    request: RemoteRequest,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly status: number; readonly text: string }> {
    const { url, token } = this.#worker;
    const { method, path, body } = writeRemoteRequest(request);
    const { fetch, deadline } = this.#ports;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const send = async (inner: AbortSignal) => {
      const given = body === undefined ? {} : { body };
      const sent = { method, headers, redirect: "manual", signal: inner, ...given } as const;
      const answer = await fetch(`${url.replace(/\/+$/, "")}${path}`, sent);
      return { status: answer.status, text: await this.#read(answer) };
    };
    try {
      return await within(send, { deadline, timeoutMs: ANSWER_MS, signal });
    } catch (error) {
      if (error instanceof RemoteFailure) throw error;
      throw this.#failure("unreachable", `does not answer: ${causeOf(error)}`);
    }
  }

  async #read({ body }: HttpAnswer): Promise<string> {
    if (body === null) return "";
    const reader = body.getReader();
    const decoder = new TextDecoder();
    let text = "";
    let bytes = 0;
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      bytes += piece.value?.length ?? 0;
      if (bytes > REMOTE_LIMITS.messageBytes) {
        // Nothing waits for the rest of it.
        reader.cancel().catch(() => undefined);
        throw this.#failure("too-large", `sent more than ${REMOTE_LIMITS.messageBytes} bytes`);
      }
      text += decoder.decode(piece.value, { stream: true });
    }
    return text + decoder.decode();
  }

  #failure(problem: RemoteProblem, what: string): RemoteFailure {
    return new RemoteFailure(problem, `Worker ${this.#name} ${what}`);
  }
}

/** The platform's `fetch` says "fetch failed", and why in the cause. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return errorCode(cause) ?? errorMessage(cause ?? error);
}
