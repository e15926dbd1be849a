/**
 * The shape of `demo --json`: the figures of a replay, and what became of the questions.
 */

import type { ReplayedSession } from "../replay/measure/replay-json.ts";
import type { FoundBy } from "./demo-agent.ts";

export interface DemoFactResult {
  readonly name: string;
  readonly question: string;
  /** What was really said. */
  readonly expected: string;
  /** What the agent answered; absent where it found nothing. */
  readonly answer?: string;
  /** Where it found it: in its window, or by the history tools. */
  readonly foundBy?: FoundBy;
  readonly isRight: boolean;
}

export interface DemoJson {
  readonly version: 1;
  /** The folder that the agent worked in. */
  readonly folder: string;
  /** The folder had too little to read, so synthetic files took its place. */
  readonly isSynthetic: boolean;
  readonly session: ReplayedSession;
  /** The largest request as the scripted model billed it, by its own rule. */
  readonly billedPeakTokens: number;
  readonly facts: readonly DemoFactResult[];
  /** Whether everything held: exactly what exit code 0 means. */
  readonly hasPassed: boolean;
}
