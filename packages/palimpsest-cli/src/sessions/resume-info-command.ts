/**
 * `palimpsest sessions resume-info ID`: shows what resuming a session would read, without resuming it.
 */
import type { Command } from "commander";
import { showOnOneLine } from "palimpsest/internal";
import {
  addPlaceOptions,
  type CommandShell,
  helpText,
  type PlaceFlags,
} from "../command-line/command-options.ts";
import { foldWindow, type OpenedLog, withLog } from "../stored-sessions/read-session.ts";
import { inPlace } from "../stored-sessions/session-place.ts";
import { nameOf } from "../stored-sessions/session-words.ts";
import { damageJson, type ResumeInfoJson, SESSIONS_JSON_VERSION } from "../stored-sessions/sessions-json.ts";
import { cutToColumns } from "../terminal/columns.ts";
import { formatBytes, formatCount, formatQuantity, formatTokens } from "../terminal/figures.ts";
import { wrapWords } from "../terminal/styles.ts";
import { type CliContext, layoutOf, printJson, withoutAbsent } from "../terminal/terminal.ts";

/** Exit code if another process is the session's writer. */
const IN_USE = 3;

export function addResumeInfo(parent: Command, { context, exitWith }: CommandShell): void {
  const command = parent
    .command("resume-info")
    .description("show what resuming a session would read, without resuming it")
    .argument("<session>", "id, the beginning of one, or a title");
  addPlaceOptions(command)
    .addHelpText(
      "after",
      helpText({
        examples: ["sessions resume-info 3f2a91c0", "sessions resume-info 3f2a91c0 --json"],
        exitCodes: { 0: "it can be resumed", [IN_USE]: "another process is writing it" },
      }),
    )
    .action(async (which: string, flags: PlaceFlags) => exitWith(await runResumeInfo(which, flags, context)));
}

async function runResumeInfo(which: string, flags: PlaceFlags, context: CliContext): Promise<number> {
  return inPlace(flags, context, (place) =>
    withLog(place, which, async (opened) => {
      const info = await resumeInfo(opened);
      if (flags.json === true) printJson(context.out, info);
      else context.out.write(`${render(info, context).join("\n")}\n`);
      return info.canResume ? 0 : IN_USE;
    }),
  );
}

async function resumeInfo(opened: OpenedLog): Promise<ResumeInfoJson> {
  const { sessionId, bytes, isInUse } = opened.info;
  const window = await foldWindow(opened);
  const { checkpoint, tracker, projection, calls, lastEntry } = window;
  const { tokens, source } = tracker.ledger.figure();
  return withoutAbsent<ResumeInfoJson>({
    version: SESSIONS_JSON_VERSION,
    sessionId,
    name: nameOf(opened.info),
    canResume: !isInUse,
    isInUse,
    bytes,
    checkpoint:
      checkpoint === undefined ? undefined : { ...checkpoint, bytesFromEnd: bytes - checkpoint.position },
    read: { entries: window.readEntries, bytes: Math.min(window.readBytes, bytes) },
    lastSeq: lastEntry?.seq ?? 0,
    window: { messages: projection.visible.length, tokens, source, model: tracker.ledger.model },
    openCallSeq: calls.newest,
    damage: window.damage.map(damageJson),
  });
}

function render(info: ResumeInfoJson, { out }: CliContext): readonly string[] {
  const { columns, styles } = layoutOf(out);
  const { checkpoint, read, window, bytes, damage } = info;
  const start =
    checkpoint === undefined
      ? "no checkpoint: it is read from its start"
      : damage.some(({ reason }) => reason === "wrong-checkpoint")
        ? `entry ${formatCount(checkpoint.seq)} cannot be used: the log it points to is damaged`
        : `entry ${formatCount(checkpoint.seq)}, ${formatBytes(checkpoint.bytesFromEnd)} before the end`;
  const model = window.model === "unknown" ? "" : ` of ${showOnOneLine(window.model)}`;
  const stretches = damage.filter(({ bytes }) => bytes > 0);
  const damaged = damage.reduce((sum, one) => sum + one.bytes, 0);
  const facts: readonly (readonly [string, string])[] = [
    ["Id", showOnOneLine(info.sessionId)],
    ["Checkpoint", start],
    [
      "Reads",
      `${formatQuantity(read.entries, "entry", "entries")}, ${formatBytes(read.bytes)} of ${formatBytes(bytes)}`,
    ],
    [
      "Window",
      `${formatQuantity(window.messages, "message")}, ${formatTokens(window.tokens)} tokens${model} (${window.source})`,
    ],
    [
      "Open call",
      info.openCallSeq === undefined
        ? "none"
        : `entry ${formatCount(info.openCallSeq)} was never answered; resuming repairs that`,
    ],
    [
      "Damage",
      stretches.length === 0
        ? "none in what is read"
        : `${formatQuantity(stretches.length, "stretch", "stretches")}, ${formatBytes(damaged)}: passed over`,
    ],
  ];
  const verdict = info.canResume
    ? styles.green("✓ It can be resumed.")
    : `${styles.yellow("● Another process is writing it.")} Close it there, or fork it: palimpsest sessions fork ${info.sessionId}`;
  return [
    styles.bold(cutToColumns(info.name ?? "(nothing said)", columns)),
    ...facts.flatMap(([name, value]) => wrapWords(`  ${styles.dim(name.padEnd(11))} `, value, columns)),
    verdict,
  ];
}
