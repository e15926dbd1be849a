/**
 * The project context of a new session: instruction files and the state of version control.
 *
 * It is text for a host's system prompt, read once. The repository may be untrusted: an implementation reads within
 * limits, executes nothing from it, and reports what it left out.
 */

/** One instruction file (CLAUDE.md, AGENTS.md) of the working copy or of a folder above it. */
export interface InstructionFile {
  /** Its absolute path. */
  readonly path: string;
  /** Its text, well-formed. If it is over the limit, it is cut at the end of a line, and a last line says so. */
  readonly text: string;
  /** Size of the file on disk, in bytes. */
  readonly bytes: number;
  readonly isCut: boolean;
}

/** A part of the context that was left out or repaired, and why. */
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

/** The context that was read. */
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
  /** Do not run version control. @defaultValue false */
  readonly withoutGit?: boolean;
}

/** Reads the context of a working copy. Never throws because of its contents: these are reported as problems. */
export interface ProjectContextSource {
  read(workingCopy: string, options?: ProjectContextOptions): Promise<ProjectContext>;
}
