/**
 * `palimpsest sessions show ID`: what a session is, what it holds, and what was said last.
 */
import type { Command } from "commander";
import { CLI_DEFAULTS } from "../../../base/defaults/cli.ts";
import { showHidden, showOnOneLine } from "../../../base/hidden-characters.ts";
import { LogReader } from "../../../engine/log-reader.ts";
import {
  type ExportedMessage,
  SessionPresenter,
  speakerOf,
} from "../../../formats/export/exported-session.ts";
import type { LogContents } from "../../../ports/session-store.ts";
import type { MessageEntry } from "../../../transcript/entries.ts";
import { promptTokens } from "../../../transcript/messages.ts";
import { formatBytes, formatCount, formatQuantity, formatTokens } from "../figures.ts";
import { wrapWords } from "../styles.ts";
import { type CliContext, layoutOf } from "../terminal.ts";
import { cutToColumns } from "./columns.ts";
import {
  addPlaceOptions,
  type CommandShell,
  helpText,
  type PlaceFlags,
  parseCount,
} from "./command-shell.ts";
import { inPlace } from "./place.ts";
import { printJson } from "./print-json.ts";
import { foldWindow, type OpenedLog, type ResumedWindow, readThrough, withLog } from "./read-session.ts";
import {
  damageJson,
  listedSession,
  SESSIONS_JSON_VERSION,
  type ShowJson,
  withoutAbsent,
} from "./sessions-json.ts";
import { Survey } from "./survey.ts";
import { formatAge, formatTime, tagsOf } from "./words.ts";

export interface ShowFlags extends PlaceFlags {
  readonly messages: number;
}

export function addShow(parent: Command, { context, exitWith }: CommandShell): void {
  const command = parent
    .command("show")
    .description("what a session is, what it holds, and what was said last")
    .argument("<session>", "id, the beginning of one, or a title");
  addPlaceOptions(command)
    .option(
      "-m, --messages <count>",
      "newest messages to show",
      parseCount("--messages", { min: 0, max: 10_000 }),
      CLI_DEFAULTS.shownMessagesCount,
    )
    .addHelpText(
      "after",
      helpText({
        examples: [
          "sessions show 3f2a91c0",
          'sessions show "Fix the harbour ledger" --messages 20',
          "sessions show 3f2a91c0 --json",
        ],
      }),
    )
    .action(async (which: string, flags: ShowFlags) => exitWith(await runShow(which, flags, context)));
}

export async function runShow(which: string, flags: ShowFlags, context: CliContext): Promise<number> {
  return inPlace(flags, context, (place) =>
    withLog(place, which, async (opened) => {
      const window = await foldWindow(opened);
      const survey = new Survey();
      const newest = new Newest(flags.messages);
      for await (const batch of readThrough(opened, context, "reading")) {
        survey.add(batch);
        newest.add(batch);
      }
      const shown: Shown = { opened, window, survey, messages: await newest.whole(opened) };
      if (flags.json === true) printJson(context.out, toJson(shown));
      else context.out.write(`${render(shown, context).join("\n")}\n`);
      return 0;
    }),
  );
}

interface Shown {
  readonly opened: OpenedLog;
  readonly window: ResumedWindow;
  readonly survey: Survey;
  readonly messages: readonly ExportedMessage[];
}

/** The newest messages, without holding more of the log than these. */
class Newest {
  readonly #count: number;
  #entries: MessageEntry[] = [];

  constructor(count: number) {
    this.#count = count;
  }

  add({ entries }: LogContents): void {
    for (const { entry } of entries) if (entry.type === "message") this.#entries.push(entry);
    if (this.#entries.length > this.#count)
      this.#entries = this.#entries.slice(this.#entries.length - this.#count);
  }

  /** As they were said; secrets stay, as in the log itself. */
  async whole({ log }: OpenedLog): Promise<readonly ExportedMessage[]> {
    const reader = new LogReader(log, new Map());
    const presenter = new SessionPresenter({ isRedacted: false });
    const messages: ExportedMessage[] = [];
    for (const entry of this.#entries) {
      const { seq, role, origin, at, saidAt, interrupted } = entry;
      const content = await reader.wholeContent(entry);
      const isInterrupted = interrupted === true;
      messages.push(presenter.message({ seq, role, origin, at: saidAt ?? at, isInterrupted, content }));
    }
    return messages;
  }
}

function toJson({ opened: { info, project }, window, survey, messages }: Shown): ShowJson {
  const { counts, usage, costUsd } = survey;
  return withoutAbsent<ShowJson>({
    version: SESSIONS_JSON_VERSION,
    ...listedSession(info, { project: project.name === "" ? undefined : project.name }),
    metadata: survey.metadata.values,
    counts: {
      entries: counts.entries,
      messages: survey.messages,
      userMessages: counts.user,
      assistantMessages: counts.assistant,
      toolCalls: counts.toolCalls,
      toolErrors: counts.toolErrors,
      calls: counts.calls,
      compactions: survey.compactions,
      edits: Object.fromEntries(survey.edits),
    },
    blobs: survey.blobs,
    tokens: { window: window.keeper.ledger.figure().tokens, said: Math.round(survey.saidTokens) },
    usage,
    costUsd: usage === undefined ? undefined : costUsd,
    models: Object.fromEntries(survey.models),
    damage: survey.damage.map(damageJson),
    messages: messages.map(({ seq, role, origin, at, parts }) => ({
      seq,
      role,
      origin,
      at: at ?? 0,
      content: parts.map(({ kind, tool, text }) =>
        tool === undefined ? { kind, text } : { kind, tool, text },
      ),
    })),
  });
}

function render(shown: Shown, context: CliContext): readonly string[] {
  const { opened, survey, messages } = shown;
  const { columns, styles } = layoutOf(context.out);
  const { info } = opened;
  const title = listedSession(info, {}).name ?? "(nothing said)";
  const facts = factsOf(shown, Date.now()).flatMap(([name, value]) =>
    wrapWords(`  ${styles.dim(name.padEnd(11))} `, value, columns),
  );
  const damage = survey.damage.length === 0 ? [] : [`  ${styles.red("✗")} ${damageWords(survey)}`];
  return [
    styles.bold(cutToColumns(title, columns)),
    ...facts,
    ...damage,
    ...messages.flatMap((message) => ["", ...renderMessage(message, context)]),
  ];
}

function damageWords({ damage }: Survey): string {
  const bytes = damage.reduce((sum, one) => sum + one.bytes, 0);
  return `${formatQuantity(damage.length, "damaged stretch", "damaged stretches")}, ${formatBytes(bytes)}; palimpsest doctor says more`;
}

function factsOf(
  { opened: { info, project }, window, survey }: Shown,
  nowMs: number,
): readonly (readonly [string, string])[] {
  const { header, metadata } = info;
  const { counts, usage, costUsd, blobs } = survey;
  const created = `${formatTime(survey.firstAt)}, last active ${formatAge(info.lastActivityAt, nowMs)}`;
  const windowTokens = window.keeper.ledger.figure().tokens;
  const facts: (readonly [string, string | undefined])[] = [
    ["Id", showOnOneLine(info.sessionId) + (info.isInUse ? "  ● being written now" : "")],
    ["Folder", header?.workingCopy],
    ["Project", project.name === "" ? undefined : project.name],
    ["Tags", tagsOf(metadata).join(", ") || undefined],
    ["Fork of", header?.parent?.sessionId],
    ["Imported", header?.source === undefined ? undefined : sourceWords(header.source)],
    ["Begun", created],
    [
      "Said",
      `${formatQuantity(counts.user, "prompt")}, ${formatQuantity(counts.assistant, "answer")}, ${formatQuantity(counts.toolCalls, "tool call")}${counts.toolErrors > 0 ? ` (${formatCount(counts.toolErrors)} failed)` : ""}, ${formatTokens(survey.saidTokens)} tokens in all`,
    ],
    [
      "Window",
      `${formatTokens(windowTokens)} tokens now, ${formatQuantity(window.projection.visible.length, "message")}; ${formatQuantity(survey.compactions, "compaction")}`,
    ],
    ["Calls", counts.calls === 0 ? undefined : callWords(survey)],
    ["Billed", usage === undefined ? undefined : usageWords(usage, costUsd)],
    [
      "Stored",
      `${formatBytes(info.bytes)} in ${formatQuantity(counts.entries, "entry", "entries")}${blobs.count > 0 ? `, and ${formatQuantity(blobs.count, "large text")} of ${formatBytes(blobs.bytes)}` : ""}`,
    ],
  ];
  return facts.flatMap(([name, value]) =>
    value === undefined ? [] : [[name, showOnOneLine(value)] as const],
  );
}

function sourceWords({
  format,
  sessionId,
}: {
  readonly format: string;
  readonly sessionId?: string;
}): string {
  return sessionId === undefined ? format : `${format} ${sessionId}`;
}

function callWords({ counts, models }: Survey): string {
  const names = [...models].sort(([, one], [, other]) => other - one).map(([name]) => name);
  return `${formatCount(counts.calls)}, by ${names.join(", ")}`;
}

function usageWords(usage: NonNullable<Survey["usage"]>, costUsd: number | undefined): string {
  const cost = costUsd === undefined ? "" : `, $${costUsd.toFixed(2)} at list prices`;
  return `${formatTokens(promptTokens(usage))} tokens in (${formatTokens(usage.cacheReadTokens)} from the cache), ${formatTokens(usage.outputTokens)} out${cost}`;
}

function renderMessage(message: ExportedMessage, context: CliContext): readonly string[] {
  const { styles } = context.out;
  const { seq, at, parts } = message;
  return [
    `${styles.bold(speakerOf(message))}  ${styles.dim(`m${seq}  ${formatTime(at)}`)}`,
    ...parts.flatMap(({ kind, tool, text }) => {
      const lines = showHidden(text).trimEnd().split("\n");
      const more =
        lines.length > CLI_DEFAULTS.shownBlockLines
          ? [styles.dim(`  … ${formatQuantity(lines.length - CLI_DEFAULTS.shownBlockLines, "more line")}`)]
          : [];
      const heading =
        kind === "text" ? [] : [styles.cyan(`  ${kind}${tool === undefined ? "" : ` ${tool}`}`)];
      const body = lines
        .slice(0, CLI_DEFAULTS.shownBlockLines)
        .map((line) => `  ${cutToColumns(line, context.out.columns - 2)}`);
      return [...heading, ...body, ...more];
    }),
  ];
}
