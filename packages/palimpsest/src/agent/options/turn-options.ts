/**
 * What a turn is told and what it tells: options, tools, events and its result.
 */
import type { JsonObject, JsonValue } from "../../base/json/json.ts";
import type { ModelAnswer, ModelEvent, ToolDefinition } from "../../ports/model-client.ts";
import type { PreparedCall } from "../../session/options/prepared-call.ts";
import type { ToolResultPart, ToolUseBlock, Usage } from "../../transcript/blocks.ts";

/** What a tool answers: a text, parts, or either with a mark that it failed. */
export type ToolOutput =
  | string
  | readonly ToolResultPart[]
  | { readonly content: string | readonly ToolResultPart[]; readonly isError?: boolean };

/** A tool that a turn runs by itself. */
export interface AgentTool extends ToolDefinition {
  /** Does the work. What it throws is told to the model as a failed result. */
  readonly run: (
    input: JsonValue,
    context: { readonly callId: string; readonly signal: AbortSignal },
  ) => ToolOutput | Promise<ToolOutput>;
}

/** What happens in a turn, as it happens. */
export type TurnEvent =
  | ModelEvent
  | { readonly type: "call"; readonly call: PreparedCall }
  | { readonly type: "answer"; readonly answer: ModelAnswer }
  | { readonly type: "tool-result"; readonly call: ToolUseBlock; readonly isError: boolean };

/** How a turn is taken. Everything may be left out. */
export interface TurnOptions {
  /** Id of the model. @defaultValue the model client's own */
  readonly model?: string;
  /** The system prompt. */
  readonly system?: string;
  /** Tools that the turn runs by itself. */
  readonly tools?: readonly AgentTool[];
  /** Further tool definitions in the provider's own shape, such as tools that the provider runs. */
  readonly providerTools?: readonly unknown[];
  /** Whether the model may search this session's history and read from it. @defaultValue true */
  readonly historyTools?: boolean;
  /** Parameters of the request in the provider's words, such as `max_tokens` or `thinking`. */
  readonly parameters?: JsonObject;
  readonly betas?: readonly string[];
  /** Told what arrives; the answer is streamed where the model client can. */
  readonly onEvent?: (event: TurnEvent) => void;
  /** Ends the turn with `ABORTED`. */
  readonly signal?: AbortSignal;
  /** Calls of the model, at the most. @defaultValue `iterationsCount`, 1,000 */
  readonly maxIterations?: number;
}

/** How a turn ended. */
export interface TurnResult {
  /** What the model said last. */
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

/** Whoever listens may break; the turn goes on. @internal */
export function tell({ onEvent }: Pick<TurnOptions, "onEvent">, event: TurnEvent): void {
  try {
    onEvent?.(event);
  } catch {
    // What is told has happened already.
  }
}
