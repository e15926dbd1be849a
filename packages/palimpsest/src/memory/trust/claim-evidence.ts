/**
 * Measures how much of a claim each kind of source says, as the basis of trust.
 *
 * Words are compared line by line, in one pass over the conversation for all claims. A claim can blend a user's words
 * with others; the words that the user did not say are also measured alone.
 */

import { MEMORY_SAFETY_DEFAULTS } from "../../base/defaults/memory/safety.ts";
import { maxOf } from "../../base/lists.ts";
import type { AttributedText, PieceSource } from "./attributed-text.ts";
import { type SentenceWords, sentencesOf, sentenceWords, visitWords } from "./sentences.ts";

/** Words of a claim that no user said from which on their source is named. Our choice: fewer meet by chance. */
export const LEAST_FOREIGN_COUNT = 3;

/** The share of a claim that one piece says. */
interface Mention {
  readonly piece: AttributedText;
  readonly share: number;
}

export interface ClaimEvidence {
  readonly claimWords: SentenceWords;
  /** The share of its words that one message of the user, or two lines of another source, have. */
  readonly best: Readonly<Record<PieceSource, number>>;
  /** The first piece of a user and of an agent that says most of it, and not the opposite. */
  readonly firstIn: Readonly<Partial<Record<PieceSource, Mention>>>;
  /** The same of those words that no user said; 0 where they are too few to tell. */
  readonly foreignBest: Readonly<Record<PieceSource, number>>;
  /** Sources that hold an address or a name with signs or digits in it that no user gave. */
  readonly namesIn: ReadonlySet<PieceSource>;
  /** It holds an address that no user gave. */
  readonly hasForeignAddress: boolean;
  /** The user's sentence that is nearest says the opposite. */
  readonly isTurned: boolean;
  /** The two lines of an agent that are nearest; empty where none has a word of it. */
  readonly nearestOfAgent: string;
}

interface Gathered extends ClaimEvidence {
  readonly best: Record<PieceSource, number>;
  readonly firstIn: Partial<Record<PieceSource, Mention>>;
  readonly foreignBest: Record<PieceSource, number>;
  readonly namesIn: Set<PieceSource>;
  isTurned: boolean;
  nearestOfAgent: string;
  /** Words that no user said; none, where they are too few to tell or all there are. */
  readonly foreign: ReadonlySet<string>;
  readonly names: readonly string[];
}

/** For each text, what the talk says of it. */
export function gatherEvidence(
  texts: readonly string[],
  pieces: readonly AttributedText[],
): readonly ClaimEvidence[] {
  const own = pieces.filter(({ source }) => source === "user").map(({ text }) => text);
  const user = sentenceWords(own.join("\n"));
  const gathered = texts.map((text) => startOf(text, user));
  const byWord = new Map<string, Gathered[]>();
  for (const found of gathered) {
    for (const word of found.claimWords.words) {
      const others = byWord.get(word);
      if (others === undefined) byWord.set(word, [found]);
      else others.push(found);
    }
  }
  for (const piece of pieces) read(piece, byWord);
  return gathered;
}

function startOf(text: string, user: SentenceWords): Gathered {
  const claim = sentenceWords(text);
  const none = { user: 0, agent: 0, tool: 0, web: 0, recalled: 0 };
  const isGiven = (address: string): boolean =>
    user.addresses.has(address) || [...user.addresses].some((own) => own.startsWith(`${address}/`));
  const foreign = [...claim.words].filter((word) => !user.words.has(word));
  const isStated = foreign.length >= LEAST_FOREIGN_COUNT && foreign.length < claim.words.size;
  return {
    claimWords: claim,
    best: { ...none },
    firstIn: {},
    foreignBest: { ...none },
    namesIn: new Set(),
    hasForeignAddress: [...claim.addresses].some((address) => !isGiven(address)),
    isTurned: false,
    nearestOfAgent: "",
    foreign: new Set(isStated ? foreign : []),
    names: foreign.filter((word) => NAME.test(word)),
  };
}

type Shared = ReadonlyMap<Gathered, ReadonlySet<string>>;

function read(piece: AttributedText, byWord: ReadonlyMap<string, readonly Gathered[]>): void {
  const { source, text } = piece;
  // A user's wish may go over several sentences; of others, lines that say the same are enough.
  const parts = source === "user" ? [...sentencesOf(text), text] : text.split(/\r\n?|\n/);
  let before: Shared = new Map();
  let partBefore = "";
  for (const part of parts) {
    // Once for all claims, and only where one asks.
    let denied: boolean | undefined;
    const isDenied = (): boolean => (denied ??= sentenceWords(part).isDenied);
    const shared = new Map<Gathered, Set<string>>();
    visitWords(part, (word) => {
      for (const found of byWord.get(word) ?? []) {
        const words = shared.get(found);
        if (words === undefined) shared.set(found, new Set([word]));
        else words.add(word);
      }
    });
    for (const [found, words] of shared) {
      const both = source === "user" ? words : new Set([...words, ...(before.get(found) ?? [])]);
      count(found, both, { piece, part, partBefore, isDenied });
    }
    before = shared;
    partBefore = part;
  }
}

/** A name that is one thing: `left-pad`, `v1.2`, `deploy_prod`. A plain number is none. */
const NAME = /^(?=.*[\p{L}])(?=.*[-_./:@\d]).{4,}$/u;

interface PieceLine {
  readonly piece: AttributedText;
  readonly part: string;
  readonly partBefore: string;
  readonly isDenied: () => boolean;
}

function count(
  found: Gathered,
  words: ReadonlySet<string>,
  { piece, part, partBefore, isDenied }: PieceLine,
): void {
  const { best, firstIn, foreignBest, foreign, names, claimWords: claim } = found;
  const { source } = piece;
  const isGiven = source === "tool" || source === "web";
  const share = words.size / claim.words.size;
  if (!isGiven && share > (firstIn[source]?.share ?? 0) && isDenied() === claim.isDenied)
    firstIn[source] = { piece, share };
  // What an agent said first, a tool only gives back.
  if (share > best[source] && !(isGiven && share <= best.agent)) {
    best[source] = share;
    if (source === "user") found.isTurned = isDenied() !== claim.isDenied;
    if (source === "agent") found.nearestOfAgent = `${partBefore}\n${part}`;
  }
  if (source === "user") return;
  if (isGiven && names.some((name) => words.has(name))) found.namesIn.add(source);
  if (foreign.size === 0 || words.size < foreign.size * MEMORY_SAFETY_DEFAULTS.carriedShare) return;
  let strange = 0;
  for (const word of foreign) if (words.has(word)) strange++;
  const foreignShare = strange / foreign.size;
  if (isGiven && foreignShare <= foreignBest.agent) return;
  foreignBest[source] = Math.max(foreignBest[source], foreignShare);
}

/** A fact, and whether it is taken for the user's own words. */
interface StatedFact {
  readonly text: string;
  readonly isUsers: boolean;
}

/**
 * Finds for each fact the piece that says most of it, the earliest among equals: one of the user's for a user's fact,
 * otherwise one of a user or an agent. `undefined` where no piece says enough of it.
 *
 * An extractor may name another message, or none, and when a fact was said decides what it replaces.
 *
 * @param pieces - in the order of time
 */
export function findFirstMention(
  facts: readonly StatedFact[],
  pieces: readonly AttributedText[],
): readonly (AttributedText | undefined)[] {
  const spoken = pieces.filter(({ source }) => source === "user" || source === "agent");
  const texts = facts.map(({ text }) => text);
  return gatherEvidence(texts, spoken).map(({ firstIn: { user, agent } }, index) => {
    const speakers = facts[index]!.isUsers ? [user] : [user, agent];
    const mentions = speakers.filter((one) => one !== undefined);
    const most = maxOf(mentions.map(({ share }) => share));
    if (most < MEMORY_SAFETY_DEFAULTS.readingShare) return undefined;
    const first = new Set(mentions.filter(({ share }) => share === most).map(({ piece }) => piece));
    return spoken.find((piece) => first.has(piece));
  });
}
