/**
 * Tellings: sentences in which the assistant says what it found, decided or ruled out.
 *
 * Sentences are taken as they are, never rewritten. In some languages they are known by their words; in
 * any language the first sentence of an answer is kept, because that is where findings stand.
 */
import { addAll } from "../../base/lists.ts";
import { CLASS_DENSE, charClass } from "../../base/text/char-class.ts";
import { findLiterals } from "../literals/literals.ts";
import { oneLine } from "../shared/tool-kinds.ts";
import { announcesStep, reportsFinding } from "./finding-cues.ts";

export interface DigestFinding {
  readonly seq: number;
  readonly pointer: string;
  readonly text: string;
  /** Strength of its cues: how likely the sentence is a finding or a decision. */
  readonly weight: number;
}

const KEPT = 240;
const SENTENCE_CHARACTERS = 320;
/** Characters of an answer that are looked at, from its start and from its end. */
const LOOKED_AT = 6_000;
const PER_ANSWER = 4;
/** Letters of English that say as much as a character of Chinese, Japanese or Korean. Our choice: translations of one text differ by about as much. */
const DENSE_LETTERS = 2;

/** Weight of a sentence that says what was found or decided; the first sentence of an answer alone has less. */
export const FINDING_WEIGHT = 2;

/** Records what an answer tells. Changes the list, whose weakest members go when it is full. */
export function recordFinding(
  findings: DigestFinding[],
  { seq, pointer, text }: { readonly seq: number; readonly pointer: string; readonly text: string },
): void {
  const looked =
    text.length <= 2 * LOOKED_AT ? text : `${text.slice(0, LOOKED_AT)}\n${text.slice(-LOOKED_AT)}`;
  const sentences = splitSentences(looked);
  const chosen = sentences
    .map((sentence, index) => ({ seq, pointer, text: sentence, weight: weigh(sentence, index === 0) }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, PER_ANSWER);
  addAll(findings, chosen);
  if (findings.length > KEPT * 1.5) dropWeakest(findings);
}

function weigh(sentence: string, isFirst: boolean): number {
  const length = spokenLength(sentence);
  if (length < 25) return 0;
  const finding = reportsFinding(sentence) ? FINDING_WEIGHT : 0;
  const first = isFirst && length >= 40 ? 0.5 : 0;
  // A sentence that announces a list says nothing without it.
  const isDangling = /[:：]$/.test(sentence);
  return Math.max(0, (isDangling ? 0.4 : 1) * (finding + first) - (announcesStep(sentence) ? 1 : 0));
}

/** The length of a sentence in letters of English: one character of a script without blanks says as much as several. */
function spokenLength(sentence: string): number {
  let length = sentence.length;
  for (let index = 0; index < sentence.length; index++)
    if (charClass(sentence.charCodeAt(index)) === CLASS_DENSE) length += DENSE_LETTERS - 1;
  return length;
}

/**
 * Sentences that say something to the letter: a path, an identifier, a number. Which words they use, and in which
 * language, does not matter; announcements of a next step are left out.
 */
export function factualSentences(text: string): readonly string[] {
  return splitSentences(text).filter(
    (sentence) => !announcesStep(sentence) && !/[:：]$/.test(sentence) && findLiterals(sentence).length > 0,
  );
}

/** Sentences outside code fences and tables, on one line each. */
function splitSentences(text: string): readonly string[] {
  const sentences: string[] = [];
  let isInFence = false;
  for (const line of text.split("\n")) {
    const trimmed = line.trim();
    if (trimmed.startsWith("```")) isInFence = !isInFence;
    else if (!isInFence && trimmed !== "" && !trimmed.startsWith("|") && !trimmed.startsWith("#"))
      for (const sentence of trimmed.slice(0, 2_000).split(/(?<=[.!?。！？])\s*(?=[\p{Lu}\p{Lo}`"'*])/u))
        sentences.push(oneLine(sentence.replace(/^(?:[-*+]|\d{1,3}[.)])\s+/, ""), SENTENCE_CHARACTERS));
  }
  return sentences;
}

function dropWeakest(findings: DigestFinding[]): void {
  const kept = new Set([...findings].sort((a, b) => b.weight - a.weight || b.seq - a.seq).slice(0, KEPT));
  const inOrder = findings.filter((finding) => kept.has(finding));
  findings.length = 0;
  addAll(findings, inOrder);
}
