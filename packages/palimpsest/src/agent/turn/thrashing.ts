/**
 * The end of a turn whose compactions do not help any more, in words that a person understands.
 */

import { FULL_COMPACT_DEFAULTS } from "../../base/defaults/compaction/full-compact.ts";
import { ENGINE_DEFAULTS } from "../../base/defaults/engine.ts";
import { CompactionError } from "../../base/errors.ts";
import { formatThousands } from "../../compaction/preview/preview.ts";
import { internalsOf, type Session } from "../../session/session.ts";
import { estimateVisibleMessage } from "../../tokens/estimate/estimate-block.ts";
import type { VisibleMessage } from "../../transcript/window.ts";

/** @throws `COMPACTION_THRASHING` where the last compactions were of no use, once for as many. */
export function checkThrashing(session: Session): void {
  const { watch } = internalsOf(session).builder;
  if (!watch.endsTurn) return;
  watch.endedTurn();
  throw thrashing(
    session,
    `The last ${ENGINE_DEFAULTS.uselessCompactions} compactions were of no use: they freed little, or the window was full again ` +
      `within ${FULL_COMPACT_DEFAULTS.refillCallsCount} calls.`,
  );
}

/** The error of a model that does over and over what the window is too small for. */
export function repeating(session: Session): CompactionError {
  return thrashing(
    session,
    `After each of the last ${ENGINE_DEFAULTS.uselessCompactions} compactions the model did again what it had done before, and nothing else.`,
  );
}

function thrashing(session: Session, what: string): CompactionError {
  const { fixed, total } = session.tokens;
  const { windowTokens } = internalsOf(session).builder.budget();
  const largest = largestTool(session.visible);
  const filledBy = [
    `system prompt and tools ${formatThousands(fixed)}`,
    `messages ${formatThousands(Math.max(0, total - fixed))}`,
    ...(largest === undefined
      ? []
      : [`of these, results of ${largest.name} ${formatThousands(largest.tokens)}`]),
  ].join(", ");
  return new CompactionError("COMPACTION_THRASHING", {
    message: `${what} The window of ${formatThousands(windowTokens)} tokens holds ${filledBy}.`,
    hint: "Nothing is lost, and the next turn goes on. Read less at a time, shorten system prompt and tools, or take a model with a larger window.",
  });
}

/** The tool whose results take most of the window. */
function largestTool(
  visible: readonly VisibleMessage[],
): { readonly name: string; readonly tokens: number } | undefined {
  const nameOf = new Map<string, string>();
  const sums = new Map<string, number>();
  for (const message of visible)
    for (const shown of message.blocks) {
      const { block } = shown;
      if (block.type === "tool_use") nameOf.set(block.id, block.name);
      if (block.type !== "tool_result") continue;
      const name = nameOf.get(block.tool_use_id) ?? "a tool";
      const tokens = estimateVisibleMessage({ ...message, blocks: [shown] });
      sums.set(name, (sums.get(name) ?? 0) + tokens);
    }
  const [first] = [...sums].sort(([, one], [, other]) => other - one);
  return first === undefined ? undefined : { name: first[0], tokens: Math.round(first[1]) };
}
