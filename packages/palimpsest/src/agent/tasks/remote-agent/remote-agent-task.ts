/**
 * `remote_agent`: an agent on another machine, behind the same mailbox over HTTP.
 *
 * Its output is fetched piece by piece into the task's own. The journal has the remote id and, now and then, a pair of
 * offsets: there and here. After a crash the text from the offset there is fetched again, and as much of it is left
 * out as was written here since. So no byte is lost or doubled.
 */
import { OptionError, TaskError } from "../../../base/errors.ts";
import { asNumber, asString, isObject, type JsonObject, type JsonValue } from "../../../base/json/json.ts";
import { isTaskId } from "../../../tasks/fold-tasks.ts";
import { REMOTE_LIMITS, type RemoteView } from "../../../tasks/remote-protocol.ts";
import type { TaskEnd } from "../../../tasks/task-record.ts";
import type { TaskKind, TaskRun } from "../kind/task-kind.ts";
import { pause } from "../kind/waits.ts";
import { RemoteClient, RemoteFailure, type RemotePorts, type RemoteWorker } from "./remote-client.ts";

interface RemoteInput extends JsonObject {
  readonly worker: string;
  readonly prompt: string;
}

/** Pause between two looks at a task that writes little. Source: our choice: a person sees it as at once. */
const POLL_MS = 1_000;

/** Runs agents of these workers. @throws `OptionError` where an address or a token cannot be used */
export function remoteAgentTasks(
  workers: Readonly<Record<string, RemoteWorker>>,
  ports: RemotePorts,
): TaskKind<RemoteInput> {
  for (const [name, worker] of Object.entries(workers)) checkWorker(name, worker);
  const names = Object.keys(workers);
  const described = names.map((name) => `${name}: ${workers[name]?.description ?? "an agent"}`).join("; ");
  return {
    kind: "remote_agent",
    description: `an agent on another machine, which works on its own and reports back (${described})`,
    inputSchema: {
      type: "object",
      properties: {
        worker: { enum: names },
        prompt: {
          type: "string",
          description:
            "Everything that it has to know; it does not see this conversation or this machine's files.",
        },
      },
      required: ["worker", "prompt"],
    },
    check: (input) => checkInput(input, names),
    title: ({ prompt }) => prompt,
    start: ({ worker, prompt }, run) => {
      const client = new RemoteClient(worker, workers[worker]!, ports);
      const work = new RemoteWork(client, prompt, { run, ports });
      const ended = work.run();
      // The work ends by the signal, which is aborted before a task is stopped.
      return { ended, input: (text, key) => work.input(text, key), stop: async () => void (await ended) };
    },
  };
}

/** One task on a worker. STATES. *starting* → *following* → its end, or *stopping* where it is stopped or fails here. */
class RemoteWork {
  readonly #client: RemoteClient;
  readonly #prompt: string;
  readonly #run: TaskRun;
  readonly #ports: RemotePorts;
  readonly #id: Promise<string>;
  #knowId: (id: string) => void = () => undefined;
  /** A text that waits for the id would wait forever. */
  #hasNoId: (error: TaskError) => void = () => undefined;
  #knownId: string | undefined;
  #offset = 0;
  /** Bytes of the text from the offset on that an earlier process has written. */
  #skip = 0;
  #recordedOffset = 0;

  constructor(
    client: RemoteClient,
    prompt: string,
    { run, ports }: { readonly run: TaskRun; readonly ports: RemotePorts },
  ) {
    this.#client = client;
    this.#prompt = prompt;
    this.#run = run;
    this.#ports = ports;
    this.#id = new Promise((resolve, reject) => {
      this.#knowId = resolve;
      this.#hasNoId = reject;
    });
    // Often no text waits.
    this.#id.catch(() => undefined);
  }

  async run(): Promise<TaskEnd> {
    try {
      const id = await this.#begin();
      return endOf(await this.#follow(id));
    } catch (error) {
      this.#hasNoId(isBeingStopped());
      const isUnreachable = error instanceof RemoteFailure && error.problem === "unreachable";
      const { signal } = this.#run;
      // It would go on there, and nothing would listen.
      const last = isUnreachable && !signal.aborted ? undefined : await this.#stopThere();
      if (!signal.aborted) throw error;
      return { outcome: "stopped", result: last?.result, usage: last?.usage };
    }
  }

  async input(text: string, key = this.#ports.newKey()): Promise<void> {
    const { signal } = this.#run;
    if (signal.aborted) throw isBeingStopped();
    await this.#client.ask({ type: "input", id: await this.#id, key, text }, signal);
  }

  /** Starts it there, or goes on with the one that an earlier process started. */
  async #begin(): Promise<string> {
    const { earlier, signal } = this.#run;
    const known = lastPosition(earlier);
    if (known === undefined) {
      const key = asString(earlier.find((facts) => "key" in facts)?.["key"]) ?? this.#ports.newKey();
      this.#run.record({ key });
      const { id, status } = await this.#client.ask({ type: "start", key, prompt: this.#prompt }, signal);
      this.#isAt(id, 0);
      // The worker was restarted before its answer arrived.
      if (status === "interrupted" || status === "stopped")
        await this.#client.ask({ type: "resume", id }, signal);
      return id;
    }
    const { id, offset, at } = known;
    this.#offset = offset;
    this.#skip = Math.max(0, this.#run.earlierBytes - at);
    this.#know(id);
    const { status } = await this.#client.ask({ type: "read", id, offset }, signal);
    if (status !== "running" && status !== "done") await this.#client.ask({ type: "resume", id }, signal);
    return id;
  }

  async #follow(id: string): Promise<RemoteView> {
    const { signal } = this.#run;
    for (;;) {
      const view = await this.#client.ask({ type: "read", id, offset: this.#offset }, signal);
      this.#take(view);
      const hasEnded = view.status !== "running";
      if (view.isEnd || (hasEnded && view.text === "")) return view;
      const isFull = view.text.length > REMOTE_LIMITS.outputBytes / 4;
      if (!hasEnded && !isFull) await pause(POLL_MS, { deadline: this.#ports.deadline, signal });
    }
  }

  #take({ id, offset, nextOffset, text }: RemoteView): void {
    // Before the text is written: a crash in between writes it later, not twice.
    if (this.#skip === 0 && offset - this.#recordedOffset >= REMOTE_LIMITS.outputBytes)
      this.#isAt(id, offset);
    const bytes = new TextEncoder().encode(text);
    const skipped = Math.min(this.#skip, bytes.length);
    this.#run.write(bytes.subarray(skipped));
    this.#skip -= skipped;
    this.#offset = nextOffset;
  }

  #isAt(id: string, offset: number): void {
    this.#run.record({ remote: id, offset, at: this.#run.outputBytes() });
    this.#recordedOffset = offset;
    this.#know(id);
  }

  #know(id: string): void {
    this.#knownId = id;
    this.#knowId(id);
  }

  /** Tries once: the worker may be the problem. */
  async #stopThere(): Promise<RemoteView | undefined> {
    if (this.#knownId === undefined) return undefined;
    return this.#client.askOnce({ type: "stop", id: this.#knownId }).catch(() => undefined);
  }
}

function isBeingStopped(): TaskError {
  return new TaskError("TASK_ENDED", { message: "The task is being stopped.", hint: "Resume it." });
}

function endOf({ status, result, reason, usage }: RemoteView): TaskEnd {
  const outcome = status === "running" ? "failed" : status;
  return {
    outcome,
    result,
    usage,
    ...(outcome === "done" ? {} : { reason: reason ?? "the worker gave no reason" }),
  };
}

/** The last pair of offsets that was recorded. */
function lastPosition(
  earlier: readonly JsonObject[],
): { readonly id: string; readonly offset: number; readonly at: number } | undefined {
  const { remote: id, offset, at } = earlier.findLast((facts) => "remote" in facts) ?? {};
  return isTaskId(id) ? { id, offset: asNumber(offset) ?? 0, at: asNumber(at) ?? 0 } : undefined;
}

/** Messages have neither address nor token: an address can have a password in it. @throws `OptionError` */
function checkWorker(name: string, { url, token }: RemoteWorker): void {
  const isAddress = /^https?:\/\/[^\s@?#]+$/.test(url);
  if (isAddress && /^[\x21-\x7e]{16,}$/.test(token)) return;
  throw new OptionError({
    message: `The ${isAddress ? "token" : "url"} of worker ${JSON.stringify(name)} cannot be used.`,
    hint: isAddress
      ? "A token has 16 characters or more, without blanks."
      : "Pass an address such as https://build.example.com:8080, without a password or a query.",
  });
}

/** @throws `TaskError` `TASK_INVALID` */
function checkInput(input: JsonValue, names: readonly string[]): RemoteInput {
  const { worker, prompt } = isObject(input) ? input : {};
  if (
    typeof worker === "string" &&
    names.includes(worker) &&
    typeof prompt === "string" &&
    prompt.trim() !== ""
  )
    return { ...(input as JsonObject), worker, prompt };
  throw new TaskError("TASK_INVALID", {
    message: "The input of a remote agent does not fit.",
    hint: `Pass { worker, prompt }; the workers are ${names.join(", ")}.`,
  });
}
