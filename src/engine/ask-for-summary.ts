/**
 * Asking the host's model for a summary: whatever it does, there is an answer within the time limit.
 */
import type { Deadline } from "../ports/deadline.ts";

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
export type AskedSummary =
  | { readonly ok: true; readonly content: string }
  | { readonly ok: false; readonly problem: SummarizeProblem };

/** Never throws and never hangs. */
export function askForSummary(
  callback: SummarizeCallback,
  prompt: string,
  { deadline, timeoutMs }: { readonly deadline: Deadline; readonly timeoutMs: number },
): Promise<AskedSummary> {
  return new Promise((resolve) => {
    const abort = new AbortController();
    const cancel = deadline.after(timeoutMs, () => {
      resolve({ ok: false, problem: { reason: "timed-out" } });
      abort.abort();
    });
    // In a step of its own, so that what it throws at once is a rejection like any other.
    Promise.resolve()
      .then(() => callback(prompt, { signal: abort.signal }))
      .then(
        (text: unknown) => resolve(judge(text)),
        (error: unknown) => resolve({ ok: false, problem: { reason: "failed", error } }),
      )
      .finally(cancel);
  });
}

function judge(text: unknown): AskedSummary {
  if (typeof text !== "string") return { ok: false, problem: { reason: "not-text" } };
  const content = text.trim();
  return content === "" ? { ok: false, problem: { reason: "empty" } } : { ok: true, content };
}
