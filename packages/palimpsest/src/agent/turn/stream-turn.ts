/**
 * A turn as a stream of events, for `for await`.
 *
 * DESIGN. The turn begins when the first event is asked for, and does not wait for its reader: events are kept until
 * they are read. A reader that leaves stops the turn and waits for its end, so that the log is left as by any stopped
 * turn and another turn may begin at once. A turn that fails ends the stream with its error, after its last event.
 */
import type { SessionEvent } from "../../session/events/events.ts";
import { internalsOf, type Session } from "../../session/session.ts";
import {
  type CompactionEvent,
  type TurnOptions,
  type TurnResult,
  type TurnStreamEvent,
  tell,
} from "../options/turn/turn-options.ts";

const COMPACTION_EVENTS: ReadonlySet<string> = new Set<CompactionEvent["type"]>([
  "layer",
  "offloaded",
  "summary-started",
  "summary-call",
  "summary-refused",
  "compaction-vetoed",
  "useless-compaction",
  "restored",
  "restore-skipped",
]);

const isOfCompaction = (event: SessionEvent): event is CompactionEvent => COMPACTION_EVENTS.has(event.type);

/** Streams the events of `turn`, which gets the options to take it with. */
export function streamTurn(
  session: Session,
  options: TurnOptions,
  turn: (options: TurnOptions) => Promise<TurnResult>,
): AsyncGenerator<TurnStreamEvent, void, undefined> {
  const stop = new AbortController();
  const events = read(session, { options, stop, turn });
  const end = events.return.bind(events);
  return Object.assign(events, {
    // A generator would only hear of it after its next event.
    return: (value?: void | PromiseLike<void>) => {
      stop.abort();
      return end(value);
    },
  });
}

interface StreamOptions {
  readonly options: TurnOptions;
  readonly stop: AbortController;
  readonly turn: (options: TurnOptions) => Promise<TurnResult>;
}

async function* read(
  session: Session,
  { options, stop, turn }: StreamOptions,
): AsyncGenerator<TurnStreamEvent, void, undefined> {
  let unread: TurnStreamEvent[] = [];
  let isOver = false;
  let wake = (): void => undefined;
  const push = (event: TurnStreamEvent): void => {
    unread.push(event);
    wake();
  };
  const { observers } = internalsOf(session);
  const observer = { onEvent: (event: SessionEvent) => isOfCompaction(event) && push(event) };
  observers.add(observer);
  const signals = [stop.signal, ...(options.signal === undefined ? [] : [options.signal])];
  const onEvent: TurnOptions["onEvent"] = (event) => {
    tell(options, event);
    push(event);
  };
  const taken = turn({ ...options, onEvent, signal: AbortSignal.any(signals) }).finally(() => {
    isOver = true;
    // Here, because a reader may stop reading before the end.
    observers.delete(observer);
    wake();
  });
  // The error is thrown below. A reader that left is not interested in it.
  taken.catch(() => undefined);
  try {
    while (!isOver || unread.length > 0) {
      const batch = unread;
      unread = [];
      yield* batch;
      if (unread.length === 0 && !isOver)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
    if (!stop.signal.aborted) yield { type: "done", result: await taken };
  } finally {
    stop.abort();
    await taken.catch(() => undefined);
  }
}
