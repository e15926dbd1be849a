/** The contents of an imported session, in short, for tests of one format. */
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { FormatName, ImportedSession } from "#importers/registry.ts";
import { importSessions } from "#importers/registry.ts";
import type { ImportedItem } from "#importers/shared/imported-session.ts";
import type { ContentBlock } from "#transcript/blocks.ts";

/** The sessions of a document or, of several values, of lines. */
export function importAs(format: FormatName, ...values: readonly unknown[]): readonly ImportedSession[] {
  const text = values.map((value) => JSON.stringify(value)).join("\n");
  const result = importSessions({ name: "recorded", text });
  if (result.format !== format) throw new Error(`taken for ${result.format}`);
  return result.sessions;
}

/** The only session. */
export function importOneAs(format: FormatName, ...values: readonly unknown[]): ImportedSession {
  const sessions = importAs(format, ...values);
  if (sessions.length !== 1) throw new Error(`${sessions.length} sessions`);
  return sessions[0]!;
}

/** Each item in a line: who said what, `*` for what was put in by the tool. */
export function reported(items: readonly ImportedItem[]): readonly string[] {
  return items.map((item) => {
    if (item.type === "boundary") return `== ${item.trigger}: ${item.summary ?? "nothing"}`;
    if (item.type === "microcompact") return `-- cleared ${item.toolUseIds.join(" ")}`;
    if (item.type === "metadata") return `${item.key}`;
    const { origin, content } = item.message;
    return `${origin}${item.isAttachment === true ? "*" : ""}: ${content.map(blockInShort).join(" | ")}`;
  });
}

function blockInShort(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "thinking":
      return `(${block.thinking}${block.signature === undefined ? "" : " signed"})`;
    case "tool_use":
      return `${block.name}#${block.id}`;
    case "tool_result": {
      const { content = "", is_error: isError } = block;
      const text = typeof content === "string" ? content : content.map(partInShort).join("+");
      return `#${block.tool_use_id}${isError === true ? "!" : ""}=${text}`;
    }
    case "opaque":
      return `[${block.provider}]`;
    default:
      return `[${block.type}]`;
  }
}

function partInShort(part: { readonly type: string; readonly text?: unknown }): string {
  return part.type === "text" ? String(part.text) : `[${part.type}]`;
}

/** Everything that a session says of a kind, word by word. */
export function textsOf(session: ImportedSession, type: "text" | "tool_result"): readonly string[] {
  return session.items.flatMap((item) =>
    item.type !== "message"
      ? []
      : item.message.content.flatMap((block) => {
          if (block.type === "text" && type === "text") return [block.text];
          if (block.type === "tool_result" && type === "tool_result") return [String(block.content ?? "")];
          return [];
        }),
  );
}

/** The contents of a recorded file. */
export function recorded(path: string): string {
  return gunzipSync(readFileSync(path)).toString("utf8");
}
