/**
 * Classifies the error of a failed model call, whichever SDK threw it. The engine reacts to the result alone.
 *
 * The text of an error counts more than its HTTP status, because gateways change statuses but keep texts: a prompt that is
 * too long is reported as 400, 413, 422, 500 or in the middle of a stream. A few statuses are reliable (refused keys, too
 * many requests); these decide which texts are searched for first.
 */
import { ModelError } from "../../base/errors.ts";
import { isObject } from "../../base/json/json.ts";
import { cutWithoutSecrets } from "../../base/redaction/broken-secrets.ts";
import { showHidden } from "../../base/text/hidden-characters.ts";
import { shorten, toWellFormed } from "../../base/text/text.ts";
import type { ModelFailure, ModelFailureKind } from "../../ports/model-failure.ts";
import {
  believedWait,
  type FailureEvidence,
  type FailureRow,
  type FoundRow,
  findRow,
  gatherFailureEvidence,
} from "./failure-evidence.ts";
import {
  BINDING_ROWS,
  REFUSED_ROWS,
  THROTTLED_ROWS,
  TOO_LARGE_ROWS,
  TRANSPORT_ROWS,
} from "./other-failure-rows.ts";
import { OVER_RATE_LIMIT_ROWS, TOO_LONG_ROWS } from "./too-long-rows.ts";

/** Longest message of a failure, in UTF-16 units. Our choice: a few lines of a log. */
const MESSAGE_CHARS = 500;
/** Largest number of tokens or bytes that is believed. Our choice: a larger number is an error. */
const LARGEST_FIGURE = 1_000_000_000_000;
/** Texts of errors about a request's size or form. */
const REQUEST_ROWS = [...BINDING_ROWS, ...TOO_LONG_ROWS, ...TOO_LARGE_ROWS];

/** All rows, in the order in which they are tried without a status. @internal */
export const FAILURE_ROWS: readonly FailureRow[] = [
  ...OVER_RATE_LIMIT_ROWS,
  ...THROTTLED_ROWS,
  ...REQUEST_ROWS,
  ...REFUSED_ROWS,
  ...TRANSPORT_ROWS,
];
/** The order for most statuses: the text may mention a rate limit although the request itself was refused. */
const REFUSED_REQUEST_ORDER = [
  ...OVER_RATE_LIMIT_ROWS,
  ...REQUEST_ROWS,
  ...REFUSED_ROWS,
  ...THROTTLED_ROWS,
  ...TRANSPORT_ROWS,
];
/** The order for status 429, which some providers also use for missing credit or a prompt that is too long. */
const THROTTLED_ORDER = [
  ...OVER_RATE_LIMIT_ROWS,
  ...THROTTLED_ROWS.filter(({ vendor }) => vendor === "Gemini"),
  ...REFUSED_ROWS,
  ...THROTTLED_ROWS,
  ...REQUEST_ROWS,
];

/**
 * Classifies any error that a model call threw, whichever SDK it is from. Never throws. The result includes the figures
 * that the provider named, so that limits can be learned from them.
 */
export function classifyModelError(error: unknown): ModelFailure {
  if (isModelError(error)) return asReported(error);
  const evidence = gatherFailureEvidence(error);
  const found = findRow(orderOf(evidence.status), evidence);
  const figures = figuresOf(found, evidence);
  const kind = found === undefined ? kindOfStatus(evidence.status) : settledKind(found.row.kind, figures);
  const retryAfterMs = evidence.retryAfterMs ?? retryAfterInWords(evidence.texts);
  const providerCode = providerCodeOf(evidence.codes);
  return {
    kind,
    message: messageOf(found, evidence),
    ...(evidence.status === undefined ? {} : { status: evidence.status }),
    ...(providerCode === undefined ? {} : { providerCode }),
    ...figures,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(found?.row.isThinkingBinding === true ? { isThinkingBinding: true } : {}),
  };
}

/** Returns the error for a response or a stream that has an error in the place of the answer. @internal */
export function failedAnswer(error: unknown): ModelError {
  const failure = classifyModelError(isObject(error) ? { ...error, error } : error);
  return new ModelError(
    { ...failure, kind: failure.kind === "unknown" ? "overloaded" : failure.kind },
    {
      message: `The answer failed: ${failure.message}`,
      hint: "Ask again later, or follow what the provider said.",
      cause: error,
    },
  );
}

function isModelError(error: unknown): error is ModelError {
  try {
    return error instanceof ModelError;
  } catch {
    // A revoked proxy has no prototype.
    return false;
  }
}

/** Converts an error of this library, which has its kind already. */
function asReported({ kind, message, status, retryAfterMs }: ModelError): ModelFailure {
  return {
    kind: kind as ModelFailureKind,
    message,
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

function orderOf(status: number | undefined): readonly FailureRow[] {
  if (status === 429) return THROTTLED_ORDER;
  if (status === 401 || status === 402 || status === 403) return [...BINDING_ROWS, ...REFUSED_ROWS];
  return status === undefined ? FAILURE_ROWS : REFUSED_REQUEST_ORDER;
}

/** Returns the kind of a failure by its status alone. */
function kindOfStatus(status: number | undefined): ModelFailureKind {
  switch (status) {
    case undefined:
      return "unknown";
    case 401:
    case 402:
    case 403:
      return "not-allowed";
    case 408:
    case 504:
      return "timeout";
    case 409:
    case 425:
      return "overloaded";
    case 413:
      return "body-too-large";
    case 429:
      return "throttled";
    default:
      if (status >= 500) return "overloaded";
      return status >= 400 ? "invalid-request" : "unreadable-answer";
  }
}

type Figures = Pick<ModelFailure, "promptTokens" | "limitTokens" | "outputTokens" | "bytes" | "limitBytes">;

/** Corrects the kind by the figures, which show if the prompt alone is too long, or only together with its output. */
function settledKind(
  kind: ModelFailureKind,
  { promptTokens, limitTokens, outputTokens }: Figures,
): ModelFailureKind {
  if (kind !== "prompt-too-long" && kind !== "output-too-long") return kind;
  if (promptTokens === undefined || limitTokens === undefined) return kind;
  if (promptTokens >= limitTokens) return "prompt-too-long";
  return outputTokens === undefined ? kind : "output-too-long";
}

function figuresOf(found: FoundRow | undefined, evidence: FailureEvidence): Figures {
  if (found === undefined) return {};
  const { groups } = found;
  const more = figure(groups["more"]) ?? 0;
  const prompt = figure(groups["prompt"]);
  const isAboutTokens = found.row.kind === "prompt-too-long" || found.row.kind === "output-too-long";
  const promptTokens =
    prompt === undefined ? (isAboutTokens ? believed(evidence.promptTokens) : undefined) : prompt + more;
  const limitTokens = figure(groups["limit"]) ?? (isAboutTokens ? believed(evidence.limitTokens) : undefined);
  const outputTokens = figure(groups["output"]);
  const bytes = figure(groups["bytes"]);
  const limitBytes = figure(groups["limitBytes"]);
  return {
    ...(promptTokens === undefined ? {} : { promptTokens }),
    ...(limitTokens === undefined ? {} : { limitTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
    ...(bytes === undefined ? {} : { bytes }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
  };
}

function figure(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : believed(Number(digits.replaceAll(",", "")));
}

function believed(value: number | undefined): number | undefined {
  const isBelievable = value !== undefined && value > 0 && value <= LARGEST_FIGURE;
  return isBelievable ? value : undefined;
}

const RETRY_IN_WORDS =
  /(?:try again|retry) (?:in|after) (?:(?<hours>\d{1,4})h ?)?(?:(?<minutes>\d{1,6})m(?!s) ?)?(?:(?<amount>\d{1,9}(?:\.\d{1,9})?) ?(?<unit>ms|s))?/i;

/** Returns the waiting time, in milliseconds, from texts such as `Please try again in 1m2.5s`. */
function retryAfterInWords(texts: readonly string[]): number | undefined {
  for (const text of texts) {
    const groups = RETRY_IN_WORDS.exec(text)?.groups;
    if (groups === undefined) continue;
    const { hours = "0", minutes = "0", amount = "0", unit } = groups;
    const rest = Number(amount) * (unit?.toLowerCase() === "ms" ? 1 : 1_000);
    const wait = (Number(hours) * 60 + Number(minutes)) * 60_000 + rest;
    if (wait > 0) return believedWait(wait);
  }
  return undefined;
}

/** Codes that say nothing specific: names of JavaScript's own classes, and words that a vendor's errors all have. */
const GENERIC_CODES =
  /^(?:Object|Array|String|Map|\w*Error|error|null|[1-5]\d\d|invalid_request_error|DOMException)$/;

/** Returns the most specific code; `invalid_request_error` if there is no other. */
function providerCodeOf(codes: readonly string[]): string | undefined {
  const specific = codes.find((code) => !GENERIC_CODES.test(code));
  return specific ?? codes.find((code) => code === "invalid_request_error");
}

/** Returns the provider's message, redacted: the text that the row matched, or the innermost text that is not JSON. */
function messageOf(found: FoundRow | undefined, { texts, codes }: FailureEvidence): string {
  const plain = texts.filter((text) => !text.includes("{"));
  // For a network failure the innermost cause says most, so its matched text is not preferred.
  const matched =
    found?.text === undefined || found.row.kind === "network"
      ? undefined
      : plain.findLast((text) => found.row.pattern?.test(text));
  const chosen = matched ?? plain.at(-1) ?? texts[0] ?? codes.join(" ");
  // A server may send anything: it is shown without sequences that a terminal would obey.
  const safe = showHidden(cutWithoutSecrets(toWellFormed(chosen), { from: 0, to: 2 * MESSAGE_CHARS })).trim();
  return shorten(safe === "" ? "The provider gave no reason." : safe, MESSAGE_CHARS);
}
