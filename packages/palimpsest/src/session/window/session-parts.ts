/**
 * The parts of a session, connected once when it is created or opened.
 */
import type { JsonValue } from "../../base/json/json.ts";
import type { Digest } from "../../compaction/digest/digest.ts";
import type { SessionLog } from "../../ports/session-store.ts";
import type { BlobOffloader } from "../append/blob-offloader.ts";
import type { Breakers } from "../append/breakers.ts";
import type { LogWriter } from "../append/entry-writer.ts";
import type { OpenCalls } from "../append/open-calls.ts";
import type { SessionQueue } from "../append/queue.ts";
import type { SessionObserver } from "../events/events.ts";
import type { FoldedFromLog } from "../history/folded-from-log.ts";
import type { HistoryIndex } from "../history/history-search.ts";
import type { LogReader } from "../history/message-reader.ts";
import type { SessionPins } from "../history/session-pins.ts";
import type { WindowTracker } from "./window-tracker.ts";

export interface SessionParts {
  readonly log: SessionLog;
  readonly queue: SessionQueue;
  readonly writer: LogWriter;
  readonly reader: LogReader;
  readonly messages: BlobOffloader;
  readonly tracker: WindowTracker;
  readonly digest: FoldedFromLog<Digest>;
  readonly index: FoldedFromLog<HistoryIndex>;
  readonly calls: OpenCalls;
  readonly pins: SessionPins;
  /** The data of the next checkpoint beside the window, by name. */
  readonly carried: Map<string, JsonValue>;
  /** True if a message is part of the conversation as its host has it. */
  readonly isHostVisible: (seq: number) => boolean;
  readonly breakers: Breakers;
  readonly observer: SessionObserver | undefined;
  readonly isDurable: boolean;
}
