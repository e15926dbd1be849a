/**
 * Describes a round in a few words, from the round itself: the assistant's findings, its calls and how they
 * ended, and the beginning of long words of the user. Everything is quoted or counted, so a line invents
 * nothing and keeps the conversation's language.
 */

import type { JsonValue } from "../../../base/json/json.ts";
import { finish } from "../../../base/steps.ts";
import { cutTail, shorten } from "../../../base/text/text.ts";
import { isServerToolUse, type ServerToolUseBlock, type ToolUseBlock } from "../../../transcript/blocks.ts";
import type { VisibleMessage } from "../../../transcript/window.ts";
import { visibleWithoutSecrets } from "../../../transcript/without-secrets.ts";
import { type DigestFinding, FINDING_WEIGHT, recordFinding } from "../../digest/digest-findings.ts";
import { fitPrefix, type Measure, measureText } from "../../shared/measure.ts";
import { inline } from "../../shared/quoted-lines.ts";
import { mainArgument, oneLine, pathOf, toolKind } from "../../shared/tool-kinds.ts";
import { CLEARED_PREFIX, outcomeOf } from "../../shared/tool-results.ts";
import { userWordsOf } from "../../shared/user-words.ts";
import { hasShortUserText } from "./collapse-rounds.ts";

/** Characters that a line quotes of longer ones. Our choice: a sentence. */
const QUOTED_CHARACTERS = 160;
/** Characters of a call's main argument. Our choice: the end of a path, the start of a command. */
const ARGUMENT_CHARACTERS = 48;
/** Characters of what a failed call said. Our choice: an error's first words. */
const FAILURE_CHARACTERS = 60;
/** Characters of one sentence of the assistant. Our choice: a sentence. */
const SENTENCE_CHARACTERS = 140;
/** Sentences of an answer without calls. Our choice. */
const ANSWER_SENTENCES = 2;

export interface RoundLinePolicy {
  /** The size of a round's line, in tokens … */
  readonly roundTokens: number;
  /** … and of one that is an answer without calls. */
  readonly answerTokens: number;
  /** Words of the user above this are quoted in part; others stay in the window. */
  readonly userWordsTokens: number;
}

/** Long messages of the user in one round that are quoted. */
const LONG_WORDS_QUOTED = 2;
/** Characters of an answer in which its first words are looked for. */
const OPENING_CHARACTERS = 600;

/** Describes the round in a few words; empty if it holds nothing to describe. */
export function describeRound(
  round: readonly VisibleMessage[],
  { roundTokens, answerTokens, userWordsTokens }: RoundLinePolicy,
  measure: Measure,
): string {
  const messages = round.map(visibleWithoutSecrets);
  const calls = describeCalls(messages);
  const words = messages.flatMap((message) => quoteLongWords(message, userWordsTokens, measure));
  const isAnswer = calls.length === 0;
  const { sentences, isFinding } = describeWords(messages, { isAnswer });
  const chosenSentences = sentences.slice(0, isAnswer ? ANSWER_SENTENCES : 1);
  const parts = isFinding ? [...chosenSentences, ...calls] : [...calls, ...chosenSentences];
  const budgetTokens = isAnswer ? answerTokens : roundTokens;
  const fitting = finish(fitPrefix(parts, budgetTokens, measure, "; "));
  const chosen = fitting.length > 0 ? fitting : parts.slice(0, 1);
  const leftOut = calls.filter((call) => !chosen.includes(call)).length;
  const line = shortenTo(chosen.join("; "), budgetTokens, measure);
  // Words of the user come on top: there are few that are so long.
  const text = [...words.slice(0, LONG_WORDS_QUOTED), line].filter((part) => part !== "").join("; ");
  return leftOut > 0 ? `${text} and ${leftOut} more` : text;
}

/** Returns the assistant's words: its strongest findings first, or the beginning of an answer without findings. */
function describeWords(
  messages: readonly VisibleMessage[],
  { isAnswer }: { readonly isAnswer: boolean },
): { readonly sentences: readonly string[]; readonly isFinding: boolean } {
  const findings: DigestFinding[] = [];
  let opening = "";
  for (const { role, seq, blocks } of messages)
    for (const { block } of blocks) {
      if (role !== "assistant" || block.type !== "text") continue;
      recordFinding(findings, { seq, pointer: "", text: block.text });
      if (opening === "") opening = block.text.slice(0, OPENING_CHARACTERS);
    }
  const ranked = findings.toSorted((one, other) => other.weight - one.weight);
  const texts = ranked.map(({ text }) => text);
  // What comes before calls announces them, and they say it better.
  if (texts.length === 0 && isAnswer && opening !== "") texts.push(opening);
  return {
    sentences: texts.map((text) => `"${shorten(inline(text), SENTENCE_CHARACTERS)}"`),
    // A finding is worth more than the calls beside it: it says why something is so.
    isFinding: (ranked[0]?.weight ?? 0) >= FINDING_WEIGHT,
  };
}

function describeCalls(messages: readonly VisibleMessage[]): readonly string[] {
  const failures = findFailures(messages);
  return messages.flatMap(({ blocks }) =>
    blocks.flatMap(({ block }): readonly string[] => {
      if (block.type !== "tool_use" && !isServerToolUse(block)) return [];
      const failure = failures.get(block.id);
      const outcome = failure === undefined ? "" : failure === "" ? " failed" : ` failed (${failure})`;
      return [`${nameCall(block)}${outcome}`];
    }),
  );
}

function nameCall({ name, input }: ToolUseBlock | ServerToolUseBlock): string {
  const argument = shortArgument(name, input);
  return inline(argument === "" ? name : `${name} ${argument}`);
}

const CHANGE_OF_FOLDER = /^\s*cd\s+\S{1,400}\s*(?:&&|;)\s*/;

/** Returns the part of the arguments that distinguishes calls of one tool: the end of a path, a command after its change of folder. */
function shortArgument(name: string, input: JsonValue): string {
  const whole = mainArgument(name, input, ARGUMENT_LOOKED_AT);
  if (whole !== "" && whole === oneLine(pathOf(input) ?? "", ARGUMENT_LOOKED_AT)) return shortenPath(whole);
  return shorten(whole.replace(CHANGE_OF_FOLDER, ""), ARGUMENT_CHARACTERS);
}

/** Characters of an argument that are looked at. */
const ARGUMENT_LOOKED_AT = 500;

function shortenPath(path: string): string {
  if (path.length <= ARGUMENT_CHARACTERS) return path;
  const tail = cutTail(path, ARGUMENT_CHARACTERS - 1);
  return `…${tail.slice(Math.max(0, tail.indexOf("/")))}`;
}

/** By call, of those that failed: what they said. */
function findFailures(messages: readonly VisibleMessage[]): ReadonlyMap<string, string> {
  const kinds = new Map<string, ReturnType<typeof toolKind>>();
  const failures = new Map<string, string>();
  for (const { blocks } of messages)
    for (const { block } of blocks) {
      if (block.type === "tool_use") kinds.set(block.id, toolKind(block.name, block.input));
      if (block.type !== "tool_result") continue;
      const outcome = outcomeOf(block, kinds.get(block.tool_use_id));
      const failure = clearedFailure(outcome.line);
      if (outcome.hasFailed || failure !== undefined)
        failures.set(block.tool_use_id, oneLine(inline(failure ?? outcome.line), FAILURE_CHARACTERS));
    }
  return failures;
}

/** Returns the failure that a brief reports of the result it replaced. */
function clearedFailure(line: string): string | undefined {
  if (!line.startsWith(CLEARED_PREFIX)) return undefined;
  return /, failed: ([^;\]]{0,200})/.exec(line)?.[1];
}

/** The beginning of words that are too long to stay. */
function quoteLongWords(
  message: VisibleMessage,
  userWordsTokens: number,
  measure: Measure,
): readonly string[] {
  const { role, origin, insertedBy, blocks } = message;
  if (insertedBy !== undefined || hasShortUserText(message, { userWordsTokens, measure })) return [];
  const words = userWordsOf({ role, origin, content: blocks.map(({ block }) => block) });
  if (words.length === 0) return [];
  const text = words.map((part) => part.text.slice(0, 4 * QUOTED_CHARACTERS)).join(" ");
  return [`the user: "${shorten(inline(text), QUOTED_CHARACTERS)}"`];
}

function shortenTo(text: string, tokens: number, measure: Measure): string {
  let short = text;
  for (let pass = 0; pass < 4 && measureText(short, measure) > tokens; pass++)
    short = shorten(short, Math.floor((short.length * tokens) / measureText(short, measure)));
  return short;
}
