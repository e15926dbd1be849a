/**
 * The audit of a trash: a line for every session that was moved, restored or purged, so that nothing disappears without
 * a trace. A line is written before its operation.
 */
import { join } from "node:path";
import type { FileSystem, OpenFile } from "../../../ports/file-system.ts";
import { withFile, writeDurably, writeWhole } from "../replace/whole-file.ts";
import { Gathered } from "./sync-group.ts";

const NEWLINE = 0x0a;

/** `taken-back`: the operation of the line before was undone. `left`: foreign files were not deleted. */
type AuditAction = "trash" | "restore" | "purge" | "taken-back" | "left";

export interface AuditLine {
  readonly action: AuditAction;
  readonly sessionId: string;
  /** Milliseconds since the epoch; absent if the store has no clock. */
  readonly at?: number;
  readonly reason?: string;
  readonly paths?: readonly string[];
}

export class TrashAudit {
  readonly path: string;
  readonly #fs: FileSystem;
  readonly #lines = new Gathered<AuditLine>((lines) => this.write(lines));

  constructor(fs: FileSystem, trashFolder: string) {
    this.#fs = fs;
    this.path = join(trashFolder, "audit.jsonl");
  }

  /** Resolves when the line is written. Concurrent lines share one write. */
  add(line: AuditLine): Promise<void> {
    return this.#lines.add(line);
  }

  /** Appends lines, all or none; they survive a killed process when this returns. */
  write(lines: readonly AuditLine[]): void {
    withFile(this.#fs, this.path, "append", (file) => {
      const size = file.size();
      // Ends a torn line, so that this one is separate.
      const before = size > 0 && file.read(size - 1, 1)[0] !== NEWLINE ? "\n" : "";
      const text = lines.map((line) => `${JSON.stringify({ v: 1, ...line })}\n`).join("");
      writeOrTakeBack(file, size, Buffer.from(before + text, "utf8"));
    });
  }

  /** Resolves once every line so far survives a power loss. */
  sync(): Promise<void> {
    return writeDurably(this.#fs, this.path, "append", Buffer.alloc(0));
  }
}

function writeOrTakeBack(file: OpenFile, size: number, bytes: Uint8Array): void {
  try {
    writeWhole(file, bytes);
  } catch (error) {
    try {
      file.truncate(size);
    } catch {
      // Half a line stays, and the next write ends it.
    }
    throw error;
  }
}
