/**
 * Options and results of turns, prepared calls and compactions by hand.
 */
import type { JsonObject, JsonValue } from "../../../base/json/json.ts";
import type { ModelAnswer, ModelEvent, ToolDefinition } from "../../../ports/model-client.ts";
import type { CallRequest, PreparedCall } from "../../../session/options/prepared-call.ts";
import type { ToolResultPart, ToolUseBlock, Usage } from "../../../transcript/blocks.ts";

/** A tool's answer: a text, parts, or either with a mark that it failed. */
export type ToolOutput =
  | string
  | readonly ToolResultPart[]
  | { readonly content: string | readonly ToolResultPart[]; readonly isError?: boolean };

/** A tool that a turn runs by itself. */
export interface AgentTool extends ToolDefinition {
  /** Does the work. The model sees an error that it throws as a failed result. */
  readonly run: (
    input: JsonValue,
    context: { readonly callId: string; readonly signal: AbortSignal },
  ) => ToolOutput | Promise<ToolOutput>;
}

/** An event of a turn, as it happens. */
export type TurnEvent =
  | ModelEvent
  | { readonly type: "call"; readonly call: PreparedCall }
  | { readonly type: "answer"; readonly answer: ModelAnswer }
  | { readonly type: "tool-result"; readonly call: ToolUseBlock; readonly isError: boolean };

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
  /** Parameters of the request in the provider's words, such as `max_tokens` or `thinking`. */
  readonly parameters?: JsonObject;
  readonly betas?: readonly string[];
  /** Called with everything that arrives; the answer is streamed if the model client can stream. */
  readonly onEvent?: (event: TurnEvent) => void;
  /** Ends the turn with `ABORTED`. */
  readonly signal?: AbortSignal;
  /** Calls of the model, at the most. @defaultValue `iterationsCount`, 1,000 */
  readonly maxIterations?: number;
}

/** The result of a turn. */
export interface TurnResult {
  /** The last text of the model. */
  readonly text: string;
  /**
   * `done`: it handed back. `output-limit`: its answer was cut. `refusal`: it would not answer. `iterations`:
   * `maxIterations` is reached. `loop`: it made the same calls with the same results over and over.
   */
  readonly endedBy: "done" | "output-limit" | "refusal" | "iterations" | "loop";
  /** The last answer. */
  readonly answer: ModelAnswer;
  readonly iterations: number;
  /** All calls of the turn together; those for summaries are not in it. */
  readonly usage: Usage;
}

/** Calls the listener. An error in it does not end the turn. @internal */
export function tell({ onEvent }: Pick<TurnOptions, "onEvent">, event: TurnEvent): void {
  try {
    onEvent?.(event);
  } catch {
    // The event has happened already.
  }
}

/** The part of a request that is the host's; the model is the session's own where it is left out. */
export type AgentRequest = Omit<CallRequest, "model"> & { readonly model?: string };

/** Options of preparing a call. */
export interface PrepareOptions {
  /** Stops a summary that is being written: nothing is changed then. */
  readonly signal?: AbortSignal | undefined;
}

/** A compaction by hand. Everything may be left out. */
export interface CompactOptions extends PrepareOptions {
  /** Wishes for the summary, beside its nine sections. */
  readonly instructions?: string;
  /** Only the entry of this number and what follows it; what stands before it stays as it is. */
  readonly from?: number;
  /** Only what stands before the entry of this number. */
  readonly upTo?: number;
}

/** The result of a compaction by hand: the edits, and the model that wrote the summary, if one did. */
export interface CompactResult {
  readonly edits: PreparedCall["edits"];
  readonly writtenBy?: string;
  readonly freedTokens: number;
}
