/**
 * One thing that a provider says when a call fails, and what it means: the rows of the tables
 * `too-long-rows.ts` and `other-failure-rows.ts`, from which `docs/reference/model-failures.md` is written.
 *
 * A pattern is linear on any text: gaps are bounded, and no repetition stands in another. Its named
 * groups are the numbers that are read; digits may be grouped by commas.
 */
import type { ModelFailureKind } from "../../ports/model-failure.ts";

/** Names of the groups that are read as numbers; `more` is added to `prompt`. @internal */
export const FIGURE_GROUPS = ["prompt", "more", "limit", "output", "bytes", "limitBytes"] as const;

/** @internal */
export interface FailureRow {
  /** Who says it. */
  readonly vendor: string;
  readonly kind: ModelFailureKind;
  /** What is looked for in texts. */
  readonly pattern?: RegExp;
  /** Codes, types or names of errors that say the same. */
  readonly codes?: readonly string[];
  /** As it was seen; identifiers are replaced. */
  readonly sample: string;
  /** A signature of reasoning does not fit the history. */
  readonly isThinkingBinding?: true;
}

/** What a row found. @internal */
export interface FoundRow {
  readonly row: FailureRow;
  /** The text that the pattern was found in. */
  readonly text?: string;
  readonly groups: Readonly<Record<string, string | undefined>>;
}

/** The first row that one of the texts or codes fits, in the order of the rows. @internal */
export function findRow(
  rows: readonly FailureRow[],
  { texts, codes }: { readonly texts: readonly string[]; readonly codes: readonly string[] },
): FoundRow | undefined {
  for (const row of rows) {
    for (const text of texts) {
      const match = row.pattern?.exec(text) ?? undefined;
      if (match !== undefined) return { row, text, groups: match.groups ?? {} };
    }
    if (row.codes?.some((code) => codes.includes(code)) === true) return { row, groups: {} };
  }
  return undefined;
}
