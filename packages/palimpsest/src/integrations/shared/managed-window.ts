/**
 * The calls of a host that owns its list of messages: the list comes in, the window goes out, the answer is recorded.
 *
 * DESIGN. The host's list is the truth of each call, so nothing is kept here between two of them. Steps that change the
 * session run one after another; sending does not, so that a stream that is never read to its end blocks nothing. If
 * another call was prepared meanwhile, a refusal of the earlier one is left to the host.
 */
import type { AgentSession } from "../../agent/agent-session.ts";
import type { AgentRequest } from "../../agent/options/turn/turn-options.ts";
import { OptionError, PalimpsestError } from "../../base/errors.ts";
import type { ModelAnswer } from "../../ports/model-client.ts";
import type { ModelFailureKind } from "../../ports/model-failure.ts";
import { validateUsage } from "../../session/model/validate-answer.ts";
import type { PreparedCall } from "../../session/options/prepared-call.ts";
import type { Message } from "../../transcript/blocks.ts";
import { classifyModelError } from "../../wire/errors/model-failure.ts";

/** A call as a host makes it. @internal */
export interface HostCall {
  /** Everything but the conversation. */
  readonly request: AgentRequest;
  /** The whole list, or only what is new since `previousId`. */
  readonly messages: readonly Message[];
  /** False: the messages are only what is new, and the session has all before them. @defaultValue true */
  readonly isWhole?: boolean;
  /** The answer that the host goes on from, where the provider would keep the list. */
  readonly previousId?: string | undefined;
}

/** A call that leaves: the window, and the host's request as it is sent with it. @internal */
export interface LeavingCall {
  readonly call: PreparedCall;
  readonly request: AgentRequest;
}

/** Failures for which the SDK sends the same request again by itself. */
const LEFT_TO_SDK: ReadonlySet<ModelFailureKind> = new Set(["network", "timeout", "unreadable-answer"]);

const windows = new WeakMap<AgentSession, ManagedWindow>();

/** The window of a session, for as many clients as send its calls. @internal */
export function managedWindow(session: AgentSession): ManagedWindow {
  const known = windows.get(session);
  if (known !== undefined) return known;
  const made = new ManagedWindow(session);
  windows.set(session, made);
  return made;
}

/** The calls of one session. @internal */
export class ManagedWindow {
  readonly session: AgentSession;
  #newest: PreparedCall | undefined;
  /** The newest answer, and the one from which the host went on last: numbers by id. */
  #answered: ReadonlyMap<string, number> = new Map();
  #previous: ReadonlyMap<string, number> = new Map();
  #last: Promise<unknown> = Promise.resolve();

  constructor(session: AgentSession) {
    this.session = session;
  }

  /** Takes in the host's messages and makes the request to send. @throws as `reconcile` and `prepare` */
  prepare(
    { messages, request, previousId, isWhole = true }: HostCall,
    signal: AbortSignal | undefined,
  ): Promise<LeavingCall> {
    return this.#inOrder(async () => {
      if (previousId !== undefined) await this.#goOn(previousId, messages);
      else if (isWhole) await this.session.reconcile(messages);
      else if (messages.length > 0) await this.session.append(messages);
      return this.#leave(await this.session.prepare(request, { signal }));
    });
  }

  /** The request to send instead of one that was refused; `undefined` where the refusal is the host's. */
  recover(
    { call }: LeavingCall,
    error: unknown,
    signal: AbortSignal | undefined,
  ): Promise<LeavingCall | undefined> {
    return this.#inOrder(async () => {
      if (this.#newest !== call || LEFT_TO_SDK.has(classifyModelError(error).kind)) return undefined;
      try {
        return this.#leave(await this.session.recover(error, { signal }));
      } catch (refused) {
        // The SDK throws the provider's own refusal. It is in the log by now.
        if (refused instanceof PalimpsestError && refused.cause === error) return undefined;
        throw refused;
      }
    });
  }

  /** Records an answer. What was cut off keeps its finished texts, so that no call in it waits for a result. */
  record({ call: { callSeq } }: LeavingCall, answer: ModelAnswer): Promise<void> {
    const { stopReason, rawStopReason = stopReason } = answer;
    const isCut = answer.messages.some(({ interrupted }) => interrupted === true);
    const messages = isCut ? answer.messages.flatMap(finishedTexts) : answer.messages;
    return this.#inOrder(async () => {
      if (isCut && messages.length === 0) return;
      const stop = isCut ? "interrupted" : rawStopReason;
      const { providerEdits } = answer;
      const seqs = await this.session.record(
        { callSeq, messages, usage: usageOf(answer), stopReason: stop, providerEdits },
        answer,
      );
      const [id, seq] = [messages.at(-1)?.responseId, seqs.at(-1)];
      if (id !== undefined && seq !== undefined) this.#answered = new Map([[id, seq]]);
    });
  }

  /** Appends what is new since an answer. If the answer is not the newest message, the host goes back to it. */
  async #goOn(previousId: string, messages: readonly Message[]): Promise<void> {
    const spoken = this.session.visible.filter(
      ({ origin }) => origin === "user" || origin === "tool" || origin === "assistant",
    );
    const answer = spoken.findLast(({ responseId }) => responseId === previousId);
    const seq = answer?.seq ?? this.#answered.get(previousId) ?? this.#previous.get(previousId);
    if (seq === undefined)
      throw new OptionError({
        message: `The answer ${previousId} is not in the session's window.`,
        hint: "Send the whole list of messages instead of the id of the previous answer.",
      });
    this.#previous = new Map([[previousId, seq]]);
    // It may be hidden by a compaction: by hand, with nothing said since; or by a request that failed and is sent again,
    // for which the host goes back to before that.
    const newestSeq = spoken.at(-1)?.seq ?? [...this.#answered.values()].at(0);
    if (newestSeq !== seq) await this.session.rewind(seq);
    await this.session.append(messages);
  }

  #leave(call: PreparedCall): LeavingCall {
    this.#newest = call;
    return { call, request: this.session.lastRequest ?? call };
  }

  #inOrder<Result>(step: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(step);
    this.#last = done.catch(() => undefined);
    return done;
  }
}

function finishedTexts(message: Message): readonly Message[] {
  const content = message.content.filter(({ type }) => type === "text");
  return content.length === 0 ? [] : [{ ...message, content }];
}

/** Figures that make no sense are left out: the answer matters more. */
function usageOf({ usage }: ModelAnswer): ModelAnswer["usage"] {
  try {
    return validateUsage(usage);
  } catch {
    return undefined;
  }
}
