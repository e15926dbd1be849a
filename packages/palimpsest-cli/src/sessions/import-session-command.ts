/**
 * `palimpsest sessions import FILE…`: imports exported sessions, or recordings of other tools. An error in one file
 * does not stop the others.
 */
import { createWriteStream } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { nodeHasher, randomIds, systemClock } from "palimpsest";
import {
  importLines,
  isSessionExport,
  openInput,
  peekFirstLine,
  readInputLines,
  showOnOneLine,
} from "palimpsest/internal";
import { progressOf, stopIfAsked } from "../stored-sessions/read-session.ts";
import { type PlaceCall, type PlaceFlags, sessionCommand } from "../stored-sessions/session-place.ts";
import { describeError, type ErrorReport, formatReport } from "../terminal/error-report.ts";
import { formatCount, formatQuantity } from "../terminal/figures.ts";
import { withTempFolder } from "../terminal/temp-folder.ts";
import type { CliContext } from "../terminal/terminal.ts";

interface ImportFlags extends PlaceFlags {
  readonly newId?: boolean;
}

/** A session that was made. */
interface Made {
  readonly file: string;
  readonly sessionId: string;
  readonly format: string;
  readonly originalId?: string;
  readonly messages: number;
  readonly leftOutMessages: number;
  /** Parts that could not be imported, or only in another form, in words. */
  readonly problems: readonly string[];
}

interface NotMade {
  readonly file: string;
  readonly error: ErrorReport;
}

/** No first line of an export is longer. */
const OPENING_CHARS = 4_096;

/** Problems that are shown of one session: the first ones say what is wrong. */
const PROBLEMS_SHOWN_COUNT = 5;

type Run = PlaceCall<ImportFlags>;

export const importSessionsCommand = sessionCommand(
  {
    name: "import",
    description: "import exported sessions, or recordings of other tools",
    args: { "<files...>": "files, plain or .gz; - is the standard input" },
    options: [["--new-id", "give an exported session a new id (default: the one that it had)"]],
    examples: [
      "sessions import backup.jsonl",
      "sessions import ~/.claude/projects/*/*.jsonl --project ~/harbour",
      "sessions export 3f2a91c0 -f jsonl --folder old | palimpsest sessions import -",
    ],
    exitCodes: { 1: "a file could not be imported; the others were" },
    notes: [
      "Reads what sessions export wrote as jsonl, and recordings of Claude Code, Codex, Copilot, Gemini",
      "CLI, opencode, OpenHands, pi, SWE-agent, and message lists of Anthropic and OpenAI.",
    ],
  },
  async (run: Run, files: readonly string[]) => {
    const { flags, context } = run;
    const results: (Made | NotMade)[] = [];
    const progress = progressOf(context);
    try {
      for (const [index, file] of files.entries()) {
        progress.show({ label: basename(file), share: index / files.length, detail: "importing" });
        for (const result of await importFile(file, run)) {
          results.push(result);
          progress.clear();
          if (flags.json !== true) context.out.write(`${render(result, context)}\n`);
        }
      }
    } finally {
      progress.clear();
    }
    const failed = results.filter((result) => "error" in result);
    const imported = results.filter((result) => "sessionId" in result);
    return { json: { imported, failed }, exitCode: failed.length === 0 ? 0 : 1 };
  },
);

async function importFile(file: string, run: Run): Promise<readonly (Made | NotMade)[]> {
  try {
    return await onDisk(file, run.context, (path) => importPath(path, file, run));
  } catch (error) {
    stopIfAsked(run.context);
    return [{ file, error: reportOf(error) }];
  }
}

/** An import has no session to open yet, so the hint is to import under another id. */
function reportOf(error: unknown): ErrorReport {
  const report = describeError(error);
  if (report.code !== "SESSION_EXISTS") return report;
  return { ...report, hint: "It was imported before, or is the original; --new-id imports a second one." };
}

/** A pipe can be read only once, but the import reads twice: copies it into a file. */
async function onDisk<Result>(
  file: string,
  { folder, signal }: CliContext,
  work: (path: string) => Promise<Result>,
): Promise<Result> {
  const path = file === "-" ? file : resolve(folder, file);
  const isFile = file !== "-" && ((await stat(path).catch(() => undefined))?.isFile() ?? true);
  if (isFile) return work(path);
  return withTempFolder(async (temporary) => {
    const copy = join(temporary, "input");
    const { chunks } = await openInput(path, signal);
    await pipeline(chunks, createWriteStream(copy, { mode: 0o600 }), { signal });
    return work(copy);
  });
}

async function importPath(path: string, file: string, run: Run): Promise<readonly Made[]> {
  if (await isExport(path)) return [await importExport(path, file, run)];
  const { signal } = run.context;
  return (await run.place.importFrom(path, { signal })).map(
    ({ sessionId, format, originalId, messages, leftOutMessages, repairs }) => ({
      file,
      sessionId,
      format,
      originalId,
      messages,
      leftOutMessages,
      problems: repairs,
    }),
  );
}

async function isExport(path: string): Promise<boolean> {
  const line = await peekFirstLine(path);
  return line !== undefined && line.length < OPENING_CHARS && isSessionExport(line);
}

async function importExport(path: string, file: string, { place, flags, context }: Run): Promise<Made> {
  const { sessionId, originalId, messages, problems } = await importLines(readInputLines(path), {
    store: place.storeOf(),
    clock: systemClock,
    ids: randomIds,
    hasher: nodeHasher,
    name: file,
    signal: context.signal,
    ...(flags.newId === true ? { sessionId: randomIds.sessionId() } : {}),
  });
  return { file, sessionId, format: "palimpsest", originalId, messages, leftOutMessages: 0, problems };
}

function render(result: Made | NotMade, { out }: CliContext): string {
  const { styles } = out;
  const file = showOnOneLine(result.file);
  if ("error" in result) return `${styles.red("✗")} ${file}\n  ${formatReport(result.error, styles)}`;
  const { sessionId, format, messages, leftOutMessages, problems } = result;
  const leftOut =
    leftOutMessages === 0 ? "" : `; ${formatCount(leftOutMessages)} beside the conversation left out`;
  const more = problems.length - PROBLEMS_SHOWN_COUNT;
  return [
    `${styles.green("✓")} ${styles.bold(showOnOneLine(sessionId))}  ${file}  ${format}, ${formatQuantity(messages, "message")}${leftOut}`,
    ...problems
      .slice(0, PROBLEMS_SHOWN_COUNT)
      .map((problem) => `  ${styles.yellow("!")} ${showOnOneLine(problem)}`),
    ...(more > 0 ? [styles.dim(`  … and ${formatCount(more)} more`)] : []),
  ].join("\n");
}
