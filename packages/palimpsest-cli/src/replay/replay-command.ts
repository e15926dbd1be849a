/**
 * `palimpsest replay [FILE…]`: recorded sessions through a finite window, with proof that nothing
 * broke and nothing was lost.
 */

import { basename } from "node:path";
import type { ImportedSession } from "palimpsest/formats";
import { importFile } from "palimpsest/formats";
import { redactBroken, showOnOneLine } from "palimpsest/internal";
import { describeError, formatReport } from "../terminal/error-report.ts";
import { formatBytes, formatTokens } from "../terminal/figures.ts";
import { Progress } from "../terminal/progress.ts";
import { withTempFolder } from "../terminal/temp-folder.ts";
import { type CliContext, layoutOf } from "../terminal/terminal.ts";
import {
  type ChosenFile,
  type ChosenFolder,
  chooseRecordings,
  folderNote,
  isNoRecording,
} from "./choose-recordings.ts";
import { KeptIndex } from "./keep-index.ts";
import { exitCodeOf, isSound, type ReplayJson } from "./measure/replay-json.ts";
import type { PageParts } from "./page/page-files.ts";
import { PageRecorder } from "./page/page-recorder.ts";
import { ReplayPages } from "./replay-pages.ts";
import { type NotReplayed, type Replayed, type ReplaySettings, replaySession } from "./replay-session.ts";
import { groupRepairs } from "./report/repair-groups.ts";
import { renderSession } from "./report/session-report.ts";
import { type NamedResult, renderSummary } from "./report/summary-table.ts";

export interface ReplayOptions extends ReplaySettings {
  /** Windows to replay in, in tokens; @defaultValue the model's own */
  readonly windowSizes: readonly number[];
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
  /** Recordings of each folder, the newest first. @defaultValue `FOLDER_RECORDINGS_COUNT` */
  readonly limit?: number | undefined;
  /** Folder in which the stored sessions stay. */
  readonly keep?: string | undefined;
  /** File for a page of the session; several pages get suffixes. */
  readonly html?: string | undefined;
  /** Version of the library, for pages. */
  readonly version?: string | undefined;
}

interface Run {
  readonly options: ReplayOptions;
  readonly context: CliContext;
  readonly progress: Progress;
  readonly results: NamedResult[];
  readonly pages: ReplayPages | undefined;
  readonly isOneFile: boolean;
}

/** Recordings of a folder without `--limit`. Our choice: some minutes of work. */
const FOLDER_RECORDINGS_COUNT = 20;

/**
 * Replays every session of the files, of the folders, or the newest one on this machine; what goes wrong with one never
 * stops the others. Resolves with the exit code.
 */
export async function runReplay(
  files: readonly string[],
  options: ReplayOptions,
  context: CliContext,
): Promise<number> {
  const isQuiet = options.quiet === true;
  const { limit = FOLDER_RECORDINGS_COUNT } = options;
  const chosen = await chooseRecordings(files, limit, context, isQuiet);
  const progress = new Progress({ terminal: context.err, isQuiet, nowMs: () => performance.now() });
  const { html, version = "" } = options;
  const pages = html === undefined ? undefined : new ReplayPages({ path: html, version });
  const run: Run = { options, context, progress, results: [], pages, isOneFile: chosen.length === 1 };
  try {
    for (const [index, one] of chosen.entries()) {
      if (one.folder !== undefined && one.folder.replayedCount >= limit) continue;
      await replayFile(one, run, (share) => (index + share) / chosen.length);
    }
  } finally {
    progress.clear();
  }
  finish(run);
  if (!isQuiet) noteFolders(chosen, context);
  // Folders without a recording have no result.
  const code = run.results.length === 0 ? 1 : exitCodeOf(run.results.map(({ result }) => result));
  return pages === undefined || pages.failedCount === 0 ? code : 1;
}

type OverallShare = (shareOfFile: number) => number;

function noteFolders(chosen: readonly ChosenFile[], { err }: CliContext): void {
  const folders = new Set(
    chosen.flatMap(({ folder }): ChosenFolder[] => (folder === undefined ? [] : [folder])),
  );
  for (const note of [...folders].flatMap((folder) => folderNote(folder) ?? [])) err.write(`${note}\n`);
}

async function replayFile(chosen: ChosenFile, run: Run, overall: OverallShare): Promise<void> {
  const { file, folder: ofFolder } = chosen;
  const sessions = chosen.sessions ?? (await readSessions(chosen, run, overall));
  if (ofFolder !== undefined && sessions.length > 0) ofFolder.replayedCount++;
  const windows = run.options.windowSizes.length > 0 ? run.options.windowSizes : [undefined];
  const tasks = sessions.flatMap((imported) => windows.map((windowTokens) => ({ imported, windowTokens })));
  for (const [index, { imported, windowTokens }] of tasks.entries()) {
    const name = nameOf(chosen, imported, sessions);
    const page = run.pages === undefined ? undefined : new PageRecorder();
    const done = await inStore(run.options.keep, (folder) =>
      replaySession({
        file,
        imported,
        folder,
        windowTokens,
        ...run.options,
        page,
        signal: run.context.signal,
        onProgress: (share, tokens) =>
          run.progress.show({
            label: name,
            share: overall((index + share) / tasks.length),
            detail: `window ${formatTokens(tokens)}`,
          }),
      }),
    );
    if (done.type === "replayed" && run.options.keep !== undefined) new KeptIndex(run.options.keep).add(done);
    report(name, done, run);
    if (done.type !== "replayed" || page === undefined) continue;
    const session = sessions.length === 1 ? undefined : String(sessions.indexOf(imported) + 1);
    writePage({ name, done, recorder: page, parts: partsOf({ file, session, windowTokens }, run) }, run);
  }
}

/** Only what this run has several of. */
function partsOf({ file, session, windowTokens }: PageParts, { isOneFile, options }: Run): PageParts {
  return {
    ...(isOneFile ? {} : { file }),
    session,
    ...(options.windowSizes.length > 1 ? { windowTokens } : {}),
  };
}

function writePage(
  page: {
    readonly name: string;
    readonly done: Replayed;
    readonly recorder: PageRecorder;
    readonly parts: PageParts;
  },
  { pages, options, context, progress }: Run,
): void {
  const outcome = pages?.write({ ...page, title: titleOf(page.name, page.done) });
  if (outcome === undefined || (outcome.type === "written" && options.quiet === true)) return;
  progress.clear();
  const { err } = context;
  const words =
    outcome.type === "failed"
      ? formatReport(outcome.error, err.styles)
      : `${showOnOneLine(outcome.path)} (${formatBytes(outcome.bytes)})`;
  err.write(`Page of ${showOnOneLine(page.name)}: ${words}\n`);
}

/** The sessions of a file; if it cannot be read, none, and a result with the reason. */
async function readSessions(
  { file, folder }: ChosenFile,
  run: Run,
  overall: OverallShare,
): Promise<readonly ImportedSession[]> {
  const { signal } = run.context;
  try {
    run.progress.show({ label: basename(file), share: overall(0), detail: "reading" });
    return (await importFile(file, { signal })).sessions;
  } catch (error) {
    if (signal.aborted) throw error;
    if (folder !== undefined && isNoRecording(error)) {
      folder.skippedCount++;
      return [];
    }
    report(
      showOnOneLine(basename(file)),
      { type: "failed", result: { file, error: describeError(error) } },
      run,
    );
    return [];
  }
}

async function inStore<Result>(
  keep: string | undefined,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  return keep === undefined ? withTempFolder(work) : work(keep);
}

function nameOf(
  { file, name: shown = basename(file) }: ChosenFile,
  imported: ImportedSession,
  all: readonly ImportedSession[],
): string {
  const name = showOnOneLine(shown);
  return all.length === 1
    ? name
    : `${name} [${showOnOneLine(imported.sessionId ?? `${all.indexOf(imported) + 1}`)}]`;
}

function report(
  name: string,
  done: Replayed | NotReplayed,
  { options, context, progress, results }: Run,
): void {
  results.push({ name, result: done.result });
  if (options.json === true) return;
  const shouldReport = options.quiet !== true || done.type === "failed" || !isSound(done.result);
  if (!shouldReport) return;
  progress.clear();
  const lines =
    done.type === "failed" ? failureLines(name, done, context) : sessionLines(name, done, options, context);
  context.out.write(`${lines.join("\n")}\n\n`);
}

function sessionLines(
  name: string,
  done: Replayed,
  options: ReplayOptions,
  { out }: CliContext,
): readonly string[] {
  const { result, budget, track, lossless, rebuild, imported } = done;
  const lines = renderSession(
    {
      title: titleOf(name, done),
      result,
      budget,
      calls: track.calls,
      violations: track.violations,
      lost: lossless.lost,
      differentCalls: rebuild.differentCalls,
      repairs: groupRepairs(imported.repairs, track.repairs),
    },
    layoutOf(out),
  );
  const kept =
    options.keep === undefined
      ? []
      : [out.styles.dim(`  · ${"Stored as".padEnd(13)} ${done.storedAs} in ${showOnOneLine(options.keep)}`)];
  return [...lines, ...kept];
}

function titleOf(name: string, { imported }: Replayed): string {
  return `${name} · ${redactBroken(imported.title ?? imported.format).text}`;
}

function failureLines(name: string, { result }: NotReplayed, { out }: CliContext): readonly string[] {
  return [out.styles.bold(name), `  ${out.styles.red("✗")} ${formatReport(result.error, out.styles)}`];
}

function finish({ options, context, results }: Run): void {
  if (options.json === true) {
    const json: ReplayJson = { version: 1, sessions: results.map(({ result }) => result) };
    context.out.write(`${JSON.stringify(json, undefined, 2)}\n`);
  } else if (options.quiet !== true && results.length > 1) {
    context.out.write(`${renderSummary(results, context.out.styles).join("\n")}\n`);
  }
}
