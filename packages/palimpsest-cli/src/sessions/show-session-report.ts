/**
 * The report of `sessions show`, in words.
 */
import { type ExportedMessage, showHidden, showOnOneLine, speakerOf } from "palimpsest/internal";
import { type HeaderEntry, promptTokens } from "palimpsest/transcript";
import { notesFacts } from "../stored-sessions/notes-report.ts";
import type { KnownNotes, UnreadableNotes } from "../stored-sessions/read-notes.ts";
import type { OpenedLog, ResumedWindow } from "../stored-sessions/read-session.ts";
import { formatAge, formatSessionTime, nameOf, tagsOf } from "../stored-sessions/session-words.ts";
import type { Survey } from "../stored-sessions/survey-log.ts";
import { cutToColumns, wrapWords } from "../terminal/columns.ts";
import { formatBytes, formatCount, formatQuantity, formatTokens, formatUsd } from "../terminal/figures.ts";
import { type CliContext, layoutOf } from "../terminal/terminal.ts";

/** Lines of a block that are shown: enough to know what it is; an export has all of it. */
const BLOCK_LINES = 12;

/** A session, as it is shown. */
export interface Shown {
  readonly opened: OpenedLog;
  readonly window: ResumedWindow;
  readonly survey: Survey;
  /** Absent where the store keeps none. */
  readonly notes: KnownNotes | UnreadableNotes | undefined;
  readonly messages: readonly ExportedMessage[];
}

/** Renders a session: its facts, figures and newest messages. */
export function renderShown(shown: Shown, context: CliContext): readonly string[] {
  const { opened, survey, messages } = shown;
  const { columns, styles } = layoutOf(context.out);
  const { info } = opened;
  const title = nameOf(info) ?? "(nothing said)";
  const facts = factsOf(shown, Date.now()).flatMap(([name, value]) =>
    wrapWords(`  ${styles.dim(name.padEnd(11))} `, value, columns),
  );
  const damage =
    survey.damage.length === 0 ? [] : wrapWords(`  ${styles.red("✗")} `, damageWords(survey), columns);
  return [
    styles.bold(cutToColumns(title, columns)),
    ...facts,
    ...damage,
    ...messages.flatMap((message) => ["", ...renderMessage(message, context)]),
  ];
}

/** All that was said, in tokens of the model, as the size of the window is. */
export function conversationTokensOf({ window, survey }: Pick<Shown, "window" | "survey">): number {
  return Math.round(survey.conversationTokens * window.tracker.ledger.ratio);
}

function damageWords({ damage }: Survey): string {
  const bytes = damage.reduce((sum, one) => sum + one.bytes, 0);
  return `${formatQuantity(damage.length, "damaged stretch", "damaged stretches")}, ${formatBytes(bytes)}; palimpsest doctor says more`;
}

function factsOf(
  { opened: { info, project }, window, survey, notes }: Shown,
  nowMs: number,
): readonly (readonly [string, string])[] {
  const { header, metadata } = info;
  const { counts, usage, blobs } = survey;
  // Of an import, the store knows only what happened here.
  const lastActivityAt = (header?.source && survey.lastAt) ?? info.lastActivityAt;
  const created = `${survey.firstAt === undefined ? "at an unknown time" : formatSessionTime(survey.firstAt)}, last active ${formatAge(lastActivityAt, nowMs)}`;
  const windowTokens = window.tracker.ledger.figure().tokens;
  const facts: (readonly [string, string | undefined])[] = [
    ["Id", showOnOneLine(info.sessionId) + (info.isInUse ? "  ● being written now" : "")],
    ["Folder", header?.workingCopy],
    ["Project", project.name === "" ? undefined : project.name],
    ["Tags", tagsOf(metadata).join(", ") || undefined],
    ["Fork of", header?.parent?.sessionId],
    ["Imported", header?.source === undefined ? undefined : sourceWords(header, header.source)],
    ["Begun", created],
    [
      "Said",
      `${formatQuantity(counts.user, "prompt")}, ${formatQuantity(counts.assistant, "answer")}, ${formatQuantity(counts.toolCalls, "tool call")}${counts.toolErrors > 0 ? ` (${formatCount(counts.toolErrors)} failed)` : ""}, ${formatTokens(conversationTokensOf({ window, survey }))} tokens in all`,
    ],
    [
      "Window",
      `${formatTokens(windowTokens)} tokens now, ${formatQuantity(window.projection.visible.length, "message")}; ${formatQuantity(survey.compactions, "compaction")}`,
    ],
    ["Calls", counts.calls === 0 ? undefined : callWords(survey)],
    ["Billed", usage === undefined ? undefined : usageWords(usage, survey)],
    [
      "Stored",
      `${formatBytes(info.bytes)} in ${formatQuantity(counts.entries, "entry", "entries")}${blobs.count > 0 ? `, and ${formatQuantity(blobs.count, "large text")} of ${formatBytes(blobs.bytes)}` : ""}`,
    ],
    ...notesFacts(notes),
  ];
  return facts.flatMap(([name, value]) =>
    value === undefined ? [] : [[name, showOnOneLine(value)] as const],
  );
}

function sourceWords({ at }: HeaderEntry, { format, sessionId }: NonNullable<HeaderEntry["source"]>): string {
  return `${sessionId === undefined ? format : `${format} ${sessionId}`}, ${formatSessionTime(at)}`;
}

function callWords({ counts, models }: Survey): string {
  const names = [...models].sort(([, one], [, other]) => other - one).map(([name]) => name);
  return `${formatCount(counts.calls)}, by ${names.join(", ")}`;
}

function usageWords(
  usage: NonNullable<Survey["usage"]>,
  { costUsd, unmeteredCalls }: Pick<Survey, "costUsd" | "unmeteredCalls">,
): string {
  const isAtLeast = unmeteredCalls > 0;
  const cost = costUsd === undefined ? "" : `, ${formatUsd(costUsd, { isAtLeast })} at list prices`;
  return `${formatTokens(promptTokens(usage))} tokens in (${formatTokens(usage.cacheReadTokens)} from the cache), ${formatTokens(usage.outputTokens)} out${cost}`;
}

function renderMessage(message: ExportedMessage, context: CliContext): readonly string[] {
  const { styles } = context.out;
  const { seq, at, parts } = message;
  return [
    `${styles.bold(speakerOf(message))}  ${styles.dim(`m${seq}  ${formatSessionTime(at)}`)}`,
    ...parts.flatMap(({ kind, tool, text }) => {
      const lines = showHidden(text).trimEnd().split("\n");
      const more =
        lines.length > BLOCK_LINES
          ? [styles.dim(`  … ${formatQuantity(lines.length - BLOCK_LINES, "more line")}`)]
          : [];
      const heading =
        kind === "text" ? [] : [styles.cyan(`  ${kind}${tool === undefined ? "" : ` ${tool}`}`)];
      const body = lines
        .slice(0, BLOCK_LINES)
        .map((line) => `  ${cutToColumns(line, context.out.columns - 2)}`);
      return [...heading, ...body, ...more];
    }),
  ];
}
