/**
 * Which literals can be read in a window, so that what is cleared leaves behind only what can be
 * read nowhere else.
 */
import { blockText } from "../transcript/blocks.ts";
import type { VisibleBlock, VisibleMessage } from "../transcript/window.ts";
import { findLiterals } from "./literals.ts";

export interface LiteralScope {
  isVisible(literal: string): boolean;
  /** From now on the literal counts as visible. */
  show(literal: string): void;
}

/** Literals of all blocks that `isKept`. */
export function findLiteralsOf(
  visible: readonly VisibleMessage[],
  isKept: (shown: VisibleBlock) => boolean,
): LiteralScope {
  const literals = new Set<string>();
  for (const message of visible)
    for (const shown of message.blocks)
      if (isKept(shown)) for (const literal of findLiterals(blockText(shown.block))) literals.add(literal);
  return {
    isVisible: (literal) => literals.has(literal),
    show: (literal) => void literals.add(literal),
  };
}
