/**
 * Reads and writes the sorted rows of a folder's index, `[id, lastActivityAt, bytes, modifiedAt, title?]` a line.
 */
import { parseJson } from "../../../base/json/json.ts";
import type { OverviewRow } from "../../../ports/session-store.ts";
import { plausibleTime } from "../../shared/session-info.ts";
import { isSessionId } from "../../shared/session-paths.ts";

/** One session as it was at the last look. */
export interface IndexRow extends OverviewRow {
  /** Time of the log file's last change, in milliseconds since the epoch. */
  readonly modifiedAt: number;
}

/** Bytes parsed at once: one call of `JSON.parse` for many rows, but few more than a page shows. */
const PIECE_BYTES = 16_384;
const NEWLINE = 0x0a;

/** The JSON value of a row. */
export function rowFields(row: IndexRow): readonly unknown[] {
  const { sessionId, lastActivityAt, bytes, modifiedAt, title } = row;
  return [sessionId, lastActivityAt, bytes, modifiedAt, ...(title === undefined ? [] : [title])];
}

/** Returns `undefined` for a value that is not a row. */
export function parseRow(value: unknown): IndexRow | undefined {
  if (!Array.isArray(value)) return undefined;
  const [sessionId, lastActivityAt, bytes, modifiedAt, title] = value as readonly unknown[];
  if (!isSessionId(sessionId) || (title !== undefined && typeof title !== "string")) return undefined;
  const isNumbered =
    typeof lastActivityAt === "number" && typeof bytes === "number" && typeof modifiedAt === "number";
  if (!isNumbered || plausibleTime(lastActivityAt) !== lastActivityAt) return undefined;
  return { sessionId, lastActivityAt, bytes, modifiedAt, ...(title === undefined ? {} : { title }) };
}

/** Yields the rows of a body in their order, many at a time. Skips lines that are not rows. */
export function* parseRows(body: Buffer): Generator<readonly IndexRow[]> {
  for (let start = 0; start < body.length; ) {
    const last = body.indexOf(NEWLINE, start + PIECE_BYTES);
    const end = last === -1 ? body.lastIndexOf(NEWLINE) : last;
    if (end < start) return;
    const lines = body.toString("utf8", start, end).split("\n");
    const piece = parseJson(`[${lines.join(",")}]`);
    // If one line is not JSON, each is parsed separately.
    const values =
      piece.ok && (piece.value as readonly unknown[]).length === lines.length
        ? (piece.value as readonly unknown[])
        : lines.map((line) => (parseJson(line) as { readonly value?: unknown }).value);
    yield values.flatMap((value) => parseRow(value) ?? []);
    start = end + 1;
  }
}
