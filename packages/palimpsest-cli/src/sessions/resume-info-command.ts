/**
 * `palimpsest sessions resume-info ID`: shows what resuming a session would read, without resuming it.
 */
import { showOnOneLine } from "palimpsest/internal";
import { damageJson } from "../stored-sessions/listed-session.ts";
import { foldWindow, type OpenedLog, withLog } from "../stored-sessions/read-session.ts";
import { LATEST_ARGUMENT, type PlaceCall, sessionCommand } from "../stored-sessions/session-place.ts";
import { nameOf } from "../stored-sessions/session-words.ts";
import { cutToColumns, wrapWords } from "../terminal/columns.ts";
import { formatBytes, formatCount, formatQuantity, formatTokens } from "../terminal/figures.ts";
import { type CliContext, layoutOf } from "../terminal/terminal.ts";

/** Exit code if another process is the session's writer. */
const IN_USE = 3;

export const resumeInfoCommand = sessionCommand(
  {
    name: "resume-info",
    description: "show what resuming a session would read, without resuming it",
    args: LATEST_ARGUMENT,
    examples: ["sessions resume-info 3f2a91c0", "sessions resume-info 3f2a91c0 --json"],
    exitCodes: { 0: "it can be resumed", [IN_USE]: "another process is writing it" },
  },
  ({ place, context }: PlaceCall, which?: string) =>
    withLog(place, which, async (opened) => {
      const info = await resumeInfo(opened);
      return { json: info, out: render(info, context), exitCode: info.canResume ? 0 : IN_USE };
    }),
);

/** Reads what resuming would read, and returns figures of it. */
async function resumeInfo(opened: OpenedLog) {
  const { sessionId, bytes, isInUse } = opened.info;
  const window = await foldWindow(opened);
  const { checkpoint, tracker, projection, calls, lastEntry } = window;
  const { tokens, source } = tracker.ledger.figure();
  return {
    sessionId,
    name: nameOf(opened.info),
    canResume: !isInUse,
    isInUse,
    bytes,
    checkpoint: checkpoint && { ...checkpoint, bytesFromEnd: bytes - checkpoint.position },
    read: { entries: window.readEntries, bytes: Math.min(window.readBytes, bytes) },
    lastSeq: lastEntry?.seq ?? 0,
    window: { messages: projection.visible.length, tokens, source, model: tracker.ledger.model },
    openCallSeq: calls.newest,
    damage: window.damage.map(damageJson),
  };
}

type ResumeInfo = Awaited<ReturnType<typeof resumeInfo>>;

function render(info: ResumeInfo, { out }: CliContext): readonly string[] {
  const { columns, styles } = layoutOf(out);
  const { checkpoint, read, window, bytes, damage } = info;
  const start =
    checkpoint === undefined
      ? "no checkpoint: it is read from its start"
      : damage.some(({ reason }) => reason === "wrong-checkpoint")
        ? `entry ${formatCount(checkpoint.seq)} cannot be used: the log it points to is damaged`
        : `entry ${formatCount(checkpoint.seq)}, ${formatBytes(checkpoint.bytesFromEnd)} before the end`;
  const model = window.model === "unknown" ? "" : ` of ${showOnOneLine(window.model)}`;
  const stretches = damage.filter((one) => one.bytes > 0);
  const damagedBytes = damage.reduce((sum, one) => sum + one.bytes, 0);
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
        : `${formatQuantity(stretches.length, "stretch", "stretches")}, ${formatBytes(damagedBytes)}: passed over`,
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
