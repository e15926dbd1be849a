/**
 * `in_process_teammate`: an agent of a coordinator's team, in the same process, with its own transcript.
 *
 * A teammate lives until it is stopped: it takes a turn for each message that reaches it, and sends messages to the
 * coordinator and to other teammates. All share the coordinator's memory, and with it the team's.
 */
import { TaskError } from "../../../base/errors.ts";
import { asString, isObject } from "../../../base/json/json.ts";
import type { AgentTool } from "../../options/turn/turn-options.ts";
import type { TaskKind, TaskRun } from "../kind/task-kind.ts";
import {
  type AgentDefinition,
  type AgentInput,
  AgentWork,
  agentSchema,
  checkAgentInput,
  describeAgents,
  type OpenAgent,
  resumedText,
} from "../local-agent/agent-task.ts";
import type { Mail, Mailbox } from "../local-agent/mailbox.ts";

interface TeammateInput extends AgentInput {
  readonly name: string;
}

const COORDINATOR = "coordinator";
const NAME = /^[a-z][a-z0-9_-]{0,39}$/;

/** Runs teammates. Those of one call of this are one team. */
export function teammateTasks(
  agents: Readonly<Record<string, AgentDefinition>>,
  open: OpenAgent,
): TaskKind<TeammateInput> {
  const team = new Map<string, Mailbox>();
  return {
    kind: "in_process_teammate",
    description: `a member of your team, who works until you stop it and can be sent messages (${describeAgents(agents)})`,
    inputSchema: {
      ...agentSchema(agents),
      properties: {
        name: { type: "string", description: "Its name in the team: lower case, no spaces." },
        ...(agentSchema(agents)["properties"] as object),
      },
      required: ["name", "agent", "prompt"],
    },
    check: (input) => {
      const name = isObject(input) ? asString(input["name"]) : undefined;
      if (name !== undefined && NAME.test(name) && name !== COORDINATOR)
        return { ...checkAgentInput(input, agents), name };
      throw new TaskError("TASK_INVALID", {
        message: "A teammate needs a name.",
        hint: `Pass { name: "tester", agent, prompt }, with a name in lower case that is not "${COORDINATOR}".`,
      });
    },
    title: ({ name, prompt }) => `${name}: ${prompt}`,
    start: ({ name, agent, prompt }, run) => {
      if (team.has(name))
        throw new TaskError("TASK_REFUSED", {
          message: `There is a teammate ${name} already.`,
          hint: "Choose another name, or send it a message.",
        });
      const work = new AgentWork(agents[agent]!, run);
      team.set(name, work.mailbox);
      const tools = [sendMessage(name, team, run)];
      const turn = async (input: string | Mail): Promise<void> => {
        const answer = await work.turn(input, tools);
        if (answer.trim() !== "") run.notify("message", answer);
      };
      const turns = async (): Promise<void> => {
        try {
          await work.open(open);
          const first = `You are ${name}, a member of a team. ${prompt}`;
          await turn(work.isResumed ? resumedText(first) : first);
          const { mailbox } = work;
          for (let mail = await mailbox.next(); mail !== undefined; mail = await mailbox.next())
            await turn(mail);
        } finally {
          team.delete(name);
        }
      };
      return work.during(turns, (text) => `Message of the ${COORDINATOR}:\n${text}`);
    },
  };
}

/** The tool by which a teammate reaches the others. */
function sendMessage(from: string, team: ReadonlyMap<string, Mailbox>, run: TaskRun): AgentTool {
  return {
    name: "send_message",
    description: `Sends a message to the ${COORDINATOR} or to a teammate, by name.`,
    inputSchema: {
      type: "object",
      properties: { to: { type: "string" }, text: { type: "string" } },
      required: ["to", "text"],
      additionalProperties: false,
    },
    run: (input) => {
      const { to, text } = isObject(input) ? input : {};
      if (typeof to !== "string" || typeof text !== "string" || text === "")
        return { content: "Pass { to, text }.", isError: true };
      if (to === COORDINATOR) run.notify("message", text);
      else if (team.has(to)) team.get(to)!.put(`Message of ${from}:\n${text}`);
      else {
        const names = [COORDINATOR, ...[...team.keys()].filter((name) => name !== from)];
        return {
          content: `There is no teammate ${JSON.stringify(to)}. There are: ${names.join(", ")}.`,
          isError: true,
        };
      }
      return "Sent.";
    },
  };
}
