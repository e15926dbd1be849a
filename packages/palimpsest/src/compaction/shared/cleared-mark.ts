/**
 * The mark of a cleared result: how its text starts, and how it is recognised.
 */
import type { VisibleBlock } from "../../transcript/window.ts";

/** How every cleared result starts. */
export const CLEARED_PREFIX = "[Old tool result content cleared";

/** Only a form that an edit gave can be a brief: a tool that prints one is not spared by it. */
export function isCleared({ block, form }: VisibleBlock): boolean {
  return (
    form === "edited" &&
    block.type === "tool_result" &&
    typeof block.content === "string" &&
    block.content.startsWith(CLEARED_PREFIX)
  );
}
