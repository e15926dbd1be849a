/** Small made-up transcripts without links between their records. */

const entire = (type: string, fields: object) => ({
  v: 1,
  agent: "pi",
  cli_version: "0.9.0",
  type,
  ts: "2026-08-14T18:17:58.904Z",
  ...fields,
});

export const ENTIRE_RECORDS = [
  entire("user", { content: [{ id: "p1", text: "Read a.ts" }] }),
  entire("assistant", {
    ...{ id: "m1", input_tokens: 900, output_tokens: 20 },
    content: [
      { type: "text", text: "I read it." },
      {
        type: "tool_use",
        id: "c1",
        name: "Read",
        input: { path: "a.ts" },
        result: { output: "one", status: "success" },
      },
    ],
  }),
  entire("assistant", {
    content: [
      {
        type: "tool_use",
        id: "c2",
        name: "Bash",
        input: { command: "make" },
        result: { output: "no rule", status: "error" },
      },
      { type: "tool_use", id: "c3", name: "Bash", input: { command: "sleep 9" } },
    ],
  }),
  entire("user", { content: [{ text: "" }] }),
  entire("assistant", { content: [{ type: "text", text: "It failed." }] }),
];

const plain = (type: string, fields: object) => ({ type, timestamp: "2026-01-22T15:06:54.805Z", ...fields });

export const PLAIN_RECORDS = [
  plain("user", { content: "Look" }),
  plain("tool_use", { tool_name: "bash", tool_input: { command: "ls" } }),
  plain("tool_use", { tool_name: "read", tool_input: { filePath: "a.ts" } }),
  plain("tool_result", {
    tool_name: "read",
    tool_input: { filePath: "a.ts" },
    tool_output: { output: "one" },
  }),
  plain("tool_result", { tool_name: "bash", tool_input: { command: "ls" }, tool_output: "a.ts" }),
  plain("assistant", { content: "Done" }),
];
