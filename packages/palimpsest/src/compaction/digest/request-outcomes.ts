/**
 * The user's requests and what came of each, folded from the log: so that finished work is not begun again, and what
 * failed or was cut short is not taken for done.
 */
import { oneLine } from "../shared/tool-kinds.ts";

export interface RequestRecord {
  readonly seq: number;
  readonly pointer: string;
  readonly text: string;
  /** Files that were changed for it, by edits or whole. */
  changesCount: number;
  lastChanged?: string | undefined;
  /** The line that says why its last call failed; gone once a later one succeeds. */
  failure?: string | undefined;
  /** The assistant's last words, if no call followed them: the turn has ended. */
  answer?: string | undefined;
  answerPointer?: string | undefined;
}

/** Requests that are remembered; of more, the oldest but the first are forgotten. Our choice. */
const REQUESTS_KEPT = 400;
const REQUEST_CHARACTERS = 240;
const ANSWER_CHARACTERS = 160;
/** Hosts write it in the user's name: the request before it was cut short. */
const INTERRUPTION = /^\[Request interrupted by user/;

/** A message of the user. Changes the list, as all of these do. */
export function beginRequest(
  requests: RequestRecord[],
  { seq, pointer, text }: { readonly seq: number; readonly pointer: string; readonly text: string },
): void {
  if (INTERRUPTION.test(text)) return;
  requests.push({ seq, pointer, text: oneLine(text, REQUEST_CHARACTERS), changesCount: 0 });
  if (requests.length > REQUESTS_KEPT) requests.splice(1, 1);
}

/** The newest request, if it is neither answered nor cut short by the user. */
export function openRequest(
  requests: readonly RequestRecord[],
  userWords: readonly { readonly seq: number; readonly text: string }[],
): RequestRecord | undefined {
  const latest = requests.at(-1);
  const newest = userWords.at(-1);
  if (latest === undefined || latest.answer !== undefined) return undefined;
  const isCutShort = newest !== undefined && newest.seq > latest.seq && INTERRUPTION.test(newest.text);
  return isCutShort ? undefined : latest;
}

/** The assistant goes on: what it said before was not its answer. */
export function continueRequest(requests: readonly RequestRecord[], changedPaths: readonly string[]): void {
  const request = requests.at(-1);
  if (request === undefined) return;
  request.answer = undefined;
  request.answerPointer = undefined;
  request.changesCount += changedPaths.length;
  request.lastChanged = changedPaths.at(-1) ?? request.lastChanged;
}

export function recordOutcome(
  requests: readonly RequestRecord[],
  { hasFailed, line }: { readonly hasFailed: boolean; readonly line: string },
): void {
  const request = requests.at(-1);
  if (request === undefined) return;
  request.answer = undefined;
  request.failure = hasFailed ? line : undefined;
}

export function endRequest(requests: readonly RequestRecord[], pointer: string, text: string): void {
  const request = requests.at(-1);
  if (request === undefined) return;
  request.answer = oneLine(text, ANSWER_CHARACTERS);
  request.answerPointer = pointer;
}
