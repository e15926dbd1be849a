/**
 * The context of a working copy on this machine: instruction files and version control.
 */
import type {
  ProjectContext,
  ProjectContextOptions,
  ProjectContextSource,
} from "../../ports/project-context.ts";
import { readGitStatus } from "./git-status.ts";
import { readInstructionFiles } from "./instruction-files.ts";

/** Reads from the disk and from `git`. */
export class NodeProjectContext implements ProjectContextSource {
  readonly #top: string;
  readonly #env: Readonly<Record<string, string | undefined>>;

  /** `top`: the folder above which nothing is looked for, for a working copy below it. */
  constructor({
    top,
    env,
  }: { readonly top: string; readonly env: Readonly<Record<string, string | undefined>> }) {
    this.#top = top;
    this.#env = env;
  }

  async read(
    workingCopy: string,
    { isBare, withoutGit }: ProjectContextOptions = {},
  ): Promise<ProjectContext> {
    const git = withoutGit === true ? {} : await readGitStatus(workingCopy, this.#env);
    const files =
      isBare === true
        ? { instructions: [], problems: [] }
        : readInstructionFiles({ workingCopy, top: this.#top });
    return {
      instructions: files.instructions,
      gitStatus: git.text,
      problems: git.problem === undefined ? files.problems : [...files.problems, git.problem],
    };
  }
}
