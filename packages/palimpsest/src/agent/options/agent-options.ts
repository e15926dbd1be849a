/**
 * The options of a session with a model, and of its notes.
 */
import type { FileBudget } from "../../compaction/restore/restore-files.ts";
import type { EditArguments } from "../../notes/permissions.ts";
import type { ModelClient, TokenCounter } from "../../ports/model-client.ts";
import type { FileRestorer, Restorer } from "../../ports/restorer.ts";
import type { Deadline } from "../../ports/runtime.ts";
import type { SessionHooks } from "../../ports/session-hooks.ts";
import type { PlanHost } from "../../session/compact/restored-context.ts";
import type { SpentSum } from "../../tokens/price/spent.ts";
import type { PersistentMemory } from "../memory/persistent-memory.ts";
import type { TasksOptions, TaskWorld } from "../tasks/task-options.ts";

/** The models of a session, by what they are asked for. */
interface AgentModels {
  /** Answers the user, and writes summaries while its cache is warm. */
  readonly model: ModelClient;
  /** Writes summaries where the cache is cold; may be cheaper. @defaultValue `model` */
  readonly summaryModel?: ModelClient;
  /**
   * For small decisions: chooses which memories to recall, and finds what to remember where `memoryExtraction` is
   * `auto` or `model`. @defaultValue the `lightModel` of the memory, or its ranking, for the first; `model` for the second
   */
  readonly lightModel?: ModelClient;
}

/** Options of a session with a model. Only the model is required. */
export interface AgentOptions extends AgentModels {
  readonly hooks?: SessionHooks;
  /** Restorers that show things again after a compaction, beside recent files and the plan. */
  readonly restorers?: readonly Restorer[];
  /** Reads files as they are now, to show them again. @defaultValue what the log last held of them */
  readonly fileReader?: FileRestorer;
  /** The host's plan, or `off`. @defaultValue the plan by the tool calls in the log */
  readonly plan?: PlanHost | "off";
  /** Options of the session's notes, or `off`. @defaultValue notes from the log; under `faithful` and `classic` by the session's model, within `costShareCap` of the cost */
  readonly notes?: NotesOptions | "off";
  /** Long-term memory: its index is shown at the start, and memories are recalled for what the user says. @defaultValue none */
  readonly memory?: PersistentMemory;
  /**
   * The way memories get into `memory`: by `rules`, which keep explicit requests in the user's own words
   * ("remember", "always", "never", "I prefer", corrections); by a `model`, the light one where there is one, which
   * also keeps decisions and facts, and by rules where it fails; by both (`auto`): requests after each turn, the rest by
   * the model as long as that is at most a twentieth of what the session costs; or not at all. @defaultValue `auto`
   */
  readonly memoryExtraction?: "auto" | "rules" | "model" | "off";
  /** Limits of the files that are shown again, or `off`. @defaultValue `fileBudget` of the window */
  readonly restoredFiles?: FileBudget | "off";
  /** Count requests where the estimate is not good enough to decide by. @defaultValue the model's own counter */
  readonly counters?: readonly TokenCounter[];
  /**
   * Failures in a row after which no model is asked for a summary; `compact()` resets the count.
   * @defaultValue `breakerFailuresCount`, 3
   */
  readonly summaryFailuresCount?: number;
  /** Time limit of one summary, in milliseconds. @defaultValue `summaryTimeoutMs`, 120,000 */
  readonly summaryTimeoutMs?: number;
  /** Time limit of one call of the model, in milliseconds. @defaultValue `callTimeoutMs`, 600,000 */
  readonly callTimeoutMs?: number;
  /** Options of the background tasks that its host or its model starts. */
  readonly tasks?: TasksOptions;
}

/** The parts of the world that it uses. */
export interface AgentWorld {
  readonly deadline: Deadline;
  /** True if nothing of the conversation may get into the memory, which is stored. */
  readonly isMemoryReadOnly?: boolean;
  /** Reads the files of the working copy: what they say is not remembered. @defaultValue `fileReader` */
  readonly workingCopy?: FileRestorer | undefined;
  readonly now: () => number;
  /** What background tasks are run with. Without it there are none. */
  readonly tasks?: TaskWorld;
  /** What a new session begins with, and is shown again after a compaction. Without it there is nothing. */
  readonly startContext?: {
    /** As text for the model; read once. */
    readonly text: () => Promise<string>;
    readonly restorer: Restorer;
  };
  /** Called once the session was closed. */
  readonly onClosed?: (() => void) | undefined;
  /** Called with each call of a model that the session causes. */
  readonly onSpent?: ((spent: SpentSum) => void) | undefined;
}

/** Options of a session's notes. */
export interface NotesOptions {
  /**
   * The writer of updates while the agent works. `forked`: the session's model, on the conversation as its cache
   * holds it. `cold`: a model that reads what is new as a transcript. `extractive`: no model.
   * @defaultValue `forked` under `faithful` and `classic`, or where another option is for a model; else the log's own
   * facts, without a model: for a resumed session, not for compactions
   */
  readonly updater?: "forked" | "cold" | "extractive";
  /** Writes cold updates. @defaultValue `summaryModel`, or else the session's model */
  readonly model?: ModelClient;
  /** The sections, in the place of the usual ten: headings with a line in italics below each. */
  readonly template?: string;
  /** The prompt of the updater, in place of the usual one; see `docs/reference/notes.md` for its variables. */
  readonly prompt?: string;
  /** Highest share of the session's cost that updates may have, or `off`: then they do not wait for a compaction either. @defaultValue `costShareCap`, 0.05 */
  readonly costShareCap?: number | "off";
  /** True if an update waits for enough new conversation, for a pause, and in a large window for a compaction to be near. @defaultValue `true` */
  readonly isGated?: boolean;
  /**
   * The host's edit tool, which a forked updater may call on the notes' path and on nothing else; the session carries
   * the edit out itself. Without one the model answers with patches.
   */
  readonly editTool?: { readonly name: string; readonly arguments?: EditArguments };
  /** Time limit of one update, in milliseconds. @defaultValue `updateTimeoutMs`, 120,000 */
  readonly updateTimeoutMs?: number;
}
