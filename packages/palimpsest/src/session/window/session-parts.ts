/**
 * The parts of a session, connected once when it is created or opened (`lifecycle/assemble-session.ts`). Code that
 * needs a few of them takes the interface that has these few.
 */
import type { JsonValue } from "../../base/json/json.ts";
import type { Digest } from "../../compaction/digest/digest.ts";
import type { SessionLog } from "../../ports/session-store.ts";
import type { BlobOffloader } from "../append/blob-offloader.ts";
import type { CountedParts } from "../append/breakers.ts";
import type { LogWriter } from "../append/entry-writer.ts";
import type { OpenCalls } from "../append/open-calls.ts";
import type { PlainFiles } from "../append/plain-files.ts";
import type { SessionEvent, SessionObserver } from "../events/events.ts";
import type { FoldedFromLog } from "../history/folded-from-log.ts";
import type { LogReader } from "../history/message-reader.ts";
import type { SegmentedHistory } from "../history/search/segmented-history.ts";
import type { SessionPins } from "../history/session-pins.ts";
import type { FairTurns } from "../turns/fair-turns.ts";
import type { WindowTracker } from "./window-tracker.ts";

/** The window, the log that it is folded from, and the calls that left. */
export interface WindowParts {
  readonly writer: LogWriter;
  readonly tracker: WindowTracker;
  readonly calls: OpenCalls;
  /** Reports an event to the host's observer. */
  readonly emit: (event: SessionEvent) => void;
}

/** The parts that measure a request: the window, the state of checkpoints, and the store of system prompt and tools. */
export interface MeasuredParts extends WindowParts {
  /** The data of the next checkpoint beside the window, by name. */
  readonly carried: Map<string, JsonValue>;
  readonly offloader: BlobOffloader;
  readonly plain: PlainFiles;
}

/** The whole history, read from the log, and what was computed from it. */
export interface HistoryParts {
  readonly log: SessionLog;
  readonly reader: LogReader;
  readonly digest: FoldedFromLog<Digest>;
  readonly index: FoldedFromLog<SegmentedHistory>;
  readonly pins: SessionPins;
  /** Shares the process with whatever else runs in it. */
  readonly turns: FairTurns;
  /** True if a message is part of the conversation as its host has it. */
  readonly isHostVisible: (seq: number) => boolean;
}

/** All parts of a session. */
export interface SessionParts extends MeasuredParts, HistoryParts, CountedParts {
  readonly writer: LogWriter;
  readonly carried: Map<string, JsonValue>;
  /** Further observers, for as long as something follows the session. */
  readonly observers: Set<SessionObserver>;
  /** Saves what was derived from the log, so that it need not be read again for it. */
  readonly saveDerived: () => Promise<void>;
  /** Syncs the log, unless the session need not survive a power loss. */
  readonly makeDurable: () => Promise<void>;
}
