/** `todo_write` and `exit_plan_mode`: the list of what is to be done, and the plan that a person agrees to first. */
import { type AgentTool, tool } from "palimpsest";
import type { ToolWorld } from "./tool-world.ts";

const MARKS = { pending: " ", in_progress: "~", completed: "x" } as const;

/** The tool `todo_write`. The library shows the list again after a compaction. */
export function todoTool(): AgentTool {
  return tool({
    name: "todo_write",
    description:
      "Writes the whole list of what is to be done, in place of the one before. Mark what you work on as in_progress (one at a time), and what is done as completed at once.",
    input: {
      type: "object",
      properties: {
        todos: {
          type: "array",
          items: {
            type: "object",
            properties: {
              content: { type: "string" },
              status: { type: "string", enum: ["pending", "in_progress", "completed"] },
            },
            required: ["content", "status"],
          },
        },
      },
      required: ["todos"],
      additionalProperties: false,
    } as const,
    execute: async ({ todos }) =>
      todos.map(({ content, status }) => `- [${MARKS[status]}] ${content}`).join("\n") ||
      "The list is empty.",
  });
}

/** The tool `exit_plan_mode`. */
export function planTool(world: ToolWorld): AgentTool {
  return tool({
    name: "exit_plan_mode",
    description:
      "In plan mode: puts your plan before the user, in Markdown. If they agree, the mode ends and you carry it out. Do not call it outside of plan mode.",
    input: {
      type: "object",
      properties: { plan: { type: "string", description: "The steps, with the files that change." } },
      required: ["plan"],
      additionalProperties: false,
    } as const,
    approve: (input, context) =>
      world.decide({ tool: "exit_plan_mode", risk: "plan", what: "carry out this plan" }, input, context),
    execute: async () => {
      world.planAgreed();
      return "The user agrees to the plan, and plan mode is over. Carry it out.";
    },
  });
}
