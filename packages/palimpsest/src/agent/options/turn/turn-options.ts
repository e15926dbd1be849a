/**
 * Options and results of turns, prepared calls and compactions by hand.
 */
import type { JsonObject, JsonValue } from "../../../base/json/json.ts";
import type { ModelAnswer, ModelEvent, ToolDefinition } from "../../../ports/model-client.ts";
import type { SessionEvent } from "../../../session/events/events.ts";
import type { CallRequest, PreparedCall } from "../../../session/options/prepared-call.ts";
import type { Session } from "../../../session/session.ts";
import type { Spent } from "../../../tokens/price/spent.ts";
import type { ToolResultBlock, ToolResultPart, ToolUseBlock, Usage } from "../../../transcript/blocks.ts";

/** A tool's answer: a text, parts, or either with a mark that it failed. */
export type ToolOutput =
  | string
  | readonly ToolResultPart[]
  | { readonly content: string | readonly ToolResultPart[]; readonly isError?: boolean };

/** The second argument of `execute`: the call that is carried out. */
export interface ToolContext {
  readonly callId: string;
  /** Aborted if the turn is stopped, and at the tool's time limit. */
  readonly signal: AbortSignal;
  /** The session that the call was made in; absent if the tool is run without one. */
  readonly session?: Session;
}

/** A decision about a call. The model reads the reason of a denial. */
type ToolVerdict = "allow" | "deny" | { readonly deny: string };

/** A decision of an approval hook: `ask` leaves it to `onApproval` of the turn. */
export type ToolApproval = ToolVerdict | "ask";

/** A tool that a turn runs by itself. `tool` makes one whose input is typed and checked. */
export interface AgentTool extends ToolDefinition {
  /** Does the work. The model sees an error that it throws as a failed result. */
  run(input: JsonValue, context: ToolContext): ToolOutput | Promise<ToolOutput>;
  /** Checks an input before the call is approved; returns its problem in words for the model, if it has one. */
  checkInput?(input: JsonValue): string | undefined | Promise<string | undefined>;
  /** Decides about a call of this tool. An error denies it. @defaultValue `allow` */
  approve?(call: ToolUseBlock, context: ToolContext): ToolApproval | Promise<ToolApproval>;
  /** False if no other call of the same answer may run at the same time. @defaultValue true */
  readonly parallel?: boolean;
  /** Time limit of one call, in milliseconds; `Infinity` for none. @defaultValue 600,000 */
  readonly timeoutMs?: number;
}

/** An event of a turn, as it happens. */
export type TurnEvent =
  | ModelEvent
  | { readonly type: "call"; readonly call: PreparedCall }
  | { readonly type: "answer"; readonly answer: ModelAnswer }
  /** `result`: as the model gets it, also for calls that were denied and for those of the session's own tools. */
  | {
      readonly type: "tool-result";
      readonly call: ToolUseBlock;
      readonly isError: boolean;
      readonly result: ToolResultBlock;
    };

/** An event of a compaction: an edit of the window, what it showed again, or a summary that a model was asked for. */
export type CompactionEvent = Extract<
  SessionEvent,
  {
    readonly type:
      | "layer"
      | "offloaded"
      | "summary-started"
      | "summary-call"
      | "summary-refused"
      | "compaction-vetoed"
      | "useless-compaction"
      | "restored"
      | "restore-skipped";
  }
>;

/** An event of a streamed turn; `done` is the last one. */
export type TurnStreamEvent =
  | TurnEvent
  | CompactionEvent
  | { readonly type: "done"; readonly result: TurnResult };

/** Options of a turn. */
export interface TurnOptions {
  /** Id of the model. @defaultValue the model client's own */
  readonly model?: string;
  /** The system prompt. */
  readonly system?: string;
  /** Tools that the turn runs by itself. */
  readonly tools?: readonly AgentTool[];
  /** Further tool definitions in the provider's own shape, such as tools that the provider runs. */
  readonly providerTools?: readonly unknown[];
  /** True if the model may search this session's history and read from it. @defaultValue true */
  readonly historyTools?: boolean;
  /** Decides about each call of `tools`, beside the tool's own `approve`. An error denies the call. @defaultValue `allow` */
  readonly approve?: (call: ToolUseBlock, context: ToolContext) => ToolApproval | Promise<ToolApproval>;
  /** Asks a person about a call, one at a time. Without it, calls that need approval are denied. */
  readonly onApproval?: (call: ToolUseBlock, context: ToolContext) => ToolVerdict | Promise<ToolVerdict>;
  /** Parameters of the request in the provider's words, such as `max_tokens` or `thinking`. */
  readonly parameters?: JsonObject;
  readonly betas?: readonly string[];
  /** Called with everything that arrives; the answer is streamed if the model client can stream. */
  readonly onEvent?: (event: TurnEvent) => void;
  /** Ends the turn with `ABORTED`. */
  readonly signal?: AbortSignal;
  /** Most calls of the model. @defaultValue `iterationsCount`, 1,000 */
  readonly maxIterations?: number;
}

/** The cost of a session or of a turn: the total, and its share for each purpose. */
export interface Spending extends Spent {
  readonly answers: Spent;
  readonly summaries: Spent;
  readonly notes: Spent;
  readonly memory: Spent;
  /**
   * Agents and dreams in the background. Agents on other machines report their usage only: their calls are not counted,
   * and have no known price.
   */
  readonly tasks: Spent;
}

/** The result of a turn. */
export interface TurnResult {
  /** The last text of the model. */
  readonly text: string;
  /**
   * `done`: the model finished. `output-limit`: its answer was cut off. `refusal`: it refused to answer. `iterations`:
   * `maxIterations` was reached. `loop`: it kept making the same calls with the same results.
   */
  readonly endedBy: "done" | "output-limit" | "refusal" | "iterations" | "loop";
  /** The last answer. */
  readonly answer: ModelAnswer;
  readonly iterations: number;
  /** All answers of the turn together; `spent` has what was spent beside them. */
  readonly usage: Usage;
  /** The cost of the turn: its answers, and the summaries, notes, memories and tasks that ended while it ran. */
  readonly spent: Spending;
}

/** Calls the listener. An error in it does not end the turn. @internal */
export function tell({ onEvent }: Pick<TurnOptions, "onEvent">, event: TurnEvent): void {
  try {
    onEvent?.(event);
  } catch {
    // The event has happened already.
  }
}

/** The host's part of a request. Without `model`, the session's own is used. */
export type AgentRequest = Omit<CallRequest, "model"> & { readonly model?: string };

/** Options of preparing a call. */
export interface PrepareOptions {
  /** Stops a summary that is being written: nothing is changed then. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a compaction by hand. All are optional. */
export interface CompactOptions extends PrepareOptions {
  /** Instructions for the summary, in addition to its nine sections. */
  readonly instructions?: string;
  /** Number of the first entry to compact; entries before it stay as they are. */
  readonly from?: number;
  /** Number of the first entry that stays; only entries before it are compacted. */
  readonly upTo?: number;
}

/** The result of a compaction by hand: the edits, and the model that wrote the summary, if one did. */
export interface CompactResult {
  readonly edits: PreparedCall["edits"];
  readonly writtenBy?: string;
  /** Tokens by which the window became smaller, with everything that is shown again in it: as `context().usedTokens` says before and after. */
  readonly freedTokens: number;
}
