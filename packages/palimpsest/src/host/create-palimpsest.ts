/**
 * Palimpsest for an agent on Node: sessions with a model, wired to where they are kept.
 */

import { AgentSession } from "../agent/agent-session.ts";
import { storedSessions } from "../agent/memory/consolidation/dream-sessions.ts";
import type { DreamSessions } from "../agent/memory/consolidation/run-dream.ts";
import { AGENT_RULES } from "../agent/options/agent-option-rules.ts";
import type { AgentOptions, AgentWorld } from "../agent/options/agent-options.ts";
import { OptionError, StoreError } from "../base/errors.ts";
import { isObject } from "../base/json/json.ts";
import {
  anyString,
  checkOptions,
  closed,
  either,
  flag,
  having,
  type OptionRules,
  object,
  oneOf,
  text,
} from "../base/options/check-options.ts";
import type { EmbeddingClient } from "../ports/model-client.ts";
import type { Clock, Deadline, Timer } from "../ports/runtime.ts";
import type { SessionStore } from "../ports/session-store.ts";
import { NodeTaskProcesses } from "../runtime/processes/node-task-processes.ts";
import { folderFileReader } from "../runtime/working-copy/folder-file-reader.ts";
import { sessionStartRestorer } from "../session/compact/restored-context.ts";
import { notify, type SessionObserver } from "../session/events/events.ts";
import { createSession, openSession } from "../session/lifecycle/open-session.ts";
import { checkWindow, SCOPE_RULE } from "../session/options/session-option-rules.ts";
import type { NewSessionOptions, WindowOptions } from "../session/options/session-options.ts";
import type { Session } from "../session/session.ts";
import { InMemoryTaskFiles } from "../stores/in-memory/in-memory-task-files.ts";
import {
  nodeHasher,
  randomIds,
  systemClock,
  systemDeadline,
  systemTimer,
} from "../stores/platform/node-ports.ts";
import { nodeProcess } from "../stores/platform/node-process.ts";
import type { Scope } from "../transcript/entries.ts";
import { type BackgroundOptions, BackgroundWork } from "./background/background-work.ts";
import { closeOnExit } from "./home/close-on-exit.ts";
import type { PalimpsestHome } from "./home/home-types.ts";
import { openHome } from "./home/open-home.ts";
import { CLOCK_RULE, DEADLINE_RULE, HOME_RULE } from "./home/option-rules.ts";
import { warnOfEnvironment, windowInEnvironment } from "./home/window-settings.ts";
import { nodeSessions } from "./node-sessions.ts";

/** Settings of all sessions and the place to keep them; only the model is required. */
export interface PalimpsestOptions extends AgentOptions {
  /** Keeps sessions in this folder. @defaultValue the home, in the project of the current folder */
  readonly folder?: string;
  /** Keeps sessions in this home; see `openHome`. The path of a folder is the same as `openHome({ home: path })`. */
  readonly home?: PalimpsestHome | string;
  /** Keeps sessions in this store, such as a `PostgresSessionStore`. */
  readonly store?: SessionStore;
  /** Tenant and project, with `store`. */
  readonly scope?: Scope;
  /** Settings of the window. */
  readonly window?: WindowOptions;
  /** Told what happens inside the sessions. */
  readonly observer?: SessionObserver;
  /** False: the part of a stored log that opening does not read is not verified in the background. @defaultValue true */
  readonly verifyStored?: boolean;
  /**
   * Has `history_search` find by meaning, too: what people and the agent said is sent to this model, without secrets,
   * from the first search on. @defaultValue words alone
   */
  readonly embeddings?: EmbeddingClient;
  /** What a home does by itself, or `off`. @defaultValue everything, where sessions are kept in a home */
  readonly background?: BackgroundOptions | "off";
  /** @defaultValue the machine's */
  readonly clock?: Clock;
  /** @defaultValue the platform's timers */
  readonly deadline?: Deadline;
  /** Paces work in the background. @defaultValue the platform's timers */
  readonly timer?: Timer;
}

/** Sessions with a model. */
export interface Palimpsest {
  /** Begins a session; nothing is stored before its first message. @throws `SESSION_EXISTS` where the id is taken */
  create(options?: { readonly sessionId?: string }): Promise<AgentSession>;
  /**
   * Opens a session where it was left; in a home as its `resume` does, from any project and also by title.
   * @throws `SESSION_NOT_FOUND`, `SESSION_IN_USE`
   */
  open(sessionId: string): Promise<AgentSession>;
  /**
   * The session of this very id, opened where there is one, begun where there is none; a new one without an id.
   * As long as it is open, asking again gives the same object. In a home it is looked for in the project of the
   * current folder.
   */
  session(sessionId?: string): Promise<AgentSession>;
  /** Closes every session that was made here and is still open. */
  close(): Promise<void>;
}

/**
 * Makes sessions with a model: their windows never overflow, nothing that was said is ever lost, and
 * summaries are written by the model while it works.
 *
 * @example
 * ```ts
 * const palimpsest = createPalimpsest({ model: anthropicModel(new Anthropic(), { model: "claude-opus-5-5" }) });
 * const session = await palimpsest.session("my-agent");
 * const { text } = await session.turn("Fix the failing tests.", { system, tools });
 * await palimpsest.close();
 * ```
 * @throws `OptionError` where there is no model, or more than one place to keep sessions in
 */
export function createPalimpsest(options: PalimpsestOptions): Palimpsest {
  checkPalimpsest(options);
  const { clock = systemClock, deadline = systemDeadline, timer = systemTimer } = options;
  const place = placeOf(options);
  const homeWork = homeWorkOf(place.home, options, timer);
  // Where sessions are not to be written, nothing of them gets into a memory that is.
  const isMemoryReadOnly = place.home?.persistence.isOn === false && options.memory?.isStored === true;
  const opened = new Set<AgentSession>();
  /** Sessions by the id that they were asked for with, also those that are still being opened. */
  const named = new Map<string, Promise<AgentSession>>();
  const withModel = (session: Session): AgentSession => {
    const onClosed = (): void => {
      opened.delete(agent);
      named.delete(agent.id);
    };
    const agent: AgentSession = new AgentSession(session, withNotes(options, place.home), {
      deadline,
      isMemoryReadOnly,
      workingCopy: place.home === undefined ? undefined : folderFileReader(place.home.workingCopy),
      now: () => clock.nowMs(),
      tasks: {
        processes: taskProcesses(),
        fetch: (url, request) => fetch(url, request),
        identity: nodeProcess,
        timer,
        ids: randomIds,
        filesInMemory: () => new InMemoryTaskFiles(),
        dreamSessions: isMemoryReadOnly ? undefined : place.dreamSessions,
        agentSessions: {
          create: ({ parent, taskId }) =>
            place.create(undefined, {
              purpose: "task",
              metadata: { parent: { session: parent.id, task: taskId } },
            }),
          open: (sessionId) => place.open(sessionId),
        },
      },
      startContext: homeWork?.startContext,
      onClosed,
    });
    opened.add(agent);
    homeWork?.work.sessionOpened(() => agent.resumeExtraction());
    if (homeWork?.closeOnExit === true) stopWatching ??= closeOnExit(close);
    return agent;
  };
  const create: Palimpsest["create"] = async (about = {}) => {
    checkOptions("create", about, { sessionId: anyString });
    return withModel(await place.create(about.sessionId));
  };
  const open: Palimpsest["open"] = async (sessionId, ...others) => {
    checkOnlyId("open", others);
    return withModel(await place.open(sessionId));
  };
  const openOrCreate = async (sessionId: string): Promise<AgentSession> => {
    try {
      await place.checkIsHere?.(sessionId);
      return await open(sessionId);
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== "SESSION_NOT_FOUND") throw error;
      return create({ sessionId });
    }
  };
  let stopWatching: (() => void) | undefined;
  const close = async (): Promise<void> => {
    stopWatching?.();
    stopWatching = undefined;
    // Together: a dream that ends slowly takes nothing from the time in which sessions are closed.
    await Promise.all([homeWork?.work.stop(), ...[...opened].map((session) => session.close())]);
  };
  return {
    create,
    open,
    session: async (sessionId, ...others) => {
      checkOnlyId("session", others);
      if (sessionId === undefined) return create();
      const known = named.get(sessionId);
      if (known !== undefined) return known;
      const asked = openOrCreate(sessionId);
      named.set(sessionId, asked);
      // One that could not be opened may be on the next try.
      asked.catch(() => named.delete(sessionId));
      return asked;
    },
    close,
  };
}

/** Refuses options beside an id, which callers without types may pass. @throws `OptionError` */
function checkOnlyId(call: "open" | "session", [options]: readonly unknown[]): void {
  // Not the index that `map` passes.
  if (!isObject(options)) return;
  throw new OptionError({
    message: `\`${call}\` takes the id of a session and nothing else.`,
    hint: "Pass the options of sessions to `createPalimpsest`, such as createPalimpsest({ model, window }).",
  });
}

/** One for the process: it watches over all commands that it started. */
let processes: NodeTaskProcesses | undefined;
const taskProcesses = (): NodeTaskProcesses => (processes ??= new NodeTaskProcesses(nodeProcess));

interface Place {
  readonly create: (
    sessionId: string | undefined,
    about?: Pick<NewSessionOptions, "purpose" | "metadata">,
  ) => Promise<Session>;
  readonly open: (sessionId: string) => Promise<Session>;
  /**
   * Opening may find another session than the one of this id here: a name that a program gives must not open what
   * only begins like it, or another project's.
   * @throws `SESSION_NOT_FOUND`
   */
  readonly checkIsHere?: (sessionId: string) => Promise<unknown>;
  /** What a dream of an agent reads. */
  readonly dreamSessions?: DreamSessions;
  /** The home, where sessions are kept in one. */
  readonly home?: PalimpsestHome;
}

/** What the home does by itself, as far as it is not switched off. */
function homeWorkOf(
  home: PalimpsestHome | undefined,
  { background = {}, memory, observer }: PalimpsestOptions,
  timer: Timer,
):
  | {
      readonly work: BackgroundWork;
      readonly startContext: AgentWorld["startContext"];
      readonly closeOnExit: boolean;
    }
  | undefined {
  if (home === undefined || background === "off") return undefined;
  const { startContext = true, closeOnExit = true } = background;
  const work = new BackgroundWork({
    ...{ home, memory, options: background, observer, timer },
    tasks: { processes: { sweep: (mark) => taskProcesses().sweep(mark) }, identity: nodeProcess },
  });
  return {
    work,
    startContext: startContext
      ? {
          text: () => work.startContext(),
          restorer: sessionStartRestorer(() => home.startContext({ isFresh: true })),
        }
      : undefined,
    closeOnExit,
  };
}

/** A host's own template and prompt go before the user's. */
function withNotes(options: PalimpsestOptions, home: PalimpsestHome | undefined): PalimpsestOptions {
  const { notes, observer } = options;
  if (home === undefined || notes === "off") return options;
  const { problems, ...config } = home.notesConfig();
  for (const { path, detail } of problems)
    notify(observer, { type: "notes-unreadable", reason: `${path}: ${detail}` });
  return { ...options, notes: { ...config, ...notes } };
}

function placeOf(options: PalimpsestOptions): Place {
  const {
    folder,
    home,
    store,
    scope,
    window,
    observer,
    verifyStored,
    embeddings,
    clock = systemClock,
  } = options;
  const shared = {
    ...(window === undefined ? {} : { window }),
    ...(observer === undefined ? {} : { observer }),
    ...(verifyStored === undefined ? {} : { verifyStored }),
    ...(embeddings === undefined ? {} : { embeddings }),
  };
  const named = (sessionId: string | undefined) => (sessionId === undefined ? {} : { sessionId });
  if (store !== undefined) {
    warnOfEnvironment(observer, process.env);
    const own = windowInEnvironment(window, process.env);
    const wired = {
      ...shared,
      ...(own === undefined ? {} : { window: own }),
      store,
      clock,
      ids: randomIds,
      hasher: nodeHasher,
      timer: systemTimer,
    };
    const scoped = { ...wired, ...(scope === undefined ? {} : { scope }) };
    return {
      create: (sessionId, about) => createSession({ ...scoped, ...about, ...named(sessionId) }),
      open: (sessionId) => openSession(sessionId, scoped),
      dreamSessions: storedSessions(store, scope, observer),
    };
  }
  if (folder !== undefined) {
    const sessions = nodeSessions({ folder, clock });
    return {
      create: (sessionId, about) => sessions.create({ ...shared, ...about, ...named(sessionId) }),
      open: (sessionId) => sessions.open(sessionId, shared),
    };
  }
  const own = typeof home === "object" ? home : openHome({ clock, ...(home === undefined ? {} : { home }) });
  return {
    create: (sessionId, about) => own.create({ ...shared, ...about, ...named(sessionId) }),
    open: (sessionId) => own.resume(sessionId, shared),
    checkIsHere: (sessionId) => own.storeOf().find(sessionId),
    dreamSessions: storedSessions(own.storeOf(), undefined, observer),
    home: own,
  };
}

const BACKGROUND_RULES: OptionRules<BackgroundOptions> = {
  cleanUp: flag,
  dreams: flag,
  sweep: flag,
  extraction: flag,
  startContext: flag,
  closeOnExit: flag,
};

const RULES: OptionRules<PalimpsestOptions> = {
  ...AGENT_RULES,
  folder: text,
  home: HOME_RULE,
  store: having(
    ["create", "open"],
    "a session store",
    "a store such as `new PostgresSessionStore({ pool })`",
  ),
  scope: SCOPE_RULE,
  window: object,
  verifyStored: flag,
  embeddings: having(["embed"], "a client for embeddings", "one, such as aiSdkEmbeddings(model)"),
  observer: having(["onEvent"], "an observer", "an object with `onEvent(event)`"),
  background: either(oneOf("off"), closed(BACKGROUND_RULES)),
  clock: CLOCK_RULE,
  deadline: DEADLINE_RULE,
  timer: having(["every"], "a timer", "`systemTimer`"),
};

/** Checks the options for callers without types. */
function checkPalimpsest(options: PalimpsestOptions): void {
  checkOptions("createPalimpsest", options ?? {}, RULES);
  const { model, folder, home, store, window } = (options ?? {}) as Partial<PalimpsestOptions>;
  if (model === undefined)
    throw new OptionError({
      message: "There is no model to make sessions with.",
      hint: "Pass one: createPalimpsest({ model: anthropicModel(client, { model }) }), or functionModel(async (request) => …).",
    });
  checkWindow(window);
  const places = [folder, home, store].filter((place) => place !== undefined);
  if (places.length <= 1) return;
  throw new OptionError({
    message: "Sessions are kept in one place: `folder`, `home` or `store`.",
    hint: "Leave out all but one.",
  });
}
