/**
 * The calls of a recorded session that showed a file or a result, to be made once more for reading it again.
 */
import type { ToolUseBlock } from "palimpsest/transcript";
import type { Trajectory } from "palimpsest-testing/internal";

/** A call to make again. */
interface ReadCall {
  readonly name: string;
  readonly input: ToolUseBlock["input"];
}

const PATH_KEYS = ["file_path", "path", "filePath", "filename"];

/**
 * Returns the call whose result message `source` is. If the message is a call itself, which wrote the text, its file is
 * read; `undefined` if it names none.
 */
export function callThatHeld(source: number, { messages }: Trajectory): ReadCall | undefined {
  const { content } = messages[source]!.message;
  for (const block of content)
    if (block.type === "tool_use") {
      const path = pathIn(block.input);
      if (path !== undefined) return { name: "Read", input: { file_path: path } };
    }
  const id = content.find((block) => block.type === "tool_result")?.tool_use_id;
  for (let index = source - 1; id !== undefined && index >= 0; index--)
    for (const block of messages[index]!.message.content)
      if (block.type === "tool_use" && block.id === id) return { name: block.name, input: block.input };
  return undefined;
}

function pathIn(input: ToolUseBlock["input"]): string | undefined {
  if (typeof input !== "object" || input === null) return undefined;
  return Object.entries(input)
    .filter(([key]) => PATH_KEYS.includes(key))
    .map(([, value]) => value)
    .find((value): value is string => typeof value === "string");
}
