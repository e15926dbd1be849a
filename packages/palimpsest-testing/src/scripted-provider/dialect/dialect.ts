/**
 * The interface of each API that the server speaks: to judge a request, to read it, and to word what is sent
 * back. The order of events is the same for all of them and is in `decide-reply.ts`.
 */
import type { JsonObject, ModelFailure } from "palimpsest/internal";
import type { Violation } from "../../wire-oracle/wire-oracle.ts";
import type { ProviderApi, ReportedUsage } from "../script/script.ts";
import type { CacheUse, PromptCache } from "./emulated-prompt-cache.ts";
import type { FittedAnswer } from "./fit-answer.ts";
import type { PromptPosition, TextCounter } from "./prompt.ts";

/** A request whose body was parsed. */
export interface IncomingRequest {
  /** `compact`: a summary of the conversation alone. */
  readonly purpose: "answer" | "count" | "compact";
  readonly body: Readonly<Record<string, unknown>>;
  readonly model: string;
  readonly betas: readonly string[];
  readonly isStreaming: boolean;
}

/** Options of the provider on which reading a request depends. */
export interface ReadingRules {
  readonly key: string;
  readonly bindsThinking: boolean;
  readonly acceptsForeignReasoning: boolean;
  readonly count: TextCounter;
}

/** The changes that a provider makes to a request before its model reads it. */
export interface ManagedContext {
  /** The body as the model reads it. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The edits, in the words in which they are reported. */
  readonly applied: readonly JsonObject[];
  /** True if the conversation is summarised before the answer. */
  readonly compacts: boolean;
  /** Tokens of the prompt without the edits. */
  readonly originalTokens: number;
}

/** Contents of a request, as a dialect reads it. */
export interface PromptReading {
  readonly positions: readonly PromptPosition[];
  readonly promptTokens: number;
  readonly systemText: string;
  readonly lastUserText: string;
  readonly toolNames: readonly string[];
  readonly maxOutputTokens: number | undefined;
  readonly reasoning: {
    readonly keptCount: number;
    /** Reasoning that the model does not get to read, where it stands, and why. */
    readonly dropped: readonly { readonly path: string; readonly reason: string }[];
    /** The first piece that the provider refuses. */
    readonly refused: Violation | undefined;
  };
  /** Seals reasoning of the answer, in the order of its parts. */
  readonly seal: AnswerSealer;
  /** Absent where the request asks for no edits. */
  readonly managed?: ManagedContext | undefined;
}

/** Seals the reasoning of one answer as the answer grows. */
interface AnswerSealer {
  /** The signature of reasoning that stands here. */
  sealThinking(text: string): string;
  /** Something else stands here, written as the client will send it back. */
  addBlock(block: Readonly<Record<string, unknown>>): void;
  /** A summary takes the place of everything before it. */
  compacted(block: Readonly<Record<string, unknown>>): void;
}

/** Something that is refused or fails, to be put in a vendor's words where it has none. */
export type ErrorCase = Omit<ModelFailure, "message"> & {
  readonly message?: string;
  /** The broken rule of the form, and the field that breaks it. */
  readonly violation?: Violation;
};

/** A reply: one text, or the events of a stream one by one. */
export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly frames: readonly string[];
}

/** An answer with everything that its wording needs. */
export interface AnswerTurn {
  readonly incoming: IncomingRequest;
  readonly reading: PromptReading;
  readonly answer: FittedAnswer;
  /** Makes ids that are the same for the same request. */
  readonly newId: (prefix: string) => string;
  /** Seconds since the epoch, for fields that tell when. */
  readonly nowSeconds: number;
  readonly usage: AnswerUsage | undefined;
  /** The summary that was made on the way. */
  readonly compaction?: TurnCompaction | undefined;
}

/** A summary that was made before the answer: the block that holds it, and what it cost. */
export interface TurnCompaction {
  readonly block: JsonObject;
  readonly cache: Omit<CacheUse, "commit">;
  readonly outputTokens: number;
}

/** The figures that are reported. */
interface AnswerUsage {
  readonly cache: Omit<CacheUse, "commit">;
  readonly outputTokens: number;
  readonly thinkingTokens: number;
  readonly reported: ReportedUsage;
}

/** Description of a model. */
interface ModelFacts {
  readonly model: string;
  readonly windowTokens: number;
  readonly maxOutputTokens: number;
}

/** One API. */
export interface Dialect {
  readonly api: ProviderApi;
  /** Rules that the request breaks. Takes any JSON object, and never throws. */
  judge(incoming: IncomingRequest): readonly Violation[];
  /** Reads a request in which no rule is broken, as well as it can also any other. */
  read(incoming: IncomingRequest, rules: ReadingRules): PromptReading;
  useCache(
    cache: PromptCache,
    request: { readonly incoming: IncomingRequest; readonly reading: PromptReading; readonly nowMs: number },
  ): CacheUse;
  /** The conversation with a summary in its place; APIs without compaction have none. */
  compact?(
    incoming: IncomingRequest,
    summary: string,
    key: string,
  ): { readonly body: Readonly<Record<string, unknown>>; readonly block: JsonObject };
  /** Answers a request for a summary alone. */
  writeSummary?(turn: AnswerTurn & { readonly compaction: TurnCompaction }): Reply;
  /** True if a request is refused whose prompt fits the window, but not with the output it asks for. */
  refusesLongOutput(model: string): boolean;
  writeCount(promptTokens: number, managed?: ManagedContext): Reply;
  writeModel(facts: ModelFacts): Reply;
  writeAnswer(turn: AnswerTurn): Reply;
  /** An answer that has nothing of the shape that clients wait for. */
  writeWrongShape(): Reply;
  /** What it says of a body that is not JSON, and of a path that it does not know. */
  readonly words: { readonly notJson: string; notFound(path: string): string };
  /** True if it tells how long a prompt is that is too long. */
  readonly tellsFigures: boolean;
  writeError(problem: ErrorCase, request: { readonly model: string; readonly isStreaming: boolean }): Reply;
  /** The event that breaks a stream off with an error. */
  writeStreamError(): string;
}
