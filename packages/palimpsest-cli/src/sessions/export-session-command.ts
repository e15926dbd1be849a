/**
 * `palimpsest sessions export ID`: writes a session as JSON lines, Markdown or HTML.
 */
import { resolve } from "node:path";
import { Option } from "commander";
import { nodeHasher, OptionError } from "palimpsest";
import {
  type ExportedHead,
  type ExportedItem,
  exportLines,
  htmlEnd,
  htmlHead,
  htmlItem,
  isoTime,
  LogReader,
  markdownHead,
  markdownItem,
  reasonWords,
  SessionPresenter,
  showOnOneLine,
} from "palimpsest/internal";
import type { Edit, Entry, LogDamage } from "palimpsest/transcript";
import { listedSession } from "../stored-sessions/listed-session.ts";
import {
  type OpenedLog,
  progressOf,
  readThrough,
  surveyOf,
  withLog,
} from "../stored-sessions/read-session.ts";
import {
  LATEST_ARGUMENT,
  type PlaceCall,
  type PlaceFlags,
  sessionCommand,
} from "../stored-sessions/session-place.ts";
import { tagsOf } from "../stored-sessions/session-words.ts";
import type { Survey } from "../stored-sessions/survey-log.ts";
import { formatBytes, formatCount, formatQuantity, formatTokens } from "../terminal/figures.ts";
import type { CliContext } from "../terminal/terminal.ts";
import { writeOutput, writeThrough } from "../terminal/write-output.ts";

type ExportFormat = "jsonl" | "md" | "html";

interface ExportFlags extends PlaceFlags {
  readonly format?: ExportFormat;
  readonly output?: string;
  /** @defaultValue true for `md` and `html`, false for `jsonl` */
  readonly redact?: boolean;
}

const FORMAT_OPTION = new Option(
  "-f, --format <format>",
  "what to write (default: by the name of the file, else md)",
).choices(["jsonl", "md", "html"]);

export const exportSessionCommand = sessionCommand(
  {
    name: "export",
    description: "write a session as JSONL, Markdown or a page of HTML",
    args: LATEST_ARGUMENT,
    options: [
      FORMAT_OPTION,
      ["-o, --output <file>", "file to write, whole or not at all (default: -, the standard output)"],
      [
        "--redact",
        "take keys and passwords out (default for md and html; jsonl is the session to the letter without it)",
      ],
      ["--no-redact", "keep keys and passwords"],
    ],
    examples: [
      "sessions export 3f2a91c0 | less",
      "sessions export 3f2a91c0 -o session.html",
      "sessions export 3f2a91c0 -o backup.jsonl",
      "sessions export 3f2a91c0 -f jsonl | ssh other palimpsest sessions import -",
    ],
    notes: [
      "jsonl holds the whole session, and import restores the same one from it. It contains keys and",
      "passwords of the conversation, unless --redact is given. md and html are for reading.",
      "--json prints a report to standard output, so it needs -o FILE for the export.",
    ],
  },
  async ({ place, flags, context, version }: PlaceCall<ExportFlags>, which?: string) => {
    const output = flags.output === "-" ? undefined : flags.output;
    const format = flags.format ?? formatOf(output);
    const isRedacted = flags.redact ?? format !== "jsonl";
    if (flags.json === true && output === undefined)
      throw new OptionError({
        message: "--json and the export would both go to standard output.",
        hint: "Give a file with --output; for the session as JSON lines, ask for --format jsonl instead.",
      });
    return withLog(place, which, async (opened) => {
      const report = { redacted: 0, missing: 0, damaged: 0 };
      const run: ExportRun = { opened, context, format, isRedacted, version, report };
      const pieces = format === "jsonl" ? jsonlOf(run) : documentOf(run);
      if (output === undefined) {
        await writeThrough(context.out, pieces);
        return { err: reportOf(run) };
      }
      const path = resolve(context.folder, output);
      const bytes = await writeOutput(path, pieces);
      const { redacted, missing } = report;
      const { sessionId } = opened.info;
      return {
        json: { sessionId, format, path, bytes, isRedacted, redacted, missing },
        // On standard error, so that the export itself can go anywhere.
        err: reportOf(run, { path, bytes }),
      };
    });
  },
);

interface ExportRun {
  readonly opened: OpenedLog;
  readonly context: CliContext;
  readonly format: ExportFormat;
  readonly isRedacted: boolean;
  readonly version: string;
  /** Counts for the report; they grow while the export is written. */
  readonly report: { redacted: number; missing: number; damaged: number };
}

function formatOf(output: string | undefined): ExportFormat {
  const ending = /\.(jsonl|md|html)$/i.exec(output ?? "")?.[1]?.toLowerCase();
  return ending === "jsonl" || ending === "html" ? ending : "md";
}

function reportOf(
  { format, isRedacted, report: { redacted, missing, damaged } }: ExportRun,
  file?: { readonly path: string; readonly bytes: number },
): readonly string[] {
  const words = [
    ...(file === undefined ? [] : [`${showOnOneLine(file.path)} (${formatBytes(file.bytes)})`]),
    ...(redacted > 0 ? [`${formatQuantity(redacted, "secret")} taken out`] : []),
    ...(missing > 0 ? [`${formatQuantity(missing, "large text")} missing in the store`] : []),
    ...(damaged > 0
      ? [`${formatQuantity(damaged, "damaged stretch", "damaged stretches")} passed over`]
      : []),
    ...(format === "jsonl" && !isRedacted ? ["to the letter: secrets that were said are in it"] : []),
  ];
  return words.length > 0 ? [words.join("; ")] : [];
}

async function* jsonlOf({ opened, context, isRedacted, report: counted }: ExportRun): AsyncGenerator<string> {
  const progress = progressOf(context);
  const { info, log } = opened;
  const lines = exportLines(log, {
    isRedacted,
    hasher: nodeHasher,
    signal: context.signal,
    onProgress: (position) =>
      progress.show({ label: info.sessionId, share: position / Math.max(1, info.bytes), detail: "writing" }),
    onMissing: () => {
      counted.missing++;
    },
    observer: {
      onEvent: () => {
        counted.damaged++;
      },
    },
  });
  try {
    for await (const line of lines) yield `${line}\n`;
  } finally {
    progress.clear();
  }
}

/**
 * Writes Markdown or HTML. Reads the log several times: figures and secrets must be known before the first line is
 * written.
 */
async function* documentOf(run: ExportRun): AsyncGenerator<string> {
  const { opened, context, format, isRedacted, version, report: counted } = run;
  const survey = await surveyOf(opened, context);
  const presenter = new SessionPresenter({ isRedacted });
  const reader = new LogReader(opened.log);
  // A part of a secret may occur before the whole: in the preview of a text, or in a summary of an earlier session.
  if (run.isRedacted)
    for await (const { entries } of readThrough(opened, context, "reading"))
      for (const { entry } of entries)
        if (entry.type === "message") presenter.learn(await reader.wholeContent(entry));
  const [head, item] = format === "html" ? [htmlHead, htmlItem] : [markdownHead, markdownItem];
  yield head(headOf(opened, survey, presenter));
  for await (const { entries, damage } of readThrough(opened, context, "writing")) {
    counted.damaged += damage.length;
    for (const one of damage) yield item(presenter.note(damageWords(one)));
    for (const { entry } of entries) {
      const { made, missing } = await itemOf(entry, { survey, presenter, reader });
      if (made !== undefined) yield item(made);
      if (missing === 0) continue;
      counted.missing += missing;
      yield item(presenter.note(missingWords(entry.seq, missing)));
    }
  }
  counted.redacted = [...presenter.redacted.values()].reduce((sum, count) => sum + count, 0);
  if (format === "html")
    yield htmlEnd(
      `Written by palimpsest ${version}${isRedacted ? "; keys and passwords were removed where their shape was recognised" : ""}.`,
    );
}

async function itemOf(
  entry: Entry,
  to: { readonly survey: Survey; readonly presenter: SessionPresenter; readonly reader: LogReader },
): Promise<{ readonly made: ExportedItem | undefined; readonly missing: number }> {
  if (entry.type === "edit") {
    const words = editWords(entry.edit);
    return { made: words === undefined ? undefined : to.presenter.note(words), missing: 0 };
  }
  if (entry.type !== "message") return { made: undefined, missing: 0 };
  const { seq, role, origin, at, saidAt, interrupted } = entry;
  const content = await to.reader.wholeContent(entry);
  const made = to.presenter.message({
    seq,
    role,
    origin,
    at: saidAt ?? at,
    isTakenBack: !to.survey.isOnLine(seq),
    isInterrupted: interrupted === true,
    content,
  });
  // If a text is missing, the reader returns the preview block of the log itself.
  const missing = entry.content.filter(
    (block, index) => block.type === "blob" && content[index] === block.shown,
  );
  return { made, missing: missing.length };
}

function missingWords(seq: number, count: number): string {
  return `${formatQuantity(count, "large text")} of m${seq} cannot be read from the store; the preview is shown instead`;
}

/** Describes an edit that readers care about: earlier messages left the model's window, or were rewound. */
function editWords(edit: Edit): string | undefined {
  if (edit.kind === "rewind") return `Went back to m${edit.toSeq}`;
  if (!("isBoundary" in edit) || edit.isBoundary !== true) return undefined;
  return `Compacted here (${edit.kind}, ${reasonWords(edit.reason)}): ${formatTokens(edit.freedTokens)} tokens left the model's window`;
}

function damageWords({ bytes, reason }: LogDamage): string {
  return `Here ${formatCount(bytes)} bytes of the log cannot be read (${reason})`;
}

function headOf({ info }: OpenedLog, survey: Survey, presenter: SessionPresenter): ExportedHead {
  const { counts, firstAt, lastAt } = survey;
  const { header } = info;
  const time = (at: number | undefined): string | undefined => (at === undefined ? undefined : isoTime(at));
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["Session", info.sessionId],
    ["Folder", header?.workingCopy],
    ["Begun", time(firstAt)],
    ["Last message", time(lastAt)],
    ["Imported from", header?.source?.format],
    ["Fork of", header?.parent?.sessionId],
    ["Tags", tagsOf(info.metadata).join(", ") || undefined],
    ["Models", [...survey.models.keys()].join(", ") || undefined],
    [
      "Said",
      `${formatQuantity(counts.user, "prompt")}, ${formatQuantity(counts.assistant, "answer")}, ${formatQuantity(counts.toolCalls, "tool call")}`,
    ],
  ];
  return {
    title: presenter.line(listedSession(info, {}).name ?? info.sessionId),
    facts: facts.flatMap(([name, value]) =>
      value === undefined ? [] : [{ name, value: presenter.line(value) }],
    ),
    prompts: survey.prompts.map(({ seq, text }) => ({ seq, text: presenter.line(text) })),
  };
}
