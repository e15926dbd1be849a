/**
 * What one memory is: a Markdown file that a person can read and edit, with what is known of where it came
 * from. Everything else in this room reads, ranks, judges or writes these.
 */

/**
 * `user`: who they are, what they prefer. `feedback`: how they want the work done, corrections above all.
 * `project`: what code and version control do not say. `reference`: how a tool or an interface is used.
 */
export type MemoryType = "user" | "feedback" | "project" | "reference";

export const MEMORY_TYPES: readonly MemoryType[] = ["user", "feedback", "project", "reference"];

/**
 * Who said it. `user`: a person's own words. `agent`: a model concluded it. `tool` and `web`: it was read in
 * what a tool or the web returned, which anybody may have written. `import`: it came out of another program's
 * memory. `unknown`: the file does not say, as those that people write by hand.
 */
export type MemorySource = "user" | "agent" | "tool" | "web" | "import" | "unknown";

export const MEMORY_SOURCES: readonly MemorySource[] = ["user", "agent", "tool", "web", "import", "unknown"];

/** One memory, as its file tells it. Times are milliseconds since the epoch. */
export interface Memory {
  /** Where it lies in the memory directory, with `/`: `deploy-days.md`, `team/release.md`. It is its id. */
  readonly path: string;
  /** What it is called; the file's name where it has none. */
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
  /** How much it is worth, before age is counted; 1 where the file does not say. Never negative. */
  readonly relevance: number;
  /** Stable facts and what a user asked to remember do not lose worth with age. */
  readonly decays: boolean;
  readonly source: MemorySource;
  /** A person said that it is so, in words of their own or by confirming it. */
  readonly isConfirmed: boolean;
  /** Kept, listed and audited, and never shown to a model: only a tool or the web said so. */
  readonly isQuarantined: boolean;
  /** The message or entry that it was taken from, and its session. */
  readonly sessionId: string | undefined;
  readonly messageId: string | undefined;
  /** The memory of what was said right before it, where it is a piece of a conversation and no fact of its own. */
  readonly follows: string | undefined;
  /** Paths of the memories that it takes the place of. */
  readonly supersedes: readonly string[];
  /** The memory that took its place: then it is history, and is not recalled. */
  readonly supersededBy: string | undefined;
}

/** A memory with the file that it was read from. */
export interface KnownMemory {
  readonly memory: Memory;
  readonly text: string;
  /** Of the text, as the store gives it. */
  readonly version: string;
}

/** Who is believed more has the larger number. */
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

/** How far a memory is believed, beside others: by who said it, or stands by it. */
export function trustOf({ source, isConfirmed }: Pick<Memory, "source" | "isConfirmed">): number {
  return isConfirmed ? TRUST.user : TRUST[source];
}
