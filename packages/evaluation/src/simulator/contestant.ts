/**
 * A contestant: a policy that keeps a window over a recorded session.
 *
 * The simulator hands over the conversation, message by message, and asks for the window before each request.
 * Baselines and the library's own policies are contestants alike.
 */

import type { PricedRequest, Trajectory, TrajectoryMessage, WindowUnit } from "palimpsest/internal";
import type { Tariff } from "palimpsest/tokens";

/** Under which conditions a session is run. */
export interface RunSetting {
  readonly trajectory: Trajectory;
  readonly windowTokens: number;
  readonly tariff: Tariff;
}

/** A call about to be made. */
export interface CallMoment {
  /** Index of the assistant message that answers it. */
  readonly index: number;
  readonly nowMs: number;
  /** Time since the last request; 0 for the first. */
  readonly idleMs: number;
  /** True if the cache may still hold the last request. */
  readonly isWarm: boolean;
}

/** A side call that a policy makes: it forks the window as it is, or has a separate input. */
export interface SideCall {
  readonly mode: "fork" | "fresh";
  /** Tokens that a fresh call reads. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Tokens that a fork adds to the window. */
  readonly addedTokens?: number;
}

/** The services of the simulator for a contestant. */
export interface Arena {
  /** Prices a side call made now, and says what it cost. */
  sideCall(call: SideCall): number;
  /** Takes note of an edit, for the figures. */
  edited(kind: EditKind, freedTokens: number): void;
}

export type EditKind = "clear" | "summary" | "offload" | "collapse";

/** A source that is looked up again, and the part of it that the lookup returns. */
export interface Lookup {
  readonly source: number;
  readonly message: TrajectoryMessage;
  readonly strings: ReadonlySet<string>;
  readonly text: string;
  readonly tokens: number;
}

/** A policy at work on one session. */
export interface Contestant {
  /** The window as it would be sent, without the fixed part. */
  readonly units: readonly WindowUnit[];
  /** The request as it would be sent, with the fixed part. */
  readonly totalTokens: number;
  append(message: TrajectoryMessage, index: number): void;
  /** Makes room before a request leaves. Returns the marks that it sets, as indexes of `units`. */
  prepare(moment: CallMoment): readonly number[];
  /** The request does not fit: makes room whatever it costs. */
  overflow(moment: CallMoment): void;
  /** A lookup returned a message. */
  lookedUp(lookup: Lookup): void;
  isVisible(text: string): boolean;
  /** True if the window shows how to reach a message again. */
  isBehindPointer(source: number): boolean;
  /** The request was priced. */
  priced?(request: PricedRequest): void;
}

/** A policy by name, to be put to work on many sessions. */
export interface PolicyUnderTest {
  readonly id: string;
  readonly name: string;
  /** True if its agent can search the whole conversation. */
  readonly hasSearch?: boolean;
  enter(setting: RunSetting, arena: Arena): Contestant;
}
