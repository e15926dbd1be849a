/**
 * Parses `--window` and `--fixed`: sizes such as `200k`, and lists of window sizes.
 */

import { OptionError } from "palimpsest";
import { formatCount } from "../terminal/figures.ts";

/** Smallest window: thresholds keep their order from here on. */
const MIN_TOKENS = 1_000;
/** Largest window: ten times the largest model there is. */
const MAX_TOKENS = 10_000_000;

const SIZE = /^(\d{1,9}(?:_\d{3})*(?:\.\d{1,6})?)([km]?)$/i;
const FACTOR: Readonly<Record<string, number>> = { "": 1, k: 1_000, m: 1_000_000 };

/**
 * Reads `200000`, `200k`, `1m` or a list such as `64k,32k`; each size once, in the order given.
 * @throws OptionError if a size cannot be parsed or is out of range.
 */
export function parseWindowSizes(text: string): readonly number[] {
  return [...new Set(text.split(",").map((part) => parseSize(part.trim(), text)))];
}

/** Reads one window size. @throws OptionError if it cannot be parsed, or is a list */
export function parseWindowSize(text: string): number {
  if (!text.includes(",")) return parseSize(text.trim(), text, ONE_SIZE);
  throw new OptionError({
    message: `--window: ${JSON.stringify(text)} is more than one size.`,
    hint: "Write one number of tokens, such as 200k.",
  });
}

const ONE_SIZE = "Write a number of tokens such as 200000, 200k or 1m.";
const SIZES = "Write a number of tokens such as 200000, 200k or 1m; separate several by commas.";

function parseSize(part: string, whole: string, hint = SIZES): number {
  const tokens = parseTokens(part);
  if (Number.isInteger(tokens) && tokens >= MIN_TOKENS && tokens <= MAX_TOKENS) return tokens;
  const inside = part === whole ? "" : ` in ${JSON.stringify(whole)}`;
  throw new OptionError({
    message: `--window: ${JSON.stringify(part)}${inside} is not a window size from ${formatCount(MIN_TOKENS)} to ${formatCount(MAX_TOKENS)} tokens.`,
    hint,
  });
}

/**
 * Reads the size of system prompt and tools: `12000`, `12k`, or 0 if there were none.
 * @throws OptionError if it cannot be parsed or is larger than any window.
 */
export function parseFixedTokens(text: string): number {
  const tokens = parseTokens(text.trim());
  if (Number.isInteger(tokens) && tokens <= MAX_TOKENS) return tokens;
  throw new OptionError({
    message: `--fixed: ${JSON.stringify(text)} is not a number of tokens from 0 to ${formatCount(MAX_TOKENS)}.`,
    hint: "Write the size of system prompt and tools, such as 12000 or 12k.",
  });
}

/** Returns `NaN` if the text is not a number of tokens. */
function parseTokens(text: string): number {
  const found = SIZE.exec(text);
  return found === null
    ? Number.NaN
    : Number(found[1]!.replaceAll("_", "")) * FACTOR[found[2]!.toLowerCase()]!;
}
