/**
 * The measures of what stays visible, of one policy beside another: pooled, and session by session.
 *
 * A policy that is better on the whole can be much worse in some sessions, so the sessions come first: the value that
 * nine in ten exceed, and the worst by name.
 */
import { assert } from "palimpsest/internal";
import type { RunResult, SurvivalCount } from "./simulate.ts";

/** The measures of a run; each is a share of references that were visible. */
const MEASURES = {
  /** Named strings, lines of edits and plain words that were last seen far back. */
  names: ({ far }: RunResult): SurvivalCount => far,
  lines: ({ lines }: RunResult): SurvivalCount => lines.far,
  words: ({ words }: RunResult): SurvivalCount => words.far,
  /** The same from nearby. */
  near: ({ near }: RunResult): SurvivalCount => near,
  nearLines: ({ lines }: RunResult): SurvivalCount => lines.near,
  nearWords: ({ words }: RunResult): SurvivalCount => words.near,
} as const;

export type MeasureName = keyof typeof MEASURES;

export const MEASURE_NAMES = Object.keys(MEASURES) as readonly MeasureName[];

/** A session with fewer references of a kind says nothing about it. */
const LEAST_REFERENCES = 20;

/** The same session under two policies. */
interface RunPair {
  readonly session: string;
  readonly run: RunResult;
  readonly other: RunResult;
}

/** One measure of two policies on the same sessions. */
export interface MeasuredDifference {
  readonly references: number;
  /** Shares over all sessions together; `undefined` without references. */
  readonly own: number | undefined;
  readonly other: number | undefined;
  /** Nine in ten sessions with enough references exceed this difference. */
  readonly p10: number | undefined;
  /** These sessions, the worst first. */
  readonly sessions: readonly { readonly session: string; readonly difference: number }[];
}

/** Compares one measure. Sessions with few references count in the shares only. */
export function compareMeasure(name: MeasureName, pairs: readonly RunPair[]): MeasuredDifference {
  const counts = pairs.map(({ session, run, other }) => ({
    session,
    own: MEASURES[name](run),
    other: MEASURES[name](other),
  }));
  const pooled = (of: "own" | "other"): number | undefined => {
    const references = counts.reduce((sum, count) => sum + count[of].references, 0);
    return references === 0
      ? undefined
      : counts.reduce((sum, count) => sum + count[of].visible, 0) / references;
  };
  const sessions = counts
    .filter(({ own }) => own.references >= LEAST_REFERENCES)
    .map(({ session, own, other }) => ({
      session,
      difference: own.visible / own.references - other.visible / other.references,
    }))
    .sort((one, other) => one.difference - other.difference);
  return {
    references: counts.reduce((sum, { own }) => sum + own.references, 0),
    own: pooled("own"),
    other: pooled("other"),
    p10: interpolatedQuantile(
      sessions.map(({ difference }) => difference),
      0.1,
    ),
    sessions,
  };
}

/** Returns the quantile `at` (0 to 1), interpolated between neighbouring values; `undefined` without values. */
export function interpolatedQuantile(values: readonly number[], at: number): number | undefined {
  assert(at >= 0 && at <= 1, "a quantile lies between 0 and 1");
  const sorted = values.toSorted((one, other) => one - other);
  const place = at * (sorted.length - 1);
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) return undefined;
  return below + (above - below) * (place - Math.floor(place));
}

/** One floor, and by how much a policy is above it: below 0 it is missed. */
interface JudgedFloor {
  readonly floor: string;
  /** In shares: 0.01 is a point. `undefined` if there is nothing to judge. */
  readonly margin: number | undefined;
}

/** A policy loses at most this much against the other, pooled and in nine of ten sessions. */
const ALLOWED_LOSS = 0.05;

/** The least near recall in a window of this size. */
function nearFloor(windowTokens: number): number {
  if (windowTokens >= 128_000) return 0.99;
  return windowTokens >= 48_000 ? 0.98 : 0.97;
}

/** Judges a policy beside another by the floors of a default. `tenths`: the differences whose p10 counts. */
export function judgeFloors(
  measured: Readonly<Record<MeasureName, MeasuredDifference>>,
  { windowTokens, tenths = measured }: { readonly windowTokens: number; readonly tenths?: typeof measured },
): readonly JudgedFloor[] {
  const above = (name: MeasureName, allowed: number): number | undefined => {
    const { own, other } = measured[name];
    return own === undefined || other === undefined ? undefined : own - other + allowed;
  };
  const near = measured.near.own;
  return [
    { floor: "names", margin: above("names", 0) },
    { floor: "lines", margin: above("lines", ALLOWED_LOSS) },
    { floor: "words", margin: above("words", ALLOWED_LOSS) },
    { floor: "near", margin: near === undefined ? undefined : near - nearFloor(windowTokens) },
    ...(["names", "lines", "words", "near"] as const).map((name) => {
      const { p10 } = tenths[name];
      return { floor: `p10 ${name}`, margin: p10 === undefined ? undefined : p10 + ALLOWED_LOSS };
    }),
  ];
}
