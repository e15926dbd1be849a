/**
 * Groups repairs by kind, in the order of their first lines.
 */
import type { ImportRepair } from "palimpsest/formats";
import { formatCount, formatRanges } from "../../terminal/figures.ts";
import type { TrackedRepair } from "../measure/session-track.ts";

/** Ranges of lines that are listed for one kind. */
const RANGES_SHOWN = 6;

/** One line for each kind, such as `3 × missing-parent, lines 1–3: …`; the conversation's after the file's. */
export function groupRepairs(
  inFile: readonly ImportRepair[],
  inConversation: readonly TrackedRepair[],
): readonly string[] {
  const sorted = [...inFile].sort((left, right) => (left.line ?? 0) - (right.line ?? 0));
  return [
    ...[...groupBy(sorted, ({ kind }) => kind)].map(([kind, repairs]) => fileLine(kind, repairs)),
    ...[...groupBy(inConversation, ({ reason }) => reason)].map(([reason, repairs]) => {
      const subjects = [...new Set(repairs.map(({ subject }) => subject))];
      return `${times(repairs.length)}${reason}, in the conversation: ${listed(subjects)}`;
    }),
  ];
}

function fileLine(kind: string, repairs: readonly ImportRepair[]): string {
  const lines = repairs.flatMap(({ line }) => (line === undefined ? [] : [line]));
  const ranges = formatRanges([...new Set(lines)]).split(", ");
  const where =
    lines.length === 0 ? "in the file" : `${lines.length === 1 ? "line" : "lines"} ${listed(ranges)}`;
  const details = [...new Set(repairs.map(({ detail }) => detail))];
  const more = details.length > 1 ? " …" : "";
  return `${times(repairs.length)}${kind}, ${where}: ${details[0]!}${more}`;
}

function times(count: number): string {
  return count === 1 ? "" : `${formatCount(count)} × `;
}

function listed(names: readonly string[]): string {
  return `${names.slice(0, RANGES_SHOWN).join(", ")}${names.length > RANGES_SHOWN ? " …" : ""}`;
}

function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): ReadonlyMap<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
