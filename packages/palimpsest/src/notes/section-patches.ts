/**
 * A model's answer read as patches: which section gets a new text, which one gets more.
 *
 * Patches are blocks between tags, not JSON. Bodies are Markdown with quotes, backslashes and line breaks,
 * which models write as they are without a slip and escape with many; and where an answer is cut off, every
 * block before the cut is whole. The reading is strict: a tag stands alone on its line, and a block without
 * its end does not count.
 */
import { NOTES_DEFAULTS } from "../base/defaults/notes.ts";
import { splitLines } from "../base/text/markdown-lines.ts";

export interface SectionPatch {
  /** `replace` takes the place of the section's text, `append` goes behind it. */
  readonly kind: "replace" | "append";
  /** The section's title as it was written. */
  readonly section: string;
  /** As the model wrote it: it is cleaned where it is applied. */
  readonly text: string;
}

export interface ParsedPatches {
  readonly patches: readonly SectionPatch[];
  /** Blocks that had no end. */
  readonly unfinishedCount: number;
}

const OPENING = /^<(replace|append) section="([^"]{1,200})">$/;

/** The patches of an answer, in order. What stands outside of blocks is no concern of the notes. */
export function parseSectionPatches(answer: string): ParsedPatches {
  const patches: SectionPatch[] = [];
  let unfinishedCount = 0;
  let open:
    | { readonly kind: SectionPatch["kind"]; readonly section: string; readonly lines: string[] }
    | undefined;
  for (const { text } of splitLines(answer)) {
    const line = text.trim();
    const opening = OPENING.exec(line);
    if (opening !== null) {
      if (open !== undefined) unfinishedCount++;
      open = { kind: opening[1] as SectionPatch["kind"], section: opening[2]!, lines: [] };
    } else if (open !== undefined && line === `</${open.kind}>`) {
      patches.push({ kind: open.kind, section: open.section, text: open.lines.join("\n") });
      open = undefined;
    } else open?.lines.push(text);
  }
  return { patches, unfinishedCount: unfinishedCount + (open === undefined ? 0 : 1) };
}

/** Lines that begin a heading, a list or a tag: text for the notes, in a form that is not read. */
const NOTE_LINE = /^[ \t]*(?:[#<>|`]|[-*+][ \t]|\d{1,9}[.)])/m;

/**
 * True if an answer without patches is a sentence or two, as of a model that finds nothing to change. Anything
 * longer, and anything that looks like notes, may be what should have been a patch.
 */
export function isPlainRemark(answer: string): boolean {
  const remark = answer.trim();
  return remark !== "" && remark.length <= NOTES_DEFAULTS.remarkCharacters && !NOTE_LINE.test(remark);
}
