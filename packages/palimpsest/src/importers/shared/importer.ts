/**
 * The interface of an importer: one folder for each tool, one row of the registry for each folder.
 */
import type { Fields } from "./fields.ts";
import type { RecordedSession } from "./imported-session.ts";
import type { SourceRecord } from "./read-records.ts";
import type { RepairLog } from "./repair-log.ts";

/** Reads the sessions of one tool. */
export interface Importer<Format extends string = string> {
  /** The name of the format in messages and in `--json`. */
  readonly format: Format;
  /** True if only this tool writes records like these, the first ones of a file. */
  recognises(sample: readonly Fields[]): boolean;
  /** All sessions of a file. `repairs` is the report of the file; a session may have one too. */
  read(records: readonly SourceRecord[], repairs: RepairLog): readonly RecordedSession[];
}
