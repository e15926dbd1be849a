/**
 * Palimpsest for an agent on Node: sessions with a model, wired to where they are kept.
 */

import { AgentSession } from "../agent/agent-session.ts";
import { AGENT_RULES, NOTES_RULES } from "../agent/options/agent-option-rules.ts";
import type { AgentOptions } from "../agent/options/agent-options.ts";
import { OptionError, StoreError } from "../base/errors.ts";
import { checkOptions, flag, having, type OptionRules, object, text } from "../base/options/check-options.ts";
import type { Clock, Deadline } from "../ports/runtime.ts";
import type { SessionStore } from "../ports/session-store.ts";
import { notify, type SessionObserver } from "../session/events/events.ts";
import { checkWindow, createSession, openSession } from "../session/lifecycle/open-session.ts";
import type { WindowOptions } from "../session/options/session-options.ts";
import type { Session } from "../session/session.ts";
import {
  nodeHasher,
  randomIds,
  systemClock,
  systemDeadline,
  systemTimer,
} from "../stores/platform/node-ports.ts";
import type { Scope } from "../transcript/entries.ts";
import type { NotesConfig, PalimpsestHome } from "./home/home-types.ts";
import { openHome } from "./home/open-home.ts";
import { CLOCK_RULE, DEADLINE_RULE, HOME_RULE } from "./home/option-rules.ts";
import { nodeSessions } from "./node-sessions.ts";

/** Settings of all sessions and the place to keep them; only the model is required. */
export interface PalimpsestOptions extends AgentOptions {
  /** Keeps sessions in this folder. @defaultValue the home, in the project of the current folder */
  readonly folder?: string;
  /** Keeps sessions in this home; see `openHome`. The path of a folder is the same as `openHome({ home: path })`. */
  readonly home?: PalimpsestHome | string;
  /** Keeps sessions in this store, such as `postgresStore`. */
  readonly store?: SessionStore;
  /** Tenant and project, with `store`. */
  readonly scope?: Scope;
  /** Settings of the window. */
  readonly window?: WindowOptions;
  /** Told what happens inside the sessions. */
  readonly observer?: SessionObserver;
  /** False: the part of a stored log that opening does not read is not verified in the background. @defaultValue true */
  readonly verifyStored?: boolean;
  /** @defaultValue the machine's */
  readonly clock?: Clock;
  /** @defaultValue the platform's timers */
  readonly deadline?: Deadline;
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
  const { clock = systemClock, deadline = systemDeadline } = options;
  const place = placeOf(options);
  const opened = new Set<AgentSession>();
  /** Sessions by the id that they were asked for with, also those that are still being opened. */
  const named = new Map<string, Promise<AgentSession>>();
  const withModel = (session: Session): AgentSession => {
    const onClosed = (): void => {
      opened.delete(agent);
      named.delete(agent.id);
    };
    const agent: AgentSession = new AgentSession(session, withNotes(options, place.notesConfig), {
      deadline,
      now: () => clock.nowMs(),
      onClosed,
    });
    opened.add(agent);
    return agent;
  };
  const create: Palimpsest["create"] = async ({ sessionId } = {}) => withModel(await place.create(sessionId));
  const open: Palimpsest["open"] = async (sessionId) => withModel(await place.open(sessionId));
  const openOrCreate = async (sessionId: string): Promise<AgentSession> => {
    try {
      await place.checkIsHere?.(sessionId);
      return await open(sessionId);
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== "SESSION_NOT_FOUND") throw error;
      return create({ sessionId });
    }
  };
  return {
    create,
    open,
    session: (sessionId) => {
      if (sessionId === undefined) return create();
      const known = named.get(sessionId);
      if (known !== undefined) return known;
      const asked = openOrCreate(sessionId);
      named.set(sessionId, asked);
      // One that could not be opened may be on the next try.
      asked.catch(() => named.delete(sessionId));
      return asked;
    },
    close: async () => {
      const sessions = [...opened];
      await Promise.all(sessions.map((session) => session.close()));
    },
  };
}

interface Place {
  readonly create: (sessionId: string | undefined) => Promise<Session>;
  readonly open: (sessionId: string) => Promise<Session>;
  /**
   * Opening may find another session than the one of this id here: a name that a program gives must not open what
   * only begins like it, or another project's.
   * @throws `SESSION_NOT_FOUND`
   */
  readonly checkIsHere?: (sessionId: string) => Promise<unknown>;
  /** Settings of notes in the home. */
  readonly notesConfig?: () => NotesConfig;
}

/** A host's own template and prompt go before the user's. */
function withNotes(options: PalimpsestOptions, read: Place["notesConfig"]): PalimpsestOptions {
  const { notes, observer } = options;
  if (read === undefined || notes === "off") return options;
  const { problems, ...config } = read();
  for (const { path, detail } of problems)
    notify(observer, { type: "notes-unreadable", reason: `${path}: ${detail}` });
  return { ...options, notes: { ...config, ...notes } };
}

function placeOf(options: PalimpsestOptions): Place {
  const { folder, home, store, scope, window, observer, verifyStored, clock = systemClock } = options;
  const shared = {
    ...(window === undefined ? {} : { window }),
    ...(observer === undefined ? {} : { observer }),
    ...(verifyStored === undefined ? {} : { verifyStored }),
  };
  const named = (sessionId: string | undefined) => (sessionId === undefined ? {} : { sessionId });
  if (store !== undefined) {
    const wired = { ...shared, store, clock, ids: randomIds, hasher: nodeHasher, timer: systemTimer };
    const scoped = { ...wired, ...(scope === undefined ? {} : { scope }) };
    return {
      create: (sessionId) => createSession({ ...scoped, ...named(sessionId) }),
      open: (sessionId) => openSession(sessionId, scoped),
    };
  }
  if (folder !== undefined) {
    const sessions = nodeSessions({ folder, clock });
    return {
      create: (sessionId) => sessions.create({ ...shared, ...named(sessionId) }),
      open: (sessionId) => sessions.open(sessionId, shared),
    };
  }
  const own = typeof home === "object" ? home : openHome({ clock, ...(home === undefined ? {} : { home }) });
  return {
    create: (sessionId) => own.create({ ...shared, ...named(sessionId) }),
    open: (sessionId) => own.resume(sessionId, shared),
    checkIsHere: (sessionId) => own.storeOf().find(sessionId),
    notesConfig: () => own.notesConfig(),
  };
}

const RULES: OptionRules<PalimpsestOptions> = {
  ...AGENT_RULES,
  folder: text,
  home: HOME_RULE,
  store: having(
    ["create", "open"],
    "a session store",
    "a store such as `new PostgresSessionStore({ pool })`",
  ),
  scope: object,
  window: object,
  verifyStored: flag,
  observer: having(["onEvent"], "an observer", "an object with `onEvent(event)`"),
  clock: CLOCK_RULE,
  deadline: DEADLINE_RULE,
};

/** Checks the options for callers without types. */
function checkPalimpsest(options: PalimpsestOptions): void {
  checkOptions("createPalimpsest", options ?? {}, RULES);
  const { model, folder, home, store, window, notes } = (options ?? {}) as Partial<PalimpsestOptions>;
  if (model === undefined)
    throw new OptionError({
      message: "There is no model to make sessions with.",
      hint: "Pass one: createPalimpsest({ model: anthropicModel(client, { model }) }), or functionModel(async (request) => …).",
    });
  if (typeof notes === "object") checkOptions("notes", notes, NOTES_RULES);
  checkWindow(window);
  const places = [folder, home, store].filter((place) => place !== undefined);
  if (places.length <= 1) return;
  throw new OptionError({
    message: "Sessions are kept in one place: `folder`, `home` or `store`.",
    hint: "Leave out all but one.",
  });
}
