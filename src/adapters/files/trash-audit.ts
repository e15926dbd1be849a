/**
 * The audit of a trash: a line for every session that was moved, brought back or deleted, so that
 * nothing disappears without a trace. A line stands in the file before the thing it tells is done.
 */
import { join } from "node:path";
import type { FileSystem, OpenFile } from "../../ports/file-system.ts";
import { writeWhole } from "./trash-places.ts";

const NEWLINE = 0x0a;

/**
 * What a line tells. `taken-back`: what the line before says was not done after all. `left`: something in
 * the session's folder was not its own and was not deleted.
 */
export type AuditAction = "trash" | "restore" | "purge" | "taken-back" | "left";

export interface AuditLine {
  readonly action: AuditAction;
  readonly sessionId: string;
  /** Milliseconds since the epoch; absent where the store has no clock. */
  readonly at?: number;
  readonly reason?: string;
  readonly paths?: readonly string[];
}

/** Appends a line; it survives a killed process when this returns. */
export function appendAudit(fs: FileSystem, trashFolder: string, line: AuditLine): void {
  const file = fs.open(auditPath(trashFolder), "append");
  try {
    const size = file.size();
    // What a crash tore is closed, so that this line is one of its own.
    const before = size > 0 && file.read(size - 1, 1)[0] !== NEWLINE ? "\n" : "";
    write(file, size, Buffer.from(`${before}${JSON.stringify({ v: 1, ...line })}\n`, "utf8"));
  } finally {
    file.close();
  }
}

function write(file: OpenFile, size: number, bytes: Uint8Array): void {
  try {
    writeWhole(file, bytes);
  } catch (error) {
    try {
      file.truncate(size);
    } catch {
      // Half a line stays, and the next one closes it.
    }
    throw error;
  }
}

/** Resolves once every line so far survives a power loss. */
export async function syncAudit(fs: FileSystem, trashFolder: string): Promise<void> {
  const file = fs.open(auditPath(trashFolder), "append");
  try {
    await file.sync();
  } finally {
    file.close();
  }
}

function auditPath(trashFolder: string): string {
  return join(trashFolder, "audit.jsonl");
}
