/**
 * Asking the host's model for a summary: whatever it does, there is an answer within the time limit.
 */
import type { Deadline } from "../ports/runtime.ts";
import { askWithin } from "../session/model/ask-within.ts";

/**
 * Writes a summary from a prompt: a call of your model. `signal` is aborted when the time limit is up; pass
 * it on to your SDK, so that nobody pays for an answer that is not waited for.
 */
export type SummarizeCallback = (
  prompt: string,
  options: { readonly signal: AbortSignal },
) => Promise<string>;

/** Why a callback's summary was not used. */
export interface SummarizeProblem {
  /**
   * `failed`: it threw. `timed-out`: nothing came within `summarizeTimeoutMs`. `not-text`, `empty`: what came is no
   * string, or blank. `not-smaller`: it has no fewer tokens than what it would take the place of.
   */
  readonly reason: "failed" | "timed-out" | "not-text" | "empty" | "not-smaller";
  /** What it threw. */
  readonly error?: unknown;
}

/** A summary, or why there is none. */
type AskedSummary =
  | { readonly ok: true; readonly content: string }
  | { readonly ok: false; readonly problem: SummarizeProblem };

/** Never throws and never hangs. */
export async function askForSummary(
  callback: SummarizeCallback,
  prompt: string,
  limits: { readonly deadline: Deadline; readonly timeoutMs: number },
): Promise<AskedSummary> {
  let signal: AbortSignal | undefined;
  try {
    const text: unknown = await askWithin(async (inner) => {
      signal = inner;
      return callback(prompt, { signal: inner });
    }, limits);
    return judge(text);
  } catch (error) {
    // What ended it is the reason of the signal only where the time was up.
    if (signal?.aborted === true && signal.reason === error)
      return { ok: false, problem: { reason: "timed-out" } };
    return { ok: false, problem: { reason: "failed", error } };
  }
}

function judge(text: unknown): AskedSummary {
  if (typeof text !== "string") return { ok: false, problem: { reason: "not-text" } };
  const content = text.trim();
  return content === "" ? { ok: false, problem: { reason: "empty" } } : { ok: true, content };
}
