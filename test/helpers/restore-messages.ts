/** Messages of a window in which files are used, for tests of restoration. */
import type { JsonValue } from "#palimpsest/base/json/json.ts";
import type { VisibleMessage } from "#palimpsest/transcript/window.ts";

/** A call; the result with the next number is its answer. */
export function called(seq: number, name: string, input: JsonValue): VisibleMessage {
  const block = { type: "tool_use", id: `c${seq}`, name, input } as const;
  return {
    seq,
    role: "assistant",
    origin: "assistant",
    at: 0,
    blocks: [{ index: 0, block, form: "original" }],
  };
}

/** The answer to the call before. */
export function resulted(seq: number, content: string, hasFailed = false): VisibleMessage {
  const block = {
    type: "tool_result",
    tool_use_id: `c${seq - 1}`,
    content,
    ...(hasFailed ? { is_error: true } : {}),
  } as const;
  return { seq, role: "user", origin: "tool", at: 0, blocks: [{ index: 0, block, form: "original" }] };
}

/** Words of the user or the assistant. */
export function messageOf(seq: number, role: "user" | "assistant", text: string): VisibleMessage {
  const block = { type: "text", text } as const;
  return { seq, role, origin: role, at: 0, blocks: [{ index: 0, block, form: "original" }] };
}

/** A whole reading of a file: a call and its answer. */
export function read(
  seq: number,
  path: string,
  lines: readonly string[],
  first = 1,
): readonly VisibleMessage[] {
  const numbered = lines.map((line, index) => `${String(first + index).padStart(6)}→${line}`).join("\n");
  const asked = first === 1 ? {} : { offset: first, limit: lines.length };
  return [called(seq, "Read", { file_path: path, ...asked }), resulted(seq + 1, numbered)];
}

/** An edit that worked: a call and its answer. */
export function edited(seq: number, path: string, before: string, after: string): readonly VisibleMessage[] {
  return [
    called(seq, "Edit", { file_path: path, old_string: before, new_string: after }),
    resulted(seq + 1, "The file was updated."),
  ];
}
