/**
 * Requests that other processes leave in the inbox of a session's tasks, and the processes that a task has recorded.
 * Both come from files that anyone may have changed.
 */
import { asString, isObject } from "../base/json/json.ts";
import { parseBounded } from "../base/json/parse-bounded.ts";
import type { ProcessMark } from "../ports/tasks.ts";
import type { TaskState } from "./fold-tasks.ts";

/** A request to the process that runs a task: to send it input, or to stop it for a reason. */
export interface TaskRequest {
  readonly id: string;
  /** Names the request in the journal, with what became of it. */
  readonly request?: string;
  readonly stop?: string;
  readonly input?: string;
}

/** Parses a line of the inbox; `undefined` if it is not a request. */
export function parseTaskRequest(line: string): TaskRequest | undefined {
  const parsed = parseBounded(line);
  if (!parsed.ok || !isObject(parsed.value)) return undefined;
  const id = asString(parsed.value["id"]);
  const stop = asString(parsed.value["stop"]);
  const input = asString(parsed.value["input"]);
  if (id === undefined || (stop === undefined && input === undefined)) return undefined;
  return { id, request: asString(parsed.value["request"]), stop, input };
}

/** What became of a request; `undefined` as long as nothing has. */
export function answerTo(
  request: string,
  { facts }: Pick<TaskState, "facts">,
): { readonly refusal: string | undefined } | undefined {
  const answer = facts.find((one) => one["request"] === request);
  return answer && { refusal: asString(answer["refusal"]) };
}

/** True if the mailbox of an agent has the text of this request, read or not. */
export function hasMail({ facts }: Pick<TaskState, "facts">, request: string): boolean {
  return facts.some((one) => one["request"] === request && isObject(one["mail"]));
}

/** The processes that a task has recorded. */
export function processMarks({ facts }: Pick<TaskState, "facts">): readonly ProcessMark[] {
  return facts.flatMap(({ process: mark }) => {
    if (!isObject(mark)) return [];
    const { pid, startedAt, space, token } = mark;
    return typeof pid === "number" && typeof space === "string" && typeof token === "string"
      ? [{ pid, startedAt: asString(startedAt), space, token }]
      : [];
  });
}
