/**
 * `palimpsest sessions show ID`: shows facts, figures and newest messages of a session.
 */
import type { Command } from "commander";
import {
  type ExportedMessage,
  LogReader,
  redactBroken,
  redactJson,
  SessionPresenter,
} from "palimpsest/internal";
import type { LogContents, MessageEntry } from "palimpsest/transcript";
import {
  addPlaceOptions,
  addRedactOption,
  type CommandShell,
  helpText,
  type PlaceFlags,
  parseCount,
  type RedactFlags,
} from "../command-line/command-options.ts";
import { CLI_DEFAULTS } from "../defaults/cli.ts";
import { anyNotesJson } from "../stored-sessions/notes-report.ts";
import { readNotesIfAny } from "../stored-sessions/read-notes.ts";
import { foldWindow, type OpenedLog, readThrough, withLog } from "../stored-sessions/read-session.ts";
import { inPlace } from "../stored-sessions/session-place.ts";
import {
  damageJson,
  listedSession,
  SESSIONS_JSON_VERSION,
  type ShowJson,
} from "../stored-sessions/sessions-json.ts";
import { Survey } from "../stored-sessions/survey-log.ts";
import { type CliContext, printJson, withoutAbsent } from "../terminal/terminal.ts";
import { renderShown, type Shown } from "./show-session-report.ts";

export interface ShowFlags extends PlaceFlags, RedactFlags {
  readonly messages: number;
}

export function addShow(parent: Command, { context, exitWith }: CommandShell): void {
  const command = parent
    .command("show")
    .description("show a session: facts, figures, newest messages")
    .argument("<session>", "id, the beginning of one, or a title");
  addRedactOption(addPlaceOptions(command))
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

async function runShow(which: string, flags: ShowFlags, context: CliContext): Promise<number> {
  return inPlace(flags, context, (place) =>
    withLog(place, which, async (opened) => {
      const window = await foldWindow(opened);
      const survey = new Survey({ isEstimating: true });
      const newest = new Newest(flags.messages);
      const isRedacted = flags.redact !== false;
      for await (const batch of readThrough(opened, context, "reading")) {
        survey.add(batch);
        newest.add(batch);
      }
      const notes = await readNotesIfAny(opened);
      const shown: Shown = {
        opened,
        window,
        survey,
        notes,
        messages: await newest.whole(opened, isRedacted),
      };
      if (flags.json === true) printJson(context.out, toJson(shown, isRedacted));
      else context.out.write(`${renderShown(shown, context).join("\n")}\n`);
      return 0;
    }),
  );
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

  /** As they were said, with or without secrets. */
  async whole({ log }: OpenedLog, isRedacted: boolean): Promise<readonly ExportedMessage[]> {
    const reader = new LogReader(log, new Map());
    const presenter = new SessionPresenter({ isRedacted });
    const messages: ExportedMessage[] = [];
    const whole = [];
    for (const entry of this.#entries) whole.push({ entry, content: await reader.wholeContent(entry) });
    for (const { content } of whole) presenter.learn(content);
    for (const { entry, content } of whole) {
      const { seq, role, origin, at, saidAt, interrupted } = entry;
      const isInterrupted = interrupted === true;
      messages.push(presenter.message({ seq, role, origin, at: saidAt ?? at, isInterrupted, content }));
    }
    return messages;
  }
}

function toJson(
  { opened: { info, project }, window, survey, notes, messages }: Shown,
  isRedacted: boolean,
): ShowJson {
  const { counts, usage, costUsd } = survey;
  return withoutAbsent<ShowJson>({
    version: SESSIONS_JSON_VERSION,
    ...listedSession(info, { project: project.name === "" ? undefined : project.name }),
    metadata: isRedacted
      ? redactJson(survey.metadata.values, (text) => redactBroken(text).text)
      : survey.metadata.values,
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
    tokens: { window: window.tracker.ledger.figure().tokens, said: Math.round(survey.conversationTokens) },
    usage,
    costUsd: usage === undefined ? undefined : costUsd,
    models: Object.fromEntries(survey.models),
    notes: notes && anyNotesJson(notes),
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
