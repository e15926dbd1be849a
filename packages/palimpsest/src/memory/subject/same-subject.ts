/**
 * Compares a new fact with an old one, without a model: it repeats it, corrects it, or is another one.
 *
 * A corrected fact is not recalled any longer, so a mistake here loses a fact. A correction must be visible in the
 * words: the same fact denied, the old value denied by name, or the same words except one value behind a relation
 * with a single value (`lives in`, `is on port`). Liking tea says nothing against coffee, and a past event stays
 * true. In doubt it is another fact; the ranking still prefers the newer one.
 */

import { OTHER_FORMS } from "../../base/search/english-words.ts";
import { saysChange } from "./change-signs.ts";
import { areParallel, factTokens, lacksMoreWords } from "./fact-frame.ts";
import { areOfOneAttribute, areOfTwoNames, isAdded, isLikelyChange, mayChange } from "./likely-change.ts";
import { areOfOtherOwners } from "./owners.ts";
import { statedChange } from "./stated-change.ts";
import {
  ADVERBS,
  areOfOtherPersons,
  BE,
  COMPARED_CHARACTERS,
  NOT,
  type SubjectWord,
  saysSame,
  subjectWords,
  VALUE_WORDS_COUNT,
  withoutTurns,
} from "./subject-words.ts";

/** Words that two facts share at the least before one denies the other. Our choice: a subject, and what is said of it. */
const LEAST_SHARED_COUNT = 2;
/** Words of a value that is replaced, at the most. Our choice: fewer than `VALUE_WORDS_COUNT`, because a corrected fact is not recalled. */
const REPLACED_WORDS_COUNT = 4;

/** `revises`: it likely corrects it; both are shown, the newer one first. */
export type FactRelation = "repeats" | "corrects" | "revises" | "other";

/** Compares what two texts say. */
export function compareFacts(fresh: string, known: string): FactRelation {
  return compareStatements(withoutTurns(fresh), withoutTurns(known));
}

/**
 * Judges a claim, for example of a model, that a new fact corrects an older one. It corrects it where its words say so or
 * likely do; where nothing speaks against the claim it revises it; and where the two are of two instances or persons, or
 * it is a plan or of the past, neither.
 */
export function judgeClaim(fresh: string, known: string): Exclude<FactRelation, "repeats"> {
  if (areOfTwoInstances(fresh, known)) return "other";
  const relation = compareFacts(fresh, known);
  if (relation === "corrects") return relation;
  if (!mayChange(fresh, known)) return relation === "revises" ? relation : "other";
  const isFounded =
    relation === "revises"
      ? !areOfTwoNames(fresh, known) && !isAdded(fresh)
      : areOfOneAttribute(fresh, known);
  return isFounded ? "corrects" : "revises";
}

/**
 * True if `judgeClaim` does not find that a claimed correction is about something else. It takes less time: both facts
 * are shown, whatever else it finds.
 */
export function mayCorrect(fresh: string, known: string): boolean {
  if (areOfTwoInstances(fresh, known)) return false;
  return mayChange(fresh, known) || ["corrects", "revises"].includes(compareFacts(fresh, known));
}

function compareStatements(fresh: string, known: string): FactRelation {
  if (fresh.length > COMPARED_CHARACTERS || known.length > COMPARED_CHARACTERS)
    return saysSame(fresh, known) ? "repeats" : "other";
  // Most of what shares a word says something else: this finds so at little cost.
  if (lacksMoreWords(known, factTokens(fresh), VALUE_WORDS_COUNT) && !saysChange(fresh)) return "other";
  if (saysSame(fresh, known)) return "repeats";
  // Who asks says nothing.
  if ([fresh, known].some((text) => text.trimEnd().endsWith("?"))) return "other";
  const isOther = areOfOtherPersons(fresh, known) || areOfOtherOwners(fresh, known);
  if (!isOther && isCorrection(subjectWords(fresh), subjectWords(known))) return "corrects";
  if (areParallel(fresh, known)) return "other";
  return statedChange(fresh, known) ?? (isLikelyChange(fresh, known) ? "revises" : "other");
}

function isCorrection(fresh: readonly SubjectWord[], known: readonly SubjectWord[]): boolean {
  const [newWords, oldWords] = [withoutAdverbs(fresh), withoutAdverbs(known)];
  return isDenied(newWords, oldWords) || deniesValue(newWords, oldWords) || replacesValue(newWords, oldWords);
}

const withoutAdverbs = (words: readonly SubjectWord[]): readonly SubjectWord[] =>
  words.filter(({ word }) => !ADVERBS.has(word) || word === "instead");
const contentOf = (words: readonly SubjectWord[]): readonly SubjectWord[] =>
  words.filter(({ term }) => term !== BE && term !== NOT);

/** The same words, and only one of the two says that it is not so. */
function isDenied(fresh: readonly SubjectWord[], known: readonly SubjectWord[]): boolean {
  const deniesOf = (words: readonly SubjectWord[]) => words.filter(({ term }) => term === NOT).length;
  const plain = (words: readonly SubjectWord[]) => words.filter(({ term }) => term !== NOT);
  return (
    deniesOf(fresh) % 2 !== deniesOf(known) % 2 &&
    contentOf(fresh).length >= LEAST_SHARED_COUNT &&
    isSame(plain(fresh), plain(known))
  );
}

function isSame(one: readonly SubjectWord[], other: readonly SubjectWord[]): boolean {
  return one.length === other.length && one.every(({ term }, index) => term === other[index]!.term);
}

/** “On Thursdays, not on Tuesdays”: all that the old one says is there, a part of it denied, and something new. */
function deniesValue(fresh: readonly SubjectWord[], known: readonly SubjectWord[]): boolean {
  const oldTerms = new Set(contentOf(known).map(({ term }) => term));
  const newTerms = new Set(contentOf(fresh).map(({ term }) => term));
  if ([...oldTerms].some((term) => !newTerms.has(term)) || known.some(({ term }) => term === NOT))
    return false;
  // “Not until May” denies nothing.
  if (fresh.some(({ word }) => word === "until") || isException(fresh, oldTerms)) return false;
  const denied = fresh.filter((_, index) => index > 0 && isDenial(fresh[index - 1]!));
  const deniedTerms = new Set(denied.map(({ term }) => term).filter((term) => oldTerms.has(term)));
  const addedCount = newTerms.size - oldTerms.size;
  const keptCount = oldTerms.size - deniedTerms.size;
  // In a much longer text, the old words may occur by chance.
  if (deniedTerms.size === 0 || addedCount < 1 || addedCount > oldTerms.size) return false;
  // “Use spaces, not tabs”: one word is enough to say of what, where the denial stands right before the old value.
  const isPlain = denied.every(({ lead }) => lead === "");
  return keptCount >= LEAST_SHARED_COUNT || (keptCount > 0 && isPlain && addedCount === 1);
}

/** “On Fridays, we do not deploy”: the verb is denied, and only for a time or a place that the old one does not name. */
function isException(fresh: readonly SubjectWord[], oldTerms: ReadonlySet<string>): boolean {
  const verb = fresh.findIndex(
    ({ term, word, lead }) => term === NOT && (VERB_DENIAL.test(word) || AUXILIARY.test(lead)),
  );
  const others = contentOf(fresh).filter(({ term }) => !oldTerms.has(term));
  const says = (words: RegExp) => fresh.some(({ word, lead }) => words.test(`${lead} ${word}`));
  const hasNoRepeats = contentOf(fresh).length === oldTerms.size + others.length;
  // “Never squash merge commits”: only some of what the old one is about.
  const next = fresh[fresh.indexOf(others[0]!) + 1];
  const isNarrower = next !== undefined && next.lead === "" && oldTerms.has(next.term);
  const isCase = isNarrower || CASE_WORDS.test(others[0]?.lead ?? "");
  return verb !== -1 && hasNoRepeats && isCase && !says(ALTERNATIVE);
}

/** Denials that stand before a verb by themselves, and words between which and a verb another denial stands. */
const VERB_DENIAL = /^(?:never|cannot|\p{L}+n['’]t)$/u;
const AUXILIARY = /\b(?:do|does|did|will|would|can|could|should|may|must|i|we|you|they|he|she|it)$/;
const CASE_WORDS = /\b(?:on|in|at|during|for|before|after|when|while|if|with|from|by|over)\b/;
const ALTERNATIVE = /\b(?:but|instead|rather)\b/;

/** “Whether or not” denies nothing, and “without” only that something else is there. */
const isDenial = ({ term, word, lead }: SubjectWord): boolean =>
  term === NOT && word !== "without" && !/\bor$/.test(lead);

/** Relations that have one value at a time, whatever it is. */
const SINGLE_VALUED = stems("live reside locate base cost default report");
/** Relations that have one day, hour or number at a time. */
const DATED = stems("start begin end expire deploy happen run listen release ship meet open close last");
/** Relations that have one value for one purpose: `uses pnpm for installs`. */
const ONE_PER_PURPOSE = stems("prefer use");

/** Attributes with one value: `the deploy day is …`, `her name is …`. */
const ATTRIBUTES = stems(
  "favorite favourite default preferred main primary current name nickname birthday age day date time timezone deadline " +
    "port host address url email phone number version branch manager owner maintainer boss lead color colour size " +
    "limit timeout interval region language locale currency budget price password title capital location",
);

/** Words by their stems, which are formed when the first sentences are compared. */
function stems(words: string): Pick<ReadonlySet<string>, "has"> {
  let formed: ReadonlySet<string> | undefined;
  return {
    has: (term) => {
      formed ??= new Set(subjectWords(words).map((word) => word.term));
      return formed.has(term);
    },
  };
}

/** The same words except one value, in one place, behind a relation with a single value. */
function replacesValue(fresh: readonly SubjectWord[], known: readonly SubjectWord[]): boolean {
  const { before, after } = sharedEnds(fresh, known);
  const [head, tail] = [known.slice(0, before), known.slice(known.length - after)];
  const oldValue = known.slice(before, known.length - after);
  const newValue = fresh.slice(before, fresh.length - after);
  if (oldValue.length === 0 || newValue.length === 0) return false;
  if (oldValue.length > REPLACED_WORDS_COUNT || newValue.length > REPLACED_WORDS_COUNT) return false;
  if (oldValue[0]!.lead !== newValue[0]!.lead || [...oldValue, ...newValue].some(({ term }) => term === NOT))
    return false;
  // Two purposes have a value each, and a relation within a value means that the subjects differ, too.
  if (hasPurpose(oldValue) || hasPurpose(newValue)) return false;
  if ([...oldValue, ...newValue].some(({ term }) => term === BE)) return false;
  // Two purposes may differ by a letter that a stem has not: `for http` and `for https`.
  const isOther = ({ word, lead }: SubjectWord, index: number): boolean =>
    PURPOSES.test(lead) && word !== fresh[fresh.length - after + index]!.word;
  if (tail.some(isOther)) return false;
  // What comes behind the value says of what it is; a relation there means that the value was the subject.
  if (tail.some(({ term }) => term === BE || SINGLE_VALUED.has(term))) return false;
  // “I lived in Rome” says nothing of where I live.
  const [newHead, newTail] = [fresh.slice(0, before), fresh.slice(fresh.length - after)];
  if (isEvent([...head, ...tail]) || isEvent([...newHead, ...newTail])) return false;
  return hasOneValue(head, tail, oldValue, newValue);
}

function hasOneValue(
  head: readonly SubjectWord[],
  tail: readonly SubjectWord[],
  oldValue: readonly SubjectWord[],
  newValue: readonly SubjectWord[],
): boolean {
  const relation = head.at(-1);
  const subject = contentOf(head.slice(0, -1));
  // “We deploy”, “I live”, “always use”: the speaker is the subject.
  if (relation === undefined || (subject.length === 0 && !isOwnSubject(relation))) return false;
  // “Anna is a chef” leaves room for much else, and so does “a trip of five days”.
  if ([...oldValue, ...newValue].some(({ lead }) => /\ban?\b/.test(lead))) return false;
  const kind = valueKind(oldValue);
  if (kind === "number" && isInstance(head)) return false;
  if (kind !== undefined && kind === valueKind(newValue) && head.some(isRelation)) return true;
  // A current activity or a plan does not exclude another one.
  if (relation.word.endsWith("ing") || relation.word.endsWith("ly") || /\bto\b/.test(relation.lead))
    return false;
  if (ONE_PER_PURPOSE.has(relation.term)) return contentOf(tail).length > 0;
  if (relation.term !== BE) return SINGLE_VALUED.has(relation.term);
  // “The default branch is protected”, “the deadline is strict”: a property of it, not its value.
  const [isOldFigure, isNewFigure] = [hasFigure(oldValue), hasFigure(newValue)];
  if (isOldFigure !== isNewFigure) return false;
  if (!isOldFigure && [oldValue[0]!, newValue[0]!].some(isParticiple)) return false;
  // “The build is slow” leaves room for much else, “the default branch is …” does not.
  return subject.some(({ term }) => ATTRIBUTES.has(term));
}

const PARTICIPLE = /^\p{L}{4,}ed$/u;
const isParticiple = ({ word, isName }: SubjectWord): boolean => !isName && PARTICIPLE.test(word);
const hasFigure = (value: readonly SubjectWord[]): boolean =>
  value.some(({ word, term }) => kindOf(word, term) !== undefined || /\d/.test(word));

/** Behind these words stands a case or a purpose, never the value: `for port 8080`. */
const CASES = /\b(?:for|per|during|when|where|while|if)\b/;
/** Nouns that a date is counted by. */
const PERIODS = stems("year quarter month week");

/**
 * True if two facts say the same of two instances of one kind: neither corrects the other, whatever a caller claims.
 */
export function areOfTwoInstances(one: string, other: string): boolean {
  if (one.length > COMPARED_CHARACTERS || other.length > COMPARED_CHARACTERS) return false;
  const [ours, theirs] = [one, other].map((text) => withoutAdverbs(subjectWords(withoutTurns(text)))) as [
    readonly SubjectWord[],
    readonly SubjectWord[],
  ];
  if (areParallel(one, other) || areOfOtherOwners(one, other)) return true;
  const { before, after } = sharedEnds(ours, theirs);
  const values = [ours, theirs].map((words) => words.slice(before, words.length - after));
  return (
    values.every((value) => value.length > 0 && valueKind(value) === "number") &&
    isInstance(ours.slice(0, before))
  );
}

/**
 * True if the number behind these words tells one thing of a kind from the others: `pnpm for workspace 0`, `deploy
 * service 2 on Mondays`. Facts about two of them hold side by side. A number is a value behind a relation (`starts at
 * 9`), an attribute (`on port 8080`), or as all that something is (`is in room 4`).
 */
function isInstance(head: readonly SubjectWord[]): boolean {
  const [relation, noun] = head.slice(-2);
  if (relation === undefined || noun === undefined || isRelation(noun)) return false;
  if (valueKind([noun]) !== undefined || PERIODS.has(noun.term)) return false;
  if (CASES.test(noun.lead)) return true;
  if (ATTRIBUTES.has(noun.term) || relation.term === BE || SINGLE_VALUED.has(relation.term)) return false;
  return PURPOSES.test(noun.lead) || DATED.has(relation.term);
}

/** Small words behind which stands of what, where or when a value is meant: `30 seconds for reads`. */
const PURPOSES =
  /\b(?:for|in|on|with|at|to|from|by|about|into|over|after|before|when|where|while|if|as|but|per|during)\b/;

/** True if a value has a purpose: “30 seconds for reads” says nothing of writes. */
function hasPurpose([, ...words]: readonly SubjectWord[]): boolean {
  // “From 9 to 5” and “May 3 at 10” are values as a whole.
  return words.some(
    ({ word, term, lead }) => PURPOSES.test(word) || (PURPOSES.test(lead) && !/^\d/.test(term)),
  );
}

const isOwnSubject = ({ term, lead }: SubjectWord): boolean => term !== BE && /^(?:i|we|)$/.test(lead);

const isRelation = ({ term }: SubjectWord): boolean =>
  term === BE || SINGLE_VALUED.has(term) || DATED.has(term) || ONE_PER_PURPOSE.has(term);

function sharedEnds(
  one: readonly SubjectWord[],
  other: readonly SubjectWord[],
): { readonly before: number; readonly after: number } {
  const most = Math.min(one.length, other.length);
  let before = 0;
  while (before < most && one[before]!.term === other[before]!.term) before++;
  let after = 0;
  while (after < most - before && one.at(-1 - after)!.term === other.at(-1 - after)!.term) after++;
  return { before, after };
}

/** Told in the past: it happened, and something else may have happened as well. */
function isEvent(words: readonly SubjectWord[]): boolean {
  return words.some(({ word, term }, index) => {
    if (word === "was" || word === "were") return true;
    const isState = index > 0 && words[index - 1]!.term === BE;
    return !isState && term !== BE && (word.endsWith("ed") || (OTHER_FORMS.has(word) && !/^\d/.test(term)));
  });
}

type ValueKind = "number" | "weekday" | "month" | "season";

const WEEKDAYS = new Set("monday tuesday wednesday thursday friday saturday sunday".split(" "));
const MONTHS = new Set(
  "january february march april june july august september october november december".split(" "),
);
const SEASONS = new Set("spring summer autumn fall winter".split(" "));

/** The kind of all of the words; `undefined` where they are of several, or of none that is known. */
function valueKind(words: readonly SubjectWord[]): ValueKind | undefined {
  const kinds = new Set(words.map(({ word, term }) => kindOf(word, term)));
  return kinds.size === 1 ? [...kinds][0] : undefined;
}

function kindOf(word: string, term: string): ValueKind | undefined {
  const singular = word.endsWith("s") ? word.slice(0, -1) : word;
  if (/^\d/.test(term)) return "number";
  if (WEEKDAYS.has(singular)) return "weekday";
  if (MONTHS.has(word)) return "month";
  return SEASONS.has(word) ? "season" : undefined;
}
