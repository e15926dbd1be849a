import type { Message } from "palimpsest";
import type { Usage } from "palimpsest/transcript";

/** One billed model call, with what was added to the conversation before it. */
export interface RecordedCall {
  readonly model: string;
  readonly usage: Usage;
  readonly isOutputFinal: boolean;
  readonly reply: Message;
  readonly added: readonly Message[];
  /** Other events before the call: `attachment`, `boundary`, `branch`, `error`, `media`. */
  readonly gaps: readonly string[];
}

export interface RecordedSession {
  readonly name: string;
  readonly format: string;
  readonly calls: readonly RecordedCall[];
}

export function loadRecordedSessions(corpusFolder: string): readonly RecordedSession[];
