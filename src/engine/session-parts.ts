/**
 * What a session is made of, wired once when it is created or opened.
 */
import type { JsonValue } from "../base/json.ts";
import type { Digest } from "../compaction/digest.ts";
import type { HistoryIndex } from "../compaction/history-search.ts";
import type { SessionLog } from "../ports/session-store.ts";
import type { Breakers } from "./breakers.ts";
import type { SessionObserver } from "./events.ts";
import type { FoldedFromLog } from "./folded-from-log.ts";
import type { LogReader } from "./log-reader.ts";
import type { LogWriter } from "./log-writer.ts";
import type { MessageKeeper } from "./message-keeper.ts";
import type { OpenCalls } from "./open-calls.ts";
import type { SessionPins } from "./session-pins.ts";
import type { WindowKeeper } from "./window-keeper.ts";

export interface SessionParts {
  readonly log: SessionLog;
  readonly writer: LogWriter;
  readonly reader: LogReader;
  readonly messages: MessageKeeper;
  readonly keeper: WindowKeeper;
  readonly digest: FoldedFromLog<Digest>;
  readonly index: FoldedFromLog<HistoryIndex>;
  readonly calls: OpenCalls;
  readonly pins: SessionPins;
  /** What the next checkpoint carries over, beside the window, by name. */
  readonly carried: Map<string, JsonValue>;
  /** True if a message is part of the conversation as its host has it. */
  readonly isHostVisible: (seq: number) => boolean;
  readonly breakers: Breakers;
  readonly observer: SessionObserver | undefined;
  readonly isDurable: boolean;
}
