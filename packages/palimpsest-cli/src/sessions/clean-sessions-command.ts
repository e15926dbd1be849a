/**
 * `palimpsest sessions clean`: moves sessions that were not used for long to the trash, and deletes those that
 * were in the trash for long enough; with `--dry-run` it only reports what it would do.
 */
import { cleanUp, FileSessionStore, nodeFileSystem, OptionError, systemClock } from "palimpsest";
import {
  type CleanUpReport,
  HOME_DEFAULTS,
  type HomeProject,
  type KeptReason,
  purgeOutputs,
  showOnOneLine,
} from "palimpsest/internal";
import { parseCount } from "../command-line/command.ts";
import { progressOf } from "../stored-sessions/read-session.ts";
import {
  type PlaceCall,
  type PlaceFlags,
  type ProjectsToRead,
  projectsToRead,
  type SessionPlace,
  sessionCommand,
  trashOf,
} from "../stored-sessions/session-place.ts";
import { formatBytes, formatCount, formatQuantity } from "../terminal/figures.ts";
import type { CliContext } from "../terminal/terminal.ts";

/** Most sessions that are listed for a project: a screen. */
const SHOWN_COUNT = 20;

interface CleanFlags extends PlaceFlags {
  readonly dryRun?: boolean;
  readonly period?: number;
}

interface Cleaned {
  readonly project: HomeProject;
  readonly report: CleanUpReport;
}

export const cleanSessionsCommand = sessionCommand(
  {
    name: "clean",
    description: "move sessions that were not used for long to the trash",
    options: [
      ["--dry-run", "only report what would be done"],
      [
        "--period <days>",
        "days without activity (default: cleanupPeriodDays of settings.json, or 30)",
        parseCount("--period", { min: 1, max: HOME_DEFAULTS.maxDays }),
      ],
    ],
    examples: [
      "sessions clean --dry-run",
      "sessions clean --period 90",
      "sessions clean --project ~/harbour",
      "sessions list --trash",
    ],
    notes: [
      "Cleans every project of the home, unless --project names one. Never an open session, never one that",
      "only a jump of the clock makes look old, never memory. sessions restore brings a session back.",
    ],
  },
  async (call: PlaceCall<CleanFlags>) => {
    const { place, flags, context } = call;
    const isDryRun = flags.dryRun === true;
    if (!isDryRun && flags.period === undefined && !place.isRetentionKnown) throw unknownRetention();
    if (!isDryRun && flags.folder !== undefined) await refuseForeign(place);
    const { projects: chosen, unreadableProjects }: ProjectsToRead =
      flags.project === undefined ? await projectsToRead(place, context) : { projects: [place.project] };
    const cleaned = await cleanAll(call, chosen);
    const projects = cleaned.map(({ project: { name }, report }) => ({
      ...(name === "" ? {} : { project: name }),
      ...report,
    }));
    const isDone = cleaned.every(
      ({ report: { outcome, failures } }) =>
        failures.length === 0 && (outcome === "done" || outcome === "off"),
    );
    return {
      json: { isDryRun, projects, unreadableProjects },
      out: render(cleaned, isDryRun, context),
      exitCode: isDone ? 0 : 1,
    };
  },
);

async function cleanAll(
  { place, flags, context }: PlaceCall<CleanFlags>,
  projects: readonly HomeProject[],
): Promise<readonly Cleaned[]> {
  const progress = progressOf(context);
  const cleaned: Cleaned[] = [];
  const { cleanupPeriodDays, trashGraceDays } = place.retention;
  try {
    for (const [index, project] of projects.entries()) {
      const store = place.storeOf(project);
      const report = await cleanUp(store, {
        clock: systemClock,
        settings: { cleanupPeriodDays: flags.period ?? cleanupPeriodDays, trashGraceDays },
        ledger: store instanceof FileSessionStore ? store.cleanUpLedger() : undefined,
        dryRun: flags.dryRun === true,
        limit: Number.POSITIVE_INFINITY,
        signal: context.signal,
        onProgress: ({ done, total }) =>
          progress.show({
            label: project.name,
            share: (index + done / Math.max(1, total)) / projects.length,
            detail: "cleaning up",
          }),
      });
      if (report.outcome === "done" && flags.dryRun !== true)
        purgeOutputs(nodeFileSystem, trashOf(project), systemClock.nowMs() - trashGraceDays * 86_400_000);
      cleaned.push({ project, report });
      if (context.signal.aborted) break;
    }
  } finally {
    progress.clear();
  }
  return cleaned;
}

/** Refuses a folder with a `.jsonl` file of another tool: it may be old, and must not be moved. */
async function refuseForeign(place: SessionPlace): Promise<void> {
  const store = place.storeOf();
  for (const sessionId of await store.list()) {
    if ((await store.find(sessionId)).header !== undefined) continue;
    throw new OptionError({
      message: `${sessionId}.jsonl in ${place.folder} does not begin like the log of a session, so nothing was moved.`,
      hint: "Name the folder of the sessions, or move the file away; --dry-run reports what would be done.",
    });
  }
}

/** Makes the error for a period that cannot be read. The default is not used instead: its author wanted another. */
function unknownRetention(): OptionError {
  return new OptionError({
    message: "settings.json has no readable cleanup period, so nothing was moved.",
    hint: "Run palimpsest doctor to see why, or give --period DAYS.",
  });
}

const KEPT_WORDS: Readonly<Record<KeptReason, string>> = {
  recent: "used lately",
  "in-use": "open now",
  "date-damaged": "of a damaged date",
  "date-ahead": "of a date in the future",
  "clock-in-doubt": "kept because the clock is in doubt",
  "over-limit": "left for the next run",
  "already-in-trash": "with another of their id in the trash",
  "in-grace": "in the trash for not long enough",
  "not-observed": "in the trash for long enough only by the clock",
  changed: "changed meanwhile",
};

const OUTCOME_WORDS: Readonly<Partial<Record<CleanUpReport["outcome"], string>>> = {
  off: "cleanupPeriodDays is 0: nothing is ever moved or deleted",
  busy: "another process is cleaning up",
  "clock-in-doubt": "nothing was done, because the clock is in doubt",
  stopped: "stopped before it was finished",
};

function render(cleaned: readonly Cleaned[], isDryRun: boolean, { out }: CliContext): readonly string[] {
  const { styles } = out;
  const lines: string[] = [];
  for (const { project, report } of cleaned) {
    const { actions, failures, outcome } = report;
    const words = OUTCOME_WORDS[outcome];
    if (actions.length === 0 && failures.length === 0 && words === undefined) continue;
    lines.push(styles.bold(showOnOneLine(project.name === "" ? project.folder : project.name)));
    if (words !== undefined) lines.push(`  ${styles.yellow("!")} ${words}`);
    for (const action of actions.slice(0, SHOWN_COUNT)) {
      const verb = action.kind === "trash" ? "to the trash" : "deleted";
      const size = action.kind === "trash" ? `, ${formatBytes(action.bytes)}` : "";
      lines.push(`  ${showOnOneLine(action.sessionId)}  ${verb}: ${action.reason}${size}`);
    }
    if (actions.length > SHOWN_COUNT)
      lines.push(styles.dim(`  … and ${formatCount(actions.length - SHOWN_COUNT)} more`));
    for (const { sessionId, message } of failures)
      lines.push(`  ${styles.red("✗")} ${showOnOneLine(`${sessionId ?? ""} ${message}`)}`);
  }
  return [...lines, ...(lines.length > 0 ? [""] : []), ...summary(cleaned, isDryRun)];
}

function summary(cleaned: readonly Cleaned[], isDryRun: boolean): readonly string[] {
  const sum = (of: (report: CleanUpReport) => number): number =>
    cleaned.reduce((total, { report }) => total + of(report), 0);
  const count = (kind: "trash" | "purge") =>
    sum(({ actions }) => actions.filter((action) => action.kind === kind).length);
  const kept = new Map<KeptReason, number>();
  for (const { report } of cleaned)
    for (const [reason, some] of Object.entries(report.kept) as [KeptReason, number][])
      kept.set(reason, (kept.get(reason) ?? 0) + some);
  const keptWords = [...kept].map(([reason, some]) => `${formatCount(some)} ${KEPT_WORDS[reason]}`);
  const verb = isDryRun ? "would go" : "went";
  return [
    `${formatQuantity(count("trash"), "session")} ${verb} to the trash, ${formatCount(count("purge"))} ${isDryRun ? "would be" : "were"} deleted for good.`,
    ...(keptWords.length === 0 ? [] : [`Kept: ${keptWords.join(", ")}.`]),
    ...(isDryRun ? ["Nothing was changed; leave out --dry-run to do it."] : []),
  ];
}
