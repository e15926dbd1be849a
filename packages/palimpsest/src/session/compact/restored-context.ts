/**
 * The restorers of the context that a session began with, and of the plan that it follows.
 */
import { RESTORE_DEFAULTS } from "../../base/defaults/compaction/restore.ts";
import type { Digest } from "../../compaction/digest/digest.ts";
import { doneTodos, openTodos } from "../../compaction/digest/todo-state.ts";
import { formatOriginal, type HistoryAccess } from "../../compaction/shared/pointer.ts";
import type { ProjectContext } from "../../ports/project-context.ts";
import type { RestoredItem, Restorer } from "../../ports/restorer.ts";

/** The plan comes first, then the rules of the project. */
const PLAN_PRIORITY = 10;
const START_PRIORITY = 20;

/**
 * Instruction files and the state of version control, read again; `read` is a host's, within its own limits.
 * `budgetTokens`: what they may take together, `sessionStartTokens` of the window where it is left out.
 */
export function sessionStartRestorer(
  read: (signal: AbortSignal) => Promise<Pick<ProjectContext, "instructions" | "gitStatus">>,
  budgetTokens?: number,
): Restorer {
  return {
    name: "session-start",
    priority: START_PRIORITY,
    budgetTokens,
    // One file may take all of it.
    itemTokens: budgetTokens ?? RESTORE_DEFAULTS.sessionStartTokens.tokens,
    restore: async ({ signal }) => {
      const { instructions, gitStatus } = await read(signal);
      const note = "read again just now";
      // Those of the working copy itself stand last, and matter most.
      const files = instructions.toReversed().map(
        ({ path, text, isCut }): RestoredItem => ({
          ...{ kind: "instructions", key: path, label: "Instructions of the project", title: path, text },
          note: isCut ? `${note}; cut at its end` : note,
        }),
      );
      if (gitStatus === undefined) return files;
      const git = { kind: "git-status", key: "git", label: "State of version control", title: "git" };
      return [{ ...git, note, text: gitStatus }, ...files];
    },
  };
}

/** The host's knowledge of plans, beyond the tool calls in the log. */
export interface PlanHost {
  /** The current plan, where the host keeps one: it wins over what the log last held. */
  readonly plan?: (signal: AbortSignal) => Promise<string | undefined>;
  /** Instructions that hold while the agent plans and changes nothing; `undefined` outside of that mode. */
  readonly planMode?: (signal: AbortSignal) => Promise<string | undefined>;
}

/** Plan-mode instructions, the plan, and the task list. */
export function planRestorer(
  digest: Digest,
  host: PlanHost,
  budgetTokens: number,
  access: HistoryAccess = {},
): Restorer {
  return {
    name: "plan",
    priority: PLAN_PRIORITY,
    budgetTokens,
    itemTokens: budgetTokens,
    restore: async ({ signal }) => {
      const [mode, plan] = await Promise.all([host.planMode?.(signal), host.plan?.(signal)]);
      return [
        ...(mode === undefined
          ? []
          : [{ ...item("plan-mode", "Plan mode is on"), note: "from the host, as of now", text: mode }]),
        ...(plan === undefined
          ? loggedPlan(digest, access)
          : [{ ...item("plan", "Current plan"), note: "from the host, as of now", text: plan }]),
        ...taskList(digest),
      ];
    },
  };
}

function item(kind: string, label: string): Pick<RestoredItem, "kind" | "key" | "label" | "title"> {
  return { kind, key: kind, label, title: kind };
}

function loggedPlan({ plan }: Digest, access: HistoryAccess): readonly RestoredItem[] {
  if (plan === undefined) return [];
  const original = formatOriginal(plan.pointer, access, { lead: "with " });
  const note = `as it was last put before the user; all of it ${original}`;
  return [{ ...item("plan", "Current plan"), note, text: plan.text }];
}

function taskList({ todos }: Digest): readonly RestoredItem[] {
  const open = openTodos(todos);
  if (open.length === 0) return [];
  const done = doneTodos(todos);
  const lines = [
    ...open.map(({ text, status }) => `- [${status === "active" ? "~" : " "}] ${text}`),
    ...done.map(({ text }) => `- [x] ${text}`),
  ];
  const note = "as it was last written; [~] is being worked on, [x] is done";
  return [{ ...item("todos", "Task list"), note, text: lines.join("\n") }];
}
