/**
 * Recovers from a call that failed: decides which failures the session can cure, and how.
 *
 * A refusal for size is cured by compaction, and its figures are learned; one for bytes or media by taking media out;
 * one for too long an answer by asking for less; one for thinking whose history was edited by sending none of it. A
 * broken connection is tried once more. Everything else is the caller's. Some providers cut a prompt that is too long
 * and report no error: {@link SilentWatch} finds these.
 */
import { ModelError, type PalimpsestError, PromptTooLongError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json/json.ts";
import { abortedError } from "../../base/stop-if-aborted.ts";
import type { StopReason } from "../../ports/model-client.ts";
import type { ModelFailure, ModelFailureKind } from "../../ports/model-failure.ts";
import type { Refusal } from "../../session/compact/budget-tracker.ts";
import type { SessionEvent } from "../../session/events/events.ts";
import { OUTPUT_PARAMETERS } from "../../session/model/model-call.ts";
import type { CallRequest, PreparedCall } from "../../session/options/prepared-call.ts";
import type { SentCall } from "../../session/request-builder.ts";
import { internalsOf, type Session } from "../../session/session.ts";
import { promptTokens, type Usage } from "../../transcript/blocks.ts";
import { findSilentOverflow, PromptCeiling } from "../../wire/errors/silent-overflow.ts";

/** Tokens of the room for an answer that stay free for the provider's own wrapping. Our choice. */
const OUTPUT_MARGIN_TOKENS = 64;
/** An answer that may not be longer than this is not worth asking for, in tokens. Our choice: a short paragraph and a call. */
const LEAST_OUTPUT_TOKENS = 512;

/** Limits recovery: once for each answer, and once more if only old rounds were collapsed so far. */
export class RecoveryLimit {
  #isSpent = false;
  #hasCollapsed = false;

  get isSpent(): boolean {
    return this.#isSpent;
  }

  began(): void {
    this.#isSpent = true;
  }

  /** The request to send instead: as long as no summary was asked for, there is one left to try. */
  prepared(edits: PreparedCall["edits"]): void {
    if (this.#hasCollapsed || !edits.some(({ edit }) => edit.kind === "collapse")) return;
    this.#hasCollapsed = true;
    this.#isSpent = false;
  }

  /** Another answer is asked for. */
  clear(): void {
    this.#isSpent = false;
    this.#hasCollapsed = false;
  }
}

/** Writes into the log what a call failed with. */
export async function logFailedCall(session: Session, callSeq: number, failure: ModelFailure): Promise<void> {
  if (callSeq === 0) return;
  const { writer, calls } = internalsOf(session);
  await internalsOf(session).inTurn(async () => {
    const error = { code: failure.kind, message: failure.message };
    await writer.appendOne({ type: "answer", callSeq, error });
    calls.answered(callSeq);
  });
}

/** The changes before a request is made again. */
interface Recovery {
  /** The refusal that makes the next request smaller; `undefined` if it is sent unchanged. */
  readonly refusal: (callSeq: number) => Refusal | undefined;
  /** Parameters of the request that become others. */
  readonly adapt: (request: CallRequest) => { readonly parameters?: JsonObject };
  /** True if the provider is asked for no more edits. */
  readonly endsProviderEdits?: boolean;
}

/** The provider names the edits that a request asks for as what is wrong with it. */
const PROVIDER_EDITS = /context_management|clear_tool_uses|clear_thinking|compact_20|compact_threshold/;

const UNCHANGED = (): { readonly parameters?: JsonObject } => ({});

/** Returns the cure of a failure; `undefined` if the session has none. */
export function recoveryOf(failure: ModelFailure): Recovery | undefined {
  const { promptTokens, limitTokens } = failure;
  switch (failure.kind) {
    case "prompt-too-long":
    case "over-rate-limit": {
      const isWindow = failure.kind === "prompt-too-long";
      const size = { what: "size", reason: "reactive", promptTokens, limitTokens, isWindow } as const;
      return { refusal: (callSeq) => ({ ...size, callSeq }), adapt: UNCHANGED };
    }
    case "output-too-long":
      return shorterAnswer(failure);
    case "body-too-large":
    case "media-too-large":
      return { refusal: () => ({ what: "media" }), adapt: UNCHANGED };
    case "invalid-request":
      if (PROVIDER_EDITS.test(failure.message))
        return { refusal: () => undefined, adapt: UNCHANGED, endsProviderEdits: true };
      if (failure.isThinkingBinding !== true) return undefined;
      return { refusal: () => ({ what: "thinking" }), adapt: UNCHANGED };
    case "network":
    case "timeout":
    case "unreadable-answer":
      return { refusal: () => undefined, adapt: UNCHANGED };
    default:
      return undefined;
  }
}

/** Prompt and answer together are too long: the answer gives way where that leaves enough of it, else the prompt. */
function shorterAnswer({ promptTokens, limitTokens, outputTokens }: ModelFailure): Recovery {
  const leftTokens =
    promptTokens === undefined || limitTokens === undefined
      ? 0
      : limitTokens - promptTokens - OUTPUT_MARGIN_TOKENS;
  const fitsTokens =
    limitTokens === undefined || outputTokens === undefined ? undefined : limitTokens - outputTokens;
  return {
    refusal: (callSeq) =>
      leftTokens < LEAST_OUTPUT_TOKENS
        ? {
            what: "size",
            reason: "reactive",
            callSeq,
            promptTokens,
            limitTokens: fitsTokens,
            isWindow: false,
          }
        : undefined,
    adapt: ({ parameters = {} }) => {
      const name = OUTPUT_PARAMETERS.find((one) => typeof parameters[one] === "number");
      if (name === undefined || leftTokens < LEAST_OUTPUT_TOKENS) return {};
      return { parameters: { ...parameters, [name]: Math.min(Number(parameters[name]), leftTokens) } };
    },
  };
}

const SIZE_KINDS: ReadonlySet<ModelFailureKind> = new Set([
  "prompt-too-long",
  "over-rate-limit",
  "output-too-long",
  "body-too-large",
  "media-too-large",
]);

/** The error that a failure ends a turn with. */
export function refusalError(
  failure: ModelFailure,
  { error, promptTokens }: { readonly error: unknown; readonly promptTokens: number },
): PalimpsestError {
  const { kind, message, status } = failure;
  if (kind === "aborted")
    return abortedError({
      what: "The call",
      hint: "The messages so far are in the log; go on with an empty turn when you like.",
      cause: error,
    });
  if (SIZE_KINDS.has(kind))
    return new PromptTooLongError({
      promptTokens: failure.promptTokens ?? promptTokens,
      limitTokens: failure.limitTokens,
      reply: message,
      cause: error,
    });
  return new ModelError(failure, {
    message: `The model could not be asked (${kind}${status === undefined ? "" : `, status ${status}`}): ${message}`,
    hint: hintFor(failure),
    cause: error,
  });
}

function hintFor({ kind, retryAfterMs }: ModelFailure): string {
  if (kind !== "throttled" || retryAfterMs === undefined)
    return HINTS[kind] ?? "Try again; the messages so far are in the log.";
  const seconds = Math.ceil(retryAfterMs / 1_000);
  const wait = seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`;
  return `Wait ${wait}, as the provider asks, and go on with an empty turn: the message is in the log.`;
}

const HINTS: Partial<Record<ModelFailureKind, string>> = {
  throttled: "Wait a while, and go on with an empty turn: the message is in the log.",
  network: "See whether the address is right and a server answers there. The messages so far are in the log.",
  overloaded: "Try again in a while, or set more retries in the SDK's client.",
  "not-allowed": "Check key, permissions and credit of the account.",
  "unknown-model": "Check the model's id as its provider spells it.",
  "invalid-request": "The provider refuses the form of the request: check parameters and tools.",
};

export class SilentWatch {
  readonly #session: Session;
  readonly #ceiling = new PromptCeiling();
  /** The request that was prepared last. */
  #prepared: PreparedCall | undefined;
  /** It by estimate alone, whatever was reported before. */
  #sent: SentCall["estimated"] = { estimatedTokens: 0, generation: 0 };

  constructor(session: Session) {
    this.#session = session;
  }

  left(prepared: PreparedCall, estimated: SentCall["estimated"]): void {
    this.#prepared = prepared;
    this.#sent = estimated;
  }

  /** The request was answered; returns what to tell if the answer hides an overflow. */
  answered(
    callSeq: number,
    answer: { readonly usage: Usage; readonly stopReason: StopReason },
  ): SessionEvent | undefined {
    const prepared = this.#prepared;
    if (prepared?.callSeq !== callSeq) return undefined;
    const { budgets, tracker } = internalsOf(this.#session);
    const { windowTokens } = budgets.budget;
    const reportedTokens = promptTokens(answer.usage);
    const ceilingTokens =
      reportedTokens > 0 ? this.#ceiling.observe({ ...this.#sent, reportedTokens }) : undefined;
    const estimatedTokens = Math.max(prepared.tokens.total, this.#sent.estimatedTokens);
    const failure = findSilentOverflow({ ...answer, windowTokens, estimatedTokens, ceilingTokens });
    if (failure === undefined) return undefined;
    // The report is about a prompt that was cut: it says nothing of the window.
    tracker.ledger.distrustReport();
    const { limitTokens } = failure;
    budgets.refused({ what: "size", reason: "silent-overflow", callSeq, limitTokens, isWindow: false });
    return { type: "model-failed", seq: callSeq, failure, isRecovered: true };
  }
}
