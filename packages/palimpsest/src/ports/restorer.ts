/**
 * Content that a host can put back into the window after a compaction: a component that knows something that the model
 * saw, and that the compaction hid, implements a restorer.
 *
 * A restorer is asked once per compaction and has a time limit. What it returns is data from outside: it
 * is checked, cut to its budget, fenced, and left out where it can still be read.
 */
import type { Message } from "../transcript/blocks.ts";

/** One thing to be put back. */
export interface RestoredItem {
  /** Its kind: `file`, `plan`, `skill`, `agent`, `task`, `instructions` … */
  readonly kind: string;
  /** Which one, among those of its kind: a path, a name. The same thing is put back once. */
  readonly key: string;
  /** Its text. It is shown in a fence, as data. */
  readonly text: string;
  /** Its name in the heading. @defaultValue the kind and the key */
  readonly label?: string;
  readonly title?: string;
  /** Its age, in words: `read again just now`. */
  readonly note?: string;
  /** It can be read in the window already, and is not put back. */
  readonly isVisible?: boolean;
  /** The text is only the part of it that fits; said in events. */
  readonly isCut?: boolean;
  /** Things that the model knows once it has read this, by name, as fingerprints; see `RestoreContext.announced`. @defaultValue the key */
  readonly announces?: Readonly<Record<string, number>>;
}

/** Input of a restorer. */
export interface RestoreContext {
  /**
   * All that this restorer's items may take together, and the most of one, in tokens, headings included. Kinds that
   * share a budget may take more together.
   */
  readonly budgetTokens: number;
  readonly itemTokens: number;
  /** Tokens of a text, as they are counted against the budget. */
  measure(text: string): number;
  /** True if the text is in the window after the compaction, to the letter. */
  isVisible(text: string): boolean;
  /** Texts that this restorer's items showed the model before, by name, as fingerprints. */
  readonly announced: Readonly<Record<string, number>>;
  /** Aborted when time is up: whatever is returned after that is dropped. */
  readonly signal: AbortSignal;
}

/** Puts one kind of thing back. Implement it in a host, or make one with `listRestorer`. */
export interface Restorer {
  /** Unique among the restorers of a session; shown in events. */
  readonly name: string;
  /** Those with a lower number are given room first. @defaultValue 50 */
  readonly priority?: number;
  /**
   * Most tokens that its items may take together.
   * @defaultValue `listTokens`; skills and `mcp-instructions` of all restorers share `skillsTokens`, `instructions` and
   * `git-status` share `sessionStartTokens`; each scaled with the window
   */
  readonly budgetTokens?: number;
  /** The most of one item, in tokens. @defaultValue `itemTokens`, scaled with the window */
  readonly itemTokens?: number;
  /** Longest time that it may take. @defaultValue `restorerTimeoutMs` */
  readonly timeoutMs?: number;
  /** The most important first. What it throws is reported, and the compaction goes on without it. */
  restore(context: RestoreContext): Promise<readonly RestoredItem[]>;
}

/** A file as it lies there now. */
export type CurrentFile =
  | { readonly state: "present"; readonly text: string }
  | { readonly state: "gone" }
  /** It may be there, but is not readable as text here: what the log held is shown instead. */
  | { readonly state: "unreadable" };

/** Reads files for the restoration, under the host's own rules on what may be read. */
export interface FileRestorer {
  /** Never follows a path out of what the agent itself may read. What it throws counts as unreadable. */
  read(path: string, options: { readonly signal: AbortSignal }): Promise<CurrentFile>;
}

/** Messages that a restoration inserts; their origin is `restored`. */
export type RestoredMessage = Message & { readonly origin: "restored" };
