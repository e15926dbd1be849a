/**
 * A home of sessions: options, settings and methods.
 */
import type { JsonObject } from "../../base/json/json.ts";
import type { FormatName } from "../../importers/registry.ts";
import type { ProjectContext } from "../../ports/project-context.ts";
import type { Clock } from "../../ports/runtime.ts";
import type { SessionInfo, SessionPage, SessionStore, TrashedSession } from "../../ports/session-store.ts";
import type { CleanUpOptions, CleanUpReport } from "../../session/lifecycle/clean-up-run.ts";
import type {
  NewSessionOptions,
  SessionOptions,
  WindowOptions,
} from "../../session/options/session-options.ts";
import type { Session } from "../../session/session.ts";

/** The place and the settings of a home. Everything may be left out. */
export interface HomeOptions {
  /** @defaultValue `$PALIMPSEST_HOME`, or `.palimpsest` in the user's folder */
  readonly home?: string;
  /** The folder that is worked on; its sessions are kept together. @defaultValue the current folder */
  readonly workingCopy?: string;
  /** @defaultValue `process.env` */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** @defaultValue the machine's */
  readonly clock?: Clock;
  /**
   * `false` keeps sessions in memory and writes nothing; `true` keeps them on disk whatever settings and
   * environment say, for tools that manage what is stored.
   * @defaultValue decided by settings and environment
   */
  readonly persistence?: boolean;
  /** Read no instruction files, and ask no version control. @defaultValue as `PALIMPSEST_BARE` and the settings say, false */
  readonly isBare?: boolean;
}

/** The sessions of one working copy. */
export interface HomeProject {
  /** Name of its folder: a readable prefix and the hash of the whole path. */
  readonly name: string;
  readonly folder: string;
  readonly trashFolder: string;
}

/** Settings of a home for the notes of its sessions. */
export interface NotesConfig {
  /** The template of new notes, if there is a usable one. */
  readonly template?: string;
  /** The prompt of the updater, likewise. */
  readonly prompt?: string;
  /** Files that are there and cannot be used. */
  readonly problems: readonly HomeProblem[];
}

/** The settings of `settings.json`, with defaults for missing and unusable ones. */
export interface HomeSettings {
  /** Days without activity after which a session goes to the trash; 0: nothing is written and nothing deleted. @defaultValue 30 */
  readonly cleanupPeriodDays: number;
  /** Days that a session stays in the trash. @defaultValue 30 */
  readonly trashGraceDays: number;
  /** If true, instruction files are read at the start of a session. @defaultValue true */
  readonly instructionFiles: boolean;
  /** If true, version control is asked at the start of a session. @defaultValue true */
  readonly gitStatus: boolean;
  /** Options of the window of every session, such as `policy`, `autoCompact` and `limits`; a program's own go before them. @defaultValue none */
  readonly window?: WindowOptions;
}

/** Something in the home, or in the environment, that could not be used and was worked around. */
export interface HomeProblem {
  /** The file, or the name of the environment variable. */
  readonly path: string;
  /** The setting or environment variable, where only one is concerned. */
  readonly setting?: string;
  /** The problem, and the effect. */
  readonly detail: string;
}

/** The decision to write sessions to the disk or not. */
export interface Persistence {
  readonly isOn: boolean;
  /** In words: `PALIMPSEST_SKIP_HISTORY is 1` … */
  readonly reason: string;
}

type Wired = "store" | "clock" | "ids" | "hasher" | "timer" | "scope";

/** Options of a session of a home. */
export type HomeSessionOptions = Omit<NewSessionOptions, Wired | "workingCopy">;

/** Options for resuming a session. */
export interface ResumeOptions extends Omit<SessionOptions, Wired> {
  /** The choice while another process is its writer: refuse, or continue in a fork. @defaultValue `refuse` */
  readonly ifInUse?: "refuse" | "fork";
}

/** The origin and the title of a fork. */
export interface HomeForkOptions extends Omit<SessionOptions, Wired> {
  /** Number of the entry after which the fork goes its own way. @defaultValue the newest */
  readonly atSeq?: number;
  /** @defaultValue the title of the session, marked as a fork */
  readonly title?: string;
  /** Stops the copying with `ABORTED`; nothing is left of the fork. */
  readonly signal?: AbortSignal;
}

/** A session and the project it lies in. */
export interface FoundSession {
  readonly project: HomeProject;
  readonly info: SessionInfo;
}

/** A session that was made from a file. */
export interface HomeImport {
  readonly sessionId: string;
  readonly format: FormatName;
  /** The id that it had where it was recorded. */
  readonly originalId?: string;
  readonly messages: number;
  /** Recorded messages that are not part of the conversation that continued. */
  readonly leftOutMessages: number;
  /** Repairs of the file, in words. */
  readonly repairs: readonly string[];
}

/** The start context of a session: text for the system prompt, read once. */
export interface StartContext extends ProjectContext {
  /** All of it as blocks of text, ready to be put into a system prompt; empty where there is nothing. */
  readonly blocks: readonly string[];
  /** Hashes of what was read, which every session of this home records. */
  readonly fingerprint: JsonObject;
}

/** A difference from the last time the session was used. */
export interface StartContextChange {
  readonly subject: string;
  readonly change: "added" | "changed" | "removed";
}

/** Options of a clean-up. Everything may be left out. */
export type HomeCleanUpOptions = Pick<
  CleanUpOptions,
  "dryRun" | "onlyIfDue" | "limit" | "signal" | "onProgress"
>;

/** The result of a clean-up in one project. */
export interface HomeCleanUp {
  readonly project: HomeProject;
  readonly report: CleanUpReport;
}

/**
 * Sessions of one working copy in a home, and a way to those of the others. `which` is always a session's
 * id, the beginning of one that no other has, or its exact title.
 *
 * @throws where `which` is taken: `StoreError` `SESSION_NOT_FOUND`; `AmbiguousSessionError` `SESSION_AMBIGUOUS` with the candidates.
 */
export interface PalimpsestHome {
  readonly folder: string;
  /** The real path of the folder that is worked on. */
  readonly workingCopy: string;
  readonly project: HomeProject;
  readonly settings: HomeSettings;
  /** Unusable settings and variables that were found when the home was opened. They do not prevent a start. */
  readonly problems: readonly HomeProblem[];
  readonly persistence: Persistence;

  /** Begins a session; nothing is stored before its first message. */
  create(options?: HomeSessionOptions): Promise<Session>;
  /**
   * Opens a session where it was left. One of another working copy goes on where it lies, and notes that it is
   * worked on here now. @throws `SESSION_IN_USE`, unless `ifInUse` says `fork`.
   */
  resume(which: string, options?: ResumeOptions): Promise<Session>;
  /**
   * The session of this working copy with the latest activity and no other writer; `undefined` if there is none.
   * Sessions with a purpose, such as those of agents in the background, are passed over, and so are logs of which
   * nothing can be read.
   */
  resumeLatest(options?: ResumeOptions): Promise<Session | undefined>;
  /** A new session that begins with everything up to an entry of another. It lies in this working copy's project. */
  fork(which: string, options?: HomeForkOptions): Promise<Session>;

  /** Sessions of a project, this working copy's by default, the latest activity first. */
  list(query?: {
    readonly project?: HomeProject;
    readonly limit?: number;
    readonly after?: string;
  }): Promise<SessionPage>;
  /** Every project of the home, this one first, the others sorted by name. */
  projects(): Promise<readonly HomeProject[]>;
  /** One session, looked for here first and then everywhere. Takes no lease. */
  find(which: string): Promise<FoundSession>;
  /** The store of a project, this working copy's by default: to read a log without becoming its writer. */
  storeOf(project?: HomeProject): SessionStore;

  /** Gives a session a title. @throws `SESSION_IN_USE` */
  rename(which: string, title: string): Promise<void>;
  /** Adds and removes tags; resolves with those it has then. @throws `SESSION_IN_USE` */
  tag(
    which: string,
    change: { readonly add?: readonly string[]; readonly remove?: readonly string[] },
  ): Promise<readonly string[]>;
  /** Makes sessions from a file that another tool recorded. @throws `InputError` */
  importFrom(path: string, options?: { readonly signal?: AbortSignal }): Promise<readonly HomeImport[]>;

  /** Moves a session to the trash. @throws `SESSION_IN_USE` */
  trash(which: string, reason?: string): Promise<FoundSession>;
  /** Sessions in the trash of a project, this working copy's by default. */
  listTrash(project?: HomeProject): Promise<readonly TrashedSession[]>;
  /** Brings a session back from the trash, whatever project it was of; a whole id, or the beginning of one. */
  restore(which: string): Promise<FoundSession>;
  /** Deletes a session that is in the trash, for good. */
  purge(which: string): Promise<void>;

  /**
   * Moves sessions without recent activity to the trash, and deletes those that were there long enough, in every
   * project. Only reports if the settings for these periods could not be read.
   *
   * @throws `SESSION_UNREADABLE` if a project cannot be read, after the others were cleaned up.
   */
  cleanUp(options?: HomeCleanUpOptions): Promise<readonly HomeCleanUp[]>;

  /** The user's own template and prompt of session notes, from `config/session-memory/`, as they are now. */
  notesConfig(): NotesConfig;
  /** Instruction files and the state of version control, read once for this home; with `isFresh` read again. */
  startContext(options?: { readonly isFresh?: boolean }): Promise<StartContext>;
  /** Differences of the start context from the one that a session recorded last. */
  changesSince(which: string): Promise<readonly StartContextChange[]>;
  /** Changes settings: `settings.json` is replaced whole, what is not named in it stays. Takes effect when the home is opened next. */
  changeSettings(changes: Partial<HomeSettings>): Promise<void>;

  /** Flushes and closes the sessions of this home when the process receives a signal to end. Returns a function that undoes this. */
  closeOnExit(): () => void;
  /** Closes every session that was opened by this home and is still open. */
  close(): Promise<void>;
}
