/**
 * Restorers: a host implements one to put content back into the window that a compaction has just hidden, such as open
 * files, plans or skills.
 *
 * A session asks each restorer once per compaction, with a time limit. The result is untrusted data: the session checks
 * it, cuts it to its budget, shows it in a fence, and leaves out what the window still shows.
 */
import type { Message } from "../transcript/blocks.ts";

/** One thing to be put back. */
export interface RestoredItem {
  /** Its kind: `file`, `plan`, `skill`, `agent`, `task`, `instructions` … */
  readonly kind: string;
  /** Identifies it among the items of its kind: a path, a name. Each kind and key is put back once. */
  readonly key: string;
  /** Its text. It is shown in a fence, as data. */
  readonly text: string;
  /** Its name in the heading. @defaultValue the kind and the key */
  readonly label?: string;
  readonly title?: string;
  /** Its age, in words: `read again just now`. */
  readonly note?: string;
  /** True if the window shows it already; then it is not put back. */
  readonly isVisible?: boolean;
  /** True if `text` is only the part that fits; events report it. */
  readonly isCut?: boolean;
  /**
   * Fingerprints, by name, of the things that the model knows after reading this item. Later compactions pass them to
   * the restorer as `RestoreContext.announced`. @defaultValue the key
   */
  readonly announces?: Readonly<Record<string, number>>;
}

/** Input of a restorer. */
export interface RestoreContext {
  /**
   * Most tokens that this restorer's items may take together, headings included. Kinds that share a budget may take
   * more together.
   */
  readonly budgetTokens: number;
  /** Most tokens that one item may take, heading included. */
  readonly itemTokens: number;
  /** Returns the tokens that a text takes from the budget. */
  measure(text: string): number;
  /** True if the window contains exactly this text after the compaction. */
  isVisible(text: string): boolean;
  /** Fingerprints of what this restorer's items showed the model before, by name; see `RestoredItem.announces`. */
  readonly announced: Readonly<Record<string, number>>;
  /** Aborted when time is up: a result that arrives later is dropped. */
  readonly signal: AbortSignal;
}

/** Puts one kind of thing back. Implement it in a host, or make one with `listRestorer`. */
export interface Restorer {
  /** Unique among the restorers of a session; shown in events. */
  readonly name: string;
  /** Restorers with a lower number get their budget first. @defaultValue 50 */
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
  /** Returns the items, the most important first. An error is reported, and the compaction continues without them. */
  restore(context: RestoreContext): Promise<readonly RestoredItem[]>;
}

/** The current state of a file. */
export type CurrentFile =
  | { readonly state: "present"; readonly text: string }
  | { readonly state: "gone" }
  /** The file may exist, but cannot be read as text: the content known from the log is shown instead. */
  | { readonly state: "unreadable" };

/** Reads files for the restoration, under the host's own rules on what may be read. */
export interface FileRestorer {
  /** Reads only files that the agent itself may read. An error counts as `unreadable`. */
  read(path: string, options: { readonly signal: AbortSignal }): Promise<CurrentFile>;
}

/** Messages that a restoration inserts; their origin is `restored`. */
export type RestoredMessage = Message & { readonly origin: "restored" };
