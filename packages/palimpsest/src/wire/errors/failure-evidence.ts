/**
 * Reads an error from any source: an SDK's class, a gateway's JSON in a text in a cause, a string.
 *
 * Errors differ in where they keep things and hardly in what they call them, so fields are found by
 * name, outermost first. Fields that repeat the request (`requestBodyValues`, `request`) are never
 * entered: a prompt may quote an error. Everything is bounded, and a getter that throws is passed over.
 *
 * A row of `too-long-rows.ts` and `other-failure-rows.ts` is one thing that a provider says when a call fails, and
 * what it means; `docs/reference/model-failures.md` is written from them. Each pattern is linear on any text: gaps
 * are bounded, and repetitions are not nested. Its named groups are the numbers that are read; digits may be grouped
 * by commas.
 */
import { asNumber, asString } from "../../base/json/json.ts";
import { parseBounded } from "../../base/json/parse-bounded.ts";
import { cutHead } from "../../base/text/text.ts";
import type { ModelFailureKind } from "../../ports/model-failure.ts";

/** The findings, the outermost first. @internal */
export interface FailureEvidence {
  /** Texts for people. */
  readonly texts: readonly string[];
  /** Codes, types, names of classes: short words for programs. */
  readonly codes: readonly string[];
  readonly status?: number;
  /** Figures that have separate fields. */
  readonly promptTokens?: number;
  readonly limitTokens?: number;
  /** Time that the headers ask to wait, in milliseconds. */
  readonly retryAfterMs?: number;
}

/** Bounds of what is read: the error may be anything, as large as what was sent, and hold itself. */
const LIMITS = {
  /** UTF-16 units of one text that are looked at; what a provider has to say stands at the start. Our choice; the longest of the samples has under 1,000. */
  textChars: 16_384,
  /** UTF-16 units of one text that are parsed where it holds JSON. Our choice: a proxy may repeat the request in its answer. */
  jsonChars: 262_144,
  /** Objects looked at, causes and details together. Our choice; the deepest known (a gateway's error in a retry error) has under 20. */
  objectsCount: 100,
  /** Texts looked at. Our choice, as for objects. */
  textsCount: 40,
  /** Elements looked at in a list of errors. Our choice. */
  listItemsCount: 8,
  /** Longest code, type or name of an error, in UTF-16 units; anything longer is prose. Our choice. */
  codeChars: 100,
  /** Longest wait that is handed on, in milliseconds: a day. Our choice; daily quotas are the longest that providers name. */
  longestRetryAfterMs: 86_400_000,
} as const;

/** Fields with words for programs; the last two hold the number of a status as well. */
const CODE_FIELDS = ["name", "__type", "code", "type", "error_code", "errorCode", "reason", "Code", "status"];
const STATUS_FIELDS = ["status", "statusCode", "status_code", "httpStatusCode", "code"];
const TEXT_FIELDS = [
  ...["message", "Message", "error", "apiMessage", "detail", "error_description", "msg"],
  ...["responseBody", "body", "raw", "text"],
];
/** Fields that hold further errors. */
const CHILD_FIELDS = [
  ...["error", "cause", "lastError", "errors", "data", "response", "body", "metadata", "raw"],
  ...["details", "detail", "innererror", "upstream_error", "value", "$metadata"],
];

/** Reads any value for what it says of a failure. Never throws. @internal */
export function gatherFailureEvidence(error: unknown): FailureEvidence {
  const gathering = new Gathering();
  gathering.visit(error);
  gathering.drain();
  return gathering.evidence();
}

class Gathering {
  readonly #texts: string[] = [];
  readonly #codes: string[] = [];
  readonly #seen = new Set<unknown>();
  readonly #queue: object[] = [];
  #status: number | undefined;
  #promptTokens: number | undefined;
  #limitTokens: number | undefined;
  #retryAfterMs: number | undefined;

  visit(value: unknown): void {
    if (typeof value === "string") this.#readText(value);
    else if (typeof value === "object" && value !== null) this.#enqueue(value);
    else if (typeof value === "function") this.#enqueue(value);
  }

  drain(): void {
    for (let at = 0; at < this.#queue.length; at++) this.#readObject(this.#queue[at]!);
  }

  evidence(): FailureEvidence {
    return {
      texts: this.#texts,
      codes: this.#codes,
      ...(this.#status === undefined ? {} : { status: this.#status }),
      ...(this.#promptTokens === undefined ? {} : { promptTokens: this.#promptTokens }),
      ...(this.#limitTokens === undefined ? {} : { limitTokens: this.#limitTokens }),
      ...(this.#retryAfterMs === undefined ? {} : { retryAfterMs: this.#retryAfterMs }),
    };
  }

  #enqueue(value: object): void {
    if (this.#seen.has(value) || this.#queue.length >= LIMITS.objectsCount) return;
    this.#seen.add(value);
    this.#queue.push(value);
  }

  #readText(text: string): void {
    if (text === "" || this.#texts.length >= LIMITS.textsCount) return;
    const shown = cutHead(text, LIMITS.textChars);
    if (this.#seen.has(shown)) return;
    this.#seen.add(shown);
    this.#texts.push(shown);
    const parsed = embeddedJson(text);
    if (parsed !== undefined) this.visit(parsed);
  }

  #readObject(value: object): void {
    if (isList(value)) {
      for (let index = 0; index < LIMITS.listItemsCount; index++) this.visit(read(value, String(index)));
      return;
    }
    this.#readCode(asString(read(read(value, "constructor"), "name")));
    for (const field of CODE_FIELDS) this.#readCode(asString(read(value, field)));
    for (const field of STATUS_FIELDS) this.#status ??= statusOf(read(value, field));
    this.#promptTokens ??= asNumber(read(value, "n_prompt_tokens"));
    this.#limitTokens ??= asNumber(read(value, "n_ctx"));
    for (const field of ["headers", "responseHeaders"])
      this.#retryAfterMs ??= retryAfterOf(read(value, field));
    this.#retryAfterMs ??= durationMs(read(value, "retryDelay"));
    for (const field of TEXT_FIELDS) {
      const text = read(value, field);
      if (typeof text === "string") this.#readText(text);
    }
    for (const field of CHILD_FIELDS) {
      const child = read(value, field);
      if (typeof child === "object") this.visit(child);
    }
  }

  #readCode(code: string | undefined): void {
    if (code === undefined || code === "" || code.length > LIMITS.codeChars) return;
    if (!this.#codes.includes(code)) this.#codes.push(code);
  }
}

/** A field of anything; getters that throw and revoked proxies have none. */
function read(value: unknown, field: string): unknown {
  if (value === undefined || value === null) return undefined;
  try {
    return (value as Readonly<Record<string, unknown>>)[field];
  } catch {
    // A hostile or broken object says nothing by this field.
    return undefined;
  }
}

function isList(value: object): boolean {
  try {
    return Array.isArray(value);
  } catch {
    // A revoked proxy is neither a list nor anything else.
    return false;
  }
}

/** JSON in a text, such as the body behind a status: `400 {"error": …}`. */
function embeddedJson(text: string): unknown {
  const start = text.indexOf("{");
  const end = text.lastIndexOf("}");
  if (start === -1 || end < start || end - start > LIMITS.jsonChars) return undefined;
  const parsed = parseBounded(text.slice(start, end + 1));
  return parsed.ok ? parsed.value : undefined;
}

function statusOf(value: unknown): number | undefined {
  const status = typeof value === "string" && /^[1-5]\d\d$/.test(value) ? Number(value) : asNumber(value);
  return status !== undefined && Number.isInteger(status) && status >= 100 && status < 600
    ? status
    : undefined;
}

/** Time that `retry-after` asks for. A date needs the server's own clock beside it, because there is none here. */
function retryAfterOf(headers: unknown): number | undefined {
  const milliseconds = Number(headerOf(headers, "retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(milliseconds)) return believedWait(milliseconds);
  const wait = headerOf(headers, "retry-after");
  if (wait === undefined) return undefined;
  if (/^\s*\d+(?:\.\d+)?\s*$/.test(wait)) return believedWait(Number(wait) * 1_000);
  const until = Date.parse(wait);
  const now = Date.parse(headerOf(headers, "date") ?? "");
  return Number.isFinite(until - now) ? believedWait(until - now) : undefined;
}

function headerOf(headers: unknown, name: string): string | undefined {
  const get = read(headers, "get");
  if (typeof get === "function") {
    try {
      return asString((get as (name: string) => unknown).call(headers, name));
    } catch {
      // Looks like `Headers` and is not.
      return undefined;
    }
  }
  const value = read(headers, name);
  return typeof value === "number" ? String(value) : asString(value);
}

/** Durations as Google writes them: `36s`. */
function durationMs(value: unknown): number | undefined {
  const seconds = typeof value === "string" ? /^(\d{1,9}(?:\.\d{1,9})?)s$/.exec(value)?.[1] : undefined;
  return seconds === undefined ? undefined : believedWait(Number(seconds) * 1_000);
}

/** A wait within reason, in whole milliseconds. @internal */
export function believedWait(milliseconds: number): number | undefined {
  return milliseconds >= 0 && milliseconds <= LIMITS.longestRetryAfterMs
    ? Math.ceil(milliseconds)
    : undefined;
}

/** @internal */
export interface FailureRow {
  /** The provider that says it. */
  readonly vendor: string;
  readonly kind: ModelFailureKind;
  /** The pattern to find in texts. */
  readonly pattern?: RegExp;
  /** Codes, types or names of errors that say the same. */
  readonly codes?: readonly string[];
  /** As it was seen; identifiers are replaced. */
  readonly sample: string;
  /** A signature of reasoning does not fit the history. */
  readonly isThinkingBinding?: true;
}

/** A match of a row. @internal */
export interface FoundRow {
  readonly row: FailureRow;
  /** The text that the pattern was found in. */
  readonly text?: string;
  readonly groups: Readonly<Record<string, string | undefined>>;
}

/** The first row that one of the texts or codes fits, in the order of the rows. @internal */
export function findRow(
  rows: readonly FailureRow[],
  { texts, codes }: { readonly texts: readonly string[]; readonly codes: readonly string[] },
): FoundRow | undefined {
  for (const row of rows) {
    for (const text of texts) {
      const match = row.pattern?.exec(text) ?? undefined;
      if (match !== undefined) return { row, text, groups: match.groups ?? {} };
    }
    if (row.codes?.some((code) => codes.includes(code)) === true) return { row, groups: {} };
  }
  return undefined;
}
