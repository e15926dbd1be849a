/**
 * A memory: a Markdown file that a person can read and edit, with its origin. The rest of this room reads, ranks,
 * judges or writes memories.
 */

/**
 * `user`: who they are, what they prefer. `feedback`: how they want the work done, corrections above all.
 * `project`: what code and version control do not say. `reference`: how a tool or an interface is used.
 */
export type MemoryType = "user" | "feedback" | "project" | "reference";

export const MEMORY_TYPES: readonly MemoryType[] = ["user", "feedback", "project", "reference"];

/**
 * The source. `user`: a person's own words. `agent`: a model's conclusion. `tool` and `web`: read in a tool result or
 * on the web, which anyone may have written. `import`: from another program's memory. `unknown`: the file has no
 * source, like files that people write by hand.
 */
export type MemorySource = "user" | "agent" | "tool" | "web" | "import" | "unknown";

export const MEMORY_SOURCES: readonly MemorySource[] = ["user", "agent", "tool", "web", "import", "unknown"];

/** One memory, as its file tells it. Times are milliseconds since the epoch. */
export interface Memory {
  /** Its path in the memory directory, with `/`: `deploy-days.md`, `team/release.md`. It is its id. */
  readonly path: string;
  /** Its name; the file's name if it has none. */
  readonly name: string;
  /** One line that says when it matters; empty where it has none. */
  readonly description: string;
  readonly type: MemoryType | undefined;
  /** The text behind the frontmatter. */
  readonly body: string;
  /** `undefined` where the file does not say. */
  readonly createdAtMs: number | undefined;
  readonly updatedAtMs: number | undefined;
  /**
   * When it was last kept on purpose, without having been said again: by an import, or by a dream that decided for it.
   * It is not pruned for the age that it had before. `undefined` where the file does not say.
   */
  readonly keptAtMs: number | undefined;
  /** Its relevance before decay; 1 if the file has none. Never negative. */
  readonly relevance: number;
  /** Stable facts and what a user asked to remember do not lose worth with age. */
  readonly decays: boolean;
  readonly source: MemorySource;
  /** A person said it in their own words, or confirmed it. */
  readonly isConfirmed: boolean;
  /** Kept, listed and audited, and never shown to a model: only a tool or the web said so. */
  readonly isQuarantined: boolean;
  /** The message or entry that it was taken from, and its session. */
  readonly sessionId: string | undefined;
  readonly messageId: string | undefined;
  /** The memory of the preceding message, if this one is a piece of a conversation and not a fact. */
  readonly follows: string | undefined;
  /** Paths of the memories that it takes the place of. */
  readonly supersedes: readonly string[];
  /** Paths of older memories that it likely corrects: it is recalled with them, and before them. */
  readonly revises: readonly string[];
  /** The memory that took its place: then it is history, and is not recalled. */
  readonly supersededBy: string | undefined;
}

/** A memory with the file that it was read from. */
export interface KnownMemory {
  readonly memory: Memory;
  readonly text: string;
  /** The version of the text, from the store. */
  readonly version: string;
}

/** More trusted sources have larger numbers. */
export const TRUST: Readonly<Record<MemorySource, number>> = {
  user: 3,
  agent: 2,
  import: 2,
  unknown: 2,
  tool: 1,
  web: 1,
};

/**
 * True if a memory loses worth with age. What a user prefers and how they want the work done does not, whatever its
 * file says: only what a model concluded about them does.
 */
export function doesFade({
  decays,
  type,
  source,
  isConfirmed,
}: Pick<Memory, "decays" | "type" | "source" | "isConfirmed">): boolean {
  const isPreference = type === "user" || type === "feedback";
  const isPersons = isConfirmed || source === "user" || source === "import" || source === "unknown";
  return decays && !(isPreference && isPersons);
}

/** Trust in a memory, by its source or by a person's confirmation. */
export function trustOf({ source, isConfirmed }: Pick<Memory, "source" | "isConfirmed">): number {
  return isConfirmed ? TRUST.user : TRUST[source];
}
