/**
 * Reads the context of a working copy: a short `git status` of a repository that is not trusted, and instruction files.
 *
 * DESIGN. `git status` runs programs that a repository's configuration names: a file-system monitor, hooks, content
 * filters, transports of a partial clone, and the same in submodules. All of them are switched off; filters by name,
 * after asking for their names, which runs nothing. The user's own configuration stays in force. No shell, no inherited
 * `GIT_…` variables, one deadline for everything.
 */
import { existsSync, realpathSync } from "node:fs";
import { dirname, join, parse } from "node:path";
import { HOME_DEFAULTS } from "../../base/defaults/home.ts";
import { showHidden } from "../../base/text/hidden-characters.ts";
import { cutHead } from "../../base/text/text.ts";
import type {
  ContextProblem,
  ProjectContext,
  ProjectContextOptions,
  ProjectContextSource,
} from "../../ports/project-context.ts";
import { readInstructionFiles } from "./instruction-files.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** The status, or the reason for its absence. Neither if there is no repository. */
interface GitStatus {
  readonly text?: string;
  readonly problem?: ContextProblem;
}

const NOWHERE = process.platform === "win32" ? "NUL" : "/dev/null";
const SAFE_SETTINGS: readonly (readonly [string, string])[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", NOWHERE],
  ["core.quotePath", "false"],
  ["core.pager", "cat"],
  ["protocol.allow", "never"],
  ["safe.bareRepository", "explicit"],
  ["status.submoduleSummary", "false"],
  ["status.renames", "false"],
];
const STATUS = ["status", "--short", "--branch", "--no-ahead-behind", "--ignore-submodules=all"] as const;
const FILTERS = [
  "config",
  "--show-scope",
  "--null",
  "--name-only",
  "--get-regexp",
  "^filter\\..*\\.(clean|process|smudge)$",
] as const;
/** Scopes of the user and of the machine's administrator, who may decide what runs. */
const OWN_SCOPES: ReadonlySet<string> = new Set(["system", "global"]);

/** Asks git about `workingCopy`. Never throws. */
export async function readGitStatus(
  workingCopy: string,
  env: Env,
  timeoutMs: number = HOME_DEFAULTS.gitTimeoutMs,
): Promise<GitStatus> {
  if (!mayBeInRepository(workingCopy)) return {};
  const deadline = AbortSignal.timeout(timeoutMs);
  const filters = await run(FILTERS, { workingCopy, env: gitEnv(env, SAFE_SETTINGS), deadline });
  // 1: no filter at all, the usual case.
  if (filters.exitCode !== 0 && filters.exitCode !== 1) return judge(filters, timeoutMs);
  const disabled = foreignFilters(filters.output).flatMap((name): readonly (readonly [string, string])[] => [
    [`filter.${name}.clean`, ""],
    [`filter.${name}.process`, ""],
    [`filter.${name}.smudge`, ""],
    [`filter.${name}.required`, "false"],
  ]);
  const status = await run(STATUS, {
    workingCopy,
    env: gitEnv(env, [...SAFE_SETTINGS, ...disabled]),
    deadline,
  });
  return status.exitCode === 0 || status.isCutOff ? { text: inShort(status) } : judge(status, timeoutMs);
}

/** False if git would find no working copy at the folder or above it: two processes fewer at each start outside of one. */
function mayBeInRepository(workingCopy: string): boolean {
  let folder: string;
  try {
    folder = realpathSync(workingCopy);
  } catch {
    return true; // Git reports the reason.
  }
  while (!existsSync(join(folder, ".git"))) {
    const above = dirname(folder);
    if (above === folder) return false;
    folder = above;
  }
  return true;
}

interface Run {
  readonly exitCode: number | string;
  readonly output: string;
  readonly message: string;
  /** Its output was longer than the limit. */
  readonly isCutOff: boolean;
}

async function run(
  command: readonly string[],
  {
    workingCopy,
    env,
    deadline,
  }: { readonly workingCopy: string; readonly env: Env; readonly deadline: AbortSignal },
): Promise<Run> {
  // Not every program that loads the library starts one.
  const { execFile } = await import("node:child_process");
  return new Promise((resolve) => {
    // Not inside the working copy: some platforms would start a program called `git` there.
    const cwd = parse(workingCopy).root;
    const args = ["--no-optional-locks", "--no-pager", "-C", workingCopy, ...inlineSettings(), ...command];
    const limits = {
      maxBuffer: HOME_DEFAULTS.gitOutputBytes,
      signal: deadline,
      killSignal: "SIGKILL",
    } as const;
    const options = { ...limits, cwd, env, encoding: "utf8", windowsHide: true } as const;
    execFile("git", args, options, (error, output, message) => {
      const code = error === null ? 0 : deadline.aborted ? "timeout" : (error.code ?? "unknown");
      const isCutOff = code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER";
      resolve({
        exitCode: code,
        output,
        message: message === "" ? (error?.message ?? "") : message,
        isCutOff,
      });
    });
  });
}

/** Once more as arguments, for a git that does not know settings from the environment. */
function inlineSettings(): readonly string[] {
  return SAFE_SETTINGS.flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

/** Settings by the environment: a name may hold any character there, an `=` too. */
function gitEnv(env: Env, settings: readonly (readonly [string, string])[]): Env {
  const kept = Object.entries(env).filter(([name]) => !name.toUpperCase().startsWith("GIT_"));
  const given = settings.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, name] as const,
    [`GIT_CONFIG_VALUE_${index}`, value] as const,
  ]);
  return {
    ...Object.fromEntries([...kept, ...given]),
    GIT_CONFIG_COUNT: String(settings.length),
    GIT_TERMINAL_PROMPT: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_ALLOW_PROTOCOL: "none",
    GIT_OPTIONAL_LOCKS: "0",
    NoDefaultCurrentDirectoryInExePath: "1",
    LC_ALL: "C",
  };
}

/** Names of the repository's own filters. `git config` prints scope and name in turn. */
function foreignFilters(output: string): readonly string[] {
  const parts = output.split("\0");
  const names = new Set<string>();
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [scope, key] = [parts[index]!, parts[index + 1]!];
    const name = /^filter\.([\s\S]*)\.[a-z]+$/i.exec(key)?.[1];
    if (name !== undefined && !OWN_SCOPES.has(scope)) names.add(name);
  }
  return [...names];
}

/** Whole lines within the limit, and the number of the others. */
function inShort({ output, isCutOff }: Run): string {
  const { gitStatusChars } = HOME_DEFAULTS;
  const text = showHidden(output).trimEnd();
  if (text.length <= gitStatusChars && !isCutOff) return text;
  const lines = text.split("\n");
  // The last line may be cut.
  const total = isCutOff ? lines.length - 1 : lines.length;
  const availableChars = gitStatusChars - leftOutLine({ total, shown: 0, isCutOff }).length - 1;
  let shown = 0;
  for (let length = 0; shown < total; shown++) {
    length += lines[shown]!.length + 1;
    if (length > availableChars) break;
  }
  const kept = shown === 0 ? [cutHead(lines[0] ?? "", Math.max(0, availableChars))] : lines.slice(0, shown);
  return [...kept, leftOutLine({ total, shown: Math.max(1, shown), isCutOff })].join("\n");
}

function leftOutLine({
  total,
  shown,
  isCutOff,
}: {
  readonly total: number;
  readonly shown: number;
  readonly isCutOff: boolean;
}): string {
  return `[… ${isCutOff ? "more than " : ""}${total - shown} more lines]`;
}

function judge({ exitCode, message }: Run, timeoutMs: number): GitStatus {
  if (exitCode === 128 && /not a git repository/i.test(message)) return {};
  // Git is not installed.
  if (exitCode === "ENOENT") return {};
  const detail = cutHead(showHidden(message).trim(), 300);
  if (exitCode === "timeout")
    return {
      problem: { subject: "git", reason: "timeout", detail: `It took longer than ${timeoutMs} ms.` },
    };
  return { problem: { subject: "git", reason: "unreadable", detail } };
}

/** The project context from the disk and from `git`. */
export class NodeProjectContext implements ProjectContextSource {
  readonly #top: string;
  readonly #env: Readonly<Record<string, string | undefined>>;

  /** `top`: the highest folder to search, for a working copy below it. */
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
