/**
 * The parts outside a session that a compaction uses. A session without a model has none of them.
 */
import type { SessionNotes } from "../../compaction/layers/session-memory/session-memory-compact.ts";
import type { FileBudget } from "../../compaction/restore/restore-files.ts";
import type { ModelClient } from "../../ports/model-client.ts";
import type { FileRestorer, Restorer } from "../../ports/restorer.ts";
import type { Deadline } from "../../ports/runtime.ts";
import type {
  PostCompactContext,
  PreCompactAnswer,
  PreCompactContext,
  SessionHooks,
  SessionStartContext,
} from "../../ports/session-hooks.ts";
import type { Message, Usage } from "../../transcript/blocks.ts";
import type { VisibleMessage } from "../../transcript/window.ts";
import type { PlanHost } from "./restored-context.ts";

/** The session's notes. */
interface CompactionNotes {
  /** True while an update is being written. */
  readonly isUpdating: boolean;
  /** Waits for the update, within a time limit. @throws `ABORTED` */
  settled(signal: AbortSignal | undefined): Promise<void>;
  /** Loads the notes with what is new in the log; `undefined` if they cannot be used. */
  forCompaction(): Promise<SessionNotes | undefined>;
  /** A model was paid for a summary. */
  summaryCalled(usage: Usage | undefined, model: string): void;
  /** Messages were hidden by a summary that is not the notes. */
  compacted(): void;
}

/** The host's hooks. None of these throws. */
interface CompactionHooks {
  has(hook: keyof SessionHooks): boolean;
  preCompact(context: PreCompactContext): Promise<PreCompactAnswer>;
  postCompact(context: PostCompactContext): Promise<void>;
  sessionStart(context: SessionStartContext): Promise<string | undefined>;
}

/** Persistent memory: messages to show again after a compaction. */
interface CompactionMemory {
  afterCompaction(kept: readonly VisibleMessage[]): Promise<readonly Message[]>;
}

/** The host's options for showing things again after a compaction. */
interface RestorationOptions {
  readonly restorers?: readonly Restorer[];
  readonly fileReader?: FileRestorer;
  readonly plan?: PlanHost | "off";
  readonly restoredFiles?: FileBudget | "off";
}

export interface CompactionCollaborators extends RestorationOptions {
  readonly model: ModelClient;
  /** Writes cold summaries. @defaultValue `model` */
  readonly summaryModel?: ModelClient;
  readonly summaryTimeoutMs?: number;
  readonly summaryFailuresCount?: number;
  readonly deadline: Deadline;
  readonly now: () => number;
  readonly hooks: CompactionHooks;
  readonly notes: CompactionNotes | undefined;
  readonly memory: CompactionMemory | undefined;
}
