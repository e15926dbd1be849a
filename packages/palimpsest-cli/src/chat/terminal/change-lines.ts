/** A change of a file in lines: what a person reads before they allow it, and once it is made. */
import { safeText } from "../base/safe-text.ts";
import { fieldsOf } from "../base/values.ts";

/** More of a change is not looked at, in characters. */
const CHARACTERS = 20_000;

/**
 * The lines that a call of `edit` takes away (`- `) and adds (`+ `), and those that `write` writes; `undefined` for calls of
 * other tools. Lines that stay at the beginning and the end of an edit are left out.
 */
export function changeLines({
  name,
  input,
}: {
  readonly name: string;
  readonly input: unknown;
}): readonly string[] | undefined {
  const { old_string: old, new_string: fresh, content } = fieldsOf(input);
  if (name === "write" && typeof content === "string") return marked("+", linesOf(content));
  if (name !== "edit" || typeof old !== "string" || typeof fresh !== "string") return undefined;
  const before = linesOf(old);
  const after = linesOf(fresh);
  const most = Math.min(before.length, after.length);
  let head = 0;
  while (head < most && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < most - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  return [
    ...marked("-", before.slice(head, before.length - tail)),
    ...marked("+", after.slice(head, after.length - tail)),
  ];
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : safeText(text.slice(0, CHARACTERS)).split("\n");
}

const marked = (mark: string, lines: readonly string[]): readonly string[] =>
  lines.map((line) => `${mark} ${line}`);
