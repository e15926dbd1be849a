/**
 * Judges a model's proposals for memories by the memories themselves, not by its words.
 *
 * A model sees more than a rule does, and may be wrong or obey a memory's text. So it can move texts, but never make
 * or lose one: repeated facts are merged in the words that they have, of the best founded one. It can put its own
 * words only in place of a model's words, and only words that occur there. In doubt everything stays, with a reason.
 */
import { MEMORY_SAFETY_DEFAULTS } from "../../base/defaults/memory/safety.ts";
import { type Memory, trustOf } from "../files/memory.ts";
import { areApart } from "../files/memory-index.ts";
import { areOfTwoInstances, compareFacts, judgeClaim } from "../subject/same-subject.ts";
import { saysSame } from "../subject/subject-words.ts";
import { gatherEvidence } from "../trust/claim-evidence.ts";
import { cleanMemoryText } from "../trust/clean-memory.ts";
import { sentencesOf, sentenceWords, shareIn } from "../trust/sentences.ts";
import type { FreshMemory } from "../write/plan-remember.ts";
import { timeOf } from "./consolidation-actions.ts";

/** Characters of a memory that was merged by a model. Our choice: no more than a model is shown, so that it sees it again. */
const MERGED_CHARACTERS = 2_000;

/** One thing that a model proposes to do to memories that it was shown. */
export type DreamProposal =
  | {
      /** They say the same in other words, or are better one. */
      readonly kind: "merge";
      readonly paths: readonly string[];
      /** The model's wording. */
      readonly text: string | undefined;
    }
  | {
      /** They cannot both be true now. */
      readonly kind: "supersede";
      readonly newer: string;
      readonly older: string;
    };

/** A fact that a model found in conversations, with its judged source. */
export interface ClaimedFact extends FreshMemory {
  readonly why: string;
  /** The memory that it says it corrects, as that was then. */
  readonly replaces: { readonly path: string; readonly body: string } | undefined;
}

/** Proposals of a model; each is judged before anything happens. */
export interface DreamClaims {
  readonly facts: readonly ClaimedFact[];
  readonly proposals: readonly DreamProposal[];
  /** Texts of the memories that it was shown, by path. It may name only these, and only while they are unchanged. */
  readonly shown: ReadonlyMap<string, string>;
}

/** An accepted proposal, or the reason for refusing it. */
export type Judged<Value> =
  | { readonly isAllowed: true; readonly value: Value }
  | { readonly isAllowed: false; readonly why: string };

const APART = "They are in separate folders.";
const { readingShare, carriedShare } = MEMORY_SAFETY_DEFAULTS;

/** The best founded first, what a person may have written before what a model concluded, then the newest. */
export function byFoundation(one: Memory, other: Memory): number {
  return (
    trustOf(other) - trustOf(one) ||
    Number(isModels(one)) - Number(isModels(other)) ||
    timeOf(other) - timeOf(one) ||
    (one.path < other.path ? -1 : 1)
  );
}

/** True if two texts share a third of the shorter one's words. */
export function isRelated(one: string, other: string): boolean {
  const [fewer, more] = [sentenceWords(one).words, sentenceWords(other).words].toSorted(
    (a, b) => a.size - b.size,
  );
  return shareIn(fewer!, more!) >= readingShare;
}

/** Judges whether a newer memory may supersede an older one because a model says that they contradict each other. */
export function judgeSupersede(newer: Memory, older: Memory): Judged<undefined> {
  if (areApart(newer.path, older.path)) return refused(APART);
  if (newer.path === older.path) return refused("A memory does not contradict itself.");
  if (timeOf(newer) <= timeOf(older)) return refused("What it takes for the newer one is not newer.");
  if (trustOf(newer) < trustOf(older)) return refused("The older one is better founded.");
  if (!isRelated(newer.body, older.body)) return refused("The two have hardly a word in common.");
  if (areOfTwoInstances(newer.body, older.body))
    return refused("They are about two instances of one kind: both hold.");
  if (judgeClaim(newer.body, older.body) !== "corrects")
    return refused("The newer one does not say that something has changed: both stay.");
  return { isAllowed: true, value: undefined };
}

/**
 * The text that merging begins with: the model's own where it says nothing that the memories do not, and only
 * models' words stand there; else that of the first memory.
 */
export function judgeMergedText(memories: readonly Memory[], text: string | undefined): Judged<string> {
  const [kept] = memories;
  if (text === undefined) return { isAllowed: true, value: kept!.body };
  const bodies = memories.map(({ body }) => body);
  if (text.length > MERGED_CHARACTERS) return refused("The text is too long for one memory.");
  if (
    cleanMemoryText(text, "body").changes.length > 0 ||
    !sentencesOf(text).every((one) => isStated(one, bodies, 1))
  )
    return refused("The text says what none of the memories says.");
  const isRewordable = memories.every(isModels) && isCarried(kept!, text);
  return { isAllowed: true, value: isRewordable ? text : kept!.body };
}

/**
 * The text of the memory that stays when another one goes into it. What that one says is there afterwards, in its
 * own words where a person may have said it.
 */
export function judgeMerge(
  { kept, text }: { readonly kept: Memory; readonly text: string },
  gone: Memory,
): Judged<string> {
  if (areApart(kept.path, gone.path)) return refused(APART);
  if (!isRelated(kept.body, gone.body)) return refused("They have hardly a word in common.");
  if (compareFacts(kept.body, gone.body) === "corrects" || compareFacts(gone.body, kept.body) === "corrects")
    return refused("One of them denies what the other says.");
  if (isCarried(gone, text)) return { isAllowed: true, value: text };
  if (gone.source !== kept.source || trustOf(gone) !== trustOf(kept))
    return refused("They are founded otherwise, and each says more than the other.");
  const joined = `${text}\n\n${gone.body}`;
  if (joined.length > MERGED_CHARACTERS) return refused("Together they are too long for one.");
  if (cleanMemoryText(joined, "body").text !== joined)
    return refused("Together they would have to be changed.");
  return { isAllowed: true, value: joined };
}

/** True if a text loses nothing of a memory: it has a person's sentences, and says a model's. */
function isCarried(memory: Memory, text: string): boolean {
  const sentences = sentencesOf(text);
  return sentencesOf(memory.body).every(
    (sentence) =>
      sentences.some((other) => saysSame(sentence, other)) ||
      (isModels(memory) && isStated(sentence, sentences, carriedShare)),
  );
}

/** A model's conclusion that no person confirmed. */
function isModels({ source, isConfirmed }: Memory): boolean {
  return source === "agent" && !isConfirmed;
}

/**
 * True if one of some texts says a sentence: with enough of its words, with its numbers and addresses, and not the
 * opposite.
 */
function isStated(sentence: string, texts: readonly string[], share: number): boolean {
  const pieces = texts.map((text, turn) => ({ id: "", source: "user", text, turn }) as const);
  const [found] = gatherEvidence([sentence], pieces);
  const { claimWords: claim, best, isTurned, hasForeignAddress } = found!;
  const known = sentenceWords(texts.join("\n")).words;
  const hasNumbers = [...claim.words].every((word) => !/\d/.test(word) || known.has(word));
  return best.user >= share && hasNumbers && !isTurned && !hasForeignAddress;
}

function refused(why: string): { readonly isAllowed: false; readonly why: string } {
  return { isAllowed: false, why };
}
