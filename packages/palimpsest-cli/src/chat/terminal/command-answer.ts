/** Draws the answers of commands: `/context` as a bar, lists to choose from as lists, everything else as text. */
import { renderContext } from "../../context/context-report.ts";
import { cutToColumns } from "../../terminal/columns.ts";
import { formatBytes, formatMs } from "../../terminal/figures.ts";
import { safeLine, safeText } from "../base/safe-text.ts";
import { codeOf, messageOf } from "../base/values.ts";
import type { CommandAnswer } from "../commands/chat-command.ts";
import type { ListedChoice } from "./choice-list.ts";
import { type Layout, type Show, wrapLine } from "./layout.ts";

type Data = NonNullable<CommandAnswer["data"]>;

/** A list in the place of the input. */
export interface Choice {
  readonly title: string;
  readonly items: readonly (ListedChoice & {
    /** The line that choosing it enters: `/resume 3f2a91c0`. */
    readonly line: string;
    /** Text for the input then: a message to say otherwise. */
    readonly retyped?: string;
  })[];
}

/** The choice that an answer offers, if there is anything to choose from. */
export function choiceOf({ data }: CommandAnswer): Choice | undefined {
  if (data?.type === "sessions" && data.sessions.length > 0) return sessionChoice(data);
  if (data?.type !== "rewind" || data.places.length === 0) return undefined;
  const items = data.places.map(({ text, whole, at, seq }, index) => ({
    label: safeLine(text),
    detail: `${new Date(at).toTimeString().slice(0, 5)}  m${seq}`,
    line: `/rewind ${index + 1}`,
    retyped: safeText(whole),
  }));
  return { title: "Go back to before", items };
}

function sessionChoice({ sessions }: Extract<Data, { readonly type: "sessions" }>): Choice {
  const items = sessions.map(({ sessionId, title, lastActivityAt, bytes }) => ({
    label: safeLine(title) || sessionId,
    detail: `${new Date(lastActivityAt).toISOString().slice(0, 16).replace("T", " ")}  ${formatBytes(bytes)}`,
    line: `/resume ${sessionId}`,
  }));
  return { title: "Resume a session", items };
}

/** The lines of an answer; `undefined` if it has none. `name` is the session's. */
export function showAnswer({ data, text }: CommandAnswer, name: string): Show | undefined {
  if (text === "" && data === undefined) return undefined;
  if (data?.type === "context") return (layout) => renderContext(name, data.use, layout);
  if (data?.type === "help") return (layout) => data.rows.flatMap((row) => helpLines(row, layout));
  if (data?.type === "tasks" && data.tasks.length > 0) return (layout) => taskLines(data, layout);
  return textLines(safeText(text).split("\n"));
}

/** The lines of an error: the command changed nothing. */
export function showError(error: unknown): Show {
  if (codeOf(error) === "ABORTED") return textLines(["Stopped: nothing was changed."]);
  const { hint } = (error ?? {}) as { readonly hint?: unknown };
  return textLines(
    [messageOf(error), ...(typeof hint === "string" && hint !== "" ? [hint] : [])].map(safeLine),
  );
}

const textLines =
  (lines: readonly string[]): Show =>
  ({ columns }) =>
    lines.flatMap((line) => wrapLine(line, columns));

/** Columns of the names in `/help`; a longer one has a whole line. */
const HELP_COLUMNS = 26;

function helpLines(
  [words, description]: readonly [string, string],
  { columns, styles }: Layout,
): readonly string[] {
  const isBeside = words.length <= HELP_COLUMNS && columns >= HELP_COLUMNS * 2;
  const indent = " ".repeat(columns >= HELP_COLUMNS * 2 ? HELP_COLUMNS + 2 : 4);
  const lines = wrapLine(description, Math.max(1, columns - indent.length));
  if (!isBeside)
    return [...wrapLine(words, columns).map(styles.bold), ...lines.map((line) => `${indent}${line}`)];
  const [first = "", ...rest] = lines;
  return [`${styles.bold(words.padEnd(HELP_COLUMNS))}  ${first}`, ...rest.map((line) => `${indent}${line}`)];
}

function taskLines(
  { tasks }: Extract<Data, { readonly type: "tasks" }>,
  { columns, styles }: Layout,
): readonly string[] {
  const rows = tasks.flatMap(({ id, title, status, outputBytes, silence, reason, detail }) => {
    const state =
      silence === undefined
        ? status
        : `${silence.state === "waiting" ? "waits for input" : "silent"} for ${formatMs(silence.silentMs)}`;
    const color = silence !== undefined ? styles.yellow : status === "failed" ? styles.red : styles.bold;
    const about = silence?.lastText ?? detail ?? reason;
    const size =
      outputBytes === 0
        ? []
        : [styles.dim(cutToColumns(`    ${formatBytes(outputBytes)} of output`, columns))];
    return [
      color(cutToColumns(`${id}  ${state}  ${safeLine(title)}`, columns)),
      ...(about === undefined ? [] : [cutToColumns(`    ${safeLine(about)}`, columns)]),
      ...size,
    ];
  });
  const hint = wrapLine("/tasks ID · /tasks send ID TEXT · /tasks stop ID", columns);
  return [...rows, ...hint.map(styles.dim)];
}
