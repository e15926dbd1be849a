/**
 * The work of a long session: what its user says, and which tools the model then calls, by the number of the turn. The first
 * ten turns have the facts that the last ones ask about.
 */
import { callTool, type ScriptStep, say } from "palimpsest-testing";

/** Told by the user in the first ten turns: where the agent must find each at the end. */
export const FACTS = {
  pin: "The release has the codename HERON-4711",
  notes: "ticket TRAM-8123",
  memory: "From now on the staging server listens on port 9090.",
  history: "The spare key hangs in locker 5521 of hall Oberon.",
} as const;

export const PLAN = "1. Measure the quay.\n2. Move crane 7 to berth QUAY-88.";

/** The user's words of a turn. */
export function wordsOf(turn: number): string {
  if (turn === 1) return `Turn 1. ${FACTS.memory}`;
  if (turn === 2) return `Turn 2. ${FACTS.pin}. Never forget that.`;
  if (turn === 3) return `Turn 3. All of this work belongs to ${FACTS.notes}.`;
  if (turn === 4) return `Turn 4. ${FACTS.history}`;
  return `Turn ${turn}. Please go on with part ${turn} of the harbour.`;
}

/** The answers of the model in a turn, one for each call; its last words come after them. */
export function stepsOf(turn: number, files: readonly string[]): readonly ScriptStep[] {
  const file = (index: number): string => files[index % files.length] ?? "";
  if (turn === 2) return [callTool("history_pin", { text: FACTS.pin })];
  if (turn <= 4) return [];
  if (turn % 24 === 5) return [callTool("skill", { name: "mooring" })];
  const part = `parts/part${turn}.txt`;
  const work: readonly (() => readonly ScriptStep[])[] = [
    () => [[callTool("read", { path: file(turn * 3) }), callTool("read", { path: file(turn * 3 + 1) })]],
    () => [
      [
        callTool("grep", { pattern: "export (function|class)", path: "src" }),
        callTool("glob", { pattern: "**/*.ts" }),
      ],
    ],
    () => [
      callTool("write", { path: part, content: `part ${turn}\nberth = ${turn}\n` }),
      callTool("edit", { path: part, old_string: `berth = ${turn}`, new_string: `berth = ${turn * 2}` }),
      callTool("read", { path: part }),
    ],
    () => [
      [
        say("I look at the state."),
        callTool("shell", { command: "git status --short | tail -5; wc -c src/*/*.ts | tail -40" }),
      ],
    ],
    () => [callTool("todo_write", { todos: todosAt(turn) })],
    () => [callTool("read", { path: "tides.log", offset: (turn % 12) * 50 + 1 })],
    () => [
      callTool("task", { agent: "explore", prompt: `Look into part ${turn}.`, description: `part ${turn}` }),
    ],
    () => [
      callTool("read", { path: file(turn * 7) }),
      [callTool("read", { path: file(turn * 7 + 1) }), callTool("read", { path: file(turn * 7 + 2) })],
    ],
    () => [
      callTool("mcp_find", { query: "tide" }),
      callTool("mcp_call", { name: "harbour.tide", input: { berth: turn } }),
    ],
    () => [[callTool("memory", { action: "list" }), callTool("history_search", { query: `berth ${turn}` })]],
    () => [
      [callTool("read", { path: file(turn * 5) }), callTool("shell", { command: `head -c 12000 tides.log` })],
    ],
    () => [],
  ];
  return work[turn % work.length]?.() ?? [];
}

function todosAt(turn: number) {
  return [
    { content: `Part ${turn - 1}`, status: "completed" },
    { content: `Part ${turn}`, status: "in_progress" },
    { content: "Weigh the anchor ANCHOR-31", status: "pending" },
  ];
}
