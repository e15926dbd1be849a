/**
 * `palimpsest sessions show ID`: shows facts, figures and newest messages of a session.
 */
import {
  type ExportedMessage,
  LogReader,
  redactBroken,
  redactJson,
  SessionPresenter,
} from "palimpsest/internal";
import type { LogContents, MessageEntry } from "palimpsest/transcript";
import { parseCount } from "../command-line/command.ts";
import { damageJson, listedSession } from "../stored-sessions/listed-session.ts";
import { anyNotesJson } from "../stored-sessions/notes-report.ts";
import { readNotesIfAny } from "../stored-sessions/read-notes.ts";
import { foldWindow, type OpenedLog, readThrough, withLog } from "../stored-sessions/read-session.ts";
import {
  LATEST_ARGUMENT,
  type PlaceCall,
  type PlaceFlags,
  REDACT_OPTION,
  sessionCommand,
} from "../stored-sessions/session-place.ts";
import { Survey } from "../stored-sessions/survey-log.ts";
import { conversationTokensOf, renderShown, type Shown } from "./show-session-report.ts";

interface ShowFlags extends PlaceFlags {
  readonly messages: number;
  readonly redact: boolean;
}

/** Newest messages that are shown without `--messages`: they fit on a screen with the figures. */
const SHOWN_COUNT = 4;

export const showSessionCommand = sessionCommand(
  {
    name: "show",
    description: "show a session: facts, figures, newest messages",
    args: LATEST_ARGUMENT,
    options: [
      REDACT_OPTION,
      [
        "-m, --messages <count>",
        "newest messages to show",
        parseCount("--messages", { min: 0, max: 10_000 }),
        SHOWN_COUNT,
      ],
    ],
    examples: [
      "sessions show",
      'sessions show "Fix the harbour ledger" --messages 20',
      "sessions show 3f2a91c0 --json",
    ],
  },
  ({ place, flags, context }: PlaceCall<ShowFlags>, which?: string) =>
    withLog(place, which, async (opened) => {
      const window = await foldWindow(opened);
      const survey = new Survey({ isEstimating: true });
      const newest = new Newest(flags.messages);
      for await (const batch of readThrough(opened, context, "reading")) {
        survey.add(batch);
        newest.add(batch);
      }
      const notes = await readNotesIfAny(opened);
      const messages = await newest.whole(opened, flags.redact);
      const shown: Shown = { opened, window, survey, notes, messages };
      return { json: toJson(shown, flags.redact), out: renderShown(shown, context) };
    }),
);

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
    const reader = new LogReader(log);
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

function toJson({ opened, window, survey, notes, messages }: Shown, isRedacted: boolean): object {
  const { counts, usage, costUsd, unmeteredCalls, metadata } = survey;
  return {
    ...listedSession(opened.info, { project: opened.project.name }),
    metadata: isRedacted ? redactJson(metadata.values, (text) => redactBroken(text).text) : metadata.values,
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
    tokens: { window: window.tracker.ledger.figure().tokens, said: conversationTokensOf({ window, survey }) },
    usage,
    costUsd: usage === undefined ? undefined : costUsd,
    unmeteredCalls,
    models: Object.fromEntries(survey.models),
    notes: notes && anyNotesJson(notes),
    damage: survey.damage.map(damageJson),
    messages: messages.map(({ seq, role, origin, at = 0, parts }) => ({
      ...{ seq, role, origin, at },
      content: parts.map(({ kind, tool, text }) => ({ kind, tool, text })),
    })),
  };
}
