/** Small made-up sessions of the tools whose recordings are documents or lists of events. */
import { OPENHANDS_EVENTS, OPENHANDS_SDK_EVENTS } from "./shared/openhands-samples.ts";
import { PIXEL } from "./shared/pixel.ts";
import { ENTIRE_RECORDS, PLAIN_RECORDS } from "./shared/transcript-samples.ts";

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
  { format: "transcript", what: "of Entire", isDocument: false, text: linesText(ENTIRE_RECORDS) },
  { format: "transcript", what: "of Claude Code", isDocument: false, text: linesText(PLAIN_RECORDS) },
];
