/**
 * The table of `sessions list`, as wide as the terminal.
 */
import { showOnOneLine } from "palimpsest/internal";
import { type ListedSession, lastUsedAt } from "../stored-sessions/listed-session.ts";
import { formatAge } from "../stored-sessions/session-words.ts";
import { columnsOf, cutToColumns, padColumns } from "../terminal/columns.ts";
import { formatBytes } from "../terminal/figures.ts";
import type { Terminal } from "../terminal/terminal.ts";

interface Column {
  readonly title: string;
  readonly isNumber?: boolean;
  /** The least width of the terminal that has room for it. */
  readonly fromColumns: number;
  readonly of: (session: ListedSession, nowMs: number) => string;
}

const COLUMNS: readonly Column[] = [
  { title: "id", fromColumns: 0, of: ({ shortId, sessionId }) => showOnOneLine(shortId ?? sessionId) },
  { title: "", fromColumns: 0, of: marksOf },
  { title: "name", fromColumns: 0, of: nameOrWhyNone },
  {
    title: "active",
    isNumber: true,
    fromColumns: 44,
    of: (session, nowMs) => formatAge(lastUsedAt(session), nowMs),
  },
  { title: "size", isNumber: true, fromColumns: 64, of: ({ bytes }) => formatBytes(bytes) },
  { title: "tags", fromColumns: 100, of: ({ tags }) => showOnOneLine(tags.join(", ")) },
  { title: "folder", fromColumns: 100, of: ({ workingCopy }) => showOnOneLine(workingCopy ?? "") },
];
const NAME = 2;
const FOLDER = 6;
const GAP = "  ";
/** Widths that are kept, one after the other, when a row is too long. */
const SQUEEZED = [
  { index: NAME, least: 64 },
  { index: FOLDER, least: 16 },
  { index: NAME, least: 16 },
] as const;

function marksOf({ isInUse, forkOf, purpose, source }: ListedSession): string {
  const origin = `${forkOf === undefined ? "" : "⑂"}${purpose === undefined ? "" : "↳"}${source === undefined ? "" : "↓"}`;
  return `${isInUse ? "●" : ""}${origin}`;
}

function nameOrWhyNone({ name, isLost, bytes }: ListedSession): string {
  if (name !== undefined) return name;
  if (isLost !== true) return "(nothing said)";
  return bytes === 0 ? "(an empty log)" : "(no entry can be read)";
}

/** Sessions as a table: as many columns as there is room for, and the name as long as it can be. */
export function renderTable(
  sessions: readonly ListedSession[],
  { columns, styles }: Terminal,
  nowMs: number,
): readonly string[] {
  const shown = COLUMNS.map((column, index) => ({ column, index })).filter(
    ({ column: { fromColumns, of, title } }) =>
      columns >= fromColumns && (title === "name" || sessions.some((session) => of(session, nowMs) !== "")),
  );
  const rows = sessions.map((session) => shown.map(({ column }) => column.of(session, nowMs)));
  const widths = shown.map(({ column }, place) =>
    Math.max(columnsOf(column.title), ...rows.map((row) => columnsOf(row[place]!))),
  );
  narrow(
    widths,
    shown.map(({ index }) => index),
    columns,
  );
  const format = (row: readonly string[]): string =>
    row
      .map((text, place) =>
        padColumns(cutToColumns(text, widths[place]!), widths[place]!, {
          atStart: shown[place]!.column.isNumber === true,
        }),
      )
      .join(GAP)
      .trimEnd();
  return [styles.dim(format(shown.map(({ column }) => column.title))), ...rows.map(format)];
}

/** Narrows what can be narrowed until a row fits. */
function narrow(widths: number[], indexes: readonly number[], columns: number): void {
  for (const { index, least } of SQUEEZED) {
    const place = indexes.indexOf(index);
    const total = widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1);
    if (place === -1 || total <= columns) continue;
    widths[place] = Math.max(Math.min(least, widths[place]!), widths[place]! - (total - columns));
  }
}
