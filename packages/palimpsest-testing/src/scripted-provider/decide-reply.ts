/**
 * Decides what happens to one request, in the order in which a provider does it: faults of the way, form,
 * reasoning, length, and then the script.
 *
 * `scripted-provider.ts` sends the decided reply.
 */
import { createHash } from "node:crypto";
import { assert, isObject } from "palimpsest/internal";
import type {
  AnswerTurn,
  Dialect,
  ErrorCase,
  IncomingRequest,
  PromptReading,
  Reply,
  TurnCompaction,
} from "./dialect/dialect.ts";
import type { CacheUse, PromptCache } from "./dialect/emulated-prompt-cache.ts";
import { type FittedAnswer, fitAnswer } from "./dialect/fit-answer.ts";
import type { TextCounter } from "./dialect/prompt.ts";
import { PROVIDER_FACTS } from "./dialect/provider-facts.ts";
import { htmlReply } from "./dialect/reply.ts";
import type { BreakPoint } from "./http-exchange.ts";
import { type OpenRecord, settleRecord } from "./request-record.ts";
import type { Fault, ScriptedAnswer } from "./script/script.ts";

/** A request that was read. */
export interface ReadRequest {
  readonly dialect: Dialect;
  readonly incoming: IncomingRequest;
  readonly reading: PromptReading;
  readonly record: OpenRecord;
  readonly count: TextCounter;
  readonly nowMs: number;
  /** Reads a body as the model reads it, without edits of the provider. */
  readonly readAgain: (body: Readonly<Record<string, unknown>>) => PromptReading;
  readonly key: string;
  /** The text of a summary that the provider makes. */
  readonly summarize: () => string;
}

/** A reply, and where it stops if it does; without a reply nothing is sent until the client has gone. */
export interface DecidedReply {
  readonly reply?: Reply;
  readonly breakPoint?: BreakPoint;
}

/** Words of a failure. */
function failWith(request: Omit<ReadRequest, "reading">, problem: ErrorCase): DecidedReply {
  const { dialect, incoming } = request;
  return { reply: dialect.writeError(problem, incoming) };
}

/** The provider's own refusal; `undefined` lets the script decide. */
export function refuseByRule(request: ReadRequest): DecidedReply | undefined {
  const { dialect, incoming, reading, record } = request;
  const refused = reading.reasoning.refused;
  const violations = [...dialect.judge(incoming), ...(refused === undefined ? [] : [refused])];
  record.violations = violations;
  if (violations[0] !== undefined) {
    settleRecord(record, "refused");
    const [violation] = violations;
    return failWith(request, { kind: "invalid-request", message: violation.message, violation });
  }
  if (incoming.purpose === "count") return undefined;
  const { promptTokens, windowTokens } = record;
  const outputTokens = reading.maxOutputTokens ?? 0;
  const isTooLong = promptTokens > windowTokens;
  if (
    !isTooLong &&
    !(dialect.refusesLongOutput(incoming.model) && promptTokens + outputTokens > windowTokens)
  )
    return undefined;
  settleRecord(record, "overflow");
  return failWith(
    request,
    tooLong(dialect, { promptTokens, windowTokens, ...(isTooLong ? {} : { outputTokens }) }),
  );
}

interface TooLong {
  readonly promptTokens: number;
  readonly windowTokens: number;
  /** True if the text tells the figures. @defaultValue as the vendor usually does */
  readonly hasNumbers?: boolean | undefined;
  /** The prompt alone would fit; with this much output it does not. */
  readonly outputTokens?: number;
}

function tooLong({ tellsFigures }: Dialect, { windowTokens, hasNumbers, ...tokens }: TooLong): ErrorCase {
  const kind = tokens.outputTokens === undefined ? "prompt-too-long" : "output-too-long";
  return (hasNumbers ?? tellsFigures) ? { kind, limitTokens: windowTokens, ...tokens } : { kind };
}

/** An answer of the script, in the words of the API. */
export function answerRequest(
  request: ReadRequest,
  scripted: ScriptedAnswer,
  cache: PromptCache,
): DecidedReply {
  const { dialect, incoming, record, count, nowMs } = request;
  const compacted = request.reading.managed?.compacts === true ? compact(request, cache) : undefined;
  const reading = compacted === undefined ? request.reading : compacted.reading;
  const promptTokens = Math.min(record.promptTokens, scripted.truncatesPromptTo ?? record.promptTokens);
  const isTruncated = promptTokens < record.promptTokens;
  const fitted = fitAnswer(
    scripted,
    { maxOutputTokens: reading.maxOutputTokens, availableTokens: record.windowTokens - promptTokens },
    count,
  );
  const use: CacheUse = isTruncated
    ? { ...NO_CACHE, plainTokens: promptTokens }
    : dialect.useCache(cache, { incoming, reading, nowMs });
  use.commit();
  record.cache = {
    readTokens: use.readTokens,
    writtenTokens: use.writtenTokens["5m"] + use.writtenTokens["1h"],
    plainTokens: use.plainTokens,
  };
  settleRecord(record, "answered", {
    answer: { ...scripted, parts: fitted.parts, stopReason: fitted.stopReason },
  });
  const turn = turnOf(request, scripted, fitted, use);
  return { reply: dialect.writeAnswer({ ...turn, compaction: compacted?.compaction }) };
}

/** Summarises the conversation before it is answered. */
function compact(
  request: ReadRequest,
  cache: PromptCache,
): { readonly reading: PromptReading; readonly compaction: TurnCompaction } {
  const { dialect, incoming, reading, record, count, nowMs, key, summarize } = request;
  assert(dialect.compact !== undefined, "an API that compacts can write what it made");
  const use = dialect.useCache(cache, { incoming, reading, nowMs });
  use.commit();
  const summary = summarize();
  const made = dialect.compact(incoming, summary, key);
  const after = request.readAgain(made.body);
  const outputTokens = Math.ceil(count(summary));
  record.compaction = { promptTokens: record.promptTokens, summaryTokens: outputTokens };
  record.promptTokens = after.promptTokens;
  return {
    reading: { ...reading, positions: after.positions, promptTokens: after.promptTokens },
    compaction: { block: made.block, cache: use, outputTokens },
  };
}

/** A request for a summary alone; `undefined` for others. */
export function summarizeAlone(request: ReadRequest, cache: PromptCache): DecidedReply | undefined {
  const { dialect, incoming, record } = request;
  const isAsked = incoming.purpose === "compact" || isObject(incoming.body["compaction"]);
  if (!isAsked || dialect.writeSummary === undefined) return undefined;
  const { compaction } = compact(request, cache);
  settleRecord(record, "answered");
  const nothing = { parts: [], stopReason: "end", outputTokens: 0, thinkingTokens: 0 } as const;
  const turn = turnOf(request, { parts: [] }, nothing, NO_CACHE);
  return { reply: dialect.writeSummary({ ...turn, compaction }) };
}

const NO_CACHE: CacheUse = {
  readTokens: 0,
  writtenTokens: { "5m": 0, "1h": 0 },
  plainTokens: 0,
  commit: () => undefined,
};

function turnOf(
  { incoming, reading, nowMs }: ReadRequest,
  scripted: ScriptedAnswer,
  answer: FittedAnswer,
  cache: CacheUse,
): AnswerTurn {
  const seed = createHash("sha256");
  for (const { text } of reading.positions) seed.update(text);
  seed.update(JSON.stringify(scripted.parts));
  let idCount = 0;
  return {
    incoming,
    reading,
    answer,
    newId: (prefix) => `${prefix}${seed.copy().update(String(idCount++)).digest("hex").slice(0, ID_LENGTH)}`,
    nowSeconds: Math.floor(nowMs / 1_000),
    usage:
      scripted.usage === "withheld"
        ? undefined
        : {
            cache,
            outputTokens: answer.outputTokens,
            thinkingTokens: answer.thinkingTokens,
            reported: scripted.usage ?? {},
          },
  };
}

/** Characters of an id after its prefix: short enough for every API. */
const ID_LENGTH = 24;

/** A fault of the script or of the plan, carried out on what would have been the answer. */
export function failRequest(
  request: ReadRequest,
  fault: Fault,
  { cache, usual }: { readonly cache: PromptCache; readonly usual: ScriptedAnswer },
): DecidedReply {
  const decided = decideFault(request, fault, (answer) => answerRequest(request, answer ?? usual, cache));
  const isTooLong = fault.fault === "prompt-too-long";
  settleRecord(request.record, isTooLong ? "overflow" : "failed", { fault: fault.fault });
  return decided;
}

function decideFault(
  request: ReadRequest,
  fault: Fault,
  answer: (scripted?: ScriptedAnswer) => DecidedReply,
): DecidedReply {
  const { record, incoming, dialect } = request;
  switch (fault.fault) {
    case "rate-limit":
      return failWith(request, {
        kind: fault.tokensPerMinute === undefined ? "throttled" : "over-rate-limit",
        retryAfterMs: (fault.retryAfterSeconds ?? PROVIDER_FACTS.retryAfterSeconds) * 1_000,
        limitTokens: fault.tokensPerMinute ?? PROVIDER_FACTS.tokensPerMinute,
        promptTokens: record.promptTokens,
      });
    case "server-error":
      return serverError(request, fault.status ?? 500);
    case "overloaded":
      return fault.isMidStream === true && incoming.isStreaming
        ? { reply: brokenOff(answer().reply!, dialect.writeStreamError()) }
        : failWith(request, { kind: "overloaded" });
    case "hang":
      return fault.afterEvents === undefined || !incoming.isStreaming
        ? {}
        : { ...answer(), breakPoint: { afterFrames: fault.afterEvents, kind: "hang" } };
    case "cut":
      return cutReply(answer(fault.answer), fault.afterEvents);
    case "garbage":
      return { reply: garbage(fault.kind ?? "not-json", dialect) };
    case "prompt-too-long": {
      const windowTokens = fault.windowTokens ?? Math.max(1, record.promptTokens - 1);
      // The text never says that a prompt is too long and fits.
      const promptTokens = Math.max(record.promptTokens, windowTokens + 1);
      return failWith(
        request,
        tooLong(dialect, { promptTokens, windowTokens, hasNumbers: fault.hasNumbers }),
      );
    }
    case "body-too-large":
      return fault.isFromEdge === true
        ? { reply: htmlReply(413, "Request Entity Too Large") }
        : failWith(request, { kind: "body-too-large" });
    case "unknown-model":
      return failWith(request, { kind: "unknown-model" });
    case "bad-request":
      return failWith(request, { kind: "invalid-request", message: fault.message });
  }
}

/** The servers in front of the API answer in its place where it cannot be reached. */
function serverError(request: ReadRequest, status: number): DecidedReply {
  if (status === 502) return { reply: htmlReply(status, "Bad Gateway") };
  if (status === 504) return { reply: htmlReply(status, "Gateway Timeout") };
  return failWith(request, { kind: "overloaded", status });
}

function cutReply(decided: DecidedReply, afterEvents: number | undefined): DecidedReply {
  const frames = decided.reply?.frames ?? [];
  const afterFrames = Math.min(afterEvents ?? Math.floor(frames.length / 2), frames.length - 1);
  return { ...decided, breakPoint: { afterFrames, kind: "cut" } };
}

function brokenOff(reply: Reply, error: string): Reply {
  return { ...reply, frames: [...reply.frames.slice(0, Math.ceil(reply.frames.length / 2)), error] };
}

function garbage(kind: "not-json" | "wrong-shape" | "html", dialect: Dialect): Reply {
  if (kind === "wrong-shape") return dialect.writeWrongShape();
  return kind === "html"
    ? {
        status: 200,
        headers: { "content-type": "text/html" },
        frames: ["<!DOCTYPE html><html><body>Sign in to the guest network</body></html>"],
      }
    : {
        status: 200,
        headers: { "content-type": "application/json" },
        frames: ['{"id":"msg_1","type":"message","content":[{"type":"text","te'],
      };
}
