/** Small made-up sessions of OpenHands, as lists of events. */
import { PIXEL } from "./pixel.ts";

const IMAGE_URL = `data:image/png;base64,${PIXEL}`;

type Fields = Readonly<Record<string, unknown>>;

const response = (id: string, calls: readonly string[]): Fields => ({
  id,
  model: "llama",
  choices: [
    {
      finish_reason: "tool_calls",
      message: {
        content: "Look.",
        role: "assistant",
        tool_calls: calls.map((call) => ({
          id: call,
          type: "function",
          function: { name: "execute_bash", arguments: '{"command": "ls"}' },
        })),
      },
    },
  ],
  usage: { prompt_tokens: 100, completion_tokens: 7 },
});
const asked = (id: string, call: string, from: Fields): Fields => ({
  source: "agent",
  action: "run",
  args: { command: "ls", thought: "Look." },
  tool_call_metadata: { function_name: "execute_bash", tool_call_id: call, model_response: from },
  id: Number(id),
});
const ran = (cause: number, fields: Fields): Fields => ({
  source: "agent",
  observation: "run",
  cause,
  extras: {},
  ...fields,
});

/** Events of OpenHands before 1.0: two calls in one response, an error, a sub-agent, a condensation. */
export const OPENHANDS_EVENTS: readonly Fields[] = [
  {
    id: 0,
    source: "agent",
    action: "system",
    args: { content: "Be brief.", tools: [{ type: "function", function: { name: "execute_bash" } }] },
  },
  {
    id: 1,
    timestamp: "2026-01-01T00:00:00.000000",
    source: "user",
    action: "message",
    args: { content: "look at é😀", image_urls: [IMAGE_URL] },
  },
  { id: 2, source: "user", action: "recall", args: { query: "look" } },
  {
    id: 3,
    source: "environment",
    observation: "recall",
    cause: 2,
    content: "Added workspace context",
    extras: { repo_instructions: "Use tabs.", microagent_knowledge: [{ name: "git", content: "Use git." }] },
  },
  asked("4", "t1", response("r1", ["t1", "t2"])),
  asked("5", "t2", response("r1", ["t1", "t2"])),
  ran(4, {
    id: 6,
    content: "a.txt",
    tool_call_metadata: { tool_call_id: "t1" },
    extras: { metadata: { working_dir: "/workspace", prefix: "", suffix: "\n[exit code 0]" } },
    success: true,
  }),
  ran(5, { id: 7, content: "b.txt", tool_call_metadata: { tool_call_id: "t2" }, success: false }),
  { id: 8, source: "agent", observation: "error", content: "not a command", extras: {} },
  { id: 9, source: "agent", action: "delegate", args: { agent: "Browser", inputs: {} } },
  { id: 10, source: "agent", action: "message", args: { content: "a helper's words" } },
  { id: 11, source: "agent", observation: "delegate", cause: 9, content: "found", extras: {} },
  {
    id: 12,
    source: "agent",
    action: "condensation",
    args: { forgotten_events_start_id: 4, forgotten_events_end_id: 7, summary: "We looked." },
  },
  { id: 13, source: "user", action: "run", args: { command: "pwd" } },
  ran(13, { id: 14, content: "/workspace" }),
  { id: 15, source: "agent", action: "message", args: { content: "done" } },
];

const sdkText = (text: string): Fields => ({ type: "text", text });

/** Events of the OpenHands SDK. */
export const OPENHANDS_SDK_EVENTS: readonly Fields[] = [
  {
    kind: "SystemPromptEvent",
    id: "e0",
    source: "agent",
    system_prompt: sdkText("Be brief."),
    dynamic_context: sdkText("It is Monday."),
    tools: [{ kind: "TerminalTool", description: "Runs a command" }],
  },
  {
    kind: "MessageEvent",
    id: "e1",
    timestamp: "2026-01-01T00:00:00.000000",
    source: "user",
    llm_message: { role: "user", content: [sdkText("look"), { type: "image", image_urls: [IMAGE_URL] }] },
    extended_content: [sdkText("A skill")],
  },
  {
    kind: "ActionEvent",
    id: "e2",
    source: "agent",
    thought: [sdkText("Look.")],
    thinking_blocks: [{ type: "thinking", thinking: "Hm", signature: "c2ln" }],
    action: { kind: "TerminalAction", command: "ls" },
    tool_name: "terminal",
    tool_call_id: "t1",
    tool_call: { id: "t1", name: "terminal", arguments: '{"command": "ls"}' },
    llm_response_id: "r1",
  },
  {
    kind: "ActionEvent",
    id: "e3",
    source: "agent",
    thought: [],
    tool_name: "terminal",
    tool_call_id: "t2",
    tool_call: { id: "t2", name: "terminal", arguments: "{}" },
    llm_response_id: "r1",
  },
  {
    kind: "ObservationEvent",
    id: "e4",
    source: "environment",
    tool_name: "terminal",
    tool_call_id: "t1",
    action_id: "e2",
    observation: { content: [sdkText("a.txt")], is_error: false, metadata: { working_dir: "/workspace" } },
  },
  {
    kind: "AgentErrorEvent",
    id: "e5",
    source: "agent",
    tool_name: "terminal",
    tool_call_id: "t2",
    error: "no command",
  },
  { kind: "ConversationStateUpdateEvent", id: "e6", source: "environment", key: "stats", value: {} },
  {
    kind: "Condensation",
    id: "e7",
    source: "environment",
    forgotten_event_ids: ["e2", "e3", "e4", "e5"],
    summary: "We looked.",
  },
  {
    kind: "MessageEvent",
    id: "e8",
    source: "agent",
    llm_message: { role: "assistant", content: [sdkText("done")], reasoning_content: "Enough" },
    llm_response_id: "r2",
  },
];
