/**
 * The demo's model: a script in its place, which answers from nothing but the request it is given.
 *
 * While it works it calls tools as its plan says. Asked for something that was said long ago, it
 * looks at the window; what it cannot see there it searches for in the session's history, and reads
 * there, with the same two tools that a real model would be given.
 */

import type { Message, RequestMessage } from "palimpsest";
import { blockText } from "palimpsest/transcript";
import type { DemoFact } from "./demo-facts.ts";
import type { DemoWork } from "./demo-work.ts";

/** Where an answer was found. */
export type FoundBy = "window" | "history_search" | "history_read";

/** What the agent is at. */
export type DemoTask =
  | { readonly type: "work" }
  /** Says where it stands, and hands back to the user. */
  | { readonly type: "pause"; readonly words: string }
  | { readonly type: "question"; readonly fact: DemoFact };

interface DemoAnswer {
  readonly text: string;
  readonly foundBy: FoundBy;
}

interface AgentToolCall {
  readonly name: string;
  readonly input: { readonly [key: string]: string | number };
}

/** Hits of a search that are read before the agent gives up. */
const HITS_READ = 6;

export class DemoAgent {
  readonly #model: string;
  readonly #work: DemoWork;
  #responses = 0;
  #calls = 0;
  #question: Lookup | undefined;

  constructor(options: { readonly model: string; readonly work: DemoWork }) {
    this.#model = options.model;
    this.#work = options.work;
  }

  /** What it found for the last question; `undefined` where it found nothing, or was asked nothing. */
  get answer(): DemoAnswer | undefined {
    return this.#question?.answer;
  }

  respond(task: DemoTask, messages: readonly RequestMessage[]): Message {
    if (task.type === "pause") return this.#say(task.words, []);
    if (task.type === "work") {
      const { words, calls } = this.#work.next(newestResults(messages)).value;
      return this.#say(words, calls as readonly AgentToolCall[]);
    }
    if (this.#question?.fact !== task.fact) this.#question = new Lookup(task.fact);
    const { words, call } = this.#question.next(messages);
    return this.#say(words, call === undefined ? [] : [call]);
  }

  #say(words: string, calls: readonly AgentToolCall[]): Message {
    this.#responses++;
    return {
      role: "assistant",
      responseId: `demo-response-${this.#responses}`,
      model: this.#model,
      content: [
        { type: "text", text: words },
        ...calls.map(({ name, input }) => {
          this.#calls++;
          return { type: "tool_use", id: `demo_call_${this.#calls}`, name, input } as const;
        }),
      ],
    };
  }
}

/** Finding one fact: in the window, else by searching, else by reading what the search found. */
class Lookup {
  readonly fact: DemoFact;
  answer: DemoAnswer | undefined;
  #step: "look" | "search" | "read" = "look";
  #pointers: string[] = [];

  constructor(fact: DemoFact) {
    this.fact = fact;
  }

  next(messages: readonly RequestMessage[]): { readonly words: string; readonly call?: AgentToolCall } {
    if (this.#step === "look") {
      if (this.#recognise(windowText(messages), "window")) return this.#reply("I can still see it");
      this.#step = "search";
      const input = { query: this.fact.query };
      return {
        words: "I cannot see that any more. I search the history.",
        call: { name: "history_search", input },
      };
    }
    const result = newestResults(messages).join("\n");
    if (this.#recognise(result, this.#step === "search" ? "history_search" : "history_read"))
      return this.#reply("I found it in the history");
    if (this.#step === "search") this.#pointers = pointersIn(result).slice(0, HITS_READ);
    this.#step = "read";
    const input = nextPage(result) ?? this.#nextHit();
    if (input === undefined) return { words: "I could not find that in the history." };
    return { words: "Let me read that.", call: { name: "history_read", input } };
  }

  #recognise(text: string, foundBy: FoundBy): boolean {
    const found = this.fact.pattern.exec(text)?.[1];
    if (found !== undefined) this.answer = { text: found, foundBy };
    return found !== undefined;
  }

  #reply(how: string): { readonly words: string } {
    return { words: `${how}: ${this.answer?.text ?? ""}` };
  }

  #nextHit(): { readonly pointer: string } | undefined {
    const pointer = this.#pointers.shift();
    return pointer === undefined ? undefined : { pointer };
  }
}

function windowText(messages: readonly RequestMessage[]): string {
  return messages.flatMap((message) => message.content.map(blockText)).join("\n");
}

/** The answers to the newest calls, which a real model would look at first. */
function newestResults(messages: readonly RequestMessage[]): readonly string[] {
  return (messages.at(-1)?.content ?? []).filter((block) => block.type === "tool_result").map(blockText);
}

function pointersIn(result: string): readonly string[] {
  return [...result.matchAll(/^- (m\d+\.\d+) /gm)].map(([, pointer]) => pointer!);
}

/** The rest of a block of which a page was read, as the tool itself says how to get it. */
function nextPage(result: string): { readonly pointer: string; readonly offset: number } | undefined {
  const found =
    /^\[m\d+\.\d+: .*go on with history_read\(\{ pointer: "(m\d+\.\d+)", offset: (\d+) \}\)\]/.exec(result);
  return found === null ? undefined : { pointer: found[1]!, offset: Number(found[2]) };
}
