/**
 * The state of the screen as a value: what has been said, and what is going on now. Events in, items out.
 *
 * DESIGN. Items are final when they are added: they scroll away and are never drawn in another way, so the terminal's own
 * scrollback is the history. Only the live part changes: the end of an answer that streams, tools that run, the time.
 */

import type { TurnEvent } from "palimpsest";
import { type ChatEvent, inputOf, retryWords, type ToolOutput, toolLabel } from "../base/chat-events.ts";
import { safeLine, safeText } from "../base/safe-text.ts";
import { messageOf } from "../base/values.ts";
import { changeLines } from "./change-lines.ts";
import { eventWords, type Tone } from "./event-words.ts";
import type { Show } from "./layout.ts";

/** Something that was said or happened. */
export type ViewItem =
  | { readonly type: "user"; readonly text: string }
  | { readonly type: "answer"; readonly text: string; readonly isContinued: boolean }
  | { readonly type: "thinking"; readonly text: string }
  | {
      readonly type: "tool";
      readonly label: string;
      readonly lines: readonly string[];
      readonly isError: boolean;
      /** True if the lines are those of a changed file: `- ` and `+ `. */
      readonly isChange?: boolean;
    }
  | { readonly type: "note"; readonly tone: Tone; readonly lines: readonly string[] }
  | { readonly type: "lines"; readonly show: Show };

interface RunningTool {
  readonly label: string;
  /** The texts among its arguments. */
  readonly texts: readonly unknown[];
  readonly startedAt: number;
}

/** Lines of a tool's output that are shown. The model has all of it, and so has the log. */
const OUTPUT_LINES = 6;
/** Lines of a changed file that are shown. */
const CHANGE_LINES = 16;
/** More of an output is not even looked at, in characters. */
const OUTPUT_CHARACTERS = 4_000;

export class ChatView {
  readonly items: ViewItem[] = [];
  /** The end of the answer that is streaming, and whether it is thinking. */
  #tail = "";
  #isThinking = false;
  #isContinued = false;
  readonly #running = new Map<string, RunningTool>();
  /** Ids of the calls of this turn that were shown. */
  readonly #shown = new Set<string>();
  #busySince: number | undefined;
  #activity = "";
  /** Questions to the person that are open. */
  #askedCount = 0;
  readonly #now: () => number;
  readonly #sessionId: () => string | undefined;

  /** @param sessionId - of the chat: of other sessions, those of agents, only tasks are shown */
  constructor(now: () => number, sessionId: () => string | undefined) {
    this.#now = now;
    this.#sessionId = sessionId;
  }

  /** The end of the answer that is streaming. */
  get tail(): { readonly text: string; readonly isThinking: boolean; readonly isContinued: boolean } {
    return { text: this.#tail, isThinking: this.#isThinking, isContinued: this.#isContinued };
  }

  /** Work in progress, for the line above the input; `undefined` where nothing is. */
  get busy():
    | { readonly sinceMs: number; readonly activity: string; readonly tools: readonly string[] }
    | undefined {
    if (this.#busySince === undefined) return undefined;
    const now = this.#now();
    const tools = [...this.#running.values()].map(({ label, startedAt }) =>
      now - startedAt < 1_000 ? label : `${label}  ${seconds(now - startedAt)}`,
    );
    const activity = this.#askedCount > 0 ? "Waiting for you" : this.#activity;
    return { sinceMs: now - this.#busySince, activity, tools };
  }

  add(...items: readonly ViewItem[]): void {
    for (const item of items) this.items.push(item);
  }

  /** The person is asked, until the answer is there. */
  async asking<Answer>(answer: Promise<Answer>): Promise<Answer> {
    this.#askedCount++;
    return answer.finally(() => this.#askedCount--);
  }

  /** Something that runs without a turn: a command. */
  began(activity: string): void {
    this.#busySince ??= this.#now();
    this.#activity = activity;
  }

  ended(): void {
    this.#busySince = undefined;
    this.#activity = "";
    this.#running.clear();
    this.#shown.clear();
  }

  onEvent(event: ChatEvent): void {
    switch (event.type) {
      case "turn-started":
        this.began("Thinking");
        return;
      case "model":
        this.#model(event.event);
        return;
      case "tool-started":
        this.#flush();
        this.#shown.add(event.call.id);
        this.#running.set(event.call.id, {
          label: toolLabel(event),
          texts: Object.values(inputOf(event.call)),
          startedAt: this.#now(),
        });
        return;
      case "tool-ended": {
        this.#running.delete(event.call.id);
        const change = event.isError ? undefined : changeLines(event.call);
        const lines = change === undefined ? outputLines(event.output) : firstLines(change, CHANGE_LINES);
        const isChange = change !== undefined;
        this.add({ type: "tool", label: toolLabel(event), lines, isError: event.isError, isChange });
        return;
      }
      case "tool-denied":
        this.#flush();
        this.#shown.add(event.call.id);
        this.#running.delete(event.call.id);
        this.add({
          type: "tool",
          label: toolLabel(event),
          lines: [`not allowed: ${safeLine(event.reason)}`],
          isError: true,
        });
        return;
      case "retry":
        this.note("warn", retryWords(event));
        return;
      case "mode":
      case "cost":
        return;
      case "notice":
        this.note("warn", event.text);
        return;
      case "session":
        this.#session(event);
        return;
      case "turn-ended":
        this.#flush();
        this.ended();
        if (event.result.endedBy !== "done") this.note("warn", ENDINGS[event.result.endedBy]);
        return;
      case "turn-failed":
        this.#flush();
        this.ended();
        this.#failed(event);
        return;
      default:
        return;
    }
  }

  note(tone: Tone, ...lines: readonly string[]): void {
    this.#flush();
    this.add({ type: "note", tone, lines: lines.map(safeLine) });
  }

  #model(event: Extract<ChatEvent, { readonly type: "model" }>["event"]): void {
    if (event.type === "call") this.#activity = "Waiting for the model";
    if (event.type === "tool-result") this.#otherResult(event);
    if (event.type !== "text" && event.type !== "thinking") return;
    const isThinking = event.type === "thinking";
    if (isThinking !== this.#isThinking) this.#flush();
    this.#isThinking = isThinking;
    this.#activity = isThinking ? "Thinking" : "Answering";
    this.#tail += event.text;
    if (isThinking) return;
    const { length, fence } = cutFinished(this.#tail);
    if (length === 0) return;
    this.add({ type: "answer", text: this.#tail.slice(0, length), isContinued: this.#isContinued });
    this.#isContinued = true;
    this.#tail = fence + this.#tail.slice(length);
  }

  /** The result of a call that no tool of the chat ran: of the session's own tools, or of one with wrong arguments. */
  #otherResult({ call, result, isError }: Extract<TurnEvent, { readonly type: "tool-result" }>): void {
    if (this.#shown.has(call.id)) return;
    this.#flush();
    const lines = outputLines((result.content ?? "") as ToolOutput);
    this.add({ type: "tool", label: toolLabel({ call, isSubAgent: false }), lines, isError });
  }

  /** Makes the streamed text final. */
  #flush(): void {
    const text = this.#tail;
    if (text.trim() !== "")
      this.add(
        this.#isThinking
          ? { type: "thinking", text }
          : { type: "answer", text, isContinued: this.#isContinued },
      );
    this.#tail = "";
    this.#isThinking = false;
    this.#isContinued = false;
  }

  #session({ event, sessionId }: Extract<ChatEvent, { readonly type: "session" }>): void {
    const own = this.#sessionId();
    if (sessionId !== undefined && own !== undefined && sessionId !== own && event.type !== "task") return;
    if (event.type === "summary-started" && !event.isBackground) this.#activity = "Summarising";
    if (event.type === "layer") this.#activity = "Compacting";
    // A command that the model waits for is shown as its call.
    if (event.type === "task" && this.#isCalled(event.title)) return;
    const words = eventWords(event);
    if (words !== undefined) this.note(words.tone, ...words.lines);
  }

  /** True if a call that runs began the task of this title. */
  #isCalled(title: string): boolean {
    return [...this.#running.values()].some(({ texts }) => texts.includes(title));
  }

  #failed({ error, isAborted }: Extract<ChatEvent, { readonly type: "turn-failed" }>): void {
    if (isAborted) {
      this.note("warn", "Stopped. What was finished stays in the session.");
      return;
    }
    const { hint } = (error ?? {}) as { readonly hint?: unknown };
    this.note("error", messageOf(error), ...(typeof hint === "string" && hint !== "" ? [hint] : []));
  }
}

const ENDINGS = {
  "output-limit": 'The answer was cut off at the model\'s output limit. Say "go on" for the rest.',
  refusal: "The model refused to answer.",
  iterations: 'The limit of calls for one turn is reached. Say "go on" to continue.',
  loop: "The model kept making the same calls with the same results, and was stopped.",
} as const;

const seconds = (ms: number): string => `${Math.floor(ms / 1_000)} s`;

/** The beginning of an output. */
function outputLines(output: ToolOutput): readonly string[] {
  const content = typeof output === "object" && "content" in output ? output.content : output;
  const text =
    typeof content === "string"
      ? content
      : content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
  const lines = safeText(text.slice(0, OUTPUT_CHARACTERS)).trimEnd().split("\n");
  if (text.length <= OUTPUT_CHARACTERS) return firstLines(lines, OUTPUT_LINES);
  return [...lines.slice(0, OUTPUT_LINES), "… more"];
}

function firstLines(lines: readonly string[], count: number): readonly string[] {
  // A line that says "one more" would take the place of that one.
  if (lines.length <= count + 1) return lines;
  return [...lines.slice(0, count), `… ${lines.length - count} more lines`];
}

// Markdown that streams: everything before the newest paragraph is final, and is not parsed again with every piece that
// arrives. So an endless answer costs what its pieces cost.

/** A paragraph or code block that is longer is cut at a line end, or anywhere, in characters. */
const LONGEST = 16_000;

/** A cut: the length of the part that will not change (0 if there is none), and the fence that the rest begins with. */
interface Cut {
  readonly length: number;
  readonly fence: string;
}

/** Finds the place of the cut. */
export function cutFinished(text: string): Cut {
  let length = 0;
  let fence = "";
  for (let at = 0, end = text.indexOf("\n"); end !== -1; at = end + 1, end = text.indexOf("\n", at)) {
    const line = text.slice(at, end);
    if (/^ {0,3}(?:```|~~~)/.test(line)) fence = fence === "" ? `${line}\n` : "";
    else if (fence === "" && line.trim() === "" && at > 0 && startsBlock(text.slice(end + 1, end + 5)))
      length = end + 1;
  }
  if (length > 0 || text.length <= LONGEST) return { length, fence: "" };
  const lineEnd = text.lastIndexOf("\n", LONGEST);
  return { length: lineEnd > 0 ? lineEnd + 1 : cutBefore(text, LONGEST), fence };
}

/** True if this begins a block that belongs to nothing before it: no indented text, item of a list, table or quotation. */
function startsBlock(text: string): boolean {
  return text !== "" && !/^(?:[\s>|]|[-*+](?:\s|$)|\d{1,3}(?:[.)]|$))/.test(text);
}

/** Never in the middle of a surrogate pair. */
function cutBefore(text: string, at: number): number {
  return /[\uDC00-\uDFFF]/.test(text[at] ?? "") ? at - 1 : at;
}
