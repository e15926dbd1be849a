/**
 * A call of a language model of the AI SDK with the window of a session in the place of its prompt.
 *
 * The session takes in what the prompt has that is new, and makes the request; a refusal for its length is recovered from
 * once, before the host sees it; the answer is recorded with its usage.
 */
import type { AgentSession } from "../../agent/agent-session.ts";
import { isObject } from "../../base/json/json.ts";
import { internalsOf } from "../../session/session.ts";
import { AiSdkAssembly, aiSdkAnswer } from "../../wire/ai-sdk/answer.ts";
import { defined } from "../../wire/ai-sdk/carrier.ts";
import { type AiSdkMessage, fromModelMessages } from "../../wire/ai-sdk/model-messages.ts";
import { MessageWriter, takesMarks } from "../../wire/ai-sdk/to-ai-sdk.ts";
import { classifyModelError } from "../../wire/errors/model-failure.ts";
import { type LeavingCall, type ManagedWindow, managedWindow } from "../shared/managed-window.ts";
import { splitSystem } from "./ai-sdk-window.ts";

/** A call of a language model, as far as it is read. */
export interface ModelCall {
  readonly params: CallOptions;
  readonly model: {
    readonly specificationVersion: string;
    readonly provider: string;
    readonly modelId: string;
    doGenerate(options: never): PromiseLike<unknown>;
    doStream(options: never): PromiseLike<unknown>;
  };
}

interface CallOptions {
  readonly prompt: readonly unknown[];
  readonly tools?: readonly unknown[] | undefined;
  readonly abortSignal?: AbortSignal | undefined;
}

/** Options of a call that a request is known by: what a summary on the warm cache repeats. */
const PARAMETERS = [
  "maxOutputTokens",
  "temperature",
  "topP",
  "topK",
  "toolChoice",
  "reasoning",
  "providerOptions",
];

/**
 * Calls the model with the session's window. `selectNew` returns the messages of the prompt that are new; without it
 * the prompt has the whole conversation.
 * @internal
 */
export async function callThroughWindow(
  session: AgentSession,
  method: "doGenerate" | "doStream",
  call: ModelCall,
  selectNew?: (messages: readonly AiSdkMessage[]) => readonly AiSdkMessage[],
): Promise<unknown> {
  const window = managedWindow(session);
  const { params, model } = call;
  const { head, rest } = splitSystem(params.prompt as readonly AiSdkMessage[]);
  const { abortSignal: signal } = params;
  const given = params as CallOptions & Readonly<Record<string, unknown>>;
  const request = {
    model: model.modelId,
    system: head.map(({ content }) => String(content)).join("\n\n"),
    tools: params.tools,
    parameters: defined(Object.fromEntries(PARAMETERS.map((name) => [name, given[name]]))),
  };
  const messages = fromModelMessages(selectNew === undefined ? rest : selectNew(rest));
  const isWhole = selectNew === undefined;
  let leaving = await window.prepare({ messages, request, isWhole }, signal);
  for (;;) {
    const prompt = [...head, ...promptOf(leaving, session, model)];
    const options = { ...params, ...leaving.request.parameters, prompt } as never;
    let result: unknown;
    try {
      result = await (method === "doGenerate" ? model.doGenerate(options) : model.doStream(options));
    } catch (error) {
      const again = await window.recover(leaving, error, signal);
      if (again === undefined) throw error;
      leaving = again;
      continue;
    }
    const stream = isObject(result) ? result["stream"] : undefined;
    if (!(stream instanceof ReadableStream)) {
      // Outside of the attempt: what cannot be recorded was not refused by the provider.
      await window.record(leaving, aiSdkAnswer(result));
      return result;
    }
    const begun = await begin(stream);
    const instead =
      begun.refusal === undefined ? undefined : await window.recover(leaving, begun.refusal, signal);
    if (instead === undefined)
      return { ...(result as object), stream: recorded(begun, new StreamRecord(window, leaving)) };
    begun.reader.cancel().catch(() => undefined);
    leaving = instead;
  }
}

function promptOf(
  { call }: LeavingCall,
  session: AgentSession,
  model: ModelCall["model"],
): readonly unknown[] {
  const { cacheTtl } = internalsOf(session.session).cache.lifetimes;
  const options = {
    version: model.specificationVersion,
    takesMarks: takesMarks(model.provider),
    form: "request",
  } as const;
  return new MessageWriter(options, { cacheMarks: call.cacheMarks, cacheTtl }).write(call.messages);
}

type PartReader = ReadableStreamDefaultReader<unknown>;

/** A stream whose first parts were read. */
interface BegunStream {
  readonly reader: PartReader;
  /** The first reads, which may have failed. */
  readonly first: ReturnType<PartReader["read"]>[];
  /** The error with which it begins. */
  readonly refusal: unknown;
}

/** Parts that come before an answer. */
const HEAD_PARTS: ReadonlySet<unknown> = new Set(["stream-start", "response-metadata", "raw"]);

/** Reads a stream up to the beginning of its answer: OpenAI refuses a prompt that is too long there. */
async function begin(stream: ReadableStream<unknown>): Promise<BegunStream> {
  const reader = stream.getReader();
  const first: BegunStream["first"] = [];
  for (;;) {
    const next = reader.read();
    first.push(next);
    const part = await next.then(
      ({ value }) => (isObject(value) ? value : {}),
      () => ({}) as Readonly<Record<string, unknown>>,
    );
    const { type, error } = part;
    // A provider goes on after an event that it does not know.
    const isUnknown = type === "error" && classifyModelError(error).kind === "unreadable-answer";
    if (type === "error" && !isUnknown) return { reader, first, refusal: error };
    if (!isUnknown && !HEAD_PARTS.has(type)) return { reader, first, refusal: undefined };
  }
}

/** The answer of a stream, which is recorded once: whole, or what was finished of it. */
class StreamRecord {
  readonly #window: ManagedWindow;
  readonly #leaving: LeavingCall;
  readonly #assembly = new AiSdkAssembly({ tell: () => undefined, headers: undefined });
  #isEnded = false;

  constructor(window: ManagedWindow, leaving: LeavingCall) {
    this.#window = window;
    this.#leaving = leaving;
  }

  take(part: unknown): void {
    try {
      this.#assembly.take(part);
    } catch {
      // The stream ended with an error, which the host is shown.
    }
  }

  async end(): Promise<void> {
    if (this.#isEnded) return;
    this.#isEnded = true;
    const answer = this.#assembly.answer();
    const { isComplete } = this.#assembly;
    const messages = isComplete
      ? answer.messages
      : answer.messages.map((message) => ({ ...message, interrupted: true }));
    // After an error at the start there is nothing to record.
    if (isComplete || messages.length > 0) await this.#window.record(this.#leaving, { ...answer, messages });
  }
}

/** The same stream. Its end is not shown before its answer is recorded. */
function recorded({ reader, first }: BegunStream, record: StreamRecord): ReadableStream {
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await (first.shift() ?? reader.read());
        if (done) await record.end();
        if (done) return controller.close();
        record.take(value);
        controller.enqueue(value);
      } catch (error) {
        await record.end();
        throw error;
      }
    },
    async cancel(reason) {
      // The provider's stream ends even if the answer cannot be recorded.
      await Promise.all([record.end(), reader.cancel(reason)]);
    },
  });
}
