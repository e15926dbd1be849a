/**
 * Short words for writing requests down, so that a table of them can be read.
 */
import type { Violation } from "#wire-oracle/wire-oracle.ts";

export const rulesOf = (violations: readonly Violation[]): string[] =>
  violations.map((violation) => violation.rule);

export const text = (words: string) => ({ type: "text", text: words });
export const user = (...content: unknown[]) => ({ role: "user", content });
export const assistant = (...content: unknown[]) => ({ role: "assistant", content });
export const system = (...content: unknown[]) => ({ role: "system", content });
export const call = (id: string, input: unknown = {}) => ({ type: "tool_use", id, name: "read", input });
export const result = (id: string, content: unknown = "ok") => ({
  type: "tool_result",
  tool_use_id: id,
  content,
});
export const thinking = { type: "thinking", thinking: "hm", signature: "c2ln" };
export const hi = user(text("hi"));
export const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} };
export const found = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] };
export const image = (source: unknown) => ({ type: "image", source });
export const png = { type: "base64", media_type: "image/png", data: "iVBORw==" };
/** A question in either OpenAI API. */
export const ask = { role: "user", content: "hi" };
