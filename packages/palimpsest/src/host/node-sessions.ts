/**
 * Sessions on this machine's disk: the store, the clock, the ids and the hash, wired for Node.
 */

import { OptionError } from "../base/errors.ts";
import { anyString, checkOptions } from "../base/options/check-options.ts";
import type { Clock } from "../ports/runtime.ts";
import { notify, type SessionObserver } from "../session/events/events.ts";
import { createSession, openSession } from "../session/lifecycle/open-session.ts";
import type { NewSessionOptions, SessionOptions } from "../session/options/session-options.ts";
import type { Session } from "../session/session.ts";
import { findNetworkFileSystem } from "../stores/platform/network-file-system.ts";
import { nodeHasher, randomIds, systemClock, systemTimer } from "../stores/platform/node-ports.ts";
import type { Scope } from "../transcript/entries.ts";
import { folderStore } from "./folder-store.ts";
import { CLOCK_RULE } from "./home/option-rules.ts";
import { warnOfEnvironment, windowInEnvironment } from "./home/window-settings.ts";

type Wired = "store" | "clock" | "ids" | "hasher" | "timer";

/** Options of a new session in a folder. */
export type NodeSessionOptions = Omit<NewSessionOptions, Wired>;

/** Sessions of one folder. */
interface NodeSessions {
  /** Begins a session; its file is created with the first message. */
  create(options?: NodeSessionOptions): Promise<Session>;
  /**
   * Opens a session where it was left. @throws `StoreError` `SESSION_NOT_FOUND`, or `SESSION_IN_USE` where
   * another process (or another place in this one) writes it.
   */
  open(sessionId: string, options?: Omit<SessionOptions, Wired>): Promise<Session>;
  /** Ids of the sessions in the folder, or of those of a scope. */
  list(scope?: Scope): Promise<readonly string[]>;
}

/**
 * Keeps sessions in `folder`: one JSONL file each, large blocks beside it, readable by their owner only.
 *
 * @example
 * ```ts
 * const sessions = nodeSessions({ folder: "./sessions" });
 * const session = await sessions.create({ window: { windowTokens: 64_000 } });
 * ```
 * @throws `OptionError` where `folder` is empty
 */
export function nodeSessions(options: {
  readonly folder: string;
  /** The time of entries; the machine's, by default. */
  readonly clock?: Clock;
}): NodeSessions {
  checkOptions("nodeSessions", options ?? {}, { folder: anyString, clock: CLOCK_RULE });
  const { folder, clock = systemClock } = options ?? {};
  // An empty path would be the folder that the program happens to run in.
  if (typeof folder !== "string" || folder === "")
    throw new OptionError({
      message: "There is no folder to keep sessions in.",
      hint: 'Pass one: nodeSessions({ folder: "./sessions" }).',
    });
  const store = folderStore(folder);
  let isLookedAt = false;
  const warn = (observer: SessionObserver | undefined): void => {
    if (isLookedAt || observer === undefined) return;
    isLookedAt = true;
    const kind = findNetworkFileSystem(folder);
    warnOfEnvironment(observer, process.env);
    if (kind !== undefined) notify(observer, { type: "network-file-system", kind, folder });
  };
  const windowOf = ({ window }: Pick<SessionOptions, "window">): Pick<SessionOptions, "window"> => {
    const own = windowInEnvironment(window, process.env);
    return own === undefined ? {} : { window: own };
  };
  const wired = { store, clock, ids: randomIds, hasher: nodeHasher, timer: systemTimer };
  return {
    create: (options = {}) => {
      warn(options.observer);
      return createSession({ ...options, ...windowOf(options), ...wired });
    },
    open: (sessionId, options = {}) => {
      warn(options.observer);
      return openSession(sessionId, { ...options, ...windowOf(options), ...wired });
    },
    list: (scope) => store.list(scope),
  };
}
