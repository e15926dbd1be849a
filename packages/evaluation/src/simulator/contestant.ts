/**
 * A contestant: a policy that keeps a window over a recorded session.
 *
 * The simulator hands over the conversation, message by message, and asks for the window before each request.
 * Baselines and the library's own policies are contestants alike.
 */

import type { Tariff } from "palimpsest/tokens";
import type { PricedRequest, Trajectory, TrajectoryMessage, WindowUnit } from "palimpsest-testing/internal";
import { EVALUATION_DEFAULTS as D } from "../defaults/evaluation.ts";
import { type KeyReference, referencesOf, textOfKey } from "../references/references.ts";

/** Under which conditions a session is run. */
export interface RunSetting {
  readonly trajectory: Trajectory;
  readonly windowTokens: number;
  readonly tariff: Tariff;
  /** Prices of cache entries that live long, if the provider sells them. */
  readonly longTariff?: Tariff;
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

/** A source that is looked up or read again, and the part of it that this returns. */
export interface Lookup {
  readonly source: number;
  readonly message: TrajectoryMessage;
  /** Keys of the references that can be read in the answer. */
  readonly strings: ReadonlySet<string>;
  readonly text: string;
  readonly tokens: number;
  /** True if the file or result is read again because an edit needs its lines to the letter. */
  readonly isReread: boolean;
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
  /** True if it has system prompt and tools cached for longer where the session pauses. */
  readonly keepsHead?: boolean;
  enter(setting: RunSetting, arena: Arena): Contestant;
}

/** The most places of a message that a lookup returns. */
const PLACES = 3;

/** The missing keys by the message that held them last, the source that misses most first. */
function bySource(missing: readonly KeyReference[]): readonly (readonly [number, readonly string[]])[] {
  const wanted = new Map<number, string[]>();
  for (const { source, key } of missing) {
    const known = wanted.get(source);
    if (known === undefined) wanted.set(source, [key]);
    else known.push(key);
  }
  return [...wanted].sort((one, other) => other[1].length - one[1].length);
}

/**
 * Lookups for missing names: at most `lookupSources`. Its own words an agent needs twice before it looks. Words are
 * never looked up.
 */
export function findLookups(missing: readonly KeyReference[], { trajectory }: RunSetting): readonly Lookup[] {
  const { messages } = trajectory;
  return bySource(missing.filter(({ kind }) => kind === "name"))
    .filter(([source, keys]) => keys.length >= 2 || messages[source]!.author !== "assistant")
    .slice(0, D.lookupSources)
    .map(([source, keys]) =>
      partOf(source, trajectory, { keys, mostTokens: D.lookupTokens, isReread: false }),
    );
}

/**
 * Readings of what held missing lines: an edit needs them to the letter, so each source is read again as it was, once
 * for an edit; of what is large for the window, the part around the lines.
 */
export function findRereads(
  missing: readonly KeyReference[],
  { trajectory, windowTokens }: RunSetting,
): readonly Lookup[] {
  const mostTokens = windowTokens * D.rereadWindowShare;
  return bySource(missing.filter(({ kind }) => kind === "line")).map(([source, keys]) =>
    partOf(source, trajectory, { keys, mostTokens, isReread: true }),
  );
}

function partOf(
  source: number,
  trajectory: Trajectory,
  {
    keys,
    mostTokens,
    isReread,
  }: { readonly keys: readonly string[]; readonly mostTokens: number; readonly isReread: boolean },
): Lookup {
  const message = trajectory.messages[source]!;
  const references = referencesOf(trajectory);
  const tokens = Math.min(message.tokens, mostTokens) + D.lookupOutputTokens;
  const whole = { source, message, tokens, isReread };
  if (message.tokens <= mostTokens)
    return { ...whole, strings: references.keysOf(source), text: message.text };
  const text = placesOf(message, { wanted: keys.slice(0, PLACES).map(textOfKey), mostTokens });
  return { ...whole, text, strings: references.keysInText(text) };
}

/** The stretches around the wanted strings, up to the size of a lookup. */
function placesOf(
  { text, tokens }: TrajectoryMessage,
  { wanted, mostTokens }: { readonly wanted: readonly string[]; readonly mostTokens: number },
): string {
  const charactersPerToken = text.length / tokens;
  const width = Math.round((mostTokens * charactersPerToken) / wanted.length);
  return wanted
    .map((string) => {
      const place = Math.max(0, text.indexOf(string));
      return text.slice(Math.max(0, place - Math.ceil(width / 2)), place + Math.floor(width / 2));
    })
    .join("\n");
}
