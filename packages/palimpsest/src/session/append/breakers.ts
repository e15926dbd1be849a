/**
 * The breakers of a session: how often in a row something failed that costs a call.
 *
 * They hold for the session, however often it is opened. So the counts are metadata of the library's own in the
 * log, said again by checkpoints; a log without them had no failures.
 */
import { isObject, type JsonObject, type JsonValue } from "../../base/json/json.ts";
import { RESERVED_KEY_PREFIX } from "../../transcript/entries.ts";
import type { LogWriter } from "./entry-writer.ts";
import type { SessionQueue } from "./queue.ts";

export const BREAKERS_MARK = `${RESERVED_KEY_PREFIX}breakers`;

const NAMES = ["summaries", "uselessCompactions", "notes"] as const;

/** The things that may fail: a summary or a notes update by a model, and a compaction that should help. */
type BreakerName = (typeof NAMES)[number];

export class Breakers {
  readonly #counts = new Map<BreakerName, number>();

  /** @param saved what {@link Breakers.toJson} gave in an earlier run; anything else counts as nothing */
  constructor(saved?: unknown) {
    if (!isObject(saved)) return;
    for (const name of NAMES) {
      const count = saved[name];
      if (Number.isSafeInteger(count) && Number(count) > 0) this.#counts.set(name, Number(count));
    }
  }

  /** Failures in a row. */
  count(name: BreakerName): number {
    return this.#counts.get(name) ?? 0;
  }

  failed(name: BreakerName): void {
    this.#counts.set(name, this.count(name) + 1);
  }

  reset(name: BreakerName): void {
    this.#counts.delete(name);
  }

  toJson(): JsonObject {
    return Object.fromEntries(
      NAMES.flatMap((name) => (this.count(name) > 0 ? [[name, this.count(name)]] : [])),
    );
  }
}

/** The counts of a session, and the parts that write them. */
export interface CountedParts {
  readonly breakers: Breakers;
  readonly carried: Map<string, JsonValue>;
  readonly writer: Pick<LogWriter, "appendOne">;
  readonly queue: SessionQueue;
}

/** Writes the counts into the log if they changed. Call it within the session's queue. */
export async function writeBreakers({
  breakers,
  carried,
  writer,
}: Omit<CountedParts, "queue">): Promise<void> {
  const value = breakers.toJson();
  if (JSON.stringify(carried.get(BREAKERS_MARK) ?? {}) === JSON.stringify(value)) return;
  carried.set(BREAKERS_MARK, value);
  await writer.appendOne({ type: "metadata", key: BREAKERS_MARK, value });
}

/** The same, in its turn; waits for nothing. */
export function saveBreakers(parts: CountedParts): void {
  parts.queue
    .runOpen(() => writeBreakers(parts))
    // The next checkpoint has them, and a store that cannot be written says so with the next append.
    .catch(() => undefined);
}
