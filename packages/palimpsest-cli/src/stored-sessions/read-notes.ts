/** Reads the notes of one stored session, and facts about them. Reading takes no lease. */
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { nodeFileSystem, StoreError } from "palimpsest";
import type { NotesFile } from "palimpsest/internal";
import {
  DEFAULTS,
  findOverLimit,
  findSection,
  isConflictName,
  isEmptyTemplate,
  isWithin,
  measureNotes,
  NOTES_MARK,
  NOTES_TEMPLATE,
  type NotesDocument,
  type NotesLimits,
  type NotesState,
  type NotesTemplate,
  notesLimits,
  type OverLimit,
  parseNotes,
  parseNotesState,
  readNotesConfig,
  readTemplate,
} from "palimpsest/internal";
import type { AddCommand, CommandResult, CommandWords } from "../command-line/command.ts";
import type { CliContext } from "../terminal/terminal.ts";
import { foldWindow, type OpenedLog, withLog } from "./read-session.ts";
import {
  LATEST_ARGUMENT,
  type PlaceCall,
  type PlaceFlags,
  type SessionPlace,
  sessionCommand,
} from "./session-place.ts";

/** Notes that have a file. */
export type StoredNotes = NotesFile & { readonly path: string };

/** Facts about a session's notes. */
export interface KnownNotes {
  readonly path: string;
  /** Absent if there are no notes. */
  readonly text?: string;
  readonly tokens: number;
  readonly limits: NotesLimits;
  readonly over: OverLimit;
  /** The entries that they cover; absent if unknown, or if a rewind removed those entries. */
  readonly state?: NotesState;
  /** The number of the log's last entry. */
  readonly lastSeq: number;
  /** Texts of people beside them, by path. */
  readonly conflicts: readonly string[];
  /** First line of the section of this kind, if something is in it. */
  lineOf(kind: "title" | "state"): string | undefined;
}

/** Notes that are there and cannot be read. */
export interface UnreadableNotes {
  readonly path: string;
  readonly problem: string;
}

/** A command about the notes of the session that is named, or of the latest one of the project. */
export function notesCommand(
  words: CommandWords,
  run: (call: PlaceCall, opened: OpenedLog, notes: StoredNotes) => Promise<CommandResult>,
): AddCommand {
  return sessionCommand(
    { ...words, args: LATEST_ARGUMENT },
    async (call: PlaceCall, which: string | undefined) =>
      withLog(call.place, which, (opened) => run(call, opened, storedNotes(opened))),
  );
}

function storedNotes({ log }: OpenedLog): StoredNotes {
  const { notes } = log;
  if (notes?.path !== undefined) return notes as StoredNotes;
  throw new StoreError("STORE_FAILED", {
    message: `The store of session ${log.sessionId} does not keep notes in a file.`,
    hint: "Only sessions in files have a notes file.",
  });
}

/** Reads the notes and measures them. @throws `NOTES_UNREADABLE` */
export async function readNotes(
  { log }: Pick<OpenedLog, "log">,
  notes: StoredNotes,
  template: NotesTemplate = NOTES_TEMPLATE,
): Promise<KnownNotes> {
  const text = await notes.read();
  const document = parseNotes(text ?? "", template);
  const limits = notesLimits(DEFAULTS.referenceWindowTokens);
  const { carried, lastEntry, projection } = await foldWindow({ log });
  const state = parseNotesState(carried?.[NOTES_MARK]);
  // Before the first update, and after a rewind, the covered entries are unknown.
  const isCovered = state !== undefined && isWithin(projection.lineRanges, state.throughSeq);
  return {
    path: notes.path,
    text,
    tokens: Math.ceil(measureNotes(text ?? "")),
    limits,
    over: findOverLimit(document, limits),
    state: isCovered ? state : undefined,
    lastSeq: lastEntry?.seq ?? 0,
    conflicts: conflictsBeside(notes.path),
    lineOf: (kind) => (isEmptyTemplate(document) ? undefined : firstLine(document, kind)),
  };
}

/** Like `readNotes`, but returns the problem of unreadable notes; `undefined` if the store keeps no notes. */
export async function readNotesIfAny(
  opened: Pick<OpenedLog, "log">,
): Promise<KnownNotes | UnreadableNotes | undefined> {
  const { notes } = opened.log;
  if (notes?.path === undefined) return undefined;
  try {
    return await readNotes(opened, notes as StoredNotes);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return { path: notes.path, problem: error.message };
  }
}

function firstLine(document: NotesDocument, kind: "title" | "state"): string | undefined {
  const section = document.template.sections.find((one) => one.kind === kind);
  const part = section === undefined ? undefined : findSection(document, section);
  return part?.body
    .split("\n")
    .map((line) => line.trim())
    .find((line) => line !== "");
}

function conflictsBeside(path: string): readonly string[] {
  try {
    const names = readdirSync(dirname(path)).filter(isConflictName);
    return names.sort().map((name) => join(dirname(path), name));
  } catch {
    // The session has no folder.
    return [];
  }
}

/** The template of the home, if it has a usable one. */
export function templateOf(place: SessionPlace, flags: PlaceFlags, { err }: CliContext): NotesTemplate {
  if (flags.folder !== undefined) return NOTES_TEMPLATE;
  const { template, problems } = readNotesConfig(place.folder, nodeFileSystem);
  for (const { path, detail } of problems) err.write(`${err.styles.dim(`${path}: ${detail}`)}\n`);
  const read = template === undefined ? undefined : readTemplate(template);
  return read?.ok === true ? read.template : NOTES_TEMPLATE;
}
