/**
 * The HTTP requests of a vendor's SDK, with a managed window.
 *
 * DESIGN. The SDK's methods stay as they are; only the request that leaves is changed. So streams, helpers and the SDK's
 * own tool runner, which all end in one request, are covered without knowing any of them, in every version. A request that
 * is not for a model, or for no session, passes as it is. What the provider refuses is recovered from once; if that does
 * not help, the SDK gets the provider's refusal and throws its own error.
 */
import type { AgentSession } from "../../agent/agent-session.ts";
import { ModelError, PalimpsestError } from "../../base/errors.ts";
import { isObject, type JsonObject } from "../../base/json/json.ts";
import { parseBounded } from "../../base/json/parse-bounded.ts";
import type { ModelAnswer } from "../../ports/model-client.ts";
import type { Deadline } from "../../ports/runtime.ts";
import type { Message } from "../../transcript/blocks.ts";
import type { Assembly } from "../../wire/shared/answer-assembly.ts";
import { SseReader } from "../../wire/shared/sse.ts";
import { type HostCall, type LeavingCall, type ManagedWindow, managedWindow } from "./managed-window.ts";

/** Finds the session of a request by the name in its header `palimpsest-session`. */
type FindSession = (name: string | undefined) => AgentSession | undefined | Promise<AgentSession | undefined>;

/** The session that a client's requests belong to. */
export interface ManagedClientOptions {
  /**
   * The session of all requests; or a function that gets the value of a request's header `palimpsest-session`. Requests
   * for which it returns `undefined` are sent as they are. The header itself is never sent.
   */
  readonly session: AgentSession | FindSession;
}

/** A request on its way to `fetch`. @internal */
export interface HttpRequest {
  readonly url: string;
  readonly method?: string | undefined;
  readonly headers: Headers;
  readonly body?: unknown;
  readonly signal?: AbortSignal | null | undefined;
}

type Send<Request> = (request: Request) => Promise<Response>;

/** An error in the words that both vendors' SDKs read. @internal */
interface RequestRefusal {
  readonly refused: { readonly message: string; readonly code?: string; readonly details?: JsonObject };
}

/** An API of a vendor. @internal */
export interface ManagedApi {
  /** The call of a body, or why it is refused; `undefined` where the provider should judge it. */
  read(
    body: JsonObject,
    from: { readonly headers: Headers; readonly window: ManagedWindow },
  ): HostCall | RequestRefusal | undefined;
  /** The body that is sent. */
  write(body: JsonObject, leaving: LeavingCall, window: ManagedWindow): JsonObject;
  /** Beta features that it needs besides those that the host names; APIs without any have none. */
  betas?(leaving: LeavingCall): readonly string[];
  answer(body: unknown): ModelAnswer;
  assembly(): Assembly;
  /** Types of events that come before a refusal in a stream, where the provider refuses there, too. */
  readonly headEvents?: ReadonlySet<unknown>;
  /** A message without what only a helper of the SDK writes into it, so that an answer equals what the host sends back. */
  plain(message: Message): Message;
}

/** The header that names the session of a request. */
const SESSION_HEADER = "palimpsest-session";
/** Anthropic's header for beta features. */
const BETA_HEADER = "anthropic-beta";

/** Sends a request, with the window of its session in the place of its messages. @internal */
export async function managedFetch<Request extends HttpRequest>(
  request: Request,
  {
    send,
    apis,
    session,
  }: { readonly send: Send<Request>; readonly apis: ReadonlyMap<string, ManagedApi> } & ManagedClientOptions,
): Promise<Response> {
  const { headers } = request;
  const name = headers.get(SESSION_HEADER) ?? undefined;
  headers.delete(SESSION_HEADER);
  const api = request.method?.toUpperCase() === "POST" ? apiOf(request.url, apis) : undefined;
  const parsed = typeof request.body === "string" ? parseBounded(request.body) : undefined;
  if (api === undefined || parsed?.ok !== true || !isObject(parsed.value)) return send(request);
  try {
    const found = typeof session === "function" ? await session(name) : session;
    if (found === undefined) return await send(request);
    const window = managedWindow(found);
    const body = parsed.value as JsonObject;
    const call = api.read(body, { headers, window });
    if (call !== undefined && "refused" in call) return refusalOf(call);
    // Without messages it goes on with what the provider keeps, such as a prompt: there is no list to compare with.
    if (call === undefined || call.messages.length === 0) return await send(request);
    return await new Exchange(request, { send, api, window, body }).answer(call);
  } catch (error) {
    request.signal?.throwIfAborted();
    if (!(error instanceof PalimpsestError)) throw error;
    const { code, message, hint } = error;
    return refusalOf({ refused: { code, message: `${message} ${hint}` } });
  }
}

function apiOf(url: string, apis: ReadonlyMap<string, ManagedApi>): ManagedApi | undefined {
  const path = (url.split(/[?#]/, 1)[0] ?? "").replace(/\/$/, "");
  for (const [end, api] of apis) if (path.endsWith(end)) return api;
  return undefined;
}

/** A refusal that no SDK sends again: it would report an error that its `fetch` throws as a broken connection. */
function refusalOf({ refused }: RequestRefusal): Response {
  const error = { type: "invalid_request_error", ...refused };
  return new Response(JSON.stringify({ type: "error", error }), {
    status: 400,
    headers: { "content-type": "application/json", "x-should-retry": "false" },
  });
}

interface ExchangeParts<Request> {
  readonly send: Send<Request>;
  readonly api: ManagedApi;
  readonly window: ManagedWindow;
  readonly body: JsonObject;
}

/** One request of the SDK: sent, recovered from a refusal, recorded. */
class Exchange<Request extends HttpRequest> {
  readonly #request: Request;
  readonly #parts: ExchangeParts<Request>;
  readonly #signal: AbortSignal | undefined;

  constructor(request: Request, parts: ExchangeParts<Request>) {
    this.#request = request;
    this.#parts = parts;
    this.#signal = request.signal ?? undefined;
  }

  async answer(call: HostCall): Promise<Response> {
    const { window, body, api } = this.#parts;
    const messages = call.messages.map(api.plain);
    let leaving = await window.prepare({ ...call, messages }, this.#signal);
    for (;;) {
      const response = await this.#send(leaving);
      const isStream = response.ok && body["stream"] === true;
      if (response.ok && !isStream) return this.#whole(response, leaving);
      const { deadline } = window.session;
      const refusal = isStream ? await refusalIn(response, api, deadline) : await errorOf(response.clone());
      // The SDK has given up: it would take the stream that breaks for one that ended.
      this.#signal?.throwIfAborted();
      const instead =
        refusal === undefined ? undefined : await window.recover(leaving, refusal, this.#signal);
      if (instead === undefined) return isStream ? this.#streamed(response, leaving) : response;
      response.body?.cancel().catch(() => undefined);
      leaving = instead;
    }
  }

  #send(leaving: LeavingCall): Promise<Response> {
    const { send, api, body, window } = this.#parts;
    const headers = new Headers(this.#request.headers);
    const named = headers.get(BETA_HEADER)?.split(/ *, */) ?? [];
    const betas = new Set([...named, ...(api.betas?.(leaving) ?? [])]);
    if (betas.size > named.length) headers.set(BETA_HEADER, [...betas].join(","));
    return send({ ...this.#request, headers, body: JSON.stringify(api.write(body, leaving, window)) });
  }

  async #whole(response: Response, leaving: LeavingCall): Promise<Response> {
    const parsed = parseBounded(await response.clone().text());
    const answer = parsed.ok ? readable(() => this.#parts.api.answer(parsed.value)) : undefined;
    if (answer !== undefined) await this.#record(leaving, answer);
    return response;
  }

  #record(leaving: LeavingCall, answer: ModelAnswer): Promise<void> {
    const { api, window } = this.#parts;
    return window.record(leaving, { ...answer, messages: answer.messages.map(api.plain) });
  }

  /** The same stream; its answer is recorded before its end is passed on. */
  #streamed(response: Response, leaving: LeavingCall): Response {
    const reader = response.body?.getReader();
    if (reader === undefined) return response;
    const watch = new StreamWatch(this.#parts.api.assembly());
    const ended = once(() => {
      this.#signal?.removeEventListener("abort", aborted);
      const answer = watch.answer();
      return answer === undefined ? Promise.resolve() : this.#record(leaving, answer);
    });
    // An SDK that aborts may not read on.
    const aborted = (): void => void ended().catch(() => undefined);
    this.#signal?.addEventListener("abort", aborted);
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const piece = await reader.read().catch(async (error: unknown) => {
          await ended();
          throw error;
        });
        if (piece.value !== undefined) {
          watch.take(piece.value);
          controller.enqueue(piece.value);
        }
        if (!piece.done) return;
        await ended();
        controller.close();
      },
      cancel: async (reason) => {
        await Promise.all([ended(), reader.cancel(reason)]);
      },
    });
    const { status, statusText, headers } = response;
    return new Response(body, { status, statusText, headers });
  }
}

/** Reads along what the SDK reads. What it cannot read is the SDK's to report. */
class StreamWatch {
  readonly #events = new SseReader();
  readonly #assembly: Assembly;
  #isBroken = false;

  constructor(assembly: Assembly) {
    this.#assembly = assembly;
  }

  take(bytes: Uint8Array): void {
    if (!this.#isBroken) this.#read(() => this.#events.take(bytes));
  }

  /** The answer, or what of it is finished. */
  answer(): ModelAnswer | undefined {
    if (!this.#isBroken) this.#read(() => this.#events.end());
    return readable(() => this.#assembly.answer());
  }

  #read(events: () => readonly unknown[]): void {
    this.#isBroken =
      readable(() => {
        for (const event of events()) this.#assembly.take(event);
        return true;
      }) === undefined;
  }
}

/** The result, or `undefined` where the provider sent something else than an answer. */
function readable<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
}

/** Wait for the first event of an answer, in milliseconds. Our choice: refusals come at once, and a slow model must not use up the SDK's time limit. */
const HEAD_LIMIT_MS = 2_000;

/** The refusal with which a stream begins; `undefined` if it begins with an answer, or with neither for a while. */
async function refusalIn(
  response: Response,
  { headEvents, assembly }: ManagedApi,
  deadline: Deadline,
): Promise<unknown> {
  // A copy that is not read to its end would keep the whole stream, and keep it open.
  if (headEvents === undefined || response.body === null) return undefined;
  const reader = response.clone().body!.getReader();
  // Resolves when the SDK has read it, too.
  const stop = (): void => void reader.cancel().catch(() => undefined);
  const cancelLimit = deadline.after(HEAD_LIMIT_MS, stop);
  const [events, read] = [new SseReader(), assembly()];
  try {
    for (let isHead = true; isHead; ) {
      const { value, done } = await reader.read();
      if (done) return undefined;
      for (const event of events.take(value)) {
        read.take(event);
        isHead &&= isObject(event) && headEvents.has(event["type"]);
      }
    }
    return undefined;
  } catch (error) {
    // A connection that breaks does so for the SDK as well, which reads the same bytes.
    return error instanceof ModelError ? error : undefined;
  } finally {
    cancelLimit();
    stop();
  }
}

/** The refusal with the fields of an SDK's error, by which errors are classified. */
async function errorOf(response: Response): Promise<object> {
  const { status, headers } = response;
  const message = await response.text();
  const parsed = parseBounded(message);
  return { message, status, headers, ...(parsed.ok ? { error: parsed.value } : {}) };
}
