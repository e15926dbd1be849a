/**
 * The words and the literals of a digest: what is looked at of each block, and how much of it.
 */
import { blockText, type ContentBlock } from "../../transcript/blocks.ts";
import { literalsInSteps, textLiteralsInSteps } from "../literals/block-literals.ts";
import { addLiterals, type LiteralLedger, type Speaker } from "../literals/literal-ledger.ts";
import type { LogWords } from "../literals/log-words.ts";

/** Characters of one text in which literals are looked for: beyond it lies data. */
const LITERAL_CHARACTERS = 400_000;
/** Characters of one text whose words are known: five times as many, because a word that is not known is an accusation. */
const WORDS_CHARACTERS = 2_000_000;
/** Characters of a text that need no steps. Our choice: well below a millisecond. */
const SHORT_CHARACTERS = 4_000;
/** The part of a digest that this file adds to. */
interface DigestWords {
  readonly literals: LiteralLedger;
  readonly words: LogWords;
}

/** Adds the words and the literals of a block, in steps of a millisecond or two. Changes both. */
export function* addBlockWords(
  digest: DigestWords,
  seq: number,
  speaker: Speaker,
  block: ContentBlock,
): Generator<void> {
  switch (block.type) {
    case "tool_use":
      digest.words.add(block.name);
      for (const { text, isKey } of textsOf(block.input, 0)) {
        // A file that is written is a text as long as any other.
        if (text.length < SHORT_CHARACTERS) addWords(digest, text);
        else yield* digest.words.addInSteps(boundedWords(text));
        if (!isKey) addLiterals(digest.literals, seq, speaker, yield* textLiteralsInSteps(bounded(text)));
      }
      // The loss report asks for those of the call as it is shown.
      yield* literalsInSteps(block, LITERAL_CHARACTERS);
      return;
    case "text":
    case "tool_result":
    case "compaction":
      addLiterals(digest.literals, seq, speaker, (yield* literalsInSteps(block, LITERAL_CHARACTERS)).all);
      yield* digest.words.addInSteps(boundedWords(blockText(block)));
      return;
    case "image":
    case "opaque":
    case "redacted_thinking":
      return;
    default:
      addWords(digest, blockText(block));
  }
}

/** Adds the words of a text. */
export const addWords = ({ words }: Pick<DigestWords, "words">, text: string): void =>
  words.add(boundedWords(text));

const boundedWords = (text: string): string =>
  text.length > WORDS_CHARACTERS ? text.slice(0, WORDS_CHARACTERS) : text;

const bounded = (text: string): string =>
  text.length > LITERAL_CHARACTERS ? text.slice(0, LITERAL_CHARACTERS) : text;

interface ArgumentText {
  readonly text: string;
  readonly isKey: boolean;
}

/** Strings of arguments as they are, without the escapes of JSON, and the names of members. */
function* textsOf(value: unknown, depth: number): Iterable<ArgumentText> {
  if (typeof value === "string") yield { text: value, isKey: false };
  else if (typeof value === "number") yield { text: String(value), isKey: false };
  else if (typeof value === "object" && value !== null && depth < 20)
    for (const [key, member] of Object.entries(value)) {
      if (!Array.isArray(value)) yield { text: key, isKey: true };
      yield* textsOf(member, depth + 1);
    }
}
