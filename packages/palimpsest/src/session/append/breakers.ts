/**
 * The breakers of a session: how often in a row something failed that costs a call, and how often a layer failed.
 *
 * They hold for the session, however often it is opened. So the counts are metadata of the library's own in the
 * log, said again by checkpoints; a log without them had no failures.
 */
import { errorMessage } from "../../base/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../../base/json/json.ts";
import type { LayerGuard } from "../../compaction/shared/window-state.ts";
import { RESERVED_KEY_PREFIX } from "../../transcript/entries.ts";
import type { SessionEvent } from "../events/events.ts";
import { SWITCHED_LAYERS } from "../options/session-options.ts";
import type { LogWriter } from "./entry-writer.ts";
import type { SessionQueue } from "./queue.ts";

export const BREAKERS_MARK = `${RESERVED_KEY_PREFIX}breakers`;

/** The layers with a breaker, beside that of the model's summaries: all but the limits at arrival, which cannot fail. */
const LAYERS = SWITCHED_LAYERS.filter((layer) => layer !== "arrival");

const NAMES = ["summaries", "uselessCompactions", "notes", ...LAYERS] as const;

/** The things that may fail: a summary or a notes update by a model, a compaction that should help, and a layer. */
type BreakerName = (typeof NAMES)[number];

/** A layer with a breaker. */
type GuardedLayer = (typeof LAYERS)[number];

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

  /** Every layer may be tried again. */
  resetLayers(): void {
    for (const layer of LAYERS) this.reset(layer);
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

interface GuardParts extends CountedParts {
  readonly emit: (event: SessionEvent) => void;
}

/**
 * Makes the guard of the layers for one pass. A layer that fails is passed over for the rest of it; after `limit` passes
 * in a row that it failed in, until a compaction by hand.
 */
export function guardLayers(parts: GuardParts, limit: number): LayerGuard {
  const failed = new Set<string>();
  const breakerOf = (layer: string): GuardedLayer | undefined => LAYERS.find((name) => name === layer);
  return {
    mayPlan(layer) {
      const breaker = breakerOf(layer);
      return !failed.has(layer) && (breaker === undefined || parts.breakers.count(breaker) < limit);
    },
    planned(layer) {
      const breaker = breakerOf(layer);
      if (breaker !== undefined) parts.breakers.reset(breaker);
    },
    failed(layer, error) {
      failed.add(layer);
      layerFailed(parts, breakerOf(layer), error);
    },
  };
}

/** Counts the failure of a layer, and reports it. */
export function layerFailed(parts: GuardParts, layer: GuardedLayer | undefined, error: unknown): void {
  if (layer === undefined) throw error;
  parts.breakers.failed(layer);
  const failures = parts.breakers.count(layer);
  parts.emit({ type: "layer-failed", layer, reason: errorMessage(error), failures });
  saveBreakers(parts);
}
