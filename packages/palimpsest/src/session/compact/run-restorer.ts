/**
 * Asking one restorer: within its time, whatever it does, and taking of its answer only what is an item.
 */
import { RESTORE_DEFAULTS } from "../../base/defaults/compaction/restore.ts";
import { errorMessage } from "../../base/errors.ts";
import { isObject } from "../../base/json/json.ts";
import { cutHead } from "../../base/text/text.ts";
import type { RestoreContext, RestoredItem, Restorer } from "../../ports/restorer.ts";
import type { Deadline } from "../../ports/runtime.ts";
import type { RestorationEvent, RestoreSkipReason } from "../events/events.ts";

/** Items that are taken of one restorer. Our choice: more than fit into any budget. */
const ITEMS_COUNT = 200;
/** Characters that are looked at of one item. Our choice: far more than fit into any budget. */
const ITEM_CHARACTERS = 400_000;
/** Names of one list that are remembered as announced. Our choice: about 20 KB in a checkpoint. */
export const ANNOUNCED_COUNT = 1_000;

/** A restorer's answer; `items` is `undefined` if it failed as a whole. */
export interface RestorerAnswer {
  readonly items: readonly RestoredItem[] | undefined;
  readonly events: readonly RestorationEvent[];
}

interface RestorerLimits {
  readonly deadline: Deadline;
  readonly signal?: AbortSignal;
}

/** Never rejects, and never takes longer than the restorer's time. */
export function runRestorer(
  restorer: Restorer,
  context: Omit<RestoreContext, "signal">,
  { deadline, signal }: RestorerLimits,
): Promise<RestorerAnswer> {
  const name = restorer.name;
  const stop = new AbortController();
  return new Promise((resolve) => {
    const end = (answer: RestorerAnswer): void => {
      cancel();
      signal?.removeEventListener("abort", abort);
      stop.abort();
      resolve(answer);
    };
    const fail = (reason: RestoreSkipReason, detail?: string): void =>
      end({ items: undefined, events: [skipped(name, reason, detail)] });
    const abort = (): void => fail("aborted");
    const timeoutMs = restorer.timeoutMs ?? RESTORE_DEFAULTS.restorerTimeoutMs;
    const cancel = deadline.after(timeoutMs, () => fail("timeout", `no answer within ${timeoutMs} ms`));
    if (signal?.aborted === true) return abort();
    signal?.addEventListener("abort", abort, { once: true });
    // In an async function, so that a throw becomes a rejection.
    const ask = async (): Promise<unknown> => restorer.restore({ ...context, signal: stop.signal });
    ask().then(
      (given) => end(readItems(name, given)),
      (error: unknown) => fail("failed", messageOf(error)),
    );
  });
}

function skipped(restorer: string, reason: RestoreSkipReason, detail?: string): RestorationEvent {
  return { type: "restore-skipped", restorer, reason, detail };
}

function messageOf(error: unknown): string {
  try {
    return cutHead(errorMessage(error), 300);
  } catch {
    // What was thrown cannot even be put into words.
    return "an unreadable error";
  }
}

function readItems(name: string, given: unknown): RestorerAnswer {
  if (!Array.isArray(given))
    return { items: undefined, events: [skipped(name, "malformed", "the answer is no list")] };
  const events: RestorationEvent[] = [];
  const list = (given as readonly unknown[]).slice(0, ITEMS_COUNT);
  if (given.length > list.length)
    events.push(skipped(name, "malformed", `${given.length - list.length} items beyond ${list.length}`));
  const items = list.flatMap((one, index): readonly RestoredItem[] => {
    const item = readItem(one);
    if (item === undefined) events.push(skipped(name, "malformed", `item ${index} is not one`));
    return item === undefined ? [] : [item];
  });
  return { items, events };
}

const TEXTS = ["label", "title", "note"] as const;

/** A copy of what is needed of it, so that nothing changes under our hands. */
function readItem(given: unknown): RestoredItem | undefined {
  try {
    if (!isObject(given)) return undefined;
    const { kind, key, text, announces } = given;
    if (typeof kind !== "string" || typeof key !== "string" || typeof text !== "string") return undefined;
    const texts = TEXTS.flatMap((name) => {
      const value = given[name];
      return typeof value === "string" ? [[name, value]] : [];
    });
    return {
      kind,
      key,
      text: cutHead(text, ITEM_CHARACTERS),
      ...(Object.fromEntries(texts) as Pick<RestoredItem, "label" | "title" | "note">),
      ...(given["isVisible"] === true ? { isVisible: true } : {}),
      ...(given["isCut"] === true ? { isCut: true } : {}),
      ...(isObject(announces) ? { announces: readFingerprints(announces) } : {}),
    };
  } catch {
    // A property that throws when it is read.
    return undefined;
  }
}

/** Names with their fingerprints, as many as are remembered. */
export function readFingerprints(value: unknown): Readonly<Record<string, number>> {
  if (!isObject(value)) return {};
  const numbers = Object.entries(value).filter(
    (pair): pair is [string, number] => typeof pair[1] === "number" && Number.isFinite(pair[1]),
  );
  return Object.fromEntries(numbers.slice(0, ANNOUNCED_COUNT));
}
