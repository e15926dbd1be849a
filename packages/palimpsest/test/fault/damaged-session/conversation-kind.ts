/** Ways to spoil the sound conversation: a message, one block of it, or their order. */
import { contentOf, conversationKind, type Expected, type Fields, type Kind } from "./kind.ts";

/** Index of the message with the word. */
export const at = (messages: readonly Fields[], mark: string): number =>
  messages.findIndex((message) => JSON.stringify(message["content"]).includes(mark));
export const blocksOf = (messages: readonly Fields[], mark: string): Fields[] =>
  contentOf(messages[at(messages, mark)]!);

export const removed = (mark: string) => (messages: Fields[]) => messages.toSpliced(at(messages, mark), 1);
export const inserted =
  (mark: string, ...others: readonly unknown[]) =>
  (messages: Fields[]) => {
    const all: unknown[] = [...messages];
    return all.toSpliced(at(messages, mark), 0, ...others);
  };

/** Changes one block of the message with the word. */
export function blockKind(
  name: string,
  what: string,
  [mark, index]: readonly [string, number],
  fields: Fields,
  expected: Expected = {},
): Kind {
  const change = (messages: Fields[]): void => {
    Object.assign(blocksOf(messages, mark)[index]!, fields);
  };
  return conversationKind(name, what, change, expected);
}

/** Puts a block into the message with the word, before the others. */
export function extraKind(
  name: string,
  what: string,
  mark: string,
  block: unknown,
  expected: Expected = {},
): Kind {
  return conversationKind(
    name,
    what,
    (messages) => void blocksOf(messages, mark).unshift(block as Fields),
    expected,
  );
}

/** Why there is nothing to report. */
export const RENDERED = { quiet: "ids and names are spelled as the provider expects" };
export const JOINED = { quiet: "neighbours of one role are joined" };
