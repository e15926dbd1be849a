/** The result of `palimpsest compact`, in one sentence. */
import { formatTokens } from "./figures.ts";

/** The sentence; `writtenBy` is the model that wrote the summary, absent for one from the log. */
export function compactedWords({
  freedTokens,
  writtenBy,
}: {
  readonly freedTokens: number;
  readonly writtenBy?: string | undefined;
}): string {
  const by = writtenBy === undefined ? "made from the log" : `written by ${writtenBy}`;
  return `Compacted: ${formatTokens(freedTokens)} tokens less, the summary was ${by}.`;
}
