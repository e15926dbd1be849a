/**
 * A likely correction: a newer fact that reports a change, of the same person, and shares the subject or the old value
 * with an older one, or says something of the same slot. Both stay, and are shown, the newer one first.
 */
import { anyOf, isOfThePast, isUnsettled, saysChange } from "./change-signs.ts";
import {
  areParallel,
  differingPlaces,
  type FactToken,
  factTokens,
  isDated,
  meaningfulOf,
  wordsIn,
  wordsMissing,
} from "./fact-frame.ts";
import { areOfOtherOwners, isOfPlace, isOfSpeaker } from "./owners.ts";
import { areOfOneSlot } from "./slots.ts";
import { COMPARED_CHARACTERS, memoizeCompared, VALUE_WORDS_COUNT } from "./subject-words.ts";

/** Share of the words of the shorter fact that both have. Our choice: the subject, in a sentence of subject, relation and value. */
const SHARED_SHARE = 1 / 4;

/** Characters of a fact that may be a likely correction, also of a longer memory. Our choice: two sentences; a passage has a word of change and shared words by chance. */
const FACT_CHARACTERS = 240;

/** True if a new fact likely corrects an older one. */
export function isLikelyChange(fresh: string, known: string): boolean {
  if (fresh.length > FACT_CHARACTERS) return false;
  if (!mayChange(fresh, known) || !(saysChange(fresh) || isDenied(fresh, known))) return false;
  return (
    sharesSubject(fresh, known) || (areOfOneSlot(fresh, known) && isOfSpeaker(fresh) && isOfSpeaker(known))
  );
}

/**
 * True if two facts of one form differ only in what something *is*: `my manager is …`, `the database runs on …`. Enough
 * for a claim; by itself it may be one of several.
 */
export function areOfOneAttribute(fresh: string, known: string): boolean {
  const { places } = differingPlaces(factTokens(fresh), factTokens(known));
  const [place] = places;
  if (place === undefined || places.length > 1 || place.ours.length === 0 || place.theirs.length === 0)
    return false;
  const longest = Math.max(wordsIn(place.ours), wordsIn(place.theirs));
  const head = place.head.filter(({ role }) => role !== "form");
  const last = head.at(-1);
  const isDate = isDated(place.ours) && isDated(place.theirs);
  const hasSubject = meaningfulOf(isDate ? [...place.head, ...place.tail] : place.head).length > 0;
  const isOfSelf = head.some(({ word }) => LIVING.has(word)) && isOfSpeaker(known);
  if (longest > VALUE_WORDS_COUNT || !(hasSubject || isOfSelf)) return false;
  const isTopic = place.head.at(-1)?.word === "は" && head.length > 0;
  return (
    isTopic ||
    isOfSelf ||
    BEING.has(last?.word ?? "") ||
    (isDate && head.some(({ role }) => role === "relation"))
  );
}

/** Words in front of a value of which a subject has only one. */
const BEING = new Set(
  "is are be runs ist sind läuft heißt es son está están usa llama est sont 是 叫 在 为".split(" "),
);
const LIVING = new Set("live wohne lebe vivo habite 住".split(" "));

/** A name or a noun that a fact begins with. */
function nameOf(text: string): string | undefined {
  const name = /^(\p{Lu}\p{Ll}+)(?= \p{Ll})/u.exec(text)?.[1];
  return name !== undefined && meaningfulOf(factTokens(name)).length > 0 ? name : undefined;
}

/** Tasks and roles that one person has for others, and that another person may have taken over. */
const OFFICE = anyOf(
  [
    "owns|leads|runs|manages|maintains|heads|handles|responsible|in charge|is (?:the|our|my)|leitet|betreut|verantwortet|macht|zuständig",
    "lleva|dirige|gestiona|encarga\\p{L}*|responsable|gère|s'occupe",
  ],
  "负责|担当",
);

/**
 * True if two facts begin with two names, none has that of the other, and it is not about an office: `Mia smokes`, `Leo
 * stopped smoking`.
 */
export function areOfTwoNames(one: string, other: string): boolean {
  const [ours, theirs] = [nameOf(one), nameOf(other)];
  if (ours === undefined || theirs === undefined || OFFICE.test(other)) return false;
  return !sharesWord(theirs, one) && !sharesWord(ours, other);
}

/** True if one of two facts denies what the other says. */
function isDenied(one: string, other: string): boolean {
  const [ours, theirs] = [factTokens(one), factTokens(other)];
  const denialsCount = (tokens: readonly FactToken[]) =>
    tokens.filter(({ role }) => role === "denial").length;
  if (denialsCount(ours) % 2 === denialsCount(theirs) % 2) return false;
  return wordsMissing(ours, theirs) + wordsMissing(theirs, ours) === 0;
}

/** True if nothing speaks against a claim that a fact corrects an older one: where it is made, both are shown. */
export function mayChange(fresh: string, known: string): boolean {
  if (Math.max(fresh.length, known.length) > COMPARED_CHARACTERS) return false;
  if (isUnsettled(fresh) || isOfThePast(fresh) || (isOfThePast(known) && !saysChange(known))) return false;
  if (areOfOtherOwners(fresh, known) || areParallel(fresh, known)) return false;
  const { terms } = subjectOf(known);
  return (
    [...subjectOf(fresh).terms].some((term) => terms.has(term)) || (isOfSpeaker(fresh) && isOfSpeaker(known))
  );
}

/** It adds something to what was so before. */
const ADDING = anyOf(
  ["too|also|as well|another|additionally|auch|zusätzlich|también|además|aussi|en plus"],
  "也|还|另外|も好き",
);

/** True if it says that something is so as well: `we sponsor a chess club now, too`. */
export const isAdded = (text: string): boolean => ADDING.test(text);

/** True if two facts share enough words of content, and what one of them is about is among them. */
function sharesSubject(fresh: string, known: string): boolean {
  const [ours, theirs] = [subjectOf(fresh), subjectOf(known)];
  const shared = [...ours.terms].filter((term) => theirs.terms.has(term));
  const count = sizeOf(shared);
  if (count < 1 || count < SHARED_SHARE * Math.min(ours.size, theirs.size)) return false;
  if (shared.some((term) => PAIR.test(term))) return true;
  const isOfSelf = isOfSpeaker(fresh);
  // “The backups moved to Dublin” says nothing of what else is there, and “Anna moved” nothing of me.
  const hasSubject = [ours, theirs].some(({ terms: [first] }) => shared.includes(first!));
  const isOfSpeakers = isOfSelf && isOfSpeaker(known) && !isOfPlace(known);
  const name = nameOf(fresh);
  const isOfAnother = name !== undefined && !isOfSelf && isOfSpeaker(known) && !sharesWord(name, known);
  return (hasSubject || isOfSpeakers || OFFICE.test(known)) && !isOfAnother;
}

const sharesWord = (word: string, text: string): boolean => text.toLowerCase().includes(word.toLowerCase());

/** Words count one, and each different character of a pair half a word. */
function sizeOf(terms: readonly string[]): number {
  const pairs = terms.filter((term) => PAIR.test(term));
  return terms.length - pairs.length + new Set(pairs.join("").match(/\p{Script=Han}/gu)).size / 2;
}

const PAIR = /^(?=.?\p{Script=Han})[\p{Script=Han}\p{Script=Hiragana}]{2}$/u;

/** Its words of content; pairs of characters where a script has no blanks. */
const subjectOf = memoizeCompared((text): { readonly terms: ReadonlySet<string>; readonly size: number } => {
  const tokens = factTokens(text);
  const terms = tokens.flatMap(({ term, role, word }, at) => {
    const next = tokens[at + 1];
    if (!/^[\p{Script=Han}\p{Script=Hiragana}]$/u.test(word)) return role === "content" ? [term] : [];
    const hasContent = role === "content" || next?.role === "content";
    return next !== undefined && hasContent && PAIR.test(word + next.word) ? [word + next.word] : [];
  });
  return { terms: new Set(terms), size: sizeOf([...new Set(terms)]) };
});
