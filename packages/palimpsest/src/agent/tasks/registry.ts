/**
 * The kinds of tasks, a row each: a new kind is a folder of this room and a row here.
 */
import type { Deadline } from "../../ports/runtime.ts";
import type { TaskKindName } from "../../tasks/task-record.ts";
import type { PersistentMemory } from "../memory/persistent-memory.ts";
import { dreamTasks } from "./dream/dream-task.ts";
import type { TaskKind } from "./kind/task-kind.ts";
import { agentTasks, type OpenAgent } from "./local-agent/agent-task.ts";
import { mcpMonitorTasks } from "./mcp-monitor/mcp-monitor-task.ts";
import { remoteAgentTasks } from "./remote-agent/remote-agent-task.ts";
import { shellTasks } from "./shell/shell-task.ts";
import type { TaskPorts, TasksOptions } from "./task-options.ts";
import { teammateTasks } from "./teammate/teammate-task.ts";
import { workflowTasks } from "./workflow/workflow-task.ts";

/** What a kind is made from. */
interface TaskContext {
  readonly ports: TaskPorts;
  readonly options: TasksOptions;
  readonly deadline: Deadline;
  readonly memory: PersistentMemory | undefined;
  /** Absent where agents cannot have sessions. */
  readonly openAgent: OpenAgent | undefined;
}

/** A kind, or what its host has to pass for it to be there. */
type KindOrReason = TaskKind | { readonly missing: string };

/** A row of the registry. */
interface TaskKindRow {
  readonly kind: TaskKindName;
  /** @param kinds those of the rows above */
  make(context: TaskContext, kinds: ReadonlyMap<TaskKindName, KindOrReason>): KindOrReason;
}

const NO_AGENTS = "Pass agents: createPalimpsest({ tasks: { agents: { … } } }).";

const TASK_KIND_ROWS: readonly TaskKindRow[] = [
  {
    kind: "local_bash",
    make: ({ ports: { processes, ids }, options: { shell } }) =>
      processes === undefined || shell === "off"
        ? { missing: "This host runs no shell commands." }
        : shellTasks(processes, () => ids.entryId(), shell),
  },
  {
    kind: "local_agent",
    make: ({ openAgent, options: { agents } }) =>
      agents === undefined || openAgent === undefined
        ? { missing: NO_AGENTS }
        : agentTasks(agents, openAgent),
  },
  {
    kind: "remote_agent",
    make: ({ ports: { fetch, ids }, options: { workers }, deadline }) =>
      workers === undefined || fetch === undefined
        ? { missing: "Pass workers: createPalimpsest({ tasks: { workers: { … } } })." }
        : remoteAgentTasks(workers, { fetch, deadline, newKey: () => ids.entryId() }),
  },
  {
    kind: "in_process_teammate",
    make: ({ openAgent, options: { agents } }) =>
      agents === undefined || openAgent === undefined
        ? { missing: NO_AGENTS }
        : teammateTasks(agents, openAgent),
  },
  {
    kind: "local_workflow",
    make: (_, kinds) => {
      const steps = [...kinds].filter(([kind, made]) => STEP_KINDS.has(kind) && !("missing" in made));
      return steps.length === 0
        ? { missing: "There is no kind of task that could be a step." }
        : workflowTasks(new Map(steps as [TaskKindName, TaskKind][]));
    },
  },
  {
    kind: "monitor_mcp",
    make: ({ ports: { processes, ids }, options: { mcpServers }, deadline }) =>
      mcpServers === undefined
        ? { missing: "Pass servers: createPalimpsest({ tasks: { mcpServers: { … } } })." }
        : mcpMonitorTasks(mcpServers, { deadline, processes, newToken: () => ids.entryId() }),
  },
  {
    kind: "dream",
    make: ({ memory, ports: { dreamSessions } }) =>
      memory === undefined
        ? { missing: "Pass a memory: createPalimpsest({ memory: await createMemory() })." }
        : dreamTasks((options) => memory.dream({ ...options, sessions: dreamSessions })),
  },
];

/** Kinds that a workflow may have as steps: those that end by themselves. */
const STEP_KINDS: ReadonlySet<TaskKindName> = new Set(["local_bash", "local_agent", "remote_agent"]);

/** The kinds by name; for those that cannot be run here, why. */
export function taskKinds(context: TaskContext): ReadonlyMap<TaskKindName, KindOrReason> {
  const kinds = new Map<TaskKindName, KindOrReason>();
  for (const row of TASK_KIND_ROWS) kinds.set(row.kind, row.make(context, kinds));
  return kinds;
}
