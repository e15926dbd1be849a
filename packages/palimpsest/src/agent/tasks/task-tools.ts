/**
 * The tools by which a model starts tasks and looks after them. A host hands them to its turns; none is there by itself.
 */
import { asNumber, asString, isObject, type JsonObject, type JsonValue } from "../../base/json/json.ts";
import { stateInWords } from "../../tasks/notice-text.ts";
import { TASK_KINDS, type TaskKindName } from "../../tasks/task-record.ts";
import type { AgentTool } from "../options/turn/turn-options.ts";
import type { TaskKind } from "./kind/task-kind.ts";
import type { TaskInfo, Tasks } from "./task-options.ts";

const SECOND_MS = 1_000;
const ID = { type: "string", description: "The id of the task, such as t3." };

/** The tools `task_start`, `task_list`, `task_output`, `task_input` and `task_stop`, for the kinds that can be run here. */
export function taskTools(
  tasks: Tasks,
  { kinds, now }: { readonly kinds: readonly TaskKind[]; readonly now: () => number },
): readonly AgentTool[] {
  const line = (task: TaskInfo): string =>
    `${task.id} ${task.kind} ${JSON.stringify(task.title)}: ${stateInWords(task, now())}; ${task.outputBytes} bytes of output`;
  return [
    {
      name: "task_start",
      description:
        "Starts work in the background and returns its id at once. You are told when it ends or waits for input; do not poll. Kinds:\n" +
        kinds
          .map(
            ({ kind, description, inputSchema }) =>
              `- ${kind}: ${description}. Input: ${JSON.stringify(inputSchema)}`,
          )
          .join("\n"),
      inputSchema: schema(
        {
          kind: { enum: kinds.map(({ kind }) => kind) },
          input: { type: "object", description: "The input of that kind." },
          title: { type: "string", description: "One line that says what it is for." },
          timeout_seconds: { type: "number", description: "It is stopped after this long." },
        },
        ["kind", "input"],
      ),
      run: async (input) => {
        const { kind, input: given, title, timeout_seconds: seconds } = fields(input);
        const timeoutMs = (asNumber(seconds) ?? 0) > 0 ? Number(seconds) * SECOND_MS : undefined;
        const name = TASK_KINDS.find((known) => known === kind) ?? (String(kind) as TaskKindName);
        const task = await tasks.start(name, given ?? {}, { title: asString(title), timeoutMs });
        const where = task.outputPath === undefined ? "" : ` Its output goes to ${task.outputPath}.`;
        return `Started ${task.id}.${where}`;
      },
    },
    {
      name: "task_list",
      description: "Lists the tasks of this session and their states.",
      inputSchema: schema({}, []),
      run: () => tasks.list().map(line).join("\n") || "There are no tasks.",
    },
    {
      name: "task_output",
      description: "Reads the output of a task from a byte on, and says where to read on.",
      inputSchema: schema({ id: ID, offset: { type: "integer", description: "0 is the beginning." } }, [
        "id",
      ]),
      run: (input) => {
        const { id, offset } = fields(input);
        const from = Math.max(0, Math.trunc(asNumber(offset) ?? 0));
        const { text, pending, nextOffset, isEnd } = tasks.read(String(id), { offset: from });
        const task = tasks.get(String(id));
        const rest = isEnd ? "That is its end." : `Read on at offset ${nextOffset} of ${task.outputBytes}.`;
        return `${text}${pending}\n\n[${line(task)}. ${rest}]`;
      },
    },
    {
      name: "task_input",
      description: "Sends text to a task that takes input. End a line with a newline.",
      inputSchema: schema({ id: ID, text: { type: "string" } }, ["id", "text"]),
      run: async (input) => {
        const { id, text } = fields(input);
        await tasks.input(String(id), asString(text) ?? "");
        return "Sent.";
      },
    },
    {
      name: "task_stop",
      description: "Ends a task and everything that it started.",
      inputSchema: schema({ id: ID }, ["id"]),
      run: async (input) => line(await tasks.stop(String(fields(input)["id"]))),
    },
  ];
}

function schema(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: "object", properties, required, additionalProperties: false };
}

const fields = (input: JsonValue): JsonObject => (isObject(input) ? input : {});
