/**
 * Memories out of one file of another program, which is told by what is in it. A directory is read by
 * `from-claude-code.ts`, a bundle of our own by `memory-bundle.ts`.
 */
import { InputError } from "../../base/errors.ts";
import { importMcpMemory, isMcpRecord } from "./from-mcp-memory.ts";
import { importMem0, isMem0Record } from "./from-mem0.ts";
import { ImportLog, type MemoryImport } from "./imported-memory.ts";
import { readJsonRecords } from "./json-records.ts";

/**
 * Reads an export, whatever the text is.
 * @throws InputError `INPUT_EMPTY`, `INPUT_TOO_LARGE`, `FORMAT_UNKNOWN`
 */
export function importMemories(text: string): MemoryImport {
  const records = readJsonRecords(text, ["entities", "relations", "results", "memories"], new ImportLog());
  if (records.some(({ value }) => isMcpRecord(value))) return importMcpMemory(text);
  if (records.some(({ value }) => isMem0Record(value))) return importMem0(text);
  throw new InputError("FORMAT_UNKNOWN", {
    message:
      "This is no export of memories that is known: no entities of the MCP memory server, no memories of mem0.",
    hint: "Give `memory.jsonl` of the MCP memory server, what mem0's `get_all` returned, or a directory of Claude Code.",
  });
}
