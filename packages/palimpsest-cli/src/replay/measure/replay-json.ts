/**
 * The shape of `replay --json`: stable, with the same figures as the readable report.
 */

import type { NotRead } from "palimpsest/formats";
import type { LayerName } from "palimpsest/transcript";
import type { CostFigures, SurvivalFigures } from "palimpsest-testing/internal";

export interface ReplayJson {
  /** Version of this shape; it counts up when a field changes its meaning or disappears. */
  readonly version: 1;
  /** One per recorded session and window, in the order in which they were asked for. */
  readonly sessions: readonly SessionResult[];
}

export type SessionResult = ReplayedSession | FailedSession;

export interface SourceFigures {
  /** Format of the recording, such as `claude-code`. */
  readonly format: string;
  /** The recording's own id of the session; absent if it has none. */
  readonly sessionId?: string;
  /** Records that the session was read from: lines of the file, or elements of its list of messages. */
  readonly entries: number;
  /** Messages of people and responses of models; tool results and what the tool put in are not messages here. */
  readonly messages: number;
  readonly toolCalls: number;
  /** The whole conversation, by our estimate, without the fixed part. */
  readonly tokens: number;
  /** Recorded system prompt and tools, by our estimate; 0 where the recording has none. */
  readonly fixedTokens: number;
}

export interface WindowFigures {
  /** The whole window of the model. */
  readonly tokens: number;
  /** The window less what is kept free for a summary. */
  readonly effectiveTokens: number;
  /** The size at which the window is compacted. */
  readonly autoCompactAtTokens: number;
  /** The model whose tokenizer and rules are assumed. */
  readonly model: string;
  /** `permissive` if earlier messages may be rewritten. */
  readonly editSafety: "strict" | "permissive";
  /** When the layers act: `faithful` acts where the window demands it, never for cost. */
  readonly policy: string;
}

export interface PromptFigures {
  /**
   * Origin of `tokens`: `recorded` in the file, `fixed` by the option `--fixed`, `billed`: the recorded usage less
   * the counted messages, or `unknown` if the file has no figure for it.
   */
  readonly source: "recorded" | "fixed" | "billed" | "unknown";
  /** System prompt and tools within each request, in the model's tokens. */
  readonly tokens: number;
}

export interface LayerFigures {
  readonly edits: number;
  /** Tokens that the window lost by them. */
  readonly freedTokens: number;
  /** Number of edits by reason, as the log names it. */
  readonly reasons: Readonly<Record<string, number>>;
}

export interface ReplayedSession {
  /** The file, as it was given. */
  readonly file?: string;
  readonly source: SourceFigures;
  readonly window: WindowFigures;
  readonly prompt: PromptFigures;
  /** Requests that were prepared. */
  readonly calls: number;
  /** The largest of them. */
  readonly peakTokens: number;
  /** Requests above the blocking limit. */
  readonly overflows: number;
  /** True if every request fits with its prompt. Absent if nothing is judged: no calls, or an unknown prompt. */
  readonly fits?: boolean;
  readonly layers: Readonly<Record<LayerName, LayerFigures>>;
  /** Requests judged by the wire oracle, each as Anthropic's and as OpenAI's, and those it would refuse. */
  readonly invariants: { readonly checked: number; readonly broken: number };
  /** Original blocks, and those read back byte for byte through the history tools. */
  readonly lossless: { readonly blocks: number; readonly recovered: number };
  /** Windows built again from the stored log after reopening it, and those that came out different. */
  readonly rebuild: { readonly checked: number; readonly different: number };
  /**
   * Error of the predicted size of the recorded tool's own context, as a share of the size that its
   * provider reported; absent if no usage was recorded.
   */
  readonly estimator?: { readonly calls: number; readonly medianError: number; readonly p95Error: number };
  /**
   * Strings that the agent used and had last seen at least 8,000 tokens before: how many there were,
   * how many could be read in the window at that moment, and how many could be read or reached (behind a
   * visible pointer, or among the first hits of a search for strings that can be read).
   */
  readonly survival?: SurvivalFigures;
  /** Cost of the requests, beside those of the same session without any edit. */
  readonly cost?: CostFigures;
  /** Repaired damage: in the file, and in the conversation. */
  readonly repairs: number;
  /** Unreadable parts of the file; no other figure includes them. */
  readonly notRead: NotRead;
  /** Size of the session in the store. */
  readonly bytesWritten: number;
  /** Preparing one call, by the middle and the slowest hundredth, and the whole replay with its checks. */
  readonly ms: { readonly prepareP50: number; readonly prepareP99: number; readonly total: number };
}

export interface FailedSession {
  /** The file, as it was given. */
  readonly file: string;
  /** Absent where the file could not be read. */
  readonly source?: SourceFigures;
  /** Absent where the file could not be read. */
  readonly window?: WindowFigures;
  /** Likewise. */
  readonly prompt?: PromptFigures;
  readonly error: { readonly code: string; readonly message: string; readonly hint: string };
}

export function isFailed(session: SessionResult): session is FailedSession {
  return "error" in session;
}

/** Returns `fits` of a session, as far as it can be judged. */
export function judgeFit({
  calls,
  overflows,
  prompt,
}: Pick<ReplayedSession, "calls" | "overflows" | "prompt">): Pick<ReplayedSession, "fits"> {
  if (calls === 0 || (overflows === 0 && prompt.source === "unknown")) return {};
  return { fits: overflows === 0 };
}

/** True if every check of a replayed session held. */
export function isSound(session: ReplayedSession): boolean {
  const { overflows, invariants, lossless, rebuild } = session;
  return (
    overflows === 0 &&
    invariants.broken === 0 &&
    rebuild.different === 0 &&
    lossless.recovered === lossless.blocks
  );
}

/** 0: everything held. 3: all that happened is that some windows were too small. 1: anything else. */
export function exitCodeOf(sessions: readonly SessionResult[]): 0 | 1 | 3 {
  const failed = sessions.filter(isFailed);
  const isAllSound = sessions.every((session) => isFailed(session) || isSound(session));
  if (!isAllSound) return 1;
  if (failed.length === 0) return 0;
  return failed.every(({ error }) => error.code === "WINDOW_TOO_SMALL") ? 3 : 1;
}
