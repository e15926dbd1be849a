/** Small made-up sessions of Codex and of the Copilot CLI, with one of everything that their importers treat. */

type Fields = Readonly<Record<string, unknown>>;

const second = (index: number): string => `2026-01-01T00:00:${String(index).padStart(2, "0")}.000Z`;
export const jsonl = (records: readonly unknown[]): string =>
  records.map((record) => JSON.stringify(record)).join("\n");

/** Codex records: `["response_item", payload]` … in the order of the file. */
export function codexLines(records: readonly (readonly [string, Fields])[]): readonly Fields[] {
  return records.map(([type, payload], index) => ({ timestamp: second(index), type, payload }));
}

export const codexItem = (payload: Fields): readonly [string, Fields] => ["response_item", payload];
export const codexEvent = (type: string, more: Fields = {}): readonly [string, Fields] => [
  "event_msg",
  { type, ...more },
];
export const codexText = (role: string, text: string, more: Fields = {}): Fields => ({
  type: "message",
  role,
  content: [{ type: role === "assistant" ? "output_text" : "input_text", text }],
  ...more,
});
export const codexMessage = (role: string, text: string, more: Fields = {}): readonly [string, Fields] =>
  codexItem(codexText(role, text, more));
export const codexCall = (id: string, name = "exec_command", args = "{}"): readonly [string, Fields] =>
  codexItem({ type: "function_call", id: `fc_${id}`, call_id: id, name, arguments: args });
export const codexOutput = (id: string, output: unknown = "ok"): readonly [string, Fields] =>
  codexItem({ type: "function_call_output", call_id: id, output });

/** A token count: what this response took, and the running total that tells it from a repetition. */
export function codexBill(
  input: number,
  cached: number,
  output: number,
  total = input,
): readonly [string, Fields] {
  const usage = (tokens: number): Fields => ({
    input_tokens: tokens,
    cached_input_tokens: cached,
    output_tokens: output,
    reasoning_output_tokens: 1,
    total_tokens: tokens + output,
  });
  return codexEvent("token_count", {
    info: { total_token_usage: usage(total), last_token_usage: usage(input) },
  });
}

/** Codex's count right after a compaction: nothing was billed; the window has this many tokens. */
export const codexWindow = (tokens: number): readonly [string, Fields] =>
  codexEvent("token_count", {
    info: {
      total_token_usage: { input_tokens: 10, output_tokens: 5 },
      last_token_usage: { input_tokens: 0, output_tokens: 0, total_tokens: tokens },
    },
  });

export const CODEX_META: readonly [string, Fields] = [
  "session_meta",
  {
    id: "s1",
    cwd: "/home/dev/project",
    source: "cli",
    base_instructions: { text: "You are an agent." },
    git: { branch: "main" },
  },
];
export const CODEX_TURN: readonly [string, Fields] = [
  "turn_context",
  { cwd: "/home/dev/project", model: "gpt-5.5", effort: "high", approval_policy: "never" },
];
export const CODEX_ENVIRONMENT =
  "<environment_context>\n  <cwd>/home/dev/project</cwd>\n</environment_context>";

/** One of everything, whole and undamaged. */
export const CODEX_SESSION: string = jsonl(
  codexLines([
    CODEX_META,
    codexEvent("task_started", { turn_id: "t1" }),
    codexMessage("developer", "<permissions instructions>all</permissions instructions>"),
    codexMessage("user", CODEX_ENVIRONMENT),
    CODEX_TURN,
    codexMessage("user", "hé😀"),
    codexEvent("user_message", { message: "hé😀" }),
    codexItem({ type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed" }),
    codexMessage("assistant", "I look.", { phase: "commentary" }),
    codexCall("c1", "exec_command", '{ "cmd": "ls" }'),
    codexItem({ type: "custom_tool_call", call_id: "c2", name: "apply_patch", input: "*** Begin Patch" }),
    codexOutput("c1", "a.txt"),
    codexItem({ type: "custom_tool_call_output", call_id: "c2", output: "done" }),
    codexBill(1_000, 400, 20),
    codexItem({ type: "web_search_call", status: "completed", action: { type: "search", query: "x" } }),
    codexMessage("assistant", "Found."),
    codexBill(1_100, 900, 10, 2_100),
    [
      "compacted",
      {
        message: "",
        replacement_history: [
          codexText("user", "hé😀"),
          codexText("user", CODEX_ENVIRONMENT),
          { type: "compaction", encrypted_content: "sealed" },
        ],
      },
    ],
    codexWindow(300),
    codexEvent("context_compacted"),
    codexMessage("user", "and now?"),
    codexMessage("assistant", "Done."),
    codexBill(320, 0, 5, 2_420),
    codexEvent("task_complete", { turn_id: "t1" }),
  ]),
);

/** Copilot events, chained in their order. */
export function copilotLines(records: readonly (readonly [string, Fields, Fields?])[]): readonly Fields[] {
  return records.map(([type, data, more], index) => ({
    type,
    data,
    id: `e${index}`,
    timestamp: second(index),
    parentId: index === 0 ? null : `e${index - 1}`,
    ...more,
  }));
}

export const COPILOT_START: readonly [string, Fields] = [
  "session.start",
  { sessionId: "s1", selectedModel: "gpt-5.5", context: { cwd: "/home/dev/project", branch: "main" } },
];

/** One of everything, whole and undamaged. */
export const COPILOT_SESSION: string = jsonl(
  copilotLines([
    COPILOT_START,
    ["session.binary_asset", { assetId: "sha256:1", mimeType: "image/png", data: "AAAA" }],
    ["system.message", { role: "system", content: "You are an agent." }],
    [
      "user.message",
      {
        content: "hé😀",
        transformedContent: "<current_datetime>now</current_datetime>\n\nhé😀",
        attachments: [
          { type: "blob", mimeType: "image/png", assetId: "sha256:1" },
          { type: "directory", path: "/home/dev" },
        ],
      },
    ],
    ["assistant.turn_start", { turnId: "0" }],
    [
      "assistant.message",
      {
        messageId: "m0",
        apiCallId: "r1",
        model: "gpt-5.5",
        content: "",
        reasoningText: "hm",
        encryptedContent: "sealed",
      },
    ],
    [
      "assistant.message",
      {
        messageId: "m1",
        apiCallId: "r1",
        model: "gpt-5.5",
        content: "I look.",
        outputTokens: 12,
        toolRequests: [
          { toolCallId: "c1", name: "view", arguments: { path: "a.txt" }, type: "function" },
          { toolCallId: "c2", name: "apply_patch", arguments: "*** Begin Patch", type: "custom" },
        ],
      },
    ],
    ["tool.execution_start", { toolCallId: "c1" }],
    ["tool.execution_complete", { toolCallId: "c1", success: true, result: { content: "1. a" } }],
    [
      "tool.execution_complete",
      { toolCallId: "c2", success: false, error: { message: "no such file", code: "failure" } },
    ],
    ["assistant.turn_end", { turnId: "0" }],
    ["session.compaction_start", {}],
    [
      "session.compaction_complete",
      {
        success: true,
        trigger: "threshold",
        preCompactionTokens: 900,
        postCompactionTokens: 100,
        summaryContent: "so far",
      },
    ],
    ["user.message", { content: "reminder", source: "system" }],
    ["assistant.message", { messageId: "m2", apiCallId: "r2", content: "Done.", toolRequests: [] }],
    ["session.title_changed", { title: "A look around" }],
  ]),
);

/** Files for the table of damages. */
export const AGENT_FILES: readonly {
  readonly format: string;
  readonly what: string;
  readonly isDocument: boolean;
  readonly text: string;
}[] = [
  { format: "codex", what: "a rollout", isDocument: false, text: CODEX_SESSION },
  { format: "copilot", what: "a session", isDocument: false, text: COPILOT_SESSION },
];
