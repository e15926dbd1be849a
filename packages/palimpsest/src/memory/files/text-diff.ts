/**
 * A diff of two texts for people: removed and added lines with a few around them. Linear in the texts: the common
 * beginning and end are left out, and the rest is shown as it was and as it is.
 */
const CONTEXT_LINES = 2;
const SHOWN_LINES = 60;

/** The difference under the name of the file; `undefined` is a file that is not there. */
export function diffText(path: string, before: string | undefined, after: string | undefined): string {
  const old = linesOf(before);
  const now = linesOf(after);
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const around = (lines: readonly string[]) => lines.map((line) => `  ${line}`);
  const title =
    before === undefined ? `new ${path}` : after === undefined ? `archived ${path}` : `changed ${path}`;
  return [
    title,
    ...around(old.slice(Math.max(0, start - CONTEXT_LINES), start)),
    ...shown(old.slice(start, old.length - end), "-"),
    ...shown(now.slice(start, now.length - end), "+"),
    ...around(old.slice(old.length - end, old.length - end + CONTEXT_LINES)),
  ].join("\n");
}

function linesOf(text: string | undefined): readonly string[] {
  return text === undefined || text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r?\n/);
}

function shown(lines: readonly string[], mark: string): readonly string[] {
  const more = lines.length - SHOWN_LINES;
  const kept = lines.slice(0, SHOWN_LINES).map((line) => `${mark} ${line}`);
  return more > 0 ? [...kept, `${mark} (${more} more lines)`] : kept;
}
