/**
 * `palimpsest doctor`: reports problems of a home and its sessions, and repairs them with `--fix`. No log is ever
 * rewritten: damage is copied aside, litter is removed.
 */

import { resolve } from "node:path";
import { OptionError } from "palimpsest";
import { addAll, EventLoopYielder, showOnOneLine } from "palimpsest/internal";
import { type CommandCall, commandOf } from "../command-line/command.ts";
import { progressOf } from "../stored-sessions/read-session.ts";
import {
  inPlace,
  openHomeOf,
  type PlaceFlags,
  type SessionPlace,
  trashOf,
  withPlaceOptions,
} from "../stored-sessions/session-place.ts";
import { wrapWords } from "../terminal/columns.ts";
import { formatBytes, formatCount, formatQuantity } from "../terminal/figures.ts";
import type { Progress } from "../terminal/progress.ts";
import { type CliContext, layoutOf } from "../terminal/terminal.ts";
import {
  checkDisk,
  checkMemory,
  checkModes,
  checkSettings,
  type PrivatePlaces,
  privateInFolder,
  privateInHome,
} from "./check-home.ts";
import type { PostgresFlags } from "./check-postgres.ts";
import { checkIndex, checkSession, checkTrash, idsIn } from "./check-sessions.ts";
import { type DoctorFinding, type Found, isOpen, repaired } from "./doctor-finding.ts";

/** Findings that are shown one by one: two screens. */
const SHOWN_COUNT = 50;

interface DoctorFlags extends PlaceFlags, PostgresFlags {}

/** Counts of everything that was checked, and the findings. */
interface DoctorReport {
  readonly folder: string;
  readonly projects: number;
  readonly sessions: number;
  readonly logBytes: number;
  readonly blobBytes: number;
  readonly freeBytes?: number;
  readonly findings: readonly DoctorFinding[];
}

export const doctorCommand = commandOf(
  withPlaceOptions({
    name: "doctor",
    description: "find problems with stored sessions and memories, and repair them with --fix",
    options: [
      ["--fix", "repair: copy damage aside, remove litter, make files private"],
      [
        "--postgres [url]",
        "sessions in PostgreSQL, instead of a home (default: $PALIMPSEST_POSTGRES_URL, or the PG… variables)",
      ],
      ["--schema <name>", "schema of the tables (default: palimpsest)"],
    ],
    examples: [
      "doctor",
      "doctor --fix",
      "doctor --project ~/harbour --json",
      "doctor --folder ./sessions",
      "doctor --postgres postgres://agent@db.internal/agent --fix",
    ],
    exitCodes: { 0: "no problems, or all were repaired", 1: "problems remain" },
    notes: [
      "Checks every project of the home, unless --project names one. Sessions that are open now are",
      "not repaired. A log is never rewritten: unreadable parts are copied beside it.",
      "In PostgreSQL it checks every scope. Nothing is deleted: damaged rows go to the table `damage`.",
    ],
  }),
  async ({ flags, context }: CommandCall<DoctorFlags>) => {
    const report: DoctorReport =
      flags.postgres === undefined
        ? await inPlace(flags, context, (place) => examine(place, flags, context))
        : await examineDatabase(flags, context);
    const exitCode = report.findings.some(isOpen) ? 1 : 0;
    return { json: report, out: render(report, flags, context), exitCode };
  },
);

async function examineDatabase(flags: DoctorFlags, context: CliContext): Promise<DoctorReport> {
  const other = (["home", "project", "folder"] as const).find((name) => flags[name] !== undefined);
  if (other !== undefined)
    throw new OptionError({
      message: `--postgres cannot be combined with --${other}: sessions are in a database or in files.`,
      hint: "Give one of them.",
    });
  const { examinePostgres } = await import("./check-postgres.ts");
  return examinePostgres(flags, context, new EventLoopYielder(context.signal));
}

async function examine(place: SessionPlace, flags: DoctorFlags, context: CliContext): Promise<DoctorReport> {
  const isRepairing = flags.fix === true;
  const yielder = new EventLoopYielder(context.signal);
  const progress = progressOf(context);
  const { folder, project } = flags;
  const root = folder === undefined ? place.folder : resolve(context.folder, folder);
  const problems = folder === undefined ? openHomeOf(flags, context).problems : [];
  const disk = await checkDisk(root);
  const around: readonly Found[] = [
    ...checkSettings(problems),
    ...disk.found,
    ...(await checkModes(root, await privatePlaces(place, root, flags), yielder)),
  ];
  const findings: DoctorFinding[] = [];
  for (const found of around) findings.push(isRepairing ? await repaired(found) : found.finding);

  const projects = project === undefined ? await place.projects() : [place.project];
  const sums = { sessions: 0, logBytes: 0, blobBytes: 0 };
  try {
    for (const one of projects) {
      const store = place.storeOf(one);
      const isOurs = folder === undefined;
      const run: FolderRun = { folder: one.folder, isOurs, isRepairing, yielder, progress, sums };
      addAll(findings, await examineFolder(run, store));
      addAll(findings, await checkTrash(trashOf(one), store));
      if (folder === undefined) addAll(findings, await checkMemory(one.folder));
    }
  } finally {
    progress.clear();
  }
  return { folder: root, projects: projects.length, ...sums, freeBytes: disk.freeBytes, findings };
}

async function privatePlaces(
  place: SessionPlace,
  root: string,
  { folder }: DoctorFlags,
): Promise<PrivatePlaces> {
  if (folder === undefined) return privateInHome(root);
  const store = place.storeOf();
  const ours: string[] = [];
  // Another tool's file may be called like a log.
  for (const sessionId of await store.list())
    if ((await store.find(sessionId)).header !== undefined) ours.push(sessionId);
  return privateInFolder(root, ours);
}

interface FolderRun {
  readonly folder: string;
  /** True if only this library writes there. */
  readonly isOurs: boolean;
  readonly isRepairing: boolean;
  readonly yielder: EventLoopYielder;
  readonly progress: Progress;
  readonly sums: { sessions: number; logBytes: number; blobBytes: number };
}

async function examineFolder(
  { folder, isOurs, isRepairing, yielder, progress, sums }: FolderRun,
  store: ReturnType<SessionPlace["storeOf"]>,
): Promise<readonly DoctorFinding[]> {
  const findings: DoctorFinding[] = [];
  const ids = await idsIn({ folder, isOurs }, store);
  if ("unreadable" in ids) return [ids.unreadable];
  const { stored, orphaned } = ids;
  const all = [...stored, ...orphaned];
  for (const [index, sessionId] of all.entries()) {
    await yielder.take();
    progress.show({
      label: sessionId,
      share: index / all.length,
      detail: isRepairing ? "repairing" : "checking",
    });
    const checked = await checkSession(sessionId, { folder, isRepairing });
    addAll(findings, checked.findings);
    sums.logBytes += checked.logBytes;
    sums.blobBytes += checked.blobBytes;
  }
  sums.sessions += stored.length;
  const indexes = isOurs || stored.length > 0 ? checkIndex(folder) : [];
  for (const found of indexes) findings.push(isRepairing ? await repaired(found) : found.finding);
  return findings;
}

function render(report: DoctorReport, { fix }: DoctorFlags, { out }: CliContext): readonly string[] {
  const { columns, styles } = layoutOf(out);
  const { findings, folder, projects, sessions, logBytes, blobBytes, freeBytes } = report;
  const looked = `Looked at ${formatQuantity(sessions, "session")} in ${formatQuantity(projects, "project")} of ${showOnOneLine(folder)}: ${formatBytes(logBytes)} of logs, ${formatBytes(blobBytes)} beside them${freeBytes === undefined ? "" : `; ${formatBytes(freeBytes)} free`}.`;
  const lines = [...wrapWords("", looked, columns)];
  let last = "";
  for (const finding of findings.slice(0, SHOWN_COUNT)) {
    const heading = showOnOneLine(finding.sessionId ?? finding.path);
    if (heading !== last) lines.push("", styles.bold(heading));
    last = heading;
    const sign = signOf(finding);
    const failure = finding.failure === undefined ? "" : ` The repair failed: ${finding.failure}`;
    const words = `${finding.kind}: ${fix === true ? finding.advice : notYet(finding)}${failure}`;
    addAll(lines, wrapWords(`  ${styles[sign.color](sign.text)} `, showOnOneLine(words), columns));
  }
  if (findings.length > SHOWN_COUNT)
    lines.push("", styles.dim(`… and ${formatCount(findings.length - SHOWN_COUNT)} more; --json has all.`));
  return [...lines, "", verdict(findings, fix === true)];
}

/** Rewords the advice so that a repair that has not run is not shown as done. */
function notYet({ advice, isMendable }: DoctorFinding): string {
  return isMendable
    ? advice.replace(
        /: (removed|copied aside|moved aside|made private|put in order|recorded|brought up to date)\b/,
        "; with --fix, $1",
      )
    : advice;
}

function signOf(finding: DoctorFinding): {
  readonly text: string;
  readonly color: "green" | "red" | "yellow" | "dim";
} {
  if (finding.isMended === true) return { text: "✓", color: "green" };
  if (finding.level === "note") return { text: "·", color: "dim" };
  return finding.isMendable ? { text: "!", color: "yellow" } : { text: "✗", color: "red" };
}

function verdict(findings: readonly DoctorFinding[], isFixing: boolean): string {
  const open = findings.filter(isOpen);
  const fixed = findings.filter(({ isMended }) => isMended === true).length;
  const mendable = open.filter(({ isMendable }) => isMendable).length;
  const done = fixed > 0 ? `${formatQuantity(fixed, "problem")} repaired. ` : "";
  if (open.length === 0) return `${done}Nothing ${isFixing && fixed > 0 ? "else " : ""}is wrong.`;
  const hint = mendable > 0 && !isFixing ? ` --fix repairs ${formatCount(mendable)} of them.` : "";
  return `${done}${formatQuantity(open.length, "problem")}${isFixing ? " left" : ""}.${hint}`;
}
