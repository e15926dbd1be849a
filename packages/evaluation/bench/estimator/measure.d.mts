import type { UsageLedger } from "palimpsest/experimental";
import type { EstimableMessage } from "palimpsest/internal";
import type { RecordedSession } from "./recorded-usage.mjs";

export interface MeasuredSession {
  readonly name: string;
  readonly contextErrors: readonly number[];
  readonly incrementErrors: readonly number[];
  readonly ratio: number;
  readonly padding: number;
}

export const WARM_UP_CALLS: number;
export const SMALLEST_INCREMENT: number;

export function measureSession(
  session: RecordedSession,
  code: {
    readonly UsageLedger: typeof UsageLedger;
    readonly estimateMessage: (message: EstimableMessage) => number;
  },
): MeasuredSession;

export function signedMedian(errors: readonly number[]): number;
export function absoluteQuantile(errors: readonly number[], share: number): number;
