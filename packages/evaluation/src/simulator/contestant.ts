/**
 * What is measured: a policy that keeps a window over a recorded session.
 *
 * The simulator hands over what was said, message by message, and asks for the window before each
 * request. Baselines and the library's own policies are contestants alike.
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
  /** Whether the cache may still hold the last request. */
  readonly isWarm: boolean;
}

/** A side call that a policy makes: to fork the window as it is, or with an input of its own. */
export interface SideCall {
  readonly mode: "fork" | "fresh";
  /** Of a fresh call. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** What a fork adds to the window, in tokens. */
  readonly addedTokens?: number;
}

/** What the simulator does for a contestant. */
export interface Arena {
  /** Prices a side call made now, and says what it cost. */
  sideCall(call: SideCall): number;
  /** Takes note of an edit, for the figures. */
  edited(kind: EditKind, freedTokens: number): void;
}

export type EditKind = "clear" | "summary" | "offload" | "collapse";

/** A source that is asked for again, and what of it comes back. */
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
  /** What was asked for again came back. */
  lookedUp(lookup: Lookup): void;
  isVisible(text: string): boolean;
  /** Whether the window shows how to get at a message again. */
  isBehindPointer(source: number): boolean;
  /** The request was priced. */
  priced?(request: PricedRequest): void;
}

/** A policy by name, to be put to work on many sessions. */
export interface PolicyUnderTest {
  readonly id: string;
  readonly name: string;
  /** Whether its agent can search everything that was said. */
  readonly hasSearch?: boolean;
  enter(setting: RunSetting, arena: Arena): Contestant;
}
