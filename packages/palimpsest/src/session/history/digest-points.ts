/**
 * The digest of a session as it was at some points of the log, in files beside it.
 *
 * DESIGN. A point says up to which entry its digest goes, the id of that entry, and which messages before it were part
 * of the conversation. It is used only if all of that is still so. So a rewind, an undo or an edit of the host needs no
 * cleaning up: the newest point that is still right is found when the digest is needed. A file that is missing, damaged
 * or of another version costs time, nothing else, and so does one that could not be written.
 */
import { asString, isObject, type JsonObject, parseJson } from "../../base/json/json.ts";
import type { Digest } from "../../compaction/digest/digest.ts";
import { readDigestInSteps, writeDigest, writeDigestInSteps } from "../../compaction/digest/saved-digest.ts";
import type { Hasher } from "../../ports/runtime.ts";
import type { DerivedFiles, SessionLog } from "../../ports/session-store.ts";
import { blockText, type Message } from "../../transcript/blocks.ts";
import type { FairTurns } from "../turns/fair-turns.ts";
import type { FoldedFromLog } from "./folded-from-log.ts";

/** Characters folded into a digest after which it is saved. Our choice: folding as many takes some .2 s, saving 30 ms in slices. */
const SAVE_CHARACTERS = 2_000_000;
/** The same when a session is closed. Our choice: folding as many takes some 20 ms, and short sessions leave no file. */
const SAVE_AT_CLOSE_CHARACTERS = 200_000;
/** Points that a session keeps, so that a rewind finds one before it. Our choice: each has up to 4 MB. */
const KEPT_POINTS = 4;
const NAME_PATTERN = /^digest-(\d+)$/;
/** Version of a file's first line; the digest behind it has its own. */
const VERSION = 1;

interface DigestPointsOptions {
  readonly files: DerivedFiles;
  readonly log: Pick<SessionLog, "readFrom">;
  readonly hasher: Hasher;
  readonly turns: FairTurns;
  readonly positionOf: (seq: number) => number | undefined;
  /** Describes which entries up to a number are in the conversation; equal only if the same ones are. */
  readonly lineUpTo: (seq: number) => string;
}

export class DigestPoints {
  readonly #options: DigestPointsOptions;
  #unsavedCharacters = 0;
  #saving: Promise<void> | undefined;

  constructor(options: DigestPointsOptions) {
    this.#options = options;
  }

  /** A message is folded in. */
  count({ content }: Pick<Message, "content">): void {
    for (const block of content) this.#unsavedCharacters += blockText(block).length;
  }

  /** The newest point that is still right. */
  async load(): Promise<{ state: Digest; throughSeq: number; position: number } | undefined> {
    this.#unsavedCharacters = 0;
    try {
      for (const seq of await this.#seqs()) {
        const point = await this.#read(seq);
        if (point !== undefined) return point;
      }
    } catch {
      // What cannot be read is folded from the log.
    }
    return undefined;
  }

  async #read(seq: number): Promise<{ state: Digest; throughSeq: number; position: number } | undefined> {
    const { files, hasher, log, lineUpTo } = this.#options;
    const text = (await files.read(nameOf(seq))) ?? "";
    const headEnd = text.indexOf("\n");
    const head = parseJson(text.slice(0, Math.max(0, headEnd)));
    if (!head.ok || !isObject(head.value)) return undefined;
    const { version, throughSeq, position, line } = head.value;
    if (version !== VERSION || throughSeq !== seq || line !== lineUpTo(seq)) return undefined;
    const body = text.slice(headEnd + 1);
    if (!Number.isSafeInteger(position) || hasher.sha256(body) !== asString(head.value["hash"]))
      return undefined;
    const { entries } = await log.readFrom(position as number, seq);
    const last = entries[0]?.entry;
    if (last?.seq !== seq || last.id !== head.value["id"]) return undefined;
    const state = await this.#inSteps(readDigestInSteps(body));
    return state && { state, throughSeq: seq, position: position as number };
  }

  /** Nothing waits to be folded in: saves the digest if much was added to it. */
  rested(digest: FoldedFromLog<Digest>): void {
    if (this.#saving === undefined) void this.#saveFrom(SAVE_CHARACTERS, digest);
  }

  /** Saves the digest of a session that is being closed. Never throws. */
  saveAtClose(digest: FoldedFromLog<Digest>): Promise<void> {
    return this.#saveFrom(SAVE_AT_CLOSE_CHARACTERS, digest);
  }

  async #saveFrom(fromCharacters: number, digest: FoldedFromLog<Digest>): Promise<void> {
    await this.#saving;
    if (this.#unsavedCharacters < fromCharacters) return;
    const saving = this.#save(digest)
      .catch(() => {
        // A full disk: the log has everything. It is tried again after as much as before.
        this.#unsavedCharacters = 0;
      })
      .finally(() => {
        if (this.#saving === saving) this.#saving = undefined;
      });
    this.#saving = saving;
    await saving;
  }

  async #save(digest: FoldedFromLog<Digest>): Promise<void> {
    const { files, hasher, log, positionOf, lineUpTo } = this.#options;
    const rested = digest.rested;
    const position = rested && positionOf(rested.throughSeq);
    if (rested === undefined || position === undefined) return;
    const { state, throughSeq } = rested;
    const line = lineUpTo(throughSeq);
    const isSame = (): boolean => digest.rested?.state === state && digest.rested.throughSeq === throughSeq;
    const { entries } = await log.readFrom(position, throughSeq);
    const last = entries[0]?.entry;
    if (last?.seq !== throughSeq || !isSame()) return;
    // A session that never rests would never be saved in slices.
    const isOverdue = this.#unsavedCharacters >= 2 * SAVE_CHARACTERS;
    const body = isOverdue ? writeDigest(state) : await this.#inSteps(writeDigestInSteps(state), isSame);
    if (body === undefined || !isSame() || line !== lineUpTo(throughSeq)) return;
    const head: JsonObject = {
      version: VERSION,
      throughSeq,
      id: last.id,
      position,
      line,
      hash: hasher.sha256(body),
    };
    await files.write(nameOf(throughSeq), `${JSON.stringify(head)}\n${body}`);
    this.#unsavedCharacters = 0;
    const seqs = [...(await this.#seqs())];
    while (seqs.length > KEPT_POINTS) {
      const [dropped] = seqs.splice(leastNeeded(seqs, throughSeq), 1);
      await files.remove(nameOf(dropped!));
    }
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

  /** Entries of the points, the newest first. */
  async #seqs(): Promise<readonly number[]> {
    const names = await this.#options.files.list();
    return names.flatMap((name) => Number(NAME_PATTERN.exec(name)?.[1] ?? [])).sort((a, b) => b - a);
  }
}

const nameOf = (seq: number): string => `digest-${seq}`;

/**
 * The point whose neighbours are closest, in relation to how far back they are: a rewind goes back a little more often
 * than far. Points behind the newest one are of what was taken back.
 */
function leastNeeded(seqs: readonly number[], newest: number): number {
  const takenBack = seqs.findIndex((seq) => seq > newest);
  if (takenBack !== -1) return takenBack;
  const costs = seqs.map((_, index) => {
    const [younger, older] = [seqs[index - 1], seqs[index + 1]];
    if (younger === undefined || older === undefined) return Number.POSITIVE_INFINITY;
    return (younger - older) / (newest - older);
  });
  return costs.lastIndexOf(Math.min(...costs));
}
