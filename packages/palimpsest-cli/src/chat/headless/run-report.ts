/**
 * The output of `palimpsest run`: the answer as text, one JSON object at the end, or one JSON object a line as things happen.
 *
 * The objects have the shape of Claude Code's headless mode (`system`, `assistant`, `user`, `result`), so that programs that
 * read one read the other; `session` lines have what the library reports besides: compactions, notes, memories, tasks.
 */

import { formatBytes } from "../../terminal/figures.ts";
import { jsonLine, type Terminal, terminalText } from "../../terminal/terminal.ts";
import type { ChatAgent } from "../agent/chat-agent.ts";
import { type ChatEvent, retryWords, type TurnResult, toolLabel } from "../base/chat-events.ts";
import { messageOf } from "../base/values.ts";

export const OUTPUT_FORMATS = ["text", "json", "stream-json"] as const;

export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

type Answer = Extract<
  Extract<ChatEvent, { readonly type: "model" }>["event"],
  { readonly type: "answer" }
>["answer"];

interface ReportOptions {
  readonly format: OutputFormat;
  /** True for pieces of answers as they arrive, with `stream-json`. */
  readonly isPartial: boolean;
  readonly out: Terminal;
  readonly err: Terminal;
}

/** The endings of turns, in the words of Claude Code. */
const SUBTYPES: Readonly<Record<TurnResult["endedBy"], string>> = {
  done: "success",
  iterations: "error_max_turns",
  "output-limit": "error_output_limit",
  refusal: "error_refusal",
  loop: "error_loop",
};

/** The ends of turns that a text report has to explain. */
const UNFINISHED: Readonly<Record<Exclude<TurnResult["endedBy"], "done">, string>> = {
  iterations: "it reached the limit of calls for one turn, which --max-turns sets. run --continue goes on",
  "output-limit": "its answer was cut off at its output limit. run --continue goes on",
  refusal: "it refused to answer",
  loop: "it kept making the same calls with the same results",
};

/** The ends of answers, in the words of the Messages API. */
const STOP_REASONS: Readonly<Partial<Record<Answer["stopReason"], string>>> = {
  end: "end_turn",
  "tool-use": "tool_use",
  "output-limit": "max_tokens",
  paused: "pause_turn",
};

export class RunReport {
  readonly #options: ReportOptions;
  readonly #startedAt = performance.now();
  readonly #denials: object[] = [];
  #sessionId: string | undefined;
  #error: unknown;
  #isAborted = false;
  #isOver = false;
  /** Lines from before the session was opened. */
  #early: object[] | undefined = [];

  constructor(options: ReportOptions) {
    this.#options = options;
  }

  /** True if the turn was stopped. */
  get isAborted(): boolean {
    return this.#isAborted;
  }

  /** The session is open. */
  began(agent: ChatAgent): void {
    this.#sessionId = agent.session.id;
    const early = this.#early ?? [];
    this.#early = undefined;
    if (this.#options.format !== "stream-json") return;
    const { model, mode } = agent.status();
    this.#line({
      type: "system",
      subtype: "init",
      cwd: agent.home.workingCopy,
      model,
      tools: agent.toolNames,
      permission_mode: mode,
      is_persisted: agent.home.persistence.isOn,
    });
    for (const line of early) this.#line(line);
  }

  onEvent(event: ChatEvent): void {
    const { err, format } = this.#options;
    if (event.type === "turn-failed") {
      this.#error = event.error;
      this.#isAborted = event.isAborted;
    } else if (event.type === "tool-denied") {
      const { id, name, input } = event.call;
      this.#denials.push({ tool_name: name, tool_use_id: id, tool_input: input, reason: event.reason });
      // A plan is put before a person; no rule would allow it.
      if (format === "text" && name !== "exit_plan_mode")
        err.write(terminalText(`Not allowed: ${toolLabel(event)}: ${event.reason}`, err));
    } else if (event.type === "retry" && format === "text") err.write(`${retryWords(event)}\n`);
    else if (event.type === "notice" && format !== "stream-json") err.write(terminalText(event.text, err));
    if (format !== "stream-json" || this.#isOver) return;
    for (const line of this.#linesOf(event)) this.#line(line);
  }

  #linesOf(event: ChatEvent): readonly object[] {
    switch (event.type) {
      case "model":
        return this.#modelLines(event.event);
      case "tool-ended": {
        const { call, output, isError, isSubAgent, sessionId } = event;
        // The turn reports those of the chat itself.
        if (!isSubAgent) return [];
        const content = typeof output === "object" && "content" in output ? output.content : output;
        const block = {
          type: "tool_result",
          tool_use_id: call.id,
          content: readable(content),
          is_error: isError,
        };
        return [{ type: "user", message: { role: "user", content: [block] }, of: sessionId }];
      }
      case "tool-denied": {
        const { call, reason } = event;
        const denied = { tool_name: call.name, tool_use_id: call.id, reason };
        return [{ type: "system", subtype: "permission_denied", ...denied }];
      }
      case "retry": {
        const { attempt, waitMs, failure } = event;
        return [{ type: "system", subtype: "retry", attempt, wait_ms: waitMs, kind: failure.kind }];
      }
      case "notice":
        return [{ type: "system", subtype: "notice", text: event.text }];
      case "session":
        return [{ type: "session", event: event.event, of: event.sessionId }];
      default:
        return [];
    }
  }

  #modelLines(event: Extract<ChatEvent, { readonly type: "model" }>["event"]): readonly object[] {
    if (event.type === "answer") {
      const { messages, usage, model, stopReason } = event.answer;
      return messages.map(({ content }) => ({
        type: "assistant",
        message: {
          role: "assistant",
          model,
          content,
          stop_reason: STOP_REASONS[stopReason] ?? stopReason,
          usage: usageWords(usage),
        },
      }));
    }
    if (event.type === "tool-result") {
      const block = { ...event.result, content: readable(event.result.content) };
      return [{ type: "user", message: { role: "user", content: [block] } }];
    }
    if (!this.#options.isPartial || (event.type !== "text" && event.type !== "thinking")) return [];
    return [{ type: "stream_event", event: { type: `${event.type}_delta`, text: event.text } }];
  }

  /** The turn is over. */
  ended(agent: ChatAgent, result: TurnResult | undefined): void {
    const { format, out, err } = this.#options;
    if (format === "text") {
      if (result !== undefined && result.text !== "") out.write(terminalText(result.text, out));
      if (this.#error !== undefined && !this.#isAborted)
        err.write(terminalText(errorWords(this.#error), err));
      if (result !== undefined && result.endedBy !== "done")
        err.write(`The model did not finish: ${UNFINISHED[result.endedBy]}.\n`);
      return;
    }
    const spent = result?.spent;
    const summary = {
      type: "result",
      subtype:
        result === undefined
          ? this.#isAborted
            ? "error_interrupted"
            : "error_during_execution"
          : SUBTYPES[result.endedBy],
      is_error: result?.endedBy !== "done",
      duration_ms: Math.round(performance.now() - this.#startedAt),
      num_turns: result?.iterations ?? 0,
      result: result?.text,
      error: this.#error === undefined ? undefined : errorWords(this.#error),
      session_id: agent.session.id,
      total_cost_usd: spent?.costUsd,
      // Absent unless the cost leaves calls out.
      unmetered_calls: spent?.unmeteredCalls === 0 ? undefined : spent?.unmeteredCalls,
      usage: usageWords(spent?.usage),
      permission_denials: this.#denials,
    };
    out.write(jsonLine(summary));
    // The result is the last line.
    this.#isOver = true;
  }

  #line(line: object): void {
    const { out } = this.#options;
    if (this.#early !== undefined) this.#early.push(line);
    else out.write(jsonLine({ ...line, session_id: this.#sessionId }));
  }
}

/** Tokens under the names that Claude Code has for them. */
function usageWords(usage: TurnResult["usage"] | undefined): object | undefined {
  if (usage === undefined) return undefined;
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens } = usage;
  return {
    input_tokens: inputTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cacheReadTokens,
    output_tokens: outputTokens,
  };
}

function errorWords(error: unknown): string {
  const { code, hint } = (error ?? {}) as { readonly code?: unknown; readonly hint?: unknown };
  const words = `${typeof code === "string" ? `${code}: ` : ""}${messageOf(error)}`;
  return typeof hint === "string" && hint !== "" ? `${words}\n${hint}` : words;
}

/** Pictures and documents are named instead of repeated. */
function readable(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((part: { readonly type?: string; readonly source?: { readonly data?: string } }) =>
    part.source?.data === undefined
      ? part
      : { type: "text", text: `[${part.type}, ${formatBytes(Math.round(part.source.data.length * 0.75))}]` },
  );
}
