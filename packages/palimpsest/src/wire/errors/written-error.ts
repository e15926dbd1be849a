/**
 * The common part of writing a failure as a vendor's error: the status, the headers, and whose words it has.
 *
 * Clients recognise an error by its words, so a prompt that is too long always has the vendor's own words, with
 * the figures. Other words are passed on where they still say the same.
 */
import type { JsonObject } from "../../base/json/json.ts";
import type { ModelFailure, ModelFailureKind } from "../../ports/model-failure.ts";
import { classifyModelError } from "./model-failure.ts";

/** An error as it is sent. @internal */
export interface WrittenError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject & { readonly error: JsonObject };
}

/** Facts of an error that a failure does not hold. @internal */
export interface ErrorHead {
  readonly requestId: string;
  /** The model that was asked for. */
  readonly model: string;
}

const STATUSES: Readonly<Record<ModelFailureKind, number>> = {
  "prompt-too-long": 400,
  "output-too-long": 400,
  "body-too-large": 413,
  "media-too-large": 400,
  "over-rate-limit": 429,
  throttled: 429,
  overloaded: 503,
  network: 502,
  timeout: 504,
  aborted: 500,
  "not-allowed": 401,
  "unknown-model": 404,
  "invalid-request": 400,
  "unreadable-answer": 502,
  unknown: 500,
};

/** Statuses by which clients tell apart failures of one kind. */
function keepsStatus(kind: ModelFailureKind, status: number): boolean {
  if (kind === "not-allowed") return status >= 401 && status <= 403;
  if (kind === "invalid-request") return [400, 404, 405, 409, 415, 422].includes(status);
  return kind === "overloaded" && status >= 500;
}

/** The status of a failure: its own where its kind leaves a choice. @internal */
export function writtenStatus({ kind, status }: ModelFailure, overloaded = STATUSES.overloaded): number {
  if (status !== undefined && keepsStatus(kind, status)) return status;
  return kind === "overloaded" ? overloaded : STATUSES[kind];
}

/** Kinds whose errors always have the vendor's words. */
const ALWAYS_IN_USUAL_WORDS: ReadonlySet<ModelFailureKind> = new Set([
  ...(["prompt-too-long", "output-too-long", "body-too-large", "unknown-model"] as const),
]);

/** The failure's own words where they say what it is; else the vendor's `usual` ones. @internal */
export function writtenWords(failure: ModelFailure, usual: string | undefined): string {
  const own = failure.message.trim();
  if (usual === undefined) return own === "" ? "Internal server error" : own;
  const isClear = own !== "" && classifyModelError({ message: own }).kind === failure.kind;
  return isClear && !ALWAYS_IN_USUAL_WORDS.has(failure.kind) ? own : usual;
}

/** The headers that ask a client to wait. @internal */
export function retryHeaders({ retryAfterMs }: ModelFailure): Readonly<Record<string, string>> {
  if (retryAfterMs === undefined) return {};
  const seconds = { "retry-after": String(Math.ceil(retryAfterMs / 1_000)) };
  return retryAfterMs % 1_000 === 0 ? seconds : { ...seconds, "retry-after-ms": String(retryAfterMs) };
}

/** Words for media, which all vendors' clients know. @internal */
export function mediaWords({ bytes, limitBytes }: ModelFailure): string {
  if (bytes === undefined || limitBytes === undefined) return "too many images and documents";
  const megabytes = Math.floor(limitBytes / (1024 * 1024));
  return `image exceeds ${megabytes} MB maximum: ${bytes} bytes > ${limitBytes} bytes`;
}
