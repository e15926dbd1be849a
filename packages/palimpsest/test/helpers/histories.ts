/**
 * Short ways to write histories in tests.
 */
import { type ContentBlock, defaultOrigin, type Message } from "#transcript/blocks.ts";
import type { Edit } from "#transcript/edits.ts";
import type { Entry, MessageEntry } from "#transcript/entries.ts";

export const text = (value: string): ContentBlock => ({ type: "text", text: value });

export const call = (
  id: string,
  name = "Read",
  input: Record<string, string> = { file_path: `/src/${id}.ts` },
): ContentBlock => ({
  type: "tool_use",
  id,
  name,
  input,
});

export const result = (id: string, content = `result of ${id}`): ContentBlock => ({
  type: "tool_result",
  tool_use_id: id,
  content,
});

export const user = (...content: readonly (ContentBlock | string)[]): Message => ({
  role: "user",
  content: content.map(asBlock),
});

export const assistant = (responseId: string, ...content: readonly (ContentBlock | string)[]): Message => ({
  role: "assistant",
  responseId,
  content: content.map(asBlock),
});

export const system = (value: string): Message => ({ role: "system", content: [text(value)] });

const asBlock = (block: ContentBlock | string): ContentBlock =>
  typeof block === "string" ? text(block) : block;

/** A log under construction: each method appends one entry and returns it. */
export class TestLog {
  readonly entries: Entry[] = [];

  message(message: Message): MessageEntry {
    const { role, content, responseId, interrupted } = message;
    return this.#add({
      type: "message",
      role,
      content,
      origin: message.origin ?? defaultOrigin(message),
      ...(responseId === undefined ? {} : { responseId }),
      ...(interrupted === undefined ? {} : { interrupted }),
    }) as MessageEntry;
  }

  call(): Entry {
    return this.#add({ type: "call", model: "test", throughSeq: this.entries.length, estimatedTokens: 0 });
  }

  edit(edit: Edit): Entry {
    return this.#add({ type: "edit", edit });
  }

  #add(fields: object): Entry {
    const seq = this.entries.length + 1;
    const entry = { seq, id: `e${seq}`, v: 1, at: seq * 1000, ...fields } as unknown as Entry;
    this.entries.push(entry);
    return entry;
  }
}
