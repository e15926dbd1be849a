/**
 * Server-sent events, both ways. Source: WHATWG HTML, "Server-sent events"; the data of all three APIs is JSON.
 *
 * Bytes come in chunks that end anywhere: in the middle of a character, of a line end, of an event. Events that
 * are complete come out at once, and nothing else of a stream is kept.
 */

import { ModelError } from "../../base/errors.ts";
import { asString, isObject } from "../../base/json/json.ts";
import { parseBounded } from "../../base/json/parse-bounded.ts";
import { addAll } from "../../base/lists.ts";

/** Text after which OpenAI's streams end. @internal */
export const STREAM_END = "[DONE]";

/** Longest event, so that a stream without line ends cannot fill the memory. Our choice: twice the largest request body. */
const LARGEST_EVENT_CHARS = 64 * 1024 * 1024;

/** One event with a name, which is also the `type` of its data. @internal */
export function namedEvent(data: { readonly type: string } & Readonly<Record<string, unknown>>): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** One event without a name. @internal */
export function dataEvent(data: unknown): string {
  return `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

/** Reads the events of one stream: bytes in, parsed data out. @internal */
export class SseReader {
  readonly #decoder = new TextDecoder();
  #rest = "";
  /** Characters of the rest in which there is no line end. */
  #searchedLength = 0;
  #name = "";
  #data: string[] = [];
  #dataLength = 0;
  readonly #largestEventChars: number;

  /** @param largestEventChars Longest event that is read, in characters. */
  constructor(largestEventChars = LARGEST_EVENT_CHARS) {
    this.#largestEventChars = largestEventChars;
  }

  /** @throws ModelError where the data of an event is not JSON, or an event is too long. */
  take(bytes: Uint8Array): readonly unknown[] {
    return this.#read(this.#decoder.decode(bytes, { stream: true }), false);
  }

  /** Reads what came without the last line end. An event that was cut in the middle of its JSON is left out. */
  end(): readonly unknown[] {
    const complete = this.#read(this.#decoder.decode(), true);
    if (this.#rest !== "") this.#readLine(this.#rest);
    this.#rest = "";
    return parseBounded(this.#data.join("\n")).ok ? [...complete, ...this.#dispatch()] : complete;
  }

  #read(text: string, isLast: boolean): readonly unknown[] {
    const buffer = this.#rest + text;
    const events: unknown[] = [];
    let start = 0;
    const lineEnd = /\r\n|\n|\r/g;
    lineEnd.lastIndex = this.#searchedLength;
    for (let found = lineEnd.exec(buffer); found !== null; found = lineEnd.exec(buffer)) {
      // The other half of this line end may be in the next chunk.
      if (found[0] === "\r" && lineEnd.lastIndex === buffer.length && !isLast) break;
      const line = buffer.slice(start, found.index);
      start = lineEnd.lastIndex;
      if (line === "") addAll(events, this.#dispatch());
      else this.#readLine(line);
    }
    this.#rest = buffer.slice(start);
    this.#searchedLength = Math.max(0, this.#rest.length - 1);
    if (this.#rest.length + this.#dataLength > this.#largestEventChars)
      throw unreadableEvent(`is longer than ${this.#largestEventChars} characters`);
    return events;
  }

  #readLine(line: string): void {
    const colon = line.indexOf(":");
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
    if (field === "event") this.#name = value;
    if (field !== "data") return;
    this.#data.push(value);
    this.#dataLength += value.length;
  }

  /** The event that is complete; without data it is none. */
  #dispatch(): readonly unknown[] {
    const [name, text] = [this.#name, this.#data.join("\n")];
    this.#name = "";
    this.#data = [];
    this.#dataLength = 0;
    if (text === "" || text === STREAM_END) return [];
    const parsed = parseBounded(text);
    if (!parsed.ok) throw unreadableEvent(`is not JSON: ${parsed.reason}`);
    const { value } = parsed;
    const isUntyped = name !== "" && isObject(value) && asString(value["type"]) === undefined;
    return [isUntyped ? { ...value, type: name } : value];
  }
}

function unreadableEvent(what: string): ModelError {
  return new ModelError(
    { kind: "unreadable-answer" },
    {
      message: `An event of the stream ${what}.`,
      hint: "Look at what stands between you and the provider: a proxy may cut or replace its events.",
    },
  );
}
