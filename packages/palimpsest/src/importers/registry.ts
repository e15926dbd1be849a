/**
 * The importers, and the way from the text of a file to the sessions it holds.
 *
 * A new tool is a folder with an `Importer` and a row of `IMPORTERS`.
 */
import { InputError } from "../base/errors.ts";
import { shorten } from "../base/text/text.ts";
import { anthropicMessages } from "./anthropic-messages/import-anthropic-messages.ts";
import { claudeCode } from "./claude-code/import-claude-code.ts";
import { codex } from "./codex/import-codex.ts";
import { copilot } from "./copilot/import-copilot.ts";
import { geminiCli } from "./gemini-cli/import-gemini-cli.ts";
import { miniSweAgent } from "./mini-swe-agent/import-mini-swe-agent.ts";
import { openaiChat } from "./openai-chat/import-openai-chat.ts";
import { opencode } from "./opencode/import-opencode.ts";
import { openhands } from "./openhands/import-openhands.ts";
import { palimpsest } from "./palimpsest/import-palimpsest.ts";
import { pi } from "./pi/import-pi.ts";
import { DETECTION_RECORDS } from "./shared/conversations.ts";
import type { Fields } from "./shared/fields.ts";
import type { ImportRepair, NotRead, RecordedSession } from "./shared/imported-session.ts";
import type { Importer, SessionReader } from "./shared/importer.ts";
import {
  RecordReader,
  type SourceLine,
  type SourceRecord,
  sourceLines,
  type TextSource,
} from "./shared/read-records.ts";
import { addNotRead, RepairLog } from "./shared/repair-log.ts";
import { sweAgent } from "./swe-agent/import-swe-agent.ts";
import { transcript } from "./transcript/import-transcript.ts";

/** One of {@link FORMAT_NAMES}. */
export type FormatName =
  | "palimpsest"
  | "pi"
  | "claude-code"
  | "codex"
  | "copilot"
  | "mini-swe-agent"
  | "opencode"
  | "gemini-cli"
  | "swe-agent"
  | "openhands"
  | "transcript"
  | "anthropic-messages"
  | "openai-chat";

/** All importers. The first one that recognises a file reads it, so message lists of any program come last. @internal */
export const IMPORTERS = [
  palimpsest,
  pi,
  claudeCode,
  codex,
  copilot,
  miniSweAgent,
  opencode,
  geminiCli,
  sweAgent,
  openhands,
  transcript,
  anthropicMessages,
  openaiChat,
] as const satisfies readonly Importer<FormatName>[];

/** Formats that can be imported, as messages and `--json` name them. */
export const FORMAT_NAMES: readonly FormatName[] = IMPORTERS.map(({ format }) => format);

/** A recorded conversation. Append its messages to a session, or read its items. */
export interface ImportedSession extends RecordedSession {
  readonly format: FormatName;
}

/** The sessions of one file. */
export interface ImportResult {
  /** The format that was recognised. */
  readonly format: FormatName;
  /** At least one; a file of trajectories holds many. */
  readonly sessions: readonly ImportedSession[];
  /** The repairs of all sessions. */
  readonly repairs: readonly ImportRepair[];
  /** The parts of the file that could not be read and are in none of the sessions. */
  readonly notRead: NotRead;
}

/**
 * Imports all sessions of a text, given whole or as lines.
 *
 * @throws InputError `INPUT_EMPTY`, `INPUT_UNREADABLE` or `INPUT_TOO_LARGE` where the text cannot be
 * read at all, `FORMAT_UNKNOWN` where no importer recognises it, `NO_MESSAGES` where it has no message.
 */
export function importSessions(source: TextSource): ImportResult {
  return importWith(IMPORTERS, source);
}

/** The same with a list of importers. @internal */
export function importWith(importers: readonly Importer[], source: TextSource): ImportResult {
  const run = new ImportRun(source.name, importers);
  for (const line of source.lines ?? sourceLines(source.text ?? "")) run.take(line);
  return run.finish(source);
}

/** One import, line by line: of a file that is read piece by piece, its text is never held whole. @internal */
export class ImportRun {
  readonly #name: string;
  readonly #importers: readonly Importer[];
  readonly #repairs = new RepairLog();
  readonly #records: RecordReader;
  /** The first records, until they tell the format. */
  #sample: SourceRecord[] = [];
  #chosen: { readonly importer: Importer; readonly reader: SessionReader } | undefined;
  #recordsCount = 0;

  constructor(name: string, importers: readonly Importer[] = IMPORTERS) {
    this.#name = name;
    this.#importers = importers;
    this.#records = new RecordReader(name, this.#repairs, (record) => this.#takeRecord(record));
  }

  /** @throws InputError `FORMAT_UNKNOWN` */
  take(line: SourceLine): void {
    this.#records.take(line);
  }

  /** All sessions, with the report of the file that the lines came from. @throws InputError as {@link importSessions}. */
  finish(source: Pick<TextSource, "repairs" | "notRead">): ImportResult {
    this.#records.end(source);
    const { importer, reader } = this.#chosen ?? this.#choose();
    const format = importer.format as FormatName;
    const sessions = reader.finish();
    if (!sessions.some((session) => session.items.some((item) => item.type === "message"))) {
      const count = this.#recordsCount;
      throw new InputError("NO_MESSAGES", {
        message: `${this.#name} is a ${format} session without a message: ${count} ${count === 1 ? "record" : "records"}.`,
        hint: "Give a session that was used; this one ended before its first message.",
      });
    }
    const notRead = addNotRead(source.notRead, this.#repairs.notRead);
    const ofFile = [...(source.repairs ?? []), ...this.#repairs.list()];
    return {
      format,
      // Damage of the file may concern any of its sessions, so each of them reports it.
      sessions: sessions.map((session) => ({
        format,
        ...session,
        repairs: [...ofFile, ...session.repairs],
        notRead,
      })),
      repairs: [...ofFile, ...sessions.flatMap((session) => session.repairs)],
      notRead,
    };
  }

  #takeRecord(record: SourceRecord): void {
    this.#recordsCount++;
    if (this.#chosen !== undefined) this.#chosen.reader.take(record);
    else if (this.#sample.push(record) === DETECTION_RECORDS) this.#choose();
  }

  #choose(): { readonly importer: Importer; readonly reader: SessionReader } {
    const sample = this.#sample;
    const importer = findImporter(
      this.#importers,
      this.#name,
      sample.map(({ value }) => value),
    );
    const reader = importer.begin(this.#repairs);
    this.#chosen = { importer, reader };
    this.#sample = [];
    for (const record of sample) reader.take(record);
    return this.#chosen;
  }
}

function findImporter(importers: readonly Importer[], name: string, sample: readonly Fields[]): Importer {
  const importer = importers.find(({ recognises }) => recognises(sample));
  if (importer !== undefined) return importer;
  throw new InputError("FORMAT_UNKNOWN", {
    message: `${name} is not in a format that can be read: it begins with ${describeRecord(sample[0])}.`,
    hint: `Supported are ${importers.map(({ format }) => format).join(", ")}. Give the session file itself, not an export for reading.`,
  });
}

function describeRecord(value: Fields | undefined): string {
  if (value === undefined) return "no readable record";
  const type =
    typeof value["type"] === "string" ? ` of type ${JSON.stringify(shorten(value["type"], 40))}` : "";
  const keys = Object.keys(value)
    .slice(0, 8)
    .map((key) => shorten(key, 40));
  return keys.length === 0 ? "an empty object" : `an object${type} with the fields ${keys.join(", ")}`;
}
