/** Small made-up sessions of the tools whose recordings are documents or lists of events. */

/** One pixel. */
export const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";
const IMAGE_URL = `data:image/png;base64,${PIXEL}`;

type Fields = Readonly<Record<string, unknown>>;

let parts = 0;
/** A part of opencode; ids count up in time. */
function part(type: string, fields: Fields = {}): Fields {
  return { id: `prt_${(++parts).toString(16).padStart(12, "0")}abc`, type, ...fields };
}

const stored = (id: string, role: string, at: number, fields: Fields, list: readonly Fields[]): Fields => ({
  info: { id, sessionID: "ses_1", role, time: { created: at }, ...fields },
  parts: list,
});
const tokens = (input: number, output: number): Fields => ({
  input,
  output,
  reasoning: 0,
  cache: { read: 1, write: 2 },
});
const tool = (callID: string, state: Fields): Fields => part("tool", { callID, tool: "read", state });

/** `opencode export`: two steps in one message, results of all kinds, a compaction, an error. */
export const OPENCODE: { readonly info: Fields; readonly messages: readonly Fields[] } = {
  info: { id: "ses_1", title: "A coat", directory: "/home/dev/project", version: "1.1.0" },
  messages: [
    stored("msg_1", "user", 1_000, {}, [
      part("text", { text: "look at é😀" }),
      part("file", { mime: "image/png", filename: "a.png", url: IMAGE_URL }),
      part("text", { text: "The file says hello", synthetic: true }),
    ]),
    stored("msg_2", "assistant", 2_000, { modelID: "gpt-5", finish: "stop" }, [
      part("step-start"),
      part("reasoning", {
        text: "Hm",
        metadata: { openai: { itemId: "rs_1", reasoningEncryptedContent: "c2VjcmV0" } },
      }),
      tool("call_1", { status: "completed", input: { path: "x" }, output: "one", time: { end: 2_500 } }),
      tool("call_2", { status: "error", input: {}, error: "no such file", time: { end: 2_600 } }),
      part("step-finish", { reason: "tool-calls", tokens: tokens(100, 7) }),
      part("step-start"),
      part("text", { text: "so" }),
      tool("call_3", { status: "running", input: {} }),
      part("step-finish", { reason: "stop", tokens: tokens(200, 9) }),
    ]),
    stored("msg_3", "user", 3_000, {}, [part("compaction", { auto: true, tail_start_id: "msg_2" })]),
    stored("msg_4", "assistant", 4_000, { summary: true, parentID: "msg_3", mode: "compaction" }, [
      part("text", { text: "We looked." }),
    ]),
    stored("msg_5", "user", 5_000, {}, [part("text", { text: "Continue", synthetic: true })]),
    stored("msg_6", "assistant", 6_000, { error: { name: "APIError", data: { message: "overloaded" } } }, []),
    stored("msg_7", "assistant", 7_000, { modelID: "gpt-5" }, [part("text", { text: "done" })]),
  ],
};

const geminiCall = (id: string, response: Fields, status = "success"): Fields => ({
  id,
  name: "read_file",
  args: { path: "x" },
  status,
  result: [{ functionResponse: { id, name: "read_file", response } }],
});
const ASKED = { id: "g1", timestamp: "2026-01-01T00:00:00.000Z", type: "user", content: "look at é😀" };
const ANSWERED = {
  id: "g2",
  timestamp: "2026-01-01T00:00:01.000Z",
  type: "gemini",
  content: "I look.",
  model: "gemini-2.5-pro",
  thoughts: [{ subject: "Looking", description: "It is there." }],
  tokens: { input: 100, output: 7, cached: 40, thoughts: 3, tool: 0, total: 110 },
  toolCalls: [geminiCall("c1", { output: "one" }), geminiCall("c2", { error: "no such file" }, "error")],
};

/** A session of gemini-cli as one document. */
export const GEMINI_DOCUMENT = {
  sessionId: "s1",
  projectHash: "h",
  startTime: "2026-01-01T00:00:00.000Z",
  messages: [
    ASKED,
    ANSWERED,
    { id: "g3", type: "info", content: "An update is there." },
    { id: "g4", type: "gemini", content: "done" },
  ],
};

/** The same as a log: a message that grows, a replaced context, a step taken back. */
export const GEMINI_LINES: readonly Fields[] = [
  { sessionId: "s1", projectHash: "h", kind: "main" },
  ASKED,
  { ...ANSWERED, toolCalls: undefined, tokens: null },
  ANSWERED,
  { $set: { summary: "Looking at a file" } },
  {
    id: "g3",
    type: "user",
    content: [{ text: "and this" }, { inlineData: { mimeType: "image/png", data: PIXEL } }],
  },
  { id: "g4", type: "gemini", content: [{ text: "nice" }] },
  {
    $set: {
      messages: [
        { id: "n1", type: "user", content: "<state_snapshot>so far</state_snapshot>" },
        { id: "g4" },
      ],
    },
  },
  { id: "g5", type: "user", content: "wrong" },
  { $rewindTo: "g5" },
  { id: "g6", type: "user", content: "go on" },
];

const sweCall = (id: string): readonly Fields[] => [
  { id, type: "function", function: { name: "bash", arguments: '{"command":"ls"}' } },
];

/** SWE-agent with function calling. */
export const SWE_AGENT = {
  environment: "main",
  trajectory: [{ action: "ls", observation: "a.txt", response: "Look.", state: { working_dir: "/testbed" } }],
  history: [
    { role: "system", content: "Be brief.", agent: "main", message_type: "system_prompt" },
    { role: "user", content: "An example", agent: "main", is_demo: true },
    { role: "user", content: "Fix é😀", agent: "main", message_type: "observation" },
    {
      role: "assistant",
      content: "Look.",
      thought: "Look.",
      action: "ls",
      agent: "main",
      tool_calls: sweCall("t1"),
    },
    { role: "tool", content: "a.txt", agent: "main", tool_call_ids: ["t1"] },
    { role: "assistant", content: "```\nsubmit\n```", agent: "main" },
    { role: "user", content: "submitted", agent: "main" },
    { role: "assistant", content: "a helper's words", agent: "reviewer" },
  ],
  info: { exit_status: "submitted", model_stats: { api_calls: 1 } },
  replay_config: '{"agent":{"model":{"name":"gpt-4o"}},"problem_statement":{"id":"issue-1"}}',
};

const chatResponse = (message: Fields): Fields => ({
  model: "google/gemini-3-pro",
  created: 1_700_000_000,
  choices: [{ finish_reason: "stop", message }],
  usage: { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 40 } },
});

/** mini-swe-agent in its text mode. */
export const MINI_TEXT = {
  info: { mini_version: "1.15.0", config: { environment: { cwd: "/testbed" }, model: { model_name: "m" } } },
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Fix é😀" },
    {
      role: "assistant",
      content: "```bash\nls\n```",
      extra: { response: chatResponse({ content: "```bash\nls\n```", reasoning: "Hm" }) },
    },
    { role: "user", content: "<output>a.txt</output>" },
    { role: "assistant", content: "```bash\nsubmit\n```" },
    { role: "user", content: "Command not executed. The user rejected your command: look twice" },
  ],
  trajectory_format: "mini-swe-agent-1",
  instance_id: "issue-1",
};

/** mini-swe-agent with calls of both of OpenAI's APIs. */
export const MINI_CALLS = {
  info: { mini_version: "2.0.0", config: { model: { model_name: "gpt-5" } } },
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Fix it" },
    {
      role: "assistant",
      content: null,
      tool_calls: sweCall("t1"),
      extra: { response: chatResponse({ content: null }), timestamp: 1_700_000_001.5 },
    },
    { role: "tool", tool_call_id: "t1", content: "a.txt", extra: { raw_output: "a.txt", returncode: 0 } },
    {
      object: "response",
      model: "gpt-5",
      created_at: 1_700_000_002,
      output: [
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "c2VjcmV0" },
        { type: "function_call", call_id: "t2", name: "bash", arguments: '{"command":"cat a.txt"}' },
      ],
      usage: { input_tokens: 200, output_tokens: 9, input_tokens_details: { cached_tokens: 150 } },
      extra: {},
    },
    { type: "function_call_output", call_id: "t2", output: "hello", extra: { raw_output: "hello" } },
    {
      role: "user",
      content: "The user added a new task: and this",
      extra: { interrupt_type: "UserNewTask" },
    },
    { role: "exit", content: "diff", extra: { exit_status: "Submitted" } },
  ],
  trajectory_format: "mini-swe-agent-1.1",
};

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

export const documentText = (value: unknown): string => JSON.stringify(value, null, 1);
export const linesText = (records: readonly unknown[]): string =>
  records.map((record) => JSON.stringify(record)).join("\n");

/** A small file of every format. */
export const TRAJECTORY_FILES: readonly {
  readonly format: string;
  readonly what: string;
  readonly isDocument: boolean;
  readonly text: string;
}[] = [
  { format: "opencode", what: "an export", isDocument: true, text: documentText(OPENCODE) },
  { format: "gemini-cli", what: "a log", isDocument: false, text: linesText(GEMINI_LINES) },
  { format: "gemini-cli", what: "a document", isDocument: true, text: documentText(GEMINI_DOCUMENT) },
  { format: "swe-agent", what: "a trajectory", isDocument: true, text: documentText(SWE_AGENT) },
  { format: "mini-swe-agent", what: "text mode", isDocument: true, text: documentText(MINI_TEXT) },
  { format: "mini-swe-agent", what: "calls", isDocument: true, text: documentText(MINI_CALLS) },
  { format: "openhands", what: "events", isDocument: false, text: linesText(OPENHANDS_EVENTS) },
  {
    format: "openhands",
    what: "events of the SDK",
    isDocument: false,
    text: linesText(OPENHANDS_SDK_EVENTS),
  },
  {
    format: "openhands",
    what: "output of an evaluation",
    isDocument: false,
    text: linesText([
      { instance_id: "a", history: OPENHANDS_EVENTS },
      { instance_id: "b", history: OPENHANDS_SDK_EVENTS },
    ]),
  },
];
