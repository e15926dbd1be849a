/**
 * A contestant: a policy that keeps a window over a recorded session.
 *
 * The simulator hands over the conversation, message by message, and asks for the window before each request.
 * Baselines and the library's own policies are contestants alike.
 */

import type { Tariff } from "palimpsest/tokens";
import {
  findMetricStrings,
  type PricedRequest,
  type Reference,
  type Trajectory,
  type TrajectoryMessage,
  type WindowUnit,
} from "palimpsest-testing/internal";
import { EVALUATION_DEFAULTS as D } from "../defaults/evaluation.ts";

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

/** The most places of a message that a lookup returns. */
const PLACES = 3;

/** At most `lookupSources` of them, the one that misses most first. Its own words an agent needs twice before it looks. */
export function findLookups(missing: readonly Reference[], { messages }: Trajectory): readonly Lookup[] {
  const wanted = new Map<number, string[]>();
  for (const { source, text } of missing) {
    const known = wanted.get(source);
    if (known === undefined) wanted.set(source, [text]);
    else known.push(text);
  }
  return [...wanted]
    .filter(([source, texts]) => texts.length >= 2 || messages[source]!.author !== "assistant")
    .sort((one, other) => other[1].length - one[1].length)
    .slice(0, D.lookupSources)
    .map(([source, texts]) => lookUp(source, messages[source]!, texts));
}

function lookUp(source: number, message: TrajectoryMessage, wanted: readonly string[]): Lookup {
  const whole = { source, message, tokens: Math.min(message.tokens, D.lookupTokens) + D.lookupOutputTokens };
  if (message.tokens <= D.lookupTokens) return { ...whole, strings: message.strings, text: message.text };
  const text = placesOf(message, wanted.slice(0, PLACES));
  return { ...whole, text, strings: findMetricStrings(text) };
}

/** The stretches around the wanted strings, up to the size of a lookup. */
function placesOf({ text, tokens }: TrajectoryMessage, wanted: readonly string[]): string {
  const charactersPerToken = text.length / tokens;
  const width = Math.round((D.lookupTokens * charactersPerToken) / wanted.length);
  return wanted
    .map((string) => {
      const place = Math.max(0, text.indexOf(string));
      return text.slice(Math.max(0, place - Math.ceil(width / 2)), place + Math.floor(width / 2));
    })
    .join("\n");
}
