/**
 * The interface of an importer: one folder for each tool, one row of the registry for each folder.
 */
import type { Fields } from "./fields.ts";
import type { RecordedSession } from "./imported-session.ts";
import type { SourceRecord } from "./read-records.ts";
import type { RepairLog } from "./repair-log.ts";

/** Takes the records of one file as they are read, and forgets of them what is in no session. */
export interface SessionReader {
  take(record: SourceRecord): void;
  /** All sessions of the file. */
  finish(): readonly RecordedSession[];
}

/** Reads the sessions of one tool. */
export interface Importer<Format extends string = string> {
  /** The name of the format in messages and in `--json`. */
  readonly format: Format;
  /** True if only this tool writes records like these, the first ones of a file. */
  recognises(sample: readonly Fields[]): boolean;
  /** Begins to read a file. `repairs` is its report; a session may have one too. */
  begin(repairs: RepairLog): SessionReader;
}

/** For formats that are read as a whole: mostly one document, whose records are all there at once. */
export function readingAll(
  read: (records: readonly SourceRecord[], repairs: RepairLog) => readonly RecordedSession[],
): Importer["begin"] {
  return (repairs) => {
    const records: SourceRecord[] = [];
    return {
      take: (record) => void records.push(record),
      finish: () => read(records, repairs),
    };
  };
}
