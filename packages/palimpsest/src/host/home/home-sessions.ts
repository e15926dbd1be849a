/**
 * The home at work: puts the store of each project, the engine, settings and start context together.
 */

import { DAY_MS } from "../../base/durations.ts";
import { OptionError, StoreError } from "../../base/errors.ts";
import type { JsonObject, JsonValue } from "../../base/json/json.ts";
import { checkOptions } from "../../base/options/check-options.ts";
import type { SessionPage, SessionStore, TrashedSession } from "../../ports/session-store.ts";
import { NodeProjectContext } from "../../runtime/working-copy/git-status.ts";
import type { SessionObserver } from "../../session/events/events.ts";
import type { SessionOptions } from "../../session/options/session-options.ts";
import type { Session } from "../../session/session.ts";
import { purgeOutputs } from "../../stores/files/tasks/trashed-outputs.ts";
import { nodeFileSystem } from "../../stores/platform/node-file-system.ts";
import { nodeHasher, randomIds, systemClock, systemTimer } from "../../stores/platform/node-ports.ts";
import { isConversation } from "../../stores/shared/session-info.ts";
import { closeOnExit } from "./close-on-exit.ts";
import { type Env, environmentProblems, isHeldBack } from "./environment.ts";
import { findSession, findTrashed, type Match } from "./find-session.ts";
import { ForkMarks } from "./fork-marks.ts";
import { HomeStores } from "./home-stores.ts";
import type {
  FoundSession,
  HomeCleanUp,
  HomeCleanUpOptions,
  HomeForkOptions,
  HomeImport,
  HomeOptions,
  HomeProblem,
  HomeProject,
  HomeSessionOptions,
  HomeSettings,
  NotesConfig,
  PalimpsestHome,
  Persistence,
  ResumeOptions,
  StartContext,
  StartContextChange,
} from "./home-types.ts";
import { readNotesConfig } from "./notes-config.ts";
import { HOME_RULES } from "./option-rules.ts";
import { decidePersistence, isRetentionKnown } from "./persistence.ts";
import { homeFolder, projectName, projectOf, realWorkingCopy, userFolder } from "./project-place.ts";
import { changeSettings, readSettings } from "./settings.ts";
import { contextChanges, START_CONTEXT_KEY, startContextOf } from "./start-context.ts";
import { changedTags, checkName } from "./title-and-tags.ts";
import { mergeWindows, reportProblems, windowInEnvironment } from "./window-settings.ts";

/** Metadata key that says where a session of another working copy is worked on now. */
const WORKING_COPY_KEY = "workingCopy";

/** The engine is most of the code, and looking at what is stored needs none of it. */
const loadEngine = async () => (await import("./lazy-session-parts.ts")).engineParts;

export class HomeSessions implements PalimpsestHome {
  readonly folder: string;
  readonly workingCopy: string;
  readonly project: HomeProject;
  readonly settings: HomeSettings;
  readonly problems: readonly HomeProblem[];
  readonly persistence: Persistence;
  readonly #options: HomeOptions;
  readonly #env: Env;
  readonly #stores: HomeStores;
  readonly #open = new Set<Session>();
  #hasReported = false;
  #startContext: Promise<StartContext> | undefined;

  constructor(options: HomeOptions) {
    this.#options = options;
    this.#env = options.env ?? process.env;
    this.folder = homeFolder(options.home, this.#env);
    this.workingCopy = realWorkingCopy(options.workingCopy ?? process.cwd());
    this.project = projectOf(this.folder, projectName(this.workingCopy, nodeHasher));
    const { settings, problems, noHistoryReason } = readSettings(this.folder, nodeFileSystem);
    this.settings = settings;
    this.problems = [...problems, ...environmentProblems(this.#env)];
    const asked = options.persistence;
    this.persistence = decidePersistence({ asked, env: this.#env, settings, noHistoryReason });
    const isPersistent = this.persistence.isOn;
    this.#stores = new HomeStores({ home: this.folder, project: this.project, isPersistent });
  }

  notesConfig(): NotesConfig {
    return readNotesConfig(this.folder, nodeFileSystem);
  }

  async create(options: HomeSessionOptions = {}): Promise<Session> {
    const metadata = { ...(await this.#settingsInfo()), ...options.metadata };
    const { workingCopy } = this;
    const { createSession } = await loadEngine();
    return this.#keep(options, (own) =>
      createSession({ ...options, ...this.#wired(this.project), ...own, metadata, workingCopy }),
    );
  }

  async resume(which: string, options: ResumeOptions = {}): Promise<Session> {
    const { ifInUse, ...rest } = options;
    checkIfInUse(ifInUse);
    const match = await this.#find(which);
    try {
      return await this.#goOn(match, rest);
    } catch (error) {
      const isInUse = error instanceof StoreError && error.code === "SESSION_IN_USE";
      if (!isInUse || ifInUse !== "fork") throw error;
      return this.fork(match.sessionId, rest);
    }
  }

  async resumeLatest(options: ResumeOptions = {}): Promise<Session | undefined> {
    await this.#forkMarks()?.sweep(this.storeOf(), this.#clock);
    for (let after: string | undefined; ; ) {
      const page = await this.list(after === undefined ? {} : { after });
      for (const info of page.sessions) {
        if (info.isInUse || !isConversation(info)) continue;
        const opened = await this.#tryResume(info.sessionId, options);
        if (opened !== undefined) return opened;
      }
      after = page.next;
      if (after === undefined) return undefined;
    }
  }

  async fork(which: string, options: HomeForkOptions = {}): Promise<Session> {
    const { store, sessionId } = await this.#find(which);
    const { workingCopy } = this;
    const { metadata: known } = await store.find(sessionId);
    // The session may be worked on elsewhere, with other instructions; the fork begins here.
    const metadata = {
      ...(known[WORKING_COPY_KEY] === undefined ? {} : { [WORKING_COPY_KEY]: workingCopy }),
      ...(await this.#settingsInfo()),
    };
    const marks = this.#forkMarks();
    await marks?.sweep(this.storeOf(), this.#clock);
    const id = randomIds.sessionId();
    const place = { workingCopy, metadata, from: { store }, sessionId: id };
    const { forkSession } = await loadEngine();
    const fork = (): Promise<Session> =>
      this.#keep(options, (own) =>
        forkSession(sessionId, { ...options, ...this.#wired(this.project), ...own, ...place }),
      );
    return marks === undefined ? fork() : marks.during(id, fork);
  }

  async list(query: Parameters<PalimpsestHome["list"]>[0] = {}): Promise<SessionPage> {
    checkOptions("list", query, HOME_RULES.list);
    const { project = this.project, ...page } = query;
    return this.storeOf(project).describe(page);
  }

  async projects(): Promise<readonly HomeProject[]> {
    return this.#stores.projects();
  }

  async find(which: string): Promise<FoundSession> {
    const { project, store, sessionId } = await this.#find(which);
    return { project, info: await store.find(sessionId) };
  }

  storeOf(project: HomeProject = this.project): SessionStore {
    return this.#stores.storeOf(project);
  }

  async rename(which: string, title: string): Promise<void> {
    const named = checkName("title", title);
    await this.#change(await this.#find(which), (session) => session.setMetadata("title", named));
  }

  async tag(which: string, change: Parameters<PalimpsestHome["tag"]>[1]): Promise<readonly string[]> {
    checkOptions("tag", change, HOME_RULES.tag);
    const { add = [], remove = [] } = change;
    const added = add.map((tag) => checkName("tag", tag));
    const match = await this.#find(which);
    let tags: readonly string[] = [];
    await this.#change(match, async (session) => {
      // Read once we are the writer: what another one added before stays.
      const known = (await match.store.find(match.sessionId)).metadata["tags"];
      tags = changedTags(known, { add: added, remove });
      await session.setMetadata("tags", tags);
    });
    return tags;
  }

  async importFrom(
    path: string,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<readonly HomeImport[]> {
    checkOptions("importFrom", options, HOME_RULES.importFrom);
    const { importRecording } = await loadEngine();
    return importRecording(path, { ...this.#wired(this.project), signal: options.signal });
  }

  async trash(which: string, reason = "by hand"): Promise<FoundSession> {
    const found = await this.find(which);
    const { sessionId } = found.info;
    await this.storeOf(found.project).trash(sessionId, { at: this.#clock.nowMs(), reason });
    return found;
  }

  async listTrash(project: HomeProject = this.project): Promise<readonly TrashedSession[]> {
    return this.storeOf(project).listTrash();
  }

  async restore(which: string): Promise<FoundSession> {
    const { project, store, sessionId } = await this.#findInTrash(which);
    await store.restore(sessionId);
    return { project, info: await store.find(sessionId) };
  }

  async purge(which: string): Promise<void> {
    const { store, sessionId } = await this.#findInTrash(which);
    await store.purge(sessionId);
  }

  async cleanUp(options: HomeCleanUpOptions = {}): Promise<readonly HomeCleanUp[]> {
    checkOptions("cleanUp", options, HOME_RULES.cleanUp);
    if (!this.persistence.isOn) return [];
    const dryRun = options.dryRun === true || !isRetentionKnown(this.problems);
    const done: HomeCleanUp[] = [];
    const failed: unknown[] = [];
    for (const project of this.#stores.projects())
      await this.#cleanUpIn(project, { ...options, dryRun }).then(
        (report) => done.push({ project, report }),
        // A project that cannot be read keeps no other from being cleaned up.
        (error: unknown) => failed.push(error),
      );
    if (failed.length > 0) throw failed[0];
    return done;
  }

  async #cleanUpIn(project: HomeProject, options: HomeCleanUpOptions): Promise<HomeCleanUp["report"]> {
    const { cleanUp } = await loadEngine();
    const wired = { clock: this.#clock, settings: this.settings };
    const store = this.#stores.fileStoreOf(project);
    if (!options.dryRun) await new ForkMarks(project.folder, nodeFileSystem).sweep(store, wired.clock);
    const report = await cleanUp(store, { ...options, ...wired, ledger: store.cleanUpLedger() });
    const beforeMs = wired.clock.nowMs() - wired.settings.trashGraceDays * DAY_MS;
    const isDone = report.outcome === "done" && !options.dryRun;
    if (isDone) purgeOutputs(nodeFileSystem, project.trashFolder, beforeMs);
    return report;
  }

  async startContext(options: { readonly isFresh?: boolean } = {}): Promise<StartContext> {
    checkOptions("startContext", options, HOME_RULES.startContext);
    if (options.isFresh === true) return this.#readStartContext();
    this.#startContext ??= this.#readStartContext();
    return this.#startContext;
  }

  async changesSince(which: string): Promise<readonly StartContextChange[]> {
    const { info } = await this.find(which);
    const { fingerprint } = await this.startContext();
    return contextChanges(info.metadata[START_CONTEXT_KEY], fingerprint);
  }

  async changeSettings(changes: Partial<HomeSettings>): Promise<void> {
    await changeSettings({ home: this.folder, fs: nodeFileSystem, ids: randomIds }, changes);
  }

  closeOnExit(): () => void {
    return closeOnExit(() => this.close());
  }

  async close(): Promise<void> {
    const closing = await Promise.allSettled([...this.#open].map((session) => session.close()));
    const failed = closing.find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }

  #forkMarks(): ForkMarks | undefined {
    return this.persistence.isOn ? new ForkMarks(this.project.folder, nodeFileSystem) : undefined;
  }

  get #clock() {
    return this.#options.clock ?? systemClock;
  }

  #wired(project: HomeProject) {
    const store = this.storeOf(project);
    return { store, clock: this.#clock, ids: randomIds, hasher: nodeHasher, timer: systemTimer };
  }

  async #find(which: string): Promise<Match> {
    return findSession(which, this.#stores.places(), this.#whereItIs());
  }

  async #findInTrash(which: string): Promise<Match> {
    return findTrashed(which, this.#stores.places(), this.#whereItIs());
  }

  #whereItIs(): string {
    const { isOn, reason } = this.persistence;
    return isOn ? this.folder : `memory, where sessions are kept because ${reason}`;
  }

  /** Opens a session that was found, and records a new working copy. */
  async #goOn(match: Match, options: Omit<ResumeOptions, "ifInUse">): Promise<Session> {
    const { project, store, sessionId } = match;
    const { openSession } = await loadEngine();
    const session = await this.#keep(options, (own) =>
      openSession(sessionId, { ...options, ...this.#wired(project), ...own }),
    );
    try {
      const { header, metadata } = await store.find(sessionId);
      const here = { [WORKING_COPY_KEY]: this.workingCopy, ...(await this.#settingsInfo()) };
      const before: Readonly<Record<string, unknown>> = {
        [WORKING_COPY_KEY]: header?.workingCopy,
        ...metadata,
      };
      for (const [key, value] of Object.entries(here))
        if (JSON.stringify(before[key]) !== JSON.stringify(value)) await note(session, key, value);
      return session;
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  /** Another process may have become its writer, or moved it away, since it was listed. */
  async #tryResume(sessionId: string, options: ResumeOptions): Promise<Session | undefined> {
    try {
      return await this.#goOn({ project: this.project, store: this.storeOf(), sessionId }, options);
    } catch (error) {
      if (error instanceof StoreError && ["SESSION_IN_USE", "SESSION_NOT_FOUND"].includes(error.code))
        return undefined;
      throw error;
    }
  }

  async #change({ project, sessionId }: Match, change: (session: Session) => Promise<void>): Promise<void> {
    const { openSession } = await loadEngine();
    const session = await openSession(sessionId, this.#wired(project));
    try {
      await change(session);
    } finally {
      await session.close();
    }
  }

  /** Remembers a session until it is closed. Its window is as the program, the user's settings and the environment have it. */
  async #keep(
    { observer: watching, window: programs }: Pick<SessionOptions, "observer" | "window">,
    begin: (own: Pick<SessionOptions, "observer" | "window">) => Promise<Session>,
  ): Promise<Session> {
    if (watching !== undefined && !this.#hasReported) reportProblems(watching, this.problems);
    if (watching !== undefined) this.#hasReported = true;
    const window = windowInEnvironment(mergeWindows(this.settings.window, programs), this.#env);
    let isClosed = false;
    let session: Session | undefined;
    const observer: SessionObserver = {
      onEvent: (event) => {
        if (event.type === "closed") isClosed = true;
        if (event.type === "closed" && session !== undefined) this.#open.delete(session);
        watching?.onEvent(event);
      },
    };
    session = await begin({ observer, ...(window === undefined ? {} : { window }) });
    if (!isClosed) this.#open.add(session);
    return session;
  }

  /** Metadata of the start context, once it was read. */
  async #settingsInfo(): Promise<JsonObject> {
    const context = await this.#startContext;
    return context === undefined ? {} : { [START_CONTEXT_KEY]: context.fingerprint };
  }

  async #readStartContext(): Promise<StartContext> {
    const { instructionFiles, gitStatus } = this.settings;
    const source = new NodeProjectContext({ top: realWorkingCopy(userFolder(this.#env)), env: this.#env });
    const { isBare = isHeldBack(this.#env, "PALIMPSEST_BARE") } = this.#options;
    const leftOut = { isBare: isBare || !instructionFiles, withoutGit: isBare || !gitStatus };
    return startContextOf(await source.read(this.workingCopy, leftOut), nodeHasher);
  }
}

/** Checked at once, not only when another process has the session. */
function checkIfInUse(ifInUse: unknown): void {
  if (ifInUse === undefined || ifInUse === "refuse" || ifInUse === "fork") return;
  throw new OptionError({
    message: `\`ifInUse\` is ${JSON.stringify(ifInUse)}.`,
    hint: 'Pass "fork" or "refuse", or leave it out to be refused.',
  });
}

/** A session whose metadata are full goes on without. */
async function note(session: Session, key: string, value: JsonValue): Promise<void> {
  try {
    await session.setMetadata(key, value);
  } catch (error) {
    if (!(error instanceof OptionError)) throw error;
  }
}
