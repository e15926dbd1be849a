/**
 * The notes of one session: the file beside the log, and the mark in the log that says how far they have come.
 *
 * The file is written first and the log after it. After a crash in between the notes cover more than the log says,
 * which is safe: a compaction hides only messages that the log says they cover. If a store keeps no notes, they live as
 * long as the session is open.
 */
import { StoreError } from "../../base/errors.ts";
import { LAYER_LIMITS, type LayerLimits } from "../../compaction/shared/layer-limits.ts";
import { scaleTokens } from "../../compaction/shared/measure.ts";
import {
  formatNotes,
  isEmptyTemplate,
  measureNotes,
  type NotesDocument,
  type NotesLimits,
  parseNotes,
} from "../../notes/notes-document.ts";
import type { NotesTemplate } from "../../notes/template.ts";
import type { NotesFile } from "../../ports/session-store.ts";
import {
  NOTES_MARK,
  NOTHING_COVERED,
  type NotesState,
  parseNotesState,
} from "../../session/append/carried-marks.ts";
import type { SessionParts } from "../../session/window/session-parts.ts";
import { isWithin } from "../../transcript/line.ts";

/** The notes as they were read: `text` is absent where there are none yet. */
interface LoadedNotes {
  readonly text: string | undefined;
  readonly document: NotesDocument;
}

/** Attempts at a change, if another writer changes the notes meanwhile. */
const TRIES = 4;

type StoreParts = Pick<SessionParts, "log" | "reader" | "writer" | "carried">;

export class NotesStore {
  readonly #parts: StoreParts;
  readonly #file: NotesFile;
  readonly #template: NotesTemplate;
  #state: NotesState | undefined;
  #isStateChecked = false;

  constructor(parts: StoreParts, template: NotesTemplate) {
    this.#parts = parts;
    this.#template = template;
    this.#file = parts.log.notes ?? new PassingNotes();
    const state = parseNotesState(parts.carried.get(NOTES_MARK));
    // They cannot cover an entry that does not exist yet.
    this.#state = state !== undefined && state.throughSeq < parts.writer.nextSeq ? state : undefined;
  }

  /** As the updater may name it. */
  get path(): string {
    return this.#file.path ?? "notes.md";
  }

  /** The state of the last update by the log; its entry may be off the line now. */
  get state(): NotesState | undefined {
    return this.#state;
  }

  /** True if they belong to the session that this one was forked from, and cover later messages there. */
  get areForeign(): boolean {
    return this.#parts.carried.get(NOTES_MARK) === null;
  }

  /** @throws `StoreError` where they cannot be read. */
  async load(): Promise<LoadedNotes> {
    const text = await this.#file.read();
    return { text, document: parseNotes(text ?? this.#template.text, this.#template) };
  }

  /**
   * Changes the current notes, and tries again if another writer was faster. Resolves with the changed notes, or
   * `undefined` if nothing changed.
   * @throws `StoreError`, also if another writer was faster every time
   */
  async change(
    work: (document: NotesDocument) => NotesDocument | undefined,
  ): Promise<NotesDocument | undefined> {
    for (let tries = 0; tries < TRIES; tries++) {
      const { text, document } = await this.load();
      const changed = work(document);
      if (changed === undefined) return undefined;
      const written = formatNotes(changed);
      if (written === text) return undefined;
      if (await this.#file.replace(text, written)) return changed;
    }
    throw new StoreError("STORE_FAILED", {
      message: `The notes were not changed: another writer changed them ${TRIES} times meanwhile.`,
      hint: "You need not do anything: the next update begins with the notes as they are then.",
    });
  }

  /** Writes into the log how far the notes have come. Call it within the session's queue. */
  async remember(state: Omit<NotesState, "throughId">): Promise<void> {
    const { reader } = this.#parts;
    const entry = await reader.findEntry(state.throughSeq);
    if (entry === undefined) return;
    await this.#write({ ...state, throughId: entry.id });
    this.#isStateChecked = true;
  }

  /** Writes into the log what session and notes have cost by now. How far the notes tell stays as it is. */
  async saveCosts(costs: Pick<NotesState, "sessionCost" | "notesCost">): Promise<void> {
    const known = this.#state ?? NOTHING_COVERED;
    if (!this.areForeign && costs.sessionCost !== known.sessionCost)
      await this.#write({ ...known, ...costs });
  }

  async #write(state: NotesState): Promise<void> {
    const { writer, carried } = this.#parts;
    const value = { ...state };
    this.#state = state;
    carried.set(NOTES_MARK, value);
    await writer.appendOne({ type: "metadata", key: NOTES_MARK, value });
  }

  /** True if an entry is part of the current conversation. */
  isOnLine(seq: number): boolean {
    return isWithin(this.#parts.writer.projection.lineRanges, seq);
  }

  /** The state of the notes; `undefined` if its entry is off the line or unknown. */
  async validState(): Promise<NotesState | undefined> {
    const state = this.#state;
    if (state === undefined || !this.isOnLine(state.throughSeq)) return undefined;
    if (!this.#isStateChecked) {
      const entry = await this.#parts.reader.findEntry(state.throughSeq);
      // Another log's figures, or a log that was mended.
      if (entry?.id !== state.throughId) this.#state = undefined;
      this.#isStateChecked = true;
    }
    return this.#state;
  }
}

/** Limits of notes in a window of this size. */
export function notesLimits(windowTokens: number, limits: LayerLimits = LAYER_LIMITS): NotesLimits {
  return {
    sectionTokens: scaleTokens(limits.notesSectionTokens, windowTokens),
    totalTokens: scaleTokens(limits.notesTotalTokens, windowTokens),
  };
}

/** True if the notes have content. */
export function hasNotes({ text, document }: LoadedNotes): boolean {
  return text !== undefined && text.trim() !== "" && !isEmptyTemplate(document);
}

/** Tokens of the notes as they are written. */
export function sizeOfNotes(document: NotesDocument): number {
  return Math.ceil(measureNotes(formatNotes(document)));
}

/** Notes of a store that keeps none. */
class PassingNotes implements NotesFile {
  #text: string | undefined;

  async read(): Promise<string | undefined> {
    return this.#text;
  }

  async replace(base: string | undefined, text: string): Promise<boolean> {
    if (base !== this.#text) return false;
    this.#text = text;
    return true;
  }
}
