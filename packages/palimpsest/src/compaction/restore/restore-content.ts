/**
 * The last known content of a file, rebuilt from the log: its newest reads laid over each other by line,
 * then later edits.
 *
 * An edit is applied only if its old text occurs exactly once in the known lines, because then its place is
 * certain. An edit of unknown place leaves the text unchanged; it is counted, and its new text is kept
 * beside. The result is not claimed to be the file: it may have changed since in ways that no call shows.
 */
import { finish, type Steps } from "../../base/steps.ts";
import { type Replacement, replacementsOf, writtenContent } from "./restore-edits.ts";
import {
  aroundLines,
  countLineEnds,
  type FilePart,
  FOLDED_CHARACTERS,
  isCutShort,
  type LineRange,
  linesOfFile,
  overlay,
  partOfReading,
  placesInPart,
  rangeOf,
  shownByEdit,
} from "./restore-parts.ts";
import type { FileUse } from "./restore-uses.ts";

/** Newest uses of one file that are laid over each other. Our choice: a bound on the work; recorded sessions have some 60. */
const FOLDED_USES_COUNT = 400;
/** Lines around an edit that belong to the part in use. Our choice: about a screen. */
const CONTEXT_LINES = 30;
/** Changes whose place in the file is not known that are shown, newest first. Our choice. */
const LOOSE_CHANGES_COUNT = 4;

/** The known content of a file. */
export interface FileContent {
  /** In order, neither touching nor overlapping. */
  readonly parts: readonly FilePart[];
  /** True if nothing of the file is missing. */
  readonly isWhole: boolean;
  /** Parts that were read or changed, newest first. */
  readonly inUse: readonly LineRange[];
  /** Texts of changes whose place is unknown, newest first. */
  readonly loose: readonly string[];
  /** Number of changes that could not be applied to `parts`. */
  readonly missingEdits: number;
  /** The place in the log of its newest reading or writing. */
  readonly pointer?: string;
}

/** Most lines that a reading tool shows by default; a read of fewer lines showed the whole file. */
const WHOLE_READ_LINES = 2_000;

/** Folds the uses of one file, oldest first. */
export function foldContent(uses: readonly FileUse[]): FileContent {
  return finish(foldInSteps(uses));
}

/** The same in steps. @internal */
export function* foldInSteps(uses: readonly FileUse[]): Steps<FileContent> {
  const folding = new Folding();
  const worked = uses.slice(-FOLDED_USES_COUNT).filter(({ hasWorked }) => hasWorked);
  for (const use of worked) yield folding.add(use);
  return folding.content();
}

/** The content of a file that was just read whole; the parts in use are known from the log. */
export function currentContent(text: string, logged: FileContent): FileContent {
  const parts = [{ first: 1, lines: linesOfFile(text) }];
  return { parts, isWhole: true, inUse: logged.inUse, loose: [], missingEdits: 0 };
}

/** True if every known line of `content` is the same in `other`. */
export function isWithinContent(content: FileContent, other: FileContent): boolean {
  if (content.parts.length === 0 || content.loose.length > 0 || other.missingEdits > 0) return false;
  return content.parts.every(({ first, lines }) =>
    other.parts.some((part) => {
      const offset = first - part.first;
      return offset >= 0 && lines.every((line, index) => part.lines[offset + index] === line);
    }),
  );
}

class Folding {
  #parts: readonly FilePart[] = [];
  #isWhole = false;
  #inUse: LineRange[] = [];
  #loose: string[] = [];
  #missingEdits = 0;
  #pointer: string | undefined;

  add(use: FileUse): void {
    if (use.how === "read") this.#read(use);
    else if (use.how === "edited") this.#edit(use);
    else {
      this.#forget();
      if (use.how === "written") this.#write(use);
    }
  }

  content(): FileContent {
    return {
      parts: this.#parts,
      isWhole: this.#isWhole,
      inUse: this.#inUse.toReversed(),
      loose: this.#loose.toReversed().slice(0, LOOSE_CHANGES_COUNT),
      missingEdits: this.#missingEdits,
      pointer: this.#pointer,
    };
  }

  #forget(): void {
    this.#parts = [];
    this.#isWhole = false;
    this.#inUse = [];
    this.#loose = [];
    this.#missingEdits = 0;
  }

  #read(use: FileUse): void {
    // A preview has a gap of unknown length, so the places of its lines are unknown.
    const part =
      use.text === undefined || use.isShortened === true ? undefined : partOfReading(use.text, use);
    if (part === undefined) return;
    const isWhole =
      part.first === 1 &&
      use.last === undefined &&
      part.lines.length < WHOLE_READ_LINES &&
      !isCutShort(use.text!);
    if (isWhole || this.#missingEdits > 0) this.#forget();
    this.#parts = overlay(this.#parts, part);
    this.#isWhole ||= isWhole;
    if (!isWhole) this.#inUse.push(rangeOf(part));
    this.#pointer = use.pointer;
  }

  #write(use: FileUse): void {
    const text = writtenContent(use.input, use.path);
    if (text === undefined || text.length > FOLDED_CHARACTERS) return;
    this.#parts = [{ first: 1, lines: linesOfFile(text) }];
    this.#isWhole = true;
    this.#pointer = use.pointer;
  }

  #edit(use: FileUse): void {
    const replacements = replacementsOf(use.input, use.path);
    if (replacements === undefined) {
      this.#missingEdits++;
      return;
    }
    const shown = use.text === undefined || use.isShortened === true ? undefined : shownByEdit(use.text);
    let isPlacedByAnswer = false;
    for (const replacement of replacements) {
      const isKnown = this.#replace(replacement);
      const isShown = !isKnown && shown !== undefined && this.#replaceAsShown(replacement, shown);
      isPlacedByAnswer ||= isShown;
      if (isKnown || isShown) continue;
      this.#missingEdits++;
      if (replacement.after.trim() !== "") this.#loose.push(replacement.after);
    }
    if (shown !== undefined && this.#missingEdits === 0 && (isPlacedByAnswer || this.#agreesWith(shown))) {
      this.#parts = overlay(this.#parts, shown);
      this.#inUse.push(rangeOf(shown));
    }
    this.#pointer ??= use.pointer;
  }

  /** False if a known line is another one there: the numbers of the known lines are not those of the file. */
  #agreesWith({ first, lines }: FilePart): boolean {
    return this.#parts.every((part) =>
      lines.every((line, index) => (part.lines[first + index - part.first] ?? line) === line),
    );
  }

  /** Makes a change whose place only the answer shows. */
  #replaceAsShown({ before, after, isEverywhere }: Replacement, shown: FilePart): boolean {
    const [at, ...others] = isEverywhere || after === "" ? [] : placesInPart(shown, after);
    if (at === undefined || others.length > 0) return false;
    const first = shown.first + countLineEnds(shown.lines.join("\n").slice(0, at));
    const last = first + countLineEnds(before);
    const shift = countLineEnds(after) - countLineEnds(before);
    this.#parts = this.#parts.flatMap((part) => aroundLines(part, { first, last }, shift));
    this.#moveInUse(last, shift);
    return true;
  }

  #replace({ before, after, isEverywhere }: Replacement): boolean {
    if (before === "") return false;
    const places = this.#parts.flatMap((part, index) =>
      placesInPart(part, before).map((at) => ({ index, at })),
    );
    if (places.length === 0 || (places.length > 1 && !isEverywhere)) return false;
    // From the end, so that places found before stay where they are.
    for (const { index, at } of places.toReversed()) this.#replaceAt(index, at, before, after);
    return true;
  }

  #replaceAt(index: number, at: number, before: string, after: string): void {
    const part = this.#parts[index]!;
    const text = part.lines.join("\n");
    const changed = text.slice(0, at) + after + text.slice(at + before.length);
    const start = part.first + countLineEnds(text.slice(0, at));
    const removed = countLineEnds(before);
    const shift = countLineEnds(after) - removed;
    this.#parts = this.#parts.map((one, place) =>
      place === index
        ? { first: one.first, lines: changed.split("\n") }
        : place > index
          ? { ...one, first: one.first + shift }
          : one,
    );
    this.#moveInUse(start + removed, shift);
    const last = start + removed + shift + CONTEXT_LINES;
    this.#inUse.push({ first: Math.max(1, start - CONTEXT_LINES), last });
  }

  /** Lines behind `line` moved by `shift`. */
  #moveInUse(line: number, shift: number): void {
    const moved = (one: number): number => (one > line ? one + shift : one);
    this.#inUse = this.#inUse.map(({ first, last }) => ({ first: moved(first), last: moved(last) }));
  }
}
