/** Blocks of Claude Code's records, and what an import made of them. */
import { expect } from "vitest";
import { type ImportedSession, importSessions } from "#importers/registry.ts";

export type SomeRecord = Readonly<Record<string, unknown>>;

export const text = (value: string): SomeRecord => ({ type: "text", text: value });
export const call = (id: string): SomeRecord => ({
  type: "tool_use",
  id,
  name: "Read",
  input: { path: id },
});
export const result = (id: string): SomeRecord => ({
  type: "tool_result",
  tool_use_id: id,
  content: `content of ${id}`,
});

/** The first session of a file with these records. */
export function importRecords(records: readonly unknown[]): ImportedSession {
  const { format, sessions } = importSessions({
    name: "session.jsonl",
    text: records.map((record) => JSON.stringify(record)).join("\n"),
  });
  expect(format).toBe("claude-code");
  return sessions[0]!;
}

/** Author and text, in one line per message. */
export function messagesOf(session: ImportedSession): readonly string[] {
  return session.items.flatMap((item) => {
    if (item.type === "boundary")
      return [`== ${item.trigger} ${item.preTokens ?? ""} ${item.summary ?? ""}`.trim()];
    if (item.type !== "message") return [];
    const blocks = item.message.content.map((block) => {
      if (block.type === "text") return block.text;
      if (block.type === "tool_use") return `call ${block.id}`;
      return block.type === "tool_result" ? `result ${block.tool_use_id}` : block.type;
    });
    return [`${item.message.role}: ${blocks.join(" | ")}`];
  });
}
