/** Small recordings in the formats that are read, made up for tests. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { testFolder } from "./compiled-once.ts";

export { testFolder };

/** Writes a file and returns its path. */
export function writeTestFile(name: string, content: string | Uint8Array): string {
  const path = join(testFolder(), name);
  writeFileSync(path, content);
  return path;
}

export const gzipped = (text: string): Uint8Array => gzipSync(text);

/** Messages in the shape of OpenAI Chat: `rounds` times a question, a call of a tool, its result, an answer. */
export function openaiChat(rounds: number, { resultLines = 4 } = {}): string {
  const messages: object[] = [{ role: "system", content: "You are a helpful clerk." }];
  for (let round = 1; round <= rounds; round++) {
    const id = `call_${round}`;
    const argumentsText = JSON.stringify({ file_path: `ledger-${round}.txt` });
    const lines = Array.from(
      { length: resultLines },
      (_, line) => `entry ${round}.${line}: ${line * 37} crowns to the harbour office`,
    );
    messages.push(
      { role: "user", content: `What does ledger ${round} say?` },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id, type: "function", function: { name: "read_file", arguments: argumentsText } }],
      },
      { role: "tool", tool_call_id: id, content: lines.join("\n") },
      { role: "assistant", content: `Ledger ${round} has ${resultLines} entries.` },
    );
  }
  return JSON.stringify({ messages });
}

/** A Claude Code transcript of one question, one call without a result, and usage. */
export function claudeCodeCutShort(): string {
  return claudeCodeBilled(112);
}

/** The same, with a first prompt that was billed as `promptTokens`. */
export function claudeCodeBilled(promptTokens: number): string {
  const base = {
    sessionId: "11111111-2222-4333-8444-555555555555",
    version: "2.0.0",
    cwd: "/tmp/x",
    isSidechain: false,
  };
  const usage = {
    input_tokens: 12,
    cache_creation_input_tokens: promptTokens - 12,
    cache_read_input_tokens: 0,
    output_tokens: 9,
  };
  return [
    {
      ...base,
      type: "user",
      uuid: "u1",
      parentUuid: null,
      timestamp: "2025-01-01T00:00:00.000Z",
      message: { role: "user", content: "Look at the harbour." },
    },
    {
      ...base,
      type: "assistant",
      uuid: "a1",
      parentUuid: "u1",
      timestamp: "2025-01-01T00:00:01.000Z",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "claude-sonnet-4-5",
        content: [{ type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "ls harbour" } }],
        usage,
      },
    },
  ]
    .map((record) => JSON.stringify(record))
    .join("\n");
}
