/**
 * Checks on a session that was closed and opened again: are its windows still the same, and is
 * everything that was said still there?
 */
import { type ContentBlock, type Message, PalimpsestError, type Session } from "palimpsest";
import { formatPointer } from "palimpsest/compaction";
import { COMPACTION_DEFAULTS, type EventLoopYielder } from "palimpsest/internal";
import { blockText } from "palimpsest/transcript";
import { hashWindow, type TrackedCall } from "./session-track.ts";

/** Windows that are built again, of those right after an edit and of all: about a second. */
const REBUILT_COUNT = 16;
/** Makes the choice of windows repeatable. */
const SEED = 20_240_229;

export interface RebuildResult {
  readonly checked: number;
  readonly different: number;
  /** The calls that came out different, counted from 1. */
  readonly differentCalls: readonly number[];
}

export interface LosslessResult {
  readonly blocks: number;
  readonly recovered: number;
  /** Pointers of blocks that could not be read back as they were. */
  readonly lost: readonly string[];
}

/** Builds windows again from the stored log: some after edits, some at random, and the last. */
export async function checkRebuild(
  session: Session,
  calls: readonly TrackedCall[],
  yielder: EventLoopYielder,
): Promise<RebuildResult> {
  const chosen = chooseCalls(calls);
  const differentCalls: number[] = [];
  for (const index of chosen) {
    await yielder.take();
    const call = calls[index]!;
    if (hashWindow(await session.windowAt(call.seq)) !== call.windowHash) differentCalls.push(index + 1);
  }
  return { checked: chosen.length, different: differentCalls.length, differentCalls };
}

/** Reads every block back page by page, as the agent would, and whole; both must be what was said. */
export async function checkLossless(
  session: Session,
  originals: ReadonlyMap<number, Message>,
  yielder: EventLoopYielder,
): Promise<LosslessResult> {
  let blocks = 0;
  const lost: string[] = [];
  for (const [seq, message] of originals) {
    for (const [index, block] of message.content.entries()) {
      await yielder.take();
      blocks++;
      const pointer = formatPointer({ seq, block: index });
      if (!(await isReadable(session, pointer, block))) lost.push(pointer);
    }
  }
  return { blocks, recovered: blocks - lost.length, lost };
}

async function isReadable(session: Session, pointer: string, original: ContentBlock): Promise<boolean> {
  try {
    const whole = await session.history.block(pointer);
    if (JSON.stringify(whole) !== JSON.stringify(original)) return false;
    return (await readAllPages(session, pointer)) === blockText(original);
  } catch (error) {
    // What cannot be read is lost, which is what is counted here; anything else is not ours to swallow.
    if (error instanceof PalimpsestError) return false;
    throw error;
  }
}

async function readAllPages(session: Session, pointer: string): Promise<string> {
  const pages: string[] = [];
  let offset: number | undefined = 0;
  while (offset !== undefined) {
    const page = await session.history.read(pointer, {
      offset,
      limit: COMPACTION_DEFAULTS.pageCharactersMax,
    });
    pages.push(page.text);
    offset = page.nextOffset;
  }
  return pages.join("");
}

/** Indexes in rising order, without repetition. */
function chooseCalls(calls: readonly TrackedCall[]): readonly number[] {
  const random = randomNumbers(SEED);
  const pick = (from: readonly number[], count: number): readonly number[] =>
    from.length <= count
      ? from
      : Array.from({ length: count }, () => from[Math.floor(random() * from.length)]!);
  const all = calls.map((_, index) => index);
  const edited = all.filter((index) => calls[index]!.marks.length > 0);
  const chosen = new Set([...pick(edited, REBUILT_COUNT), ...pick(all, REBUILT_COUNT), ...all.slice(-1)]);
  return [...chosen].sort((left, right) => left - right);
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
