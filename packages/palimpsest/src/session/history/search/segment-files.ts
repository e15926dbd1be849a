/**
 * The files of a session's search segments: written when there is a new one, merged, checked when they are read.
 *
 * DESIGN. A file is named after the entries that it covers, and never changes. A segment belongs to the log if the log
 * has its last entry, with the same id, at the same place: a log only grows. Those in use follow each other from the
 * first entry on. A merged segment is written before those that it replaces are removed, and of two that begin with the
 * same entry the longer one counts. So a process may be killed anywhere: entries without a segment are indexed from the log.
 */
import type { Steps } from "../../../base/steps.ts";
import type { DerivedFiles, SessionLog } from "../../../ports/session-store.ts";
import type { Entry } from "../../../transcript/entries.ts";
import type { FairTurns } from "../../turns/fair-turns.ts";
import {
  type LoadedSegment,
  mergeSegments,
  readBlocks,
  readHead,
  type Segment,
  type SegmentBlocks,
  TERMS_FROM,
  type WholeSegment,
  writeSegment,
} from "./history-segment.ts";
import type { SegmentedHistory } from "./segmented-history.ts";

/** Characters of a segment that is not merged any further. Our choice: merging takes as much memory as half of them. */
const MERGED_CHARACTERS = 64_000_000;
/** The same when a session is closed, which waits for it. Our choice: some 50 ms. */
const MERGED_AT_CLOSE_CHARACTERS = 4_000_000;
/** A segment is merged with those behind it if it has at most so many times their characters. Our choice: segments of the same kind differ a little. */
const MERGED_SHARE = 1.5;
/** Characters behind the last segment that are written at closing. Our choice: indexing as many takes some 30 ms. */
const SEALED_AT_CLOSE_CHARACTERS = 300_000;
const NAME_PATTERN = /^segment-(\d+)-(\d+)$/;

const nameOf = ({ from, to }: Segment["head"]): string => `segment-${from}-${to}`;

interface SegmentFilesOptions {
  readonly files: DerivedFiles;
  readonly log: Pick<SessionLog, "find" | "readFrom">;
  readonly turns: FairTurns;
  /** True if some entries of the log cannot be read: no segments are written then. */
  readonly hasLoss: () => boolean;
}

export class SegmentFiles {
  readonly #options: SegmentFilesOptions;
  #saving: Promise<void> = Promise.resolve();
  #isClosing = false;
  /** Times that a part in use was gone or damaged. */
  #failures = 0;

  constructor(options: SegmentFilesOptions) {
    this.#options = options;
  }

  /** The segments that belong to the log, from its first entry on. Never throws. */
  async load(): Promise<readonly Segment[]> {
    const { files, hasLoss, turns } = this.#options;
    const found: Segment[] = [];
    if (files.readPart === undefined || this.#failures > 0 || hasLoss()) return found;
    try {
      const names = await files.list();
      for (;;) {
        const next = await this.#read(followingName(names, (found.at(-1)?.head.to ?? 0) + 1));
        if (next === undefined) return found;
        found.push(next);
        const turn = turns.take();
        if (turn !== undefined) await turn;
      }
    } catch {
      // What cannot be read is indexed from the log.
      return found;
    }
  }

  /** A part is gone or damaged: the next segments are made from the log. If that happens again, they stay in memory. */
  distrust(): void {
    this.#failures++;
  }

  async #read(name: string | undefined): Promise<Segment | undefined> {
    const { files } = this.#options;
    const head = name === undefined ? undefined : readHead(await files.readPart!(name, 0));
    if (head === undefined || nameOf(head) !== name || (await this.#idAt(head)) !== head.id) return undefined;
    const blocks = readBlocks(head, await files.readPart!(name, 1));
    return blocks && this.#inFile(head, blocks);
  }

  #inFile(head: Segment["head"], blocks: SegmentBlocks): Segment {
    const { files } = this.#options;
    const name = nameOf(head);
    const part: Segment["part"] = async (index) => {
      try {
        return await files.readPart!(name, TERMS_FROM + index);
      } catch {
        // The disk cannot read it: the log has everything.
        return undefined;
      }
    };
    return { head, blocks, part };
  }

  async #idAt({ position, to }: Segment["head"]): Promise<string | undefined> {
    if (position === 0) return undefined;
    return (await findEntryAt(this.#options.log, { seq: to, position }))?.id;
  }

  /** Writes the segments in memory to files, one after the other. Never throws: they stay in memory then. */
  save(history: SegmentedHistory, mostMerged = MERGED_CHARACTERS): Promise<void> {
    this.#saving = this.#saving
      .then(() => this.#save(history, mostMerged))
      .catch(() => {
        // A full disk: the log has everything. It is tried again with the next segment.
      });
    return this.#saving;
  }

  /** Closing a session: makes a segment of the messages behind the last one, if they are long, and writes it. Never throws. */
  async saveAtClose(history: SegmentedHistory): Promise<void> {
    this.#isClosing = true;
    if (history.tailCharacters >= SEALED_AT_CLOSE_CHARACTERS) await this.#options.turns.run(history.seal());
    await this.save(history, MERGED_AT_CLOSE_CHARACTERS);
  }

  async #save(history: SegmentedHistory, mostMerged: number): Promise<void> {
    const { files, hasLoss } = this.#options;
    if (files.writeParts === undefined || this.#failures > 1) return;
    for (;;) {
      // All that wait at once: while a long log is read, segments are made faster than they are written.
      const newest = history.segments.findLast(isInMemory);
      if (newest === undefined) return this.#removeOthers(history);
      if (hasLoss()) return;
      const known = history.segments.slice(0, history.segments.indexOf(newest) + 1);
      const wanted = mergedWith(known, mostMerged);
      const loaded = wanted.length > 1 ? await this.#load(wanted) : undefined;
      // Beside one that the disk cannot read, the newest stands alone.
      const run = loaded === undefined ? [newest] : wanted;
      const whole = loaded === undefined ? newest : await this.#inSteps(mergeSegments(loaded), mostMerged);
      const id = whole && (await this.#idAt(whole.head));
      if (whole === undefined || id === undefined) return;
      await files.writeParts(nameOf(whole.head), writeSegment(whole, id));
      history.replace(run, this.#inFile({ ...whole.head, id }, whole.blocks));
      // At once: a long log that is read for the first time writes many.
      if (run.length > 1) await this.#removeOthers(history);
    }
  }

  /** All parts of the segments; `undefined` if one of them cannot be read. */
  async #load(run: readonly Segment[]): Promise<readonly LoadedSegment[] | undefined> {
    const loaded: LoadedSegment[] = [];
    for (const segment of run) {
      const parts: Uint8Array[] = [];
      for (let index = 0; index < 2 * segment.head.firstTerms.length; index++) {
        const part = await segment.part(index);
        if (part === undefined) return undefined;
        parts.push(part);
        const turn = this.#options.turns.take();
        if (turn !== undefined) await turn;
      }
      loaded.push({ ...segment, parts });
    }
    return loaded;
  }

  /** Runs the steps with turns for others; `undefined` if a session is closed that would wait for too many. */
  async #inSteps<Result>(steps: Steps<Result>, mostMerged: number): Promise<Result | undefined> {
    for (;;) {
      const turn = this.#options.turns.take();
      if (turn !== undefined) await turn;
      if (this.#isClosing && mostMerged > MERGED_AT_CLOSE_CHARACTERS) return undefined;
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  }

  /** Removes the files that are not in use: replaced by a merged one, left by a killed process, or not of this log. */
  async #removeOthers({ segments }: SegmentedHistory): Promise<void> {
    const { files } = this.#options;
    const used = new Set(segments.map(({ head }) => nameOf(head)));
    for (const name of await files.list())
      if (NAME_PATTERN.test(name) && !used.has(name)) await files.remove(name);
  }
}

/**
 * Entry `seq` if it begins at `position`, for a place that a derived file names. It may be one of another log: a backup
 * that was restored, for instance. So a log that finds entries by number is not read from there, where the rest of a line
 * would be reported as damage.
 */
export async function findEntryAt(
  log: Pick<SessionLog, "find" | "readFrom">,
  { seq, position }: { readonly seq: number; readonly position: number },
): Promise<Entry | undefined> {
  const found = log.find === undefined ? (await log.readFrom(position, seq)).entries[0] : await log.find(seq);
  return found?.position === position && found.entry.seq === seq ? found.entry : undefined;
}

const isInMemory = (segment: Segment): segment is WholeSegment => "blocksPart" in segment;

/** The longest segment that begins with an entry. */
function followingName(names: readonly string[], from: number): string | undefined {
  let longest: { readonly name: string; readonly to: number } | undefined;
  for (const name of names) {
    const [, first, last] = NAME_PATTERN.exec(name) ?? [];
    if (Number(first) !== from || Number(last) <= (longest?.to ?? from - 1)) continue;
    longest = { name, to: Number(last) };
  }
  return longest?.name;
}

/** The last segment, with those before it that are not much larger than all behind them: so their number stays small. */
function mergedWith(segments: readonly Segment[], mostMerged: number): readonly Segment[] {
  let from = segments.length - 1;
  let characters = segments[from]!.head.characters;
  while (from > 0) {
    const before = segments[from - 1]!.head.characters;
    if (before > MERGED_SHARE * characters || before + characters > mostMerged) break;
    characters += before;
    from--;
  }
  return segments.slice(from);
}
