/**
 * Tokens of a text without a tokenizer: one linear pass over its characters.
 *
 * A tokenizer needs megabytes of tables, reads 5–30 MB/s and hangs on a page of one repeated letter.
 * This pass reads hundreds of MB/s, takes the same time for any input and is right within a few
 * per cent on agents' texts. Its unit is one token of the Claude 4 tokenizer; other families are a
 * ratio away (`model-family.ts`), which `calibration.ts` refines from what the provider reports.
 */
import { TOKEN_WEIGHTS } from "../../base/defaults/tokens/token-weights.ts";
import { buildAutomaton, type CharacterAutomaton } from "./character-automaton.ts";

/** Built for the first text: it would take a tenth of the time of importing the library. */
let automaton: CharacterAutomaton | undefined;

/**
 * Estimates the tokens of a text, not rounded, so that sums over many small texts stay right.
 * 0 for the empty text, never negative. Unit: reference tokens.
 */
export function estimateText(text: string): number {
  automaton ??= buildAutomaton(TOKEN_WEIGHTS);
  const { asciiClass, pageClass, pageBits, next, classBits, weight, repeatClass, repeatable } = automaton;
  const length = text.length;
  let state = automaton.startState;
  let tokens = 0;
  for (let index = 0; index < length; index++) {
    const code = text.charCodeAt(index);
    if (code < 128) {
      state = next[state | asciiClass[code]!]!;
    } else {
      const characterClass = pageClass[code >> pageBits]!;
      const isRepeated = repeatable[characterClass] === 1 && index > 0 && text.charCodeAt(index - 1) === code;
      state = next[state | (isRepeated ? repeatClass : characterClass)]!;
    }
    tokens += weight[state >> classBits]!;
  }
  return tokens;
}
