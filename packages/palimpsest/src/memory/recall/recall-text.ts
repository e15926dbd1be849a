/**
 * The text of a recall, within its tokens: whole memories while there is room, then beginnings.
 */
import { MEMORY_RECALL_DEFAULTS } from "../../base/defaults/memory/recall.ts";
import { cutHead } from "../../base/text/text.ts";
import { estimateText } from "../../tokens/estimate/character-automaton.ts";
import type { Memory } from "../files/memory.ts";
import { fenceMemories } from "../trust/fence.ts";

interface ShownMemory {
  readonly memory: Memory;
  /** The shown part. */
  readonly text: string;
  /** Only its beginning is shown. */
  readonly isCut: boolean;
}

interface RecallText {
  /** Ready for a prompt, fenced as data; empty where nothing is shown. */
  readonly text: string;
  readonly tokens: number;
  readonly shown: readonly ShownMemory[];
}

interface RecallLimits {
  readonly nowMs: number;
  readonly budgetTokens: number;
}

/** The memories in their order, as far as `budgetTokens` allow. */
export function composeRecall(
  memories: readonly Memory[],
  { nowMs, budgetTokens }: RecallLimits,
): RecallText {
  const { leastItemTokens } = MEMORY_RECALL_DEFAULTS;
  let shown: readonly ShownMemory[] = [];
  for (const [index, memory] of memories.entries()) {
    // Those behind it are to find room for their beginnings, too.
    const reserved = Math.min(budgetTokens / 2, leastItemTokens * (memories.length - 1 - index));
    const fitting = asMuchAsFits(
      memory,
      (piece) => measure([...shown, piece], nowMs) <= budgetTokens - reserved,
    );
    if (fitting !== undefined) shown = [...shown, fitting];
  }
  const text = fenceMemories(shown, { nowMs });
  return { text, tokens: measure(shown, nowMs), shown };
}

/** The whole memory, or as much of its beginning as fits; `undefined` where nothing does. */
function asMuchAsFits(memory: Memory, fits: (piece: ShownMemory) => boolean): ShownMemory | undefined {
  const whole = { memory, text: memory.body, isCut: false };
  if (fits(whole)) return whole;
  // Cleaning and quoting may lengthen a text, so it is tried rather than reckoned.
  for (
    let characters = MOST_CHARACTERS;
    characters >= LEAST_CHARACTERS;
    characters = Math.floor(characters * STEP)
  ) {
    if (characters >= memory.body.length) continue;
    const head = cutHead(memory.body, characters).trimEnd();
    const piece = { memory, text: `${head}\n[cut: the whole is in ${memory.path}]`, isCut: true };
    if (fits(piece)) return piece;
  }
  return undefined;
}

/** A beginning that says less than this says nothing. */
const LEAST_CHARACTERS = 80;
const MOST_CHARACTERS = 40_000;
const STEP = 0.8;

function measure(pieces: readonly ShownMemory[], nowMs: number): number {
  return Math.ceil(estimateText(fenceMemories(pieces, { nowMs })));
}
