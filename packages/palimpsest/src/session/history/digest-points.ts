/**
 * The digest of a session as it was at some points of the log, in files beside it.
 *
 * DESIGN. A point says up to which entry its digest goes, the id of that entry, and which messages before it were part
 * of the conversation. It is used only if all of that is still so. So a rewind, an undo or an edit of the host needs no
 * cleaning up: the newest point that is still right is found when the digest is needed. A file that is missing, damaged
 * or of another version costs time, nothing else, and so does one that could not be written.
 *
 * Most of a digest are the words of the log, random bits that do not pack. Points share a file of them, and each has
 * what differs from it. All files together stay a fraction of what was said; a log of a few megabytes has none where
 * reading it costs less than its words would take on the disk.
 */
import { finish } from "../../base/steps.ts";
import type { Digest } from "../../compaction/digest/digest.ts";
import { digestPartsInSteps, readDigestParts } from "../../compaction/digest/digest-parts.ts";
import { SAVED_DIGEST_LITERAL_COUNT } from "../../compaction/digest/saved-digest.ts";
import type { LogWords } from "../../compaction/literals/log-words.ts";
import { readWordsParts, wordsPartsInSteps } from "../../compaction/literals/saved-words.ts";
import type { DerivedFiles, SessionLog } from "../../ports/session-store.ts";
import { blockText, type Message } from "../../transcript/blocks.ts";
import type { FairTurns } from "../turns/fair-turns.ts";
import type { FoldedFromLog } from "./folded-from-log.ts";
import { PointFiles, type PointHead, WORDS_PACKED_SHARE } from "./point-files.ts";
import { findEntryAt } from "./search/segment-files.ts";

/** Characters folded into a digest after which it is saved. Our choice: folding as many takes some .2 s, saving 30 ms in slices. */
const SAVE_CHARACTERS = 2_000_000;
/** The same when a session is closed. Our choice: folding as many takes some 20 ms. */
const SAVE_AT_CLOSE_CHARACTERS = 200_000;
/** The same where there is a point of the session already. Our choice: a process that has just started folds as many in some 30 ms, which is what saving takes. */
const SAVE_AGAIN_AT_CLOSE_CHARACTERS = 50_000;
/** Most that a point with its words may take on the disk, per character that was said. Our choice: an agent's log gets there with some 6 million characters, which are folded in half a second. */
const POINT_SHARE = 0.25;
/** Bytes on the disk of one of a digest's strings, with what else is saved beside it. Source: measured on recorded sessions: 90 to 200 KB for 6,000 of them. */
const LITERAL_BYTES = 25;
/** New words of a point, as a share of those in the file that it differs from, from which it gets another file. Our choice. */
const NEW_WORDS_SHARE = 0.25;

interface DigestPointsOptions {
  /** They have parts. */
  readonly files: DerivedFiles;
  readonly log: Pick<SessionLog, "readFrom">;
  readonly turns: FairTurns;
  readonly positionOf: (seq: number) => number | undefined;
  /** Describes which entries up to a number are in the conversation; equal only if the same ones are. */
  readonly lineUpTo: (seq: number) => string;
}

interface LoadedPoint {
  readonly state: Digest;
  readonly throughSeq: number;
  readonly position: number;
}

export class DigestPoints {
  readonly #options: DigestPointsOptions;
  readonly #files: PointFiles;
  #unsavedCharacters = 0;
  /** Characters of the newest point that was loaded or saved. */
  #savedCharacters = 0;
  /** The file of words that the last point was saved or loaded with. */
  #words: PointHead["words"] | undefined;
  #saving: Promise<void> | undefined;
  /** The digest changed while it was last saved. */
  #wasInterrupted = false;

  constructor(options: DigestPointsOptions) {
    this.#options = options;
    this.#files = new PointFiles(options.files, options.turns);
  }

  /** A message is folded in. */
  count({ content }: Pick<Message, "content">): void {
    for (const block of content) this.#unsavedCharacters += blockText(block).length;
  }

  /** The newest point that is still right. */
  async load(): Promise<LoadedPoint | undefined> {
    this.#unsavedCharacters = 0;
    this.#savedCharacters = 0;
    this.#words = undefined;
    try {
      for (const seq of (await this.#files.seqs()).digest) {
        const point = await this.#read(seq);
        if (point !== undefined) return point;
      }
    } catch {
      // What cannot be read is folded from the log.
    }
    return undefined;
  }

  async #read(seq: number): Promise<LoadedPoint | undefined> {
    const { log, lineUpTo } = this.#options;
    const head = await this.#files.readHead(seq);
    if (head === undefined || head.line !== lineUpTo(seq)) return undefined;
    const { position } = head;
    if ((await findEntryAt(log, { seq, position }))?.id !== head.id) return undefined;
    const [parts, words] = await Promise.all([this.#files.readDigest(head), this.#readWords(head.words)]);
    const state = parts && words && (await this.#inSteps(readDigestParts(parts, words)));
    if (state === undefined) return undefined;
    this.#savedCharacters = head.characters;
    this.#words = head.words;
    return { state, throughSeq: seq, position };
  }

  /** Nothing waits to be folded in: saves the digest if much was added to it. */
  rested(digest: FoldedFromLog<Digest>): void {
    if (this.#saving === undefined) void this.#saveFrom(SAVE_CHARACTERS, digest);
  }

  /** Saves the digest of a session that is being closed. Never throws. */
  async saveAtClose(digest: FoldedFromLog<Digest>): Promise<void> {
    await this.#saving;
    const isFirst = this.#savedCharacters === 0;
    await this.#saveFrom(isFirst ? SAVE_AT_CLOSE_CHARACTERS : SAVE_AGAIN_AT_CLOSE_CHARACTERS, digest);
  }

  async #saveFrom(fromCharacters: number, digest: FoldedFromLog<Digest>): Promise<void> {
    if (this.#saving !== undefined) await this.#saving;
    if (this.#unsavedCharacters < fromCharacters || !this.#isSmallEnough(digest.rested?.state)) return;
    const saving = digest
      .hold(() => this.#save(digest))
      .catch(() => {
        // A full disk: the log has everything. It is tried again after as much as before.
        this.#forgetUnsaved();
      })
      .finally(() => {
        if (this.#saving === saving) this.#saving = undefined;
      });
    this.#saving = saving;
    await saving;
  }

  #forgetUnsaved(characters = this.#unsavedCharacters): void {
    this.#savedCharacters += characters;
    this.#unsavedCharacters = Math.max(0, this.#unsavedCharacters - characters);
  }

  #isSmallEnough(state: Digest | undefined): boolean {
    const characters = this.#savedCharacters + this.#unsavedCharacters;
    if (state === undefined) return false;
    const literalCount = Math.min(SAVED_DIGEST_LITERAL_COUNT, state.literals.records.size);
    const bytes = state.words.bytes * WORDS_PACKED_SHARE + literalCount * LITERAL_BYTES;
    return bytes <= characters * POINT_SHARE;
  }

  async #save(digest: FoldedFromLog<Digest>): Promise<void> {
    const { log, turns, positionOf, lineUpTo } = this.#options;
    const rested = digest.rested;
    const position = rested && positionOf(rested.throughSeq);
    if (rested === undefined || position === undefined) return;
    const { throughSeq } = rested;
    const line = lineUpTo(throughSeq);
    const unsaved = this.#unsavedCharacters;
    const characters = this.#savedCharacters + unsaved;
    const written = await this.#write(rested, () => digest.isStill(rested));
    this.#wasInterrupted = written === undefined;
    if (written === undefined) return;
    const { entries } = await log.readFrom(position, throughSeq);
    const last = entries[0]?.entry;
    if (last?.seq !== throughSeq) return;
    const { parts, words } = written;
    await turns.take();
    await this.#files.write({ throughSeq, id: last.id, position, line, characters, words }, parts);
    // The file has no message that was folded in while it was written.
    this.#forgetUnsaved(unsaved);
  }

  /** The digest's parts, and the file of words that it refers to; `undefined` if it changed before all was written. */
  async #write(
    { state, throughSeq }: { readonly state: Digest; readonly throughSeq: number },
    isSame: () => boolean,
  ): Promise<{ readonly parts: readonly Uint8Array[]; readonly words: PointHead["words"] } | undefined> {
    // A session in which a caller needs the digest again and again would never be saved in steps.
    if (this.#wasInterrupted && this.#unsavedCharacters >= 2 * SAVE_CHARACTERS) {
      const own = state.words.copy();
      const parts = finish(digestPartsInSteps(state, own));
      this.#words = await this.#files.writeWords(finish(wordsPartsInSteps(own)), own.bytes, throughSeq);
      return { parts, words: this.#words };
    }
    const { turns } = this.#options;
    let words = this.#words;
    let base = words && (await this.#readWords(words));
    if (!isSame()) return undefined;
    if (words === undefined || base === undefined || state.words.count > base.count * (1 + NEW_WORDS_SHARE)) {
      base = state.words.copy();
      const own = await this.#inSteps(wordsPartsInSteps(base));
      await turns.take();
      words = await this.#files.writeWords(own!, base.bytes, throughSeq);
      this.#words = words;
    }
    const parts = await this.#inSteps(digestPartsInSteps(state, base), isSame);
    await turns.take();
    return parts === undefined ? undefined : { parts, words };
  }

  async #readWords(place: PointHead["words"]): Promise<LogWords | undefined> {
    const parts = await this.#files.readWords(place);
    await this.#options.turns.take();
    return parts === undefined ? undefined : this.#inSteps(readWordsParts(parts));
  }

  /** Runs the steps with turns for others; `undefined` if `isCurrent` became false between two. */
  async #inSteps<Result>(
    steps: Iterator<unknown, Result>,
    isCurrent: () => boolean = () => true,
  ): Promise<Result | undefined> {
    for (;;) {
      const turn = this.#options.turns.take();
      if (turn !== undefined) await turn;
      if (!isCurrent()) return undefined;
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  }
}
