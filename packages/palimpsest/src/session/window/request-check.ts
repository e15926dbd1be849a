/**
 * The check of a request that grows. The assembler replaces a message that it adds to, so the same
 * object is the same message; a rule looks at a message and its neighbours, so what stands before
 * the response in front of the first change is settled. Only ids are unique in all of it.
 */
import { type BrokenInvariant, checkRequest } from "../../transcript/invariants.ts";
import type { RequestMessage } from "../../transcript/window.ts";

/** Rules about where in the request a message stands: settled once a message stands before it. */
const PLACE_RULES: ReadonlySet<string> = new Set(["first-message-is-user"]);

export class RequestCheck {
  #messages: readonly RequestMessage[] = [];
  #broken: readonly BrokenInvariant[] = [];
  #settledCount = 0;
  /** Calls in the settled part. */
  readonly #callIds = new Set<string>();

  check(messages: readonly RequestMessage[]): readonly BrokenInvariant[] {
    const from = this.#firstToCheck(messages);
    for (; this.#settledCount < from; this.#settledCount++)
      for (const id of callIdsOf(messages[this.#settledCount]!)) this.#callIds.add(id);
    const changed = messages.slice(from);
    const isSettled = ({ rule, message }: BrokenInvariant): boolean =>
      message < from || (from > 0 && message === from && PLACE_RULES.has(rule));
    const found = checkRequest(changed, "anthropic").map((one) => ({ ...one, message: one.message + from }));
    this.#messages = messages;
    this.#broken = [
      ...this.#broken.filter(isSettled),
      ...found.filter((one) => !isSettled(one)),
      ...this.#idsTaken(changed, from),
    ];
    return this.#broken;
  }

  /** The newest response before the first change: its calls may be answered by what changed. */
  #firstToCheck(messages: readonly RequestMessage[]): number {
    const known = this.#messages;
    let same = 0;
    while (same < known.length && known[same] === messages[same]) same++;
    let from = same - 1;
    while (from > 0 && messages[from]!.role !== "assistant") from--;
    if (from >= this.#settledCount) return from;
    this.#callIds.clear();
    this.#settledCount = 0;
    return 0;
  }

  /** Calls whose id the settled part has; what has an id twice by itself is found by the check. */
  #idsTaken(changed: readonly RequestMessage[], from: number): readonly BrokenInvariant[] {
    const seen = new Set<string>();
    return changed.flatMap((message, index) =>
      callIdsOf(message)
        .filter((callId) => this.#callIds.has(callId) && !seen.has(callId) && seen.add(callId))
        .map((callId) => ({ rule: "ids-are-unique", message: from + index, callId }) as const),
    );
  }
}

function callIdsOf({ role, content }: RequestMessage): readonly string[] {
  if (role !== "assistant") return [];
  return content.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
}
