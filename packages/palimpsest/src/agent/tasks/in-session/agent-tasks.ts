/**
 * The background tasks of a session with a model: made when they are first needed, reported to the agent before each
 * call, shown again after a compaction, ended with the session.
 */
import { TaskError } from "../../../base/errors.ts";
import type { Restorer } from "../../../ports/restorer.ts";
import { internalsOf, type Session } from "../../../session/session.ts";
import type { AgentOptions, AgentWorld } from "../../options/agent-options.ts";
import type { OpenAgent, TaskAgent } from "../local-agent/agent-task.ts";
import { taskKinds } from "../registry.ts";
import { SessionTasks } from "../session-tasks.ts";
import { deliveredNoOf, deliverNotices, tasksRestorer } from "../task-notices.ts";
import type { AgentSessions, Tasks } from "../task-options.ts";

/** The tasks of a session, as the session uses them. */
export interface AgentTasks {
  /** @throws `TaskError` where the host gave the session nothing to run tasks with */
  readonly tasks: Tasks;
  readonly restorer: Restorer;
  /** Ends tasks whose process died. */
  recover(): Promise<void>;
  /** Appends the notices that the agent has not had yet. */
  deliver(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Connects the tasks of a session.
 * @param agentOf makes an agent of a session, with the options that it does not have from its parent
 */
export function tasksOf(
  session: Session,
  options: AgentOptions,
  world: AgentWorld,
  agentOf: (session: Session, options: AgentOptions) => TaskAgent,
): AgentTasks {
  const { deadline, now, tasks: given } = world;
  const { log, emit } = internalsOf(session);
  let made: SessionTasks | undefined;
  const make = (): SessionTasks | undefined => {
    if (given === undefined || made !== undefined) return made;
    const { filesInMemory, agentSessions, ...others } = given;
    const ports = { ...others, files: log.tasks ?? filesInMemory() };
    const openAgent = agentSessions && agentOpener(session, options, agentSessions, agentOf);
    const { memory, tasks = {} } = options;
    made = new SessionTasks({
      ports,
      kinds: taskKinds({ ports, options: tasks, deadline, memory, openAgent }),
      limits: tasks.limits,
      deliveredNo: deliveredNoOf(session),
      deadline,
      now,
      onChange: ({ what, task }) => {
        const { id, kind, title, status } = task;
        emit({ type: "task", what, id, kind, title, status });
      },
    });
    return made;
  };
  // Nothing is made for a session that never had a task.
  const known = (): SessionTasks | undefined =>
    made ?? (log.tasks?.hasJournal() === true ? make() : undefined);
  return {
    get tasks() {
      const tasks = make();
      if (tasks !== undefined) return tasks;
      throw new TaskError("TASK_REFUSED", {
        message: "This session has nothing to run tasks with.",
        hint: "Sessions of `createPalimpsest` have.",
      });
    },
    restorer: tasksRestorer(known, now),
    recover: async () => known()?.recover(),
    deliver: async () => {
      const tasks = known();
      if (tasks !== undefined) await deliverNotices(session, tasks, now());
    },
    close: async () => made?.close(),
  };
}

/** An agent has its parent's options, except those that concern one conversation. */
function agentOpener(
  parent: Session,
  options: AgentOptions,
  sessions: AgentSessions,
  agentOf: (session: Session, options: AgentOptions) => TaskAgent,
): OpenAgent {
  const { tasks: _tasks, hooks: _hooks, plan: _plan, ...shared } = options;
  return async ({ taskId, model = options.model, sessionId }) => {
    const session =
      sessionId === undefined ? await sessions.create({ parent, taskId }) : await sessions.open(sessionId);
    return agentOf(session, { ...shared, model });
  };
}
