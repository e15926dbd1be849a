/**
 * Extraction without a model: keeps the sentences in which the user asks, by an explicit cue, that something be
 * remembered.
 *
 * Only the user's own words count. Questions, repetitions and sentences that mean nothing on their own ("always do
 * that") are left out. The time it takes is linear in the length of the conversation.
 */

import { MEMORY_SAFETY_DEFAULTS } from "../../base/defaults/memory/safety.ts";
import { redactBroken } from "../../base/redaction/broken-secrets.ts";
import { cutHead } from "../../base/text/text.ts";
import { type CueKind, type CueLanguage, TYPE_OF_KIND } from "../cues/cues.ts";
import { type RememberRequest, rememberRequestOf, withoutLead } from "../cues/remember-request.ts";
import type { MemoryType } from "../files/memory.ts";
import { signsOf } from "../subject/subject-words.ts";
import { attributeTexts, type ConversationMessage } from "../trust/attributed-text.ts";
import { cleanMemoryText, MEMORY_NAME_CHARACTERS } from "../trust/clean-memory.ts";
import { isTorn } from "../trust/quoted-words.ts";
import { type SentenceWords, sentencesOf, sentenceWords, shareIn } from "../trust/sentences.ts";
import { derivableFact } from "./derivable.ts";

/** Fewest meaningful words of a sentence that is kept. Our choice: "use pnpm" has two. */
const LEAST_WORDS_COUNT = 2;
/** Share of a sentence's words that another one must have to say the same. Our choice: as with the facts of session notes. */
const REPEATED_SHARE = 0.85;

/** A memory that the user asked for, in their words, cleaned. */
export interface RuleProposal {
  readonly name: string;
  readonly description: string;
  readonly body: string;
  readonly type: MemoryType;
  /** False if the user asked by the word "remember" or the like. */
  readonly decays: boolean;
  readonly source: "user";
  readonly isConfirmed: true;
  readonly isQuarantined: false;
  readonly messageId: string;
  /** The whole sentence. */
  readonly quote: string;
  readonly kind: CueKind;
  readonly language: CueLanguage;
}

/** Counts sentences with a cue that were left out, by reason. */
export interface LeftOutCounts {
  readonly questions: number;
  /** They mean nothing on their own. */
  readonly vague: number;
  /** Compared before, or already known. */
  readonly repeated: number;
  /** They contain a key. */
  readonly secret: number;
  /** More than one session may keep. */
  readonly tooMany: number;
  /** The code or version control says it; absent for none. */
  readonly derivable?: number;
}

interface RuleExtraction {
  readonly extractor: "rules";
  /** In the order of the conversation. */
  readonly proposals: readonly RuleProposal[];
  readonly leftOut: LeftOutCounts;
}

interface RuleExtractorOptions {
  /** Texts of the memories that exist already. */
  readonly known?: readonly string[];
  /** @defaultValue `MEMORY_SAFETY_DEFAULTS.extractedCount` */
  readonly limit?: number;
  /** Keeps what has the form of a fact that code says: the caller looks it up. @defaultValue false */
  readonly keepsDerivable?: boolean;
}

const { extractedCount } = MEMORY_SAFETY_DEFAULTS;
const NAME_CHARACTERS = Math.floor((MEMORY_NAME_CHARACTERS * 3) / 4);

/** Finds the sentences that the user wants remembered. */
export function extractByRules(
  conversation: readonly ConversationMessage[],
  { known = [], limit = extractedCount, keepsDerivable = false }: RuleExtractorOptions = {},
): RuleExtraction {
  const leftOut: { -readonly [Reason in keyof LeftOutCounts]: number } = {
    questions: 0,
    vague: 0,
    repeated: 0,
    secret: 0,
    tooMany: 0,
  };
  const knownWords = known.flatMap((text) => [text, ...sentencesOf(text)]).map(comparedOf);
  const found: RuleProposal[] = [];
  for (const { id, source, text } of attributeTexts(conversation)) {
    if (source !== "user") continue;
    // Keys are redacted before the text is split: a key may contain a full stop.
    for (const sentence of sentencesOf(redactBroken(text).text)) {
      // A sentence that lost a part, such as a quotation, may say something else than the whole.
      const request = isTorn(sentence) ? undefined : rememberRequestOf(sentence);
      if (request === undefined) continue;
      const words = comparedOf(request.statement);
      const reason = reasonAgainst(sentence, request, words, knownWords);
      if (reason !== undefined) {
        leftOut[reason] = (leftOut[reason] ?? 0) + 1;
        continue;
      }
      if (!keepsDerivable && derivableFact(request.statement) !== undefined) {
        leftOut.derivable = (leftOut.derivable ?? 0) + 1;
        continue;
      }
      knownWords.push(words);
      found.push(proposalOf(request, { messageId: id, quote: sentence }));
    }
  }
  const proposals = mostWanted(found, limit);
  leftOut.tooMany = found.length - proposals.length;
  return { extractor: "rules", proposals, leftOut };
}

function reasonAgainst(
  sentence: string,
  { kind, statement }: RememberRequest,
  words: Compared,
  knownWords: readonly Compared[],
): keyof LeftOutCounts | undefined {
  // "Can you remember that …?" is a request.
  if (kind !== "remember" && isQuestion(sentence)) return "questions";
  if (words.words.size < LEAST_WORDS_COUNT || isVague(statement)) return "vague";
  if (sentence.includes("[redacted: ")) return "secret";
  return knownWords.some((other) => isSame(words, other)) ? "repeated" : undefined;
}

const ASKING =
  /^(?!when [^?]{1,100}, )(?:what|why|how|when|where|who|which|is|are|do|does|did|can|could|should|would|will) (?:i|you|we|they|he|she|it|this|that|there|the|a|an|my|our|your|is|are|do|does|about)\b/iu;

function isQuestion(sentence: string): boolean {
  if (/[?？]["'”’)\]」』）]{0,3}$|(?:か|かな|까|나요|吗|呢|嗎)[。.]?$/.test(sentence)) return true;
  return /, (?:right|correct|ok|okay|or)$/i.test(sentence) || ASKING.test(withoutLead(sentence));
}

/** Words that only point at something: in another sentence, on the screen or in a list of choices. */
const POINTING = new Set(
  (
    "it this that these those them so here there same one first second third last latter former other next again " +
    "now then instead better option version variant choice approach number direction idea way solution plan point"
  ).split(" "),
);
/** Words of cues, and small words between them. */
const EMPTY = new Set(
  (
    "i i'd we you the a your my to be do always never prefer like love hate use using want go with take keep make " +
    "add please just only too more rather should must would really actually not no don't"
  ).split(" "),
);

/** True if a statement only points at something: "always do that", "I prefer the second one", "I like option 2". */
function isVague(statement: string): boolean {
  const words =
    statement
      .toLowerCase()
      .replaceAll("’", "'")
      .match(/[\p{L}\p{N}'_-]+/gu) ?? [];
  const isPointing = words.some((word) => POINTING.has(word));
  return (
    isPointing &&
    words.every((word) => POINTING.has(word) || EMPTY.has(word) || /^(?:\p{L}|\d{1,2})$/u.test(word))
  );
}

/** Words and signs of a sentence. */
type Compared = SentenceWords & { readonly signs: string };

const comparedOf = (text: string): Compared => ({ ...sentenceWords(text), signs: signsOf(text) });

/** True if two sentences have nearly the same words, the same signs, and neither denies the other. */
function isSame(one: Compared, other: Compared): boolean {
  if (
    one.isDenied !== other.isDenied ||
    one.signs !== other.signs ||
    shareIn(one.words, other.words) < REPEATED_SHARE
  )
    return false;
  return [...one.words].every((word) => !/\d/.test(word) || other.words.has(word));
}

function proposalOf(
  { kind, language, statement }: RememberRequest,
  { messageId, quote }: { readonly messageId: string; readonly quote: string },
): RuleProposal {
  // An ordinary first word gets a capital; a name or a path stays as written.
  const startsWithWord = /^\p{Ll}[\p{Ll}'’]*(?:\s|$)/u.test(statement);
  const sentence = startsWithWord ? statement[0]!.toUpperCase() + statement.slice(1) : statement;
  return {
    name: cleanMemoryText(nameOf(sentence), "name").text,
    description: cleanMemoryText(sentence, "description").text,
    body: cleanMemoryText(sentence, "body").text,
    type: kind === "remember" ? typeOf(statement) : TYPE_OF_KIND[kind],
    decays: kind !== "remember",
    source: "user",
    isConfirmed: true,
    isQuarantined: false,
    messageId,
    quote,
    kind,
    language,
  };
}

/** Makes a name from the beginning of the sentence, cut after a word. */
function nameOf(sentence: string): string {
  const plain = sentence.replace(/(?<![\s.,;:!?。，、！？…])[\s.,;:!?。，、！？…]+$/u, "");
  if (plain.length <= NAME_CHARACTERS) return plain;
  const head = cutHead(plain, NAME_CHARACTERS);
  const end = head.search(/[\s,;:][^\s,;:]*$/);
  return `${end > NAME_CHARACTERS / 2 ? head.slice(0, end) : head}…`;
}

/** Phrases that show the type of a statement whose cue is only "remember". */
const TYPE_CUES: readonly (readonly [MemoryType, RegExp])[] = [
  [
    "user",
    /^(?:i|i['’]m|my|ich|meine?|je|mon|ma|mes|yo|mi|mis|eu|meu|minha|io|mio|mia|я|мой|моя|меня)(?![\p{L}\p{N}])/iu,
  ],
  ["user", /^(?:j['’]|我(?![们們])|私(?!たち)|僕|俺|저(?!희)|제|내)/iu],
  [
    "reference",
    /:\/\/|\b(?:documented|docs?|runbook|dashboard|wiki|reference|guide|tracked|logs?) (?:is|are|at|in|on|lives?)\b/i,
  ],
  [
    "feedback",
    /^(?:always|never|use|don['’]?t|do not|avoid|prefer|run|immer|nie|niemals|toujours|siempre|nunca|sempre|всегда|никогда|不要|总是|必ず|항상|절대)/iu,
  ],
];

function typeOf(statement: string): MemoryType {
  return TYPE_CUES.find(([, cue]) => cue.test(statement))?.[0] ?? TYPE_OF_KIND.remember;
}

const KINDS = Object.keys(TYPE_OF_KIND);

/** Selects at most `limit` proposals: the clearest kinds first, then the newest of a kind. Their order stays. */
function mostWanted(found: readonly RuleProposal[], limit: number): readonly RuleProposal[] {
  if (found.length <= limit) return found;
  const ranked = found
    .map((proposal, at) => ({ proposal, at }))
    .sort((a, b) => KINDS.indexOf(a.proposal.kind) - KINDS.indexOf(b.proposal.kind) || b.at - a.at);
  const kept = new Set(ranked.slice(0, limit).map(({ proposal }) => proposal));
  return found.filter((proposal) => kept.has(proposal));
}
