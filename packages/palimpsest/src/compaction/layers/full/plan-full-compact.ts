/**
 * Full compact: what a model wrote stands for everything before the kept tail.
 *
 * The call is the engine's; here its answer becomes an edit, or is refused: a summary that is not smaller
 * than what it replaces, that would miss the target size, or that tells nothing of messages it would hide.
 */

import { blockText } from "../../../transcript/blocks.ts";
import type { LayerEdit } from "../../../transcript/edits.ts";
import { learnSecrets } from "../../../transcript/without-secrets.ts";
import type { Digest } from "../../digest/digest.ts";
import { findLiterals } from "../../literals/literals.ts";
import {
  type CompactionInput,
  type CompactionShape,
  type PartialSpan,
  planCompaction,
  planPartialCompaction,
  type SummaryComposer,
} from "../../summary/plan-compaction.ts";
import { findVerified } from "../../summary/unverified.ts";
import type { WrittenSummary } from "../../summary/written-summary.ts";
import { composeFullSummary } from "./full-summary.ts";

/** Sizes of a full compaction. `fullCompactPolicy` makes those of a window of a given size. */
export interface FullCompactPolicy extends CompactionShape {
  /** The user's own words, verbatim. */
  readonly userWordsTokens: number;
  /** Strings that are likely to be needed to the letter. */
  readonly appendixTokens: number;
}

interface FullCompactInput extends CompactionInput {
  readonly policy: FullCompactPolicy;
  readonly digest: Digest;
  readonly written: WrittenSummary;
  /** One side of a pivot only. */
  readonly span?: PartialSpan | undefined;
}

/** Plans the compaction, or returns `undefined` where the summary cannot stand for the messages. */
export function planFullCompact(input: FullCompactInput): LayerEdit | undefined {
  const { digest, policy, measure, span } = input;
  const written = { ...input.written, text: redactWritten(input) };
  const writer: SummaryComposer = {
    kind: "full",
    compose: (budget) =>
      composeFullSummary({ written, digest, isInLog: logLookup(input), ...policy }, budget, measure),
  };
  const limited = { ...input, throughSeq: written.throughSeq };
  const edit =
    span === undefined ? planCompaction(limited, writer) : planPartialCompaction(limited, span, writer);
  if (edit?.kind !== "full") return edit;
  const { model, usage } = written;
  return { ...edit, writtenBy: { model, usage } };
}

/** A model repeats keys of the window, whole, cut or without their prefix. */
function redactWritten({ written, digest, visible }: FullCompactInput): string {
  learnSecrets(
    visible.flatMap(({ blocks }) => blocks.map(({ block }) => block)),
    digest.secrets,
  );
  return digest.secrets.redact(written.text).text;
}

/**
 * Whether a string stands in the log: in the digest's ledger, or in what the window showed. What an earlier
 * summary told counts as far as that one found it there.
 */
function logLookup({ digest, visible }: FullCompactInput): (literal: string) => boolean {
  const textsOf = (isSummary: boolean): readonly string[] =>
    visible
      .filter(({ origin }) => (origin === "summary") === isSummary)
      .flatMap(({ blocks }) => blocks.map(({ block }) => blockText(block)));
  const texts = textsOf(false);
  const shown = new Set(texts.flatMap((text) => findLiterals(text)));
  const visibleLiterals = new Set(textsOf(true).flatMap((text) => [...findVerified(text)]));
  return (literal) =>
    digest.literals.records.has(literal) ||
    shown.has(literal) ||
    visibleLiterals.has(literal) ||
    texts.some((text) => text.includes(literal)) ||
    digest.userWords.some(({ text }) => text.includes(literal));
}
