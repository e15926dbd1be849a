/**
 * What an agent would have asked for again: the messages that hold most of what it used and could
 * not see.
 */

import type { Reference, Trajectory, TrajectoryMessage } from "palimpsest/internal";
import { findMetricStrings } from "palimpsest/internal";
import { EVALUATION_DEFAULTS as D } from "../defaults/evaluation.ts";
import type { Lookup } from "./contestant.ts";

/** Places of a message that come back at the most. */
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

/** The stretches around the wanted strings, as much as comes back. */
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
