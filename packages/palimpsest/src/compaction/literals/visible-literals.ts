/**
 * Which literals can be read in a window, so that what is cleared leaves behind only what can be
 * read nowhere else.
 */
import { blockText } from "../../transcript/blocks.ts";
import type { VisibleBlock, VisibleMessage } from "../../transcript/window.ts";
import { findLiterals } from "./literals.ts";

export interface LiteralScope {
  isVisible(literal: string): boolean;
  /** From now on the literal counts as visible. */
  show(literal: string): void;
}

/**
 * By the block as it is shown: it never changes, and it is looked at in every pass until it leaves the
 * window, which is when this forgets it.
 */
const known = new WeakMap<VisibleBlock, readonly string[]>();

/** The distinct literals of a block as it is shown. */
function literalsOfShown(shown: VisibleBlock): readonly string[] {
  const before = known.get(shown);
  if (before !== undefined) return before;
  const literals = findLiterals(blockText(shown.block));
  known.set(shown, literals);
  return literals;
}

/** Literals of all blocks that `isKept`. */
export function findLiteralsOf(
  visible: readonly VisibleMessage[],
  isKept: (shown: VisibleBlock) => boolean,
): LiteralScope {
  const literals = new Set<string>();
  for (const message of visible)
    for (const shown of message.blocks)
      if (isKept(shown)) for (const literal of literalsOfShown(shown)) literals.add(literal);
  return {
    isVisible: (literal) => literals.has(literal),
    show: (literal) => void literals.add(literal),
  };
}
