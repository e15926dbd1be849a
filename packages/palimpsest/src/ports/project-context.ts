/**
 * The project context of a new session: instruction files and the state of version control.
 *
 * It is text for a host's system prompt, read once. All of it may come from a stranger's repository,
 * so an implementation reads within limits, runs nothing of the place, and reports what it left out.
 */

/** One instruction file (CLAUDE.md, AGENTS.md) of the working copy or of a folder above it. */
export interface InstructionFile {
  /** Its absolute path. */
  readonly path: string;
  /** Its text, well-formed; cut at the end of a line where it is over the limit, with a line that says so. */
  readonly text: string;
  /** Size of the file in bytes, as it lies on the disk. */
  readonly bytes: number;
  readonly isCut: boolean;
}

/** Something of the place that was left out or mended, and why. */
export interface ContextProblem {
  /** The file, or `git`. */
  readonly subject: string;
  readonly reason:
    | "not-a-file"
    | "not-text"
    | "bad-encoding"
    | "too-large"
    | "foreign"
    | "unreadable"
    | "timeout";
  readonly detail: string;
}

/** The context of the place. */
export interface ProjectContext {
  /** The outermost folder first; those of the working copy itself last. */
  readonly instructions: readonly InstructionFile[];
  /** Branch and changed files as version control shows them in short; absent outside a repository. */
  readonly gitStatus?: string;
  readonly problems: readonly ContextProblem[];
}

/** Parts to leave out. */
export interface ProjectContextOptions {
  /** Read no instruction files. @defaultValue false */
  readonly isBare?: boolean;
  /** Do not ask version control. @defaultValue false */
  readonly withoutGit?: boolean;
}

/** Reads the context of a working copy. Never throws for what lies there. */
export interface ProjectContextSource {
  read(workingCopy: string, options?: ProjectContextOptions): Promise<ProjectContext>;
}
