/** A request and how it ended, as a test finds it afterwards. */
import type { Violation } from "../../wire-oracle/wire-oracle.ts";
import type { Fault, ScriptedAnswer, ScriptedRequest } from "./script.ts";

/** The end of a request. */
export type RequestOutcome =
  | "pending"
  | "answered"
  /** It breaks a rule of the API: its `violations` say which. */
  | "refused"
  /** The prompt is longer than the window. */
  | "overflow"
  /** The script or the plan of faults had it fail. */
  | "failed";

/** A request and what became of it. */
export interface RecordedRequest extends ScriptedRequest {
  readonly outcome: RequestOutcome;
  /** The status that was sent; `undefined` as long as none was. */
  readonly status: number | undefined;
  /** Every rule that it breaks, in the provider's words; the client got the first of them. */
  readonly violations: readonly Violation[];
  /** Tokens of the prompt that were read from the emulated cache, written to it, or neither. */
  readonly cache: {
    readonly readTokens: number;
    readonly writtenTokens: number;
    readonly plainTokens: number;
  };
  /** Signed or encrypted reasoning in the prompt: how much of it the model still reads. */
  readonly reasoning: { readonly keptCount: number; readonly droppedCount: number };
  readonly fault: Fault["fault"] | undefined;
  /** The answer, cut where the output limit cut it. */
  readonly answer: ScriptedAnswer | undefined;
  /** The client went away before the end. */
  readonly isAborted: boolean;
}
