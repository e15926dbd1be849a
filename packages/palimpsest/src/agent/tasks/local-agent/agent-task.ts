/**
 * `local_agent`: an agent with its own loop and window, which reports back when it is done.
 *
 * Its conversation is a separate session, so that the files it reads do not fill its parent's window. Messages that
 * reach it while it works wait in a mailbox and become its next turn. After a crash it can be resumed: it continues
 * its session, and reads what it had not read.
 */
import { errorMessage, TaskError } from "../../../base/errors.ts";
import { asString, isObject, type JsonObject, type JsonValue } from "../../../base/json/json.ts";
import type { ModelClient } from "../../../ports/model-client.ts";
import type { TaskEnd } from "../../../tasks/task-record.ts";
import { spentFields } from "../../../tasks/task-spent.ts";
import { addSpent, NOTHING_SPENT, type SpentSum, spentOf } from "../../../tokens/price/spent.ts";
import type { AgentTool, TurnEvent, TurnOptions, TurnResult } from "../../options/turn/turn-options.ts";
import type { RunningTask, TaskKind, TaskRun } from "../kind/task-kind.ts";
import { type Mail, Mailbox } from "./mailbox.ts";

/** An agent that tasks can run. */
export interface AgentDefinition {
  /** What it is good for, for the model that chooses it. */
  readonly description: string;
  /** @defaultValue the model of the session that starts it */
  readonly model?: ModelClient;
  /** The system prompt. */
  readonly system?: string;
  readonly tools?: readonly AgentTool[];
  /** Calls of the model in one turn, at the most. */
  readonly maxIterations?: number;
}

/** A session with a model, as far as a task uses it. */
export interface TaskAgent {
  readonly id: string;
  /** The number of the last text of its mailbox that its log has; 0 before the first. */
  readonly readMailNo: number;
  /** Takes a turn. The number of a text of its mailbox is stored together with the text. */
  turn(input: string | Mail, options: TurnOptions): Promise<TurnResult>;
  close(): Promise<void>;
}

/** Opens the session of an agent: a new one, or the one that the task had before it was interrupted. */
export type OpenAgent = (options: {
  readonly taskId: string;
  readonly model: ModelClient | undefined;
  readonly sessionId: string | undefined;
  /** Receives what each model call of its session costs, those for summaries, notes and memories included. */
  readonly onSpent: (spent: SpentSum) => void;
}) => Promise<TaskAgent>;

export interface AgentInput extends JsonObject {
  readonly agent: string;
  readonly prompt: string;
}

/** The first message to an agent that goes on in its session. */
export const resumedText = (prompt: string): string =>
  `You were interrupted. Go on where you were, and report when you are done. Your task was:\n${prompt}`;

/** Runs the agents of these definitions. */
export function agentTasks(
  agents: Readonly<Record<string, AgentDefinition>>,
  open: OpenAgent,
): TaskKind<AgentInput> {
  return {
    kind: "local_agent",
    description: `an agent that works on its own and reports back (${describeAgents(agents)})`,
    inputSchema: agentSchema(agents),
    check: (input) => checkAgentInput(input, agents),
    title: ({ prompt }) => prompt,
    start: ({ agent, prompt }, run) => {
      const work = new AgentWork(agents[agent]!, run);
      const turns = async (): Promise<void> => {
        await work.open(open);
        await work.turn(work.isResumed ? resumedText(prompt) : prompt);
        const { mailbox } = work;
        for (let mail = mailbox.take(); mail !== undefined; mail = mailbox.take()) await work.turn(mail);
        // At once: a text that is taken later would not be read.
        mailbox.close();
      };
      return work.during(turns);
    },
  };
}

/** One agent at work: its session, its turns, and what they cost. */
export class AgentWork {
  readonly #definition: AgentDefinition;
  readonly #run: TaskRun;
  readonly mailbox: Mailbox;
  #agent: TaskAgent | undefined;
  #spent = NOTHING_SPENT;
  #lastText: string | undefined;
  #isResumed = false;

  constructor(definition: AgentDefinition, run: TaskRun) {
    this.#definition = definition;
    this.#run = run;
    this.mailbox = new Mailbox(run);
  }

  /** The task that takes these turns. Its session is closed when they end, however they end. */
  during(turns: () => Promise<void>, textOf = (text: string): string => text): RunningTask {
    const work = async (): Promise<TaskEnd> => {
      const end: Pick<TaskEnd, "outcome" | "reason"> = await turns().then(
        () => ({ outcome: "done" }),
        (error: unknown) => ({ outcome: "failed", reason: errorMessage(error) }),
      );
      this.mailbox.close();
      // Closing it may cost something, too.
      await this.#agent?.close().catch(() => undefined);
      return {
        ...end,
        result: this.#lastText,
        ...(this.#spent.calls === 0 ? {} : spentFields(spentOf(this.#spent))),
      };
    };
    const ended = work();
    // The turns end by the signal, which is aborted before a task is stopped.
    return {
      ended,
      input: async (text, key) => this.mailbox.put(textOf(text), key),
      stop: async () => void (await ended),
    };
  }

  /** True if its session is one that it had before it was interrupted. */
  get isResumed(): boolean {
    return this.#isResumed;
  }

  async open(open: OpenAgent): Promise<void> {
    const { taskId } = this.#run;
    const { model } = this.#definition;
    const earlier = this.#earlierSession;
    const onSpent = (spent: SpentSum): void => this.#called(spent);
    this.#agent = await open({ taskId, model, sessionId: earlier, onSpent });
    this.mailbox.skip(this.#agent.readMailNo);
    this.#isResumed = this.#agent.id === earlier;
    if (!this.#isResumed) this.#run.record({ session: this.#agent.id });
  }

  /** Takes a turn; its text and tool calls go to the output. */
  async turn(input: string | Mail, extraTools: readonly AgentTool[] = []): Promise<string> {
    const { system, tools = [], maxIterations } = this.#definition;
    const { text } = await this.#agent!.turn(input, {
      system,
      tools: [...tools, ...extraTools],
      maxIterations,
      signal: this.#run.signal,
      onEvent: (event) => this.#run.write(eventText(event)),
    });
    this.#lastText = text;
    return text;
  }

  /** Recorded call by call: what a turn cost that fails or is interrupted was spent all the same. */
  #called(spent: SpentSum): void {
    this.#spent = addSpent(this.#spent, spent);
    this.#run.record(spentFields(spentOf(spent)));
  }

  get #earlierSession(): string | undefined {
    return asString(this.#run.earlier.findLast(({ session }) => session !== undefined)?.["session"]);
  }
}

/** A line of the output for what happens in a turn. */
function eventText(event: TurnEvent): string {
  if (event.type === "answer")
    return event.answer.messages
      .flatMap(({ content }) => content)
      .map((block) => {
        if (block.type === "text") return `${block.text}\n`;
        return block.type === "tool_use" ? `[${block.name} ${JSON.stringify(block.input)}]\n` : "";
      })
      .join("");
  return event.type === "tool-result" && event.isError ? `[${event.call.name} failed]\n` : "";
}

export function describeAgents(agents: Readonly<Record<string, AgentDefinition>>): string {
  return Object.entries(agents)
    .map(([name, { description }]) => `${name}: ${description}`)
    .join("; ");
}

export function agentSchema(agents: Readonly<Record<string, AgentDefinition>>): JsonObject {
  return {
    type: "object",
    properties: {
      agent: { enum: Object.keys(agents) },
      prompt: {
        type: "string",
        description: "Everything that it has to know; it does not see this conversation.",
      },
    },
    required: ["agent", "prompt"],
  };
}

/** @throws `TaskError` `TASK_INVALID` */
export function checkAgentInput(
  input: JsonValue,
  agents: Readonly<Record<string, AgentDefinition>>,
): AgentInput {
  const { agent, prompt } = isObject(input) ? input : {};
  const names = Object.keys(agents);
  if (
    typeof agent === "string" &&
    names.includes(agent) &&
    typeof prompt === "string" &&
    prompt.trim() !== ""
  )
    return { ...(input as JsonObject), agent, prompt };
  throw new TaskError("TASK_INVALID", {
    message: "The input of an agent does not fit.",
    hint: `Pass { agent, prompt }; the agents are ${names.join(", ")}.`,
  });
}
