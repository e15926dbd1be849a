/**
 * What a talk's user asked to be remembered, found without a model: by the words with which people ask for it,
 * in the languages of the table of cues. It understands nothing, and says so (`extractor: "rules"`).
 *
 * Only the user's own words count; questions, repetitions and sentences that mean nothing without what stands
 * around them ("always do that") are left out. Linear in the talk.
 */

import { MEMORY_SAFETY_DEFAULTS } from "../../base/defaults/memory/safety.ts";
import { redactBroken } from "../../base/redaction/broken-secrets.ts";
import { cutHead } from "../../base/text/text.ts";
import { CUE_KINDS, type Cue, type CueKind, TYPE_OF_KIND } from "../cues/cues.ts";
import { type RememberRequest, rememberRequestOf } from "../cues/wish.ts";
import type { MemoryType } from "../files/memory.ts";
import { attributeTexts, type ConversationMessage } from "../trust/attributed-text.ts";
import { cleanMemoryText } from "../trust/clean-memory.ts";
import { isTorn } from "../trust/quoted-words.ts";
import { type SentenceWords, sentenceWords, shareIn } from "../trust/sentence-words.ts";
import { sentencesOf } from "../trust/sentences.ts";

/** What is to be remembered, in the user's words; cleaned. */
export interface RuleProposal {
  readonly name: string;
  readonly description: string;
  readonly body: string;
  readonly type: MemoryType;
  /** Not of what was asked to be remembered by that word. */
  readonly decays: boolean;
  readonly source: "user";
  readonly isConfirmed: true;
  readonly isQuarantined: false;
  readonly messageId: string;
  /** The sentence as it was said. */
  readonly quote: string;
  readonly kind: CueKind;
  readonly language: Cue["language"];
}

/** Why sentences with a cue were left out. */
export interface LeftOutCounts {
  readonly questions: number;
  /** They mean nothing by themselves. */
  readonly vague: number;
  /** Said before, or known. */
  readonly repeated: number;
  /** They hold a key. */
  readonly secret: number;
  /** There were more than one session may leave. */
  readonly tooMany: number;
}

interface RuleExtraction {
  readonly extractor: "rules";
  /** In the order of the talk. */
  readonly proposals: readonly RuleProposal[];
  readonly leftOut: LeftOutCounts;
}

interface RuleExtractorOptions {
  /** What is known already: the texts of memories. */
  readonly known?: readonly string[];
  /** @defaultValue `MEMORY_SAFETY_DEFAULTS.extractedCount` */
  readonly limit?: number;
}

const { extractedCount, leastWordsCount, repeatedShare, memoryNameCharacters } = MEMORY_SAFETY_DEFAULTS;

/** Finds what the user wants kept. */
export function extractByRules(
  conversation: readonly ConversationMessage[],
  { known = [], limit = extractedCount }: RuleExtractorOptions = {},
): RuleExtraction {
  const leftOut = { questions: 0, vague: 0, repeated: 0, secret: 0, tooMany: 0 };
  const knownWords = known.flatMap((text) => [text, ...sentencesOf(text)]).map(sentenceWords);
  const found: RuleProposal[] = [];
  for (const { id, source, text } of attributeTexts(conversation)) {
    if (source !== "user") continue;
    // The whole text first: a key with a full stop in it is cut where a sentence would end.
    for (const sentence of sentencesOf(redactBroken(text).text)) {
      // A part of a sentence may say something else than the whole.
      const request = isTorn(sentence) ? undefined : rememberRequestOf(sentence);
      if (request === undefined) continue;
      const statementWords = sentenceWords(request.statement);
      const reason = reasonAgainst(sentence, request, { statementWords, knownWords });
      if (reason !== undefined) {
        leftOut[reason]++;
        continue;
      }
      knownWords.push(statementWords);
      found.push(proposalOf(request, { messageId: id, quote: sentence }));
    }
  }
  const proposals = mostWanted(found, limit);
  leftOut.tooMany = found.length - proposals.length;
  return { extractor: "rules", proposals, leftOut };
}

function reasonAgainst(
  sentence: string,
  { cue, statement }: RememberRequest,
  {
    statementWords,
    knownWords,
  }: { readonly statementWords: SentenceWords; readonly knownWords: readonly SentenceWords[] },
): keyof LeftOutCounts | undefined {
  if (isQuestion(sentence) && !(cue.kind === "remember" && ASKS.test(sentence))) return "questions";
  if (statementWords.words.size < leastWordsCount || VAGUE.test(withoutCue(statement))) return "vague";
  if (sentence.includes("[redacted: ")) return "secret";
  return knownWords.some((other) => isSame(statementWords, other)) ? "repeated" : undefined;
}

/** A question that is a request: "can you remember that …?" */
const ASKS =
  /^\P{L}*(?:please |hey |ok,? )?(?:can|could|would|will) you\b|^\P{L}*(?:kannst du|peux-tu|tu peux|puedes|podrías|pode|poderia|puoi|potresti)/iu;
const BE = "is|are|do|does|did|can|could|should|would|will|shall|was|were|has|have|am|may";
const ASKING = new RegExp(
  `^(?:\\p{L}+,? )?(?:(?:what|why|how|when|where|who|which)(?: \\p{L}+)? (?:${BE}|about|come|much|many)\\b|(?:${BE}) (?:i|you|we|they|he|she|it|this|that|these|those|there|the|a|an|my|our|your|any|all)\\b|any (?:idea|suggestion|chance|way)|what['’]?s\\b)`,
  "iu",
);

function isQuestion(sentence: string): boolean {
  if (/[?？]["'”’)\]」』）]{0,3}$|(?:か|かな|까|나요|吗|呢|嗎)[。.]?$/.test(sentence)) return true;
  return /, (?:right|correct|ok|okay|or)$|\bwhat do you think\b/i.test(sentence) || ASKING.test(sentence);
}

/** What is meant stands elsewhere: in the sentence before, on the screen, in a list of choices. */
const VAGUE =
  /^(?:(?:do|use|run|try|keep|make|want|take|add|remove|like|prefer|have|go with|it|to|the|your?|a|be|say|put|just|only|rather)\s+){0,4}(?:it|this|that|these|those|them|so|here|there|same|(?:option|version|variant|choice|approach|number|direction|design|idea|way|solution|plan|suggestion|proposal|step|point|case|one|first|second|third|last|latter|former|other|next)(?:\s+(?:\p{L}|\d{1,2}|one))?)(?:\s+(?:one|way|again|then|now|instead|better|more|too|please|here|there|first))*[\s.,!…]*$/iu;
/** What a cue leaves of a sentence. */
const CUE_WORDS =
  /^(?:(?:you|we|i|one)(?:['’]d)?\s+)?(?:(?:should|must|need to|would|do|really|actually|generally|usually|strongly|much|also|personally)\s+){0,3}(?:(?:always|never|prefer|like|love|hate|dislike|don['’]?t|do not|ever|no|nope|wrong|actually|from now on|going forward|by default|want|use|using|stop)[\s,.:;!-]+)+/i;

function withoutCue(statement: string): string {
  return statement.replace(CUE_WORDS, "");
}

/** Whether two sentences say the same: nearly the same words, and neither denies the other. */
function isSame(one: SentenceWords, other: SentenceWords): boolean {
  if (one.isDenied !== other.isDenied || shareIn(one.words, other.words) < repeatedShare) return false;
  return [...one.words].every((word) => !/\d/.test(word) || other.words.has(word));
}

function proposalOf(
  { cue, statement }: RememberRequest,
  { messageId, quote }: { readonly messageId: string; readonly quote: string },
): RuleProposal {
  const sentence = begun(statement);
  return {
    name: cleanMemoryText(nameOf(sentence), "name").text,
    description: cleanMemoryText(sentence, "description").text,
    body: cleanMemoryText(sentence, "body").text,
    type: typeOf(cue, statement),
    decays: cue.kind !== "remember",
    source: "user",
    isConfirmed: true,
    isQuarantined: false,
    messageId,
    quote,
    kind: cue.kind,
    language: cue.language,
  };
}

function begun(statement: string): string {
  // A name or a path at the beginning is written as it is.
  return /^\p{Ll}[\p{Ll}'’]*(?:\s|$)/u.test(statement)
    ? statement[0]!.toUpperCase() + statement.slice(1)
    : statement;
}

/** The beginning of the sentence, up to a word. */
function nameOf(sentence: string): string {
  const plain = sentence.replace(/[\s.,;:!?。，、！？…]+$/u, "");
  if (plain.length <= NAME_CHARACTERS) return plain;
  const head = cutHead(plain, NAME_CHARACTERS);
  const end = head.search(/[\s,;:][^\s,;:]*$/);
  return `${end > NAME_CHARACTERS / 2 ? head.slice(0, end) : head}…`;
}

const NAME_CHARACTERS = Math.floor((memoryNameCharacters * 3) / 4);

const OF_THEMSELVES =
  /^(?:i|i['’]m|my|ich|mein\p{L}*|je|j['’]|mon|ma|mes|yo|mi|mis|me|eu|meu|minha|io|mio|mia|я|мой|моя|мне|меня)(?![\p{L}\p{N}])|^(?:我(?![们們])|私(?!たち)|僕|俺|저(?!희)|나|제|내)/iu;
const OF_THE_WORK =
  /^(?:always|never|use|don['’]?t|do not|avoid|prefer|run|immer|nie|niemals|toujours|siempre|nunca|sempre|всегда|никогда|不要|总是|必ず|항상|절대)/iu;
const OF_A_PLACE =
  /:\/\/|\b(?:documented|docs?|runbook|dashboard|wiki|reference|guide|changelog|tracked|logs?) (?:is|are|at|in|on|lives?|under)\b/i;

/** Of what was asked to be remembered by that word, its own words decide. */
function typeOf({ kind }: Cue, statement: string): MemoryType {
  if (kind !== "remember") return TYPE_OF_KIND[kind];
  if (OF_THEMSELVES.test(statement)) return "user";
  if (OF_A_PLACE.test(statement)) return "reference";
  return OF_THE_WORK.test(statement) ? "feedback" : TYPE_OF_KIND[kind];
}

/** At most so many: what was asked for most clearly, and of that the newest. */
function mostWanted(found: readonly RuleProposal[], limit: number): readonly RuleProposal[] {
  if (found.length <= limit) return found;
  const ranked = found
    .map((proposal, at) => ({ proposal, at }))
    .sort((a, b) => CUE_KINDS.indexOf(a.proposal.kind) - CUE_KINDS.indexOf(b.proposal.kind) || b.at - a.at);
  const kept = new Set(ranked.slice(0, limit).map(({ proposal }) => proposal));
  return found.filter((proposal) => kept.has(proposal));
}
