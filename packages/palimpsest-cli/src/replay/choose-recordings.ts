/**
 * The recordings of one `replay` run: the given files, those in given folders, or the newest session of the agents on
 * this machine.
 */
import { statSync } from "node:fs";
import { relative, resolve } from "node:path";
import { InputError, OptionError, SessionInfoBuilder } from "palimpsest";
import { type ImportedSession, importFile, importSessions } from "palimpsest/formats";
import { showOnOneLine } from "palimpsest/internal";
import { formatSessionTime, nameOf } from "../stored-sessions/session-words.ts";
import { describeError, formatReport } from "../terminal/error-report.ts";
import { formatQuantity } from "../terminal/figures.ts";
import type { CliContext } from "../terminal/terminal.ts";
import { type FoundRecording, KNOWN_TOOLS, recordingsBelow, recordingsOfAgents } from "./find-recordings.ts";
import { newestOfOpencode } from "./opencode-database.ts";

/** Files of a folder that are tried for each recording that is wanted: a folder may hold other JSON, too. */
const TRIED_FACTOR = 10;
/** The newest files that are tried for a session with an answer. Our choice: more than are opened and left in a day. */
const NEWEST_TRIED_COUNT = 50;

/** A folder that was given. */
export interface ChosenFolder {
  readonly path: string;
  /** Files of it that may be recordings. */
  readonly filesCount: number;
  /** Recordings that were replayed. */
  replayedCount: number;
  /** Files of other kinds. */
  skippedCount: number;
}

/** A file that is to be replayed. */
export interface ChosenFile {
  readonly file: string;
  /** Its path below the folder. */
  readonly name?: string;
  /** Its sessions, if they were read to choose it. */
  readonly sessions?: readonly ImportedSession[];
  /** The folder in which it was found: a file of another kind is passed over. */
  readonly folder?: ChosenFolder;
}

/** @throws `OptionError` where there is nothing to replay */
export async function chooseRecordings(
  files: readonly string[],
  limit: number,
  { folder, env, signal, err }: CliContext,
  isQuiet: boolean,
): Promise<readonly ChosenFile[]> {
  if (files.length > 0) return files.flatMap((file) => filesOf(file, resolve(folder, file), limit));
  const newest = await newestOf(recordingsOfAgents(env), signal);
  if (newest === undefined)
    throw new OptionError({
      message: "There is no file to replay.",
      hint: `Give recorded sessions or a folder: palimpsest replay session.jsonl. The usual places of ${KNOWN_TOOLS} have none.`,
    });
  const { recording, sessions, problem } = newest;
  if (problem !== undefined) err.write(`${formatReport(describeError(problem), err.styles)}\n`);
  if (!isQuiet) err.write(`The newest session: ${describe(recording, sessions)}\n`);
  return [{ file: recording.path, sessions }];
}

function filesOf(file: string, path: string, limit: number): readonly ChosenFile[] {
  if (file === "-" || statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [{ file }];
  const found = recordingsBelow(path);
  // Reading a folder fails with an error that says so, and the others are replayed.
  if (found.length === 0) return [{ file }];
  const chosen = { path: file, filesCount: found.length, replayedCount: 0, skippedCount: 0 };
  return found.slice(0, limit * TRIED_FACTOR).map((one) => ({
    file: one.path,
    name: relative(path, one.path),
    folder: chosen,
  }));
}

/** A sentence about a folder of which something was left out; `undefined` if everything was replayed. */
export function folderNote({
  path,
  filesCount,
  replayedCount,
  skippedCount,
}: ChosenFolder): string | undefined {
  const left = filesCount - replayedCount - skippedCount;
  if (left === 0 && skippedCount === 0) return undefined;
  const skipped =
    skippedCount === 0 ? "" : `; ${formatQuantity(skippedCount, "file")} of other kinds passed over`;
  const more = left === 0 ? "" : `; ${left} older not looked at, --limit asks for more`;
  return `${showOnOneLine(path)}: ${formatQuantity(replayedCount, "recording")} replayed, the newest first${skipped}${more}.`;
}

/** True if an error says that a file is not a recording, or one without a message. */
export function isNoRecording(error: unknown): boolean {
  return (
    error instanceof InputError &&
    ["FORMAT_UNKNOWN", "NO_MESSAGES", "INPUT_EMPTY", "INPUT_UNREADABLE"].includes(error.code)
  );
}

interface Newest {
  readonly recording: FoundRecording;
  readonly sessions: readonly ImportedSession[];
  /** The error of a newer one that cannot be read. */
  readonly problem?: unknown;
}

/** The newest recording with an answer. One that cannot be read does not hide the others. */
async function newestOf(found: readonly FoundRecording[], signal: AbortSignal): Promise<Newest | undefined> {
  let problem: unknown;
  for (const recording of found.slice(0, NEWEST_TRIED_COUNT)) {
    try {
      const sessions = await sessionsOf(recording, signal);
      if (sessions.some(hasAnswer)) return { recording, sessions, problem };
    } catch (error) {
      if (signal.aborted) throw error;
      if (!isNoRecording(error)) problem ??= error;
    }
  }
  if (problem !== undefined) throw problem;
  return undefined;
}

async function sessionsOf(
  { path, tool }: FoundRecording,
  signal: AbortSignal,
): Promise<readonly ImportedSession[]> {
  if (tool !== "opencode") return (await importFile(path, { signal })).sessions;
  const text = await newestOfOpencode(path);
  return text === undefined ? [] : importSessions({ name: path, text }).sessions;
}

function hasAnswer({ items }: ImportedSession): boolean {
  return items.some((item) => item.type === "message" && item.message.role === "assistant");
}

/** Agent, time of the last message, title or first words, file. */
function describe({ tool, path, changedMs }: FoundRecording, sessions: readonly ImportedSession[]): string {
  const session = sessions.find(hasAnswer)!;
  const info = new SessionInfoBuilder();
  let lastMs = 0;
  for (const item of session.items) {
    if (item.type !== "message") continue;
    const { role, content, origin = "user", at = 0 } = item.message;
    lastMs = Math.max(lastMs, at);
    if (role === "user") info.add({ type: "message", seq: 1, id: "", v: 1, at, role, content, origin });
  }
  const metadata = session.title === undefined ? {} : { title: session.title };
  const { firstPrompt } = info.info({ sessionId: "", bytes: 0, isInUse: false });
  const name = nameOf({ metadata, firstPrompt });
  return `${tool}, ${formatSessionTime(lastMs || changedMs)}${name === undefined ? "" : `, ${JSON.stringify(name)}`} (${showOnOneLine(path)})`;
}
