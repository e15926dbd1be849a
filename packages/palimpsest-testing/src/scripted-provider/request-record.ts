/**
 * Keeps what came in and what became of it, for scripts and tests.
 */
import type { Violation } from "../wire-oracle/wire-oracle.ts";
import type { IncomingRequest, PromptReading } from "./dialect/dialect.ts";
import { PROVIDER_FACTS } from "./dialect/provider-facts.ts";
import type { RecordedRequest, RequestOutcome } from "./provider-options.ts";
import type { Fault, ProviderApi, ScriptedAnswer } from "./script/script.ts";

type Writable<T> = { -readonly [Field in keyof T]: T[Field] };

/** A record while its request is under way. */
export type OpenRecord = Writable<RecordedRequest>;

/** All records of one provider. */
export class RequestBook {
  readonly requests: OpenRecord[] = [];

  /** Opens a record; the figures of its prompt come with {@link fillIn}. */
  open({
    api,
    purpose,
    incoming,
    retryCount,
  }: {
    readonly api: ProviderApi;
    readonly purpose: RecordedRequest["purpose"];
    readonly incoming: Partial<IncomingRequest>;
    readonly retryCount: number;
  }): OpenRecord {
    const record: OpenRecord = {
      index: this.requests.length,
      api,
      purpose,
      model: incoming.model ?? "",
      body: incoming.body,
      betas: incoming.betas ?? [],
      isStreaming: incoming.isStreaming ?? false,
      retryCount,
      systemText: "",
      lastUserText: "",
      toolNames: [],
      promptTokens: 0,
      windowTokens: 0,
      maxOutputTokens: undefined,
      outcome: "pending",
      status: undefined,
      violations: [],
      appliedEdits: [],
      compaction: undefined,
      cache: { readTokens: 0, writtenTokens: 0, plainTokens: 0 },
      reasoning: { keptCount: 0, droppedCount: 0 },
      fault: undefined,
      answer: undefined,
      isAborted: false,
    };
    this.requests.push(record);
    const aged = this.requests[record.index - PROVIDER_FACTS.bodiesKept];
    if (aged !== undefined) aged.body = undefined;
    return record;
  }

  get violations(): readonly (Violation & { readonly requestIndex: number })[] {
    return this.requests.flatMap(({ violations, index }) =>
      violations.map((violation) => ({ ...violation, requestIndex: index })),
    );
  }

  get overflows(): readonly RecordedRequest[] {
    return this.requests.filter(({ outcome }) => outcome === "overflow");
  }
}

/** Adds what a dialect read. */
export function fillIn(record: OpenRecord, reading: PromptReading, windowTokens: number): void {
  record.systemText = reading.systemText;
  record.lastUserText = reading.lastUserText;
  record.toolNames = reading.toolNames;
  record.promptTokens = reading.promptTokens;
  record.maxOutputTokens = reading.maxOutputTokens;
  record.windowTokens = windowTokens;
  record.appliedEdits = reading.managed?.applied ?? [];
  record.reasoning = {
    keptCount: reading.reasoning.keptCount,
    droppedCount: reading.reasoning.dropped.length,
  };
}

/** Says how it ended. */
export function settleRecord(
  record: OpenRecord,
  outcome: RequestOutcome,
  details: { readonly fault?: Fault["fault"]; readonly answer?: ScriptedAnswer } = {},
): void {
  record.outcome = outcome;
  record.fault = details.fault;
  record.answer = details.answer;
}
