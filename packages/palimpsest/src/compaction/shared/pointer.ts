/** The place of an original block in the log. */
export interface Pointer {
  readonly seq: number;
  /** Index of the block in its entry's content. */
  readonly block: number;
}

/** The address as the model reads it, such as `m12.0`. */
export function formatPointer({ seq, block }: Pointer): string {
  return `m${seq}.${block}`;
}

const POINTER = /^\s*["'`]?m(\d{1,15})(?:\.(\d{1,9}))?["'`]?\s*$/i;

/** The address behind what a model wrote; `m12` means its first block. `undefined` where it is none. */
export function parsePointer(text: string): Pointer | undefined {
  if (text.length > 64) return undefined;
  const found = POINTER.exec(text);
  if (found === null) return undefined;
  return { seq: Number(found[1]), block: Number(found[2] ?? 0) };
}

/** The model's means to read messages that left its window. */
export interface HistoryAccess {
  /** False where it has no `history_search` and `history_read`: then no text names them. @defaultValue true */
  readonly hasHistoryTools?: boolean | undefined;
  /** The path of a plain copy of a block, where one is named to the model. @defaultValue none is */
  readonly pathOf?: ((pointer: string) => string) | undefined;
}

/** Names an original: the call that reads it, after `lead`; or only the place if there is no such tool. */
export function formatOriginal(
  pointer: string,
  { hasHistoryTools = true, pathOf }: HistoryAccess,
  {
    lead = "",
    offset,
    line = 1,
  }: {
    readonly lead?: string;
    readonly offset?: number | undefined;
    readonly line?: number | undefined;
  } = {},
): string {
  const place = hasHistoryTools
    ? `${lead}${formatReadCall(pointer, offset)}`
    : `kept in the session's log as ${pointer}`;
  if (pathOf === undefined) return place;
  return `${place}${PATH_LEAD}${pathOf(pointer)}${line > 1 ? `${LINE_LEAD}${line}` : ""}`;
}

const PATH_LEAD = "; all of it is in the file ";
const LINE_LEAD = ", this from line ";

/** The text without the name of this file: its copy could not be written. */
export function withoutPath(text: string, path: string): string {
  const [before = "", ...rest] = text.split(`${PATH_LEAD}${path}`);
  return [before, ...rest.map((after) => after.replace(/^, this from line \d+/, ""))].join("");
}

/** The end of a summary: that everything is still there, and how to look at it; `there`: how it says things. */
export function formatHistoryClosing(
  there: "listed" | "told",
  { hasHistoryTools = true }: HistoryAccess,
): string {
  if (!hasHistoryTools)
    return "The complete history is kept in the session's log; pointers such as `m12.0` name the originals in it.";
  return (
    'The complete history is kept. Search it with `history_search({ query: "…" })`, read an original with ' +
    `\`history_read({ pointer: "m12.0" })\`; do so before you guess a value or repeat work that is ${there} here.`
  );
}

/** The call that reads the block (from `offset`, in characters), as it is written into the window. */
export function formatReadCall(pointer: string, offset?: number): string {
  const from = offset === undefined || offset === 0 ? "" : `, offset: ${offset}`;
  return `history_read({ pointer: "${pointer}"${from} })`;
}
