/**
 * The background tasks of a session with a model: made when they are first needed, reported to the agent before each
 * call, shown again after a compaction, ended with the session.
 */
import { errorMessage, StoreError, TaskError } from "../../../base/errors.ts";
import { asNumber, asString, isObject } from "../../../base/json/json.ts";
import type { Restorer } from "../../../ports/restorer.ts";
import { MAIL_MARK } from "../../../session/append/carried-marks.ts";
import { internalsOf, type Session } from "../../../session/session.ts";
import { NOTHING_SPENT, type SpentSum } from "../../../tokens/price/spent.ts";
import type { AgentOptions, AgentWorld } from "../../options/agent-options.ts";
import type { TurnOptions, TurnResult } from "../../options/turn/turn-options.ts";
import type { OpenAgent, TaskAgent } from "../local-agent/agent-task.ts";
import type { Mail } from "../local-agent/mailbox.ts";
import { taskKinds } from "../registry.ts";
import { SessionTasks } from "../session-tasks.ts";
import {
  appendNotices,
  type Delivery,
  deliveredNoOf,
  pendingNotices,
  RewindWatch,
  tasksRestorer,
} from "../task-notices.ts";
import type { AboutAgent, AgentSessions, Tasks } from "../task-options.ts";

/** A session with a model, as far as the task of an agent uses it. */
interface AgentOfTask extends Pick<TaskAgent, "id" | "close"> {
  turn(input: string | readonly [], options: TurnOptions): Promise<TurnResult>;
  receive(mail: Mail): Promise<void>;
}

/** Makes an agent of a session. */
type AgentMaker = (session: Session, options: AgentOptions, world: AgentWorld) => AgentOfTask;

/** The tasks of a session, as the session uses them. */
export interface AgentTasks {
  /** @throws `TaskError` where the host gave the session nothing to run tasks with */
  readonly tasks: Tasks;
  readonly restorer: Restorer;
  /** The cost of the tasks' calls of models so far. */
  readonly spent: SpentSum;
  /** Ends tasks whose process died. Files that cannot be read are an event. */
  recover(): Promise<void>;
  /** Appends the notices that the agent has not had yet. Files of tasks that cannot be read are an event. @throws `StoreError` of the session's own log */
  deliver(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Connects the tasks of a session.
 * @param agentOf makes an agent of a session, with its own options and world
 */
export function tasksOf(
  session: Session,
  options: AgentOptions,
  world: AgentWorld,
  agentOf: AgentMaker,
): AgentTasks {
  const { deadline, now, tasks: given } = world;
  const { log, emit } = internalsOf(session);
  let made: SessionTasks | undefined;
  let problem: string | undefined;
  let delivering: Promise<void> | undefined;
  /** True once it is known that there is no journal: only this process, which holds the session, begins a journal. */
  let isWithoutJournal = false;
  const rewinds = new RewindWatch(session);
  /** A problem that lasts is one event. */
  const failed = (error: unknown): undefined => {
    const reason = errorMessage(error);
    if (reason !== problem) emit({ type: "tasks-failed", reason });
    problem = reason;
  };
  const make = (): SessionTasks | undefined => {
    if (given === undefined || made !== undefined) return made;
    const { filesInMemory, agentSessions, ...others } = given;
    const ports = { ...others, files: log.tasks ?? filesInMemory() };
    const openAgent =
      agentSessions && agentOpener({ parent: session, options, world }, agentSessions, agentOf);
    const { memory, tasks = {} } = options;
    made = new SessionTasks({
      ports,
      kinds: taskKinds({ ports, options: tasks, deadline, memory, openAgent }),
      limits: tasks.limits,
      deliveredNo: deliveredNoOf(session),
      deadline,
      now,
      onProblem: failed,
      onChange: ({ what, task }) => {
        const { id, kind, title, status } = task;
        emit({ type: "task", what, id, kind, title, status });
      },
    });
    return made;
  };
  // Nothing is made for a session that never had a task.
  const known = (): SessionTasks | undefined => {
    if (made !== undefined || isWithoutJournal) return made;
    isWithoutJournal = log.tasks?.hasJournal() !== true;
    return isWithoutJournal ? undefined : make();
  };
  const knownIfReadable = (): SessionTasks | undefined => {
    try {
      return known();
    } catch (error) {
      return failed(error);
    }
  };
  const deliver = async (): Promise<void> => {
    const tasks = knownIfReadable();
    if (tasks === undefined) return rewinds.listed();
    let delivery: Delivery | undefined;
    try {
      delivery = await pendingNotices(tasks, now(), rewinds.isDue(tasks));
      problem = undefined;
      if (delivery === undefined) rewinds.listed();
    } catch (error) {
      // They are delivered with a later call.
      failed(error);
    }
    if (delivery === undefined) return;
    await appendNotices(session, delivery);
    tasks.deliveredNo = delivery.lastNo;
    rewinds.listed();
  };
  return {
    get tasks() {
      const tasks = make();
      if (tasks !== undefined) return tasks;
      throw new TaskError("TASK_REFUSED", {
        message: "This session has nothing to run tasks with.",
        hint: "Sessions of `createPalimpsest` have.",
      });
    },
    restorer: tasksRestorer(knownIfReadable, now),
    get spent() {
      return knownIfReadable()?.spent ?? NOTHING_SPENT;
    },
    recover: async () => knownIfReadable()?.recover(),
    // One after the other: each begins where the one before ended.
    deliver: () => {
      const after = (delivering ?? Promise.resolve()).catch(() => undefined).then(deliver);
      delivering = after;
      return after;
    },
    close: async () => made?.close(),
  };
}

/** An agent has its parent's options, except those that concern one conversation. */
function agentOpener(
  {
    parent,
    options,
    world,
  }: { readonly parent: Session; readonly options: AgentOptions; readonly world: AgentWorld },
  sessions: AgentSessions,
  agentOf: AgentMaker,
): OpenAgent {
  const { tasks: _tasks, hooks: _hooks, plan: _plan, ...shared } = options;
  return async ({ taskId, model = options.model, sessionId, onSpent }) => {
    const about = { parent, taskId };
    const session =
      (sessionId === undefined ? undefined : await reopened(sessions, sessionId, about)) ??
      (await sessions.create(about));
    // Its task closes the session, and the host hears nothing of it.
    const agent = agentOf(session, { ...shared, model }, { ...world, onClosed: undefined, onSpent });
    return {
      id: agent.id,
      readMailNo: readMailNoOf(session),
      turn: async (input, turnOptions) => {
        if (typeof input === "string") return agent.turn(input, turnOptions);
        await agent.receive(input);
        return agent.turn([], turnOptions);
      },
      close: () => agent.close(),
    };
  };
}

/** The last text of its mailbox that the session's log has. A fork has another mailbox than its original. */
function readMailNoOf(session: Session): number {
  const mark = internalsOf(session).carried.get(MAIL_MARK);
  return isObject(mark) && asString(mark["session"]) === session.id ? (asNumber(mark["readNo"]) ?? 0) : 0;
}

/** The session of an agent that was interrupted; `undefined` if it ended before anything was stored. */
async function reopened(
  sessions: AgentSessions,
  sessionId: string,
  about: AboutAgent,
): Promise<Session | undefined> {
  const { parent, taskId } = about;
  const session = await sessions.open(sessionId, about).catch((error: unknown) => {
    if (error instanceof StoreError && error.code === "SESSION_NOT_FOUND") return undefined;
    throw error;
  });
  const of = session?.metadata["parent"];
  if (
    session === undefined ||
    (isObject(of) && asString(of["session"]) === parent.id && of["task"] === taskId)
  )
    return session;
  // A journal that another hand wrote does not make an agent go on in a user's conversation.
  await session.close();
  throw new TaskError("TASK_REFUSED", {
    message: `Session ${session.id} is not one of task ${taskId}.`,
    hint: "Start the task again.",
  });
}
