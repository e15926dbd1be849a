/**
 * `memory`: what earlier sessions learned. What a model remembers is its own conclusion: it never becomes the user's words,
 * and what a person said or confirmed is not forgotten from here.
 */
import { type AgentTool, OptionError, tool } from "palimpsest";
import type { MemoryType, PersistentMemory } from "palimpsest/memory";
import { failed, orFailed, type ToolWorld } from "./tool-world.ts";

const ACTIONS = ["recall", "remember", "list", "forget"] as const;
const TYPES = ["user", "feedback", "project", "reference"] as const satisfies readonly MemoryType[];
const LISTED = 100;
const RECALL_TOKENS = 4_000;

/** The tool `memory`. */
export function memoryTool(world: ToolWorld, memory: PersistentMemory): AgentTool {
  return tool({
    name: "memory",
    description:
      "Long-term memory of this project. `recall` finds what answers `text`. `remember` keeps the fact in `text` for later sessions: decisions, preferences, what code and version control do not say; with `corrects`, in place of older ones, if it says what changed. `list` names all. `forget` archives `path`. What the user asks you to remember is kept by itself; remember only what would be lost otherwise.",
    input: {
      type: "object",
      properties: {
        action: { type: "string", enum: ACTIONS },
        text: { type: "string", description: "The question, or one fact that is complete by itself." },
        type: { type: "string", enum: TYPES, description: "Of a fact; project if left out." },
        path: { type: "string", description: "The memory to forget." },
        corrects: {
          type: "array",
          items: { type: "string" },
          description: "Paths of memories that are wrong now.",
        },
      },
      required: ["action"],
      additionalProperties: false,
    } as const,
    approve: (input, context) =>
      world.decide(
        { tool: "memory", risk: "free", name: input.action, what: `${input.action} in memory` },
        input,
        context,
      ),
    execute: ({ action, text = "", type, path = "", corrects }, { signal }) =>
      orFailed(async () => {
        if (action === "list") return listOf(memory);
        if (action === "forget") return forget(memory, path);
        if (text.trim() === "") return failed(`${action} needs \`text\`.`);
        if (action === "recall")
          return (
            (await memory.recall(text, { budgetTokens: RECALL_TOKENS, signal })).text || "No memory fits."
          );
        const options = {
          source: "agent",
          ...(type === undefined ? {} : { type }),
          ...(corrects === undefined ? {} : { corrects }),
        } as const;
        const { status, reason, path: kept } = await memory.remember(text, options);
        return `${status}${kept === undefined ? "" : ` ${kept}`}: ${reason}`;
      }),
  });
}

async function listOf(memory: PersistentMemory): Promise<string> {
  const { memories } = await memory.list({ state: "active" });
  const lines = memories
    .slice(0, LISTED)
    .map(({ path, name, description }) => `- ${path}: ${description || name}`);
  const more = memories.length - lines.length;
  return lines.length === 0
    ? "There are no memories."
    : [...lines, ...(more > 0 ? [`and ${more} more; recall them`] : [])].join("\n");
}

async function forget(memory: PersistentMemory, path: string): Promise<string> {
  const { source, isConfirmed } = await memory.show(path);
  if (source === "user" || isConfirmed)
    throw new OptionError({
      message: `${path} was said or confirmed by the user.`,
      hint: "They can forget it themselves: /memory forget, or palimpsest memory forget.",
    });
  const { status, reason } = await memory.forget(path);
  return `${status}: ${reason}`;
}
