/**
 * A digest as parts of bytes: its facts as text, its best strings, and its words as what differs from others.
 *
 * Most of a digest are strings and bits. As bytes they are read in a tenth of the time that a text of them takes.
 */
import type { Steps } from "../../base/steps.ts";
import { findBestRows } from "../literals/literal-ledger.ts";
import type { LogWords } from "../literals/log-words.ts";
import { readLiteralsInSteps, writeLiteralsInSteps } from "../literals/saved-literals.ts";
import { readWordsParts, wordsPartsInSteps } from "../literals/saved-words.ts";
import type { Digest } from "./digest.ts";
import { readDigestInSteps, SAVED_DIGEST_LITERAL_COUNT, writeFactsInSteps } from "./saved-digest.ts";

const LINE_END = 10;

/** The parts, in steps of some milliseconds. The digest must not change between them. `baseWords`: most of them are the digest's. */
export function* digestPartsInSteps(digest: Digest, baseWords: LogWords): Steps<readonly Uint8Array[]> {
  const { rows } = yield* findBestRows(digest.literals, SAVED_DIGEST_LITERAL_COUNT);
  yield;
  const literals = yield* writeLiteralsInSteps(digest.literals.records, rows);
  const words = yield* wordsPartsInSteps(digest.words, baseWords);
  const facts = new TextEncoder().encode(yield* writeFactsInSteps(digest));
  yield;
  return [facts, literals, ...words];
}

/** The digest that was written with the same words; `undefined` where the parts are not of this version. */
export function* readDigestParts(
  [facts, strings, ...rest]: readonly Uint8Array[],
  baseWords: LogWords,
): Steps<Digest | undefined> {
  if (facts === undefined || strings === undefined || rest.length === 0) return undefined;
  const literals = yield* readLiteralsInSteps(strings);
  const words = yield* readWordsParts(rest, baseWords);
  if (literals === undefined || words === undefined) return undefined;
  return yield* readDigestInSteps(linesOf(facts), { literals, words });
}

/** The lines of a text, each of which is decoded when it is needed. */
function* linesOf(bytes: Uint8Array): Generator<string> {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for (let from = 0; from <= bytes.length; ) {
    const found = bytes.indexOf(LINE_END, from);
    const end = found === -1 ? bytes.length : found;
    yield decoder.decode(bytes.subarray(from, end));
    from = end + 1;
  }
}
