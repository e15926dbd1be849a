/**
 * The references of a recorded session, of every kind: what each answer used that an earlier message held.
 *
 * A window is measured by *keys*: a named string is its own key; a line or a word has a mark before it that no name can
 * have. So one set of keys says what can be read in a window. Lines and words are looked for only if some answer uses
 * them again, which keeps these sets small.
 */
import type { ContentBlock } from "palimpsest";
import { findMetricStrings, readableIn, type Trajectory } from "palimpsest-testing/internal";
import { findPlainWords } from "./plain-words.ts";
import { editedLines, linesIn } from "./verbatim-lines.ts";

/** `name`: a path, identifier, number or quoted literal. `line`: copied into an edit. `word`: an ordinary word. */
export type ReferenceKind = "name" | "line" | "word";

export const REFERENCE_KINDS: readonly ReferenceKind[] = ["name", "line", "word"];

/** A key that an answer uses and that an earlier message held. */
export interface KeyReference {
  readonly kind: ReferenceKind;
  readonly key: string;
  /** Index of the message that held it last. */
  readonly source: number;
  /** Tokens between that message and this one. */
  readonly distanceTokens: number;
}

/** The references of one session, and the places where each can be read. */
export interface SessionReferences {
  /** By message; empty for all but answers. */
  readonly of: readonly (readonly KeyReference[])[];
  /** Everything that can be read in a message, as keys. */
  keysOf(index: number): ReadonlySet<string>;
  keysInText(text: string): ReadonlySet<string>;
  keysInBlock(block: ContentBlock): ReadonlySet<string>;
}

/** Keys in more than this share of the messages carry no information; as for named strings. */
const COMMON_SHARE = 0.15;
const COMMON_MESSAGES = 12;

const MARKS = { name: "", line: "line\n", word: "word\n" } as const;

/** The kind of a key. */
export function kindOfKey(key: string): ReferenceKind {
  if (key.startsWith(MARKS.line)) return "line";
  return key.startsWith(MARKS.word) ? "word" : "name";
}

/** The text that a key was made from. */
export function textOfKey(key: string): string {
  return key.slice(MARKS[kindOfKey(key)].length);
}

export function keyOf(kind: ReferenceKind, text: string): string {
  return MARKS[kind] + text;
}

const known = new WeakMap<Trajectory["messages"], SessionReferences>();

/** Finds the references of a session; worked out once. */
export function referencesOf(trajectory: Trajectory): SessionReferences {
  const { messages } = trajectory;
  const before = known.get(messages);
  if (before !== undefined) return before;
  const found = new Found(trajectory);
  known.set(messages, found);
  return found;
}

class Found implements SessionReferences {
  readonly of: readonly (readonly KeyReference[])[];
  readonly #keys: readonly ReadonlySet<string>[];
  readonly #lines: ReadonlySet<string>;
  readonly #words: ReadonlySet<string>;
  readonly #blocks = new WeakMap<ContentBlock, ReadonlySet<string>>();

  constructor(trajectory: Trajectory) {
    const { messages } = trajectory;
    const edited = messages.map(({ author, message }) =>
      author === "assistant" ? editedLines(message) : new Set<string>(),
    );
    const words = messages.map(({ text }) => findPlainWords(text));
    this.#lines = new Set(edited.flatMap((lines) => [...lines]));
    this.#words = new Set(
      messages.flatMap(({ author }, index) => (author === "assistant" ? [...words[index]!] : [])),
    );
    this.#keys = messages.map(({ text, strings }, index) =>
      this.#keysOf(text, { names: strings, words: words[index]! }),
    );
    const marked = [
      edited.map((lines) => [...lines].map((line) => keyOf("line", line))),
      messages.map(({ author }, index) =>
        author === "assistant" ? [...words[index]!].map((word) => keyOf("word", word)) : [],
      ),
    ];
    this.of = this.#references(trajectory, marked);
  }

  keysOf(index: number): ReadonlySet<string> {
    return this.#keys[index]!;
  }

  keysInText(text: string): ReadonlySet<string> {
    return this.#keysOf(text, { names: findMetricStrings(text), words: findPlainWords(text) });
  }

  keysInBlock(block: ContentBlock): ReadonlySet<string> {
    let keys = this.#blocks.get(block);
    if (keys === undefined) {
      keys = this.keysInText(readableIn(block));
      this.#blocks.set(block, keys);
    }
    return keys;
  }

  #keysOf(
    text: string,
    { names, words }: { readonly names: ReadonlySet<string>; readonly words: ReadonlySet<string> },
  ): ReadonlySet<string> {
    const keys = new Set(names);
    for (const line of linesIn(text, this.#lines)) keys.add(keyOf("line", line));
    for (const word of words) if (this.#words.has(word)) keys.add(keyOf("word", word));
    return keys;
  }

  /** Named strings as the trajectory has them, then the used keys of the other kinds. */
  #references(
    { messages, tokensBefore }: Trajectory,
    used: readonly (readonly (readonly string[])[])[],
  ): readonly (readonly KeyReference[])[] {
    const counts = new Map<string, number>();
    for (const keys of this.#keys) for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
    const common = Math.max(COMMON_MESSAGES, messages.length * COMMON_SHARE);
    const lastSeen = new Map<string, number>();
    return messages.map(({ references }, index) => {
      const own: KeyReference[] = references.map(({ text, source, distanceTokens }) => ({
        kind: "name",
        key: text,
        source,
        distanceTokens,
      }));
      for (const key of used.flatMap((keys) => keys[index]!)) {
        const source = lastSeen.get(key);
        if (source === undefined || counts.get(key)! >= common) continue;
        const distanceTokens = tokensBefore[index]! - tokensBefore[source + 1]!;
        own.push({ kind: kindOfKey(key), key, source, distanceTokens });
      }
      for (const key of this.#keys[index]!) if (kindOfKey(key) !== "name") lastSeen.set(key, index);
      return own;
    });
  }
}
