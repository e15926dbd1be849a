/**
 * Parses `--window` and `--fixed`: sizes such as `200k`, and lists of window sizes.
 */

import { OptionError } from "palimpsest";
import { CLI_DEFAULTS } from "../defaults/cli.ts";
import { formatCount } from "../terminal/figures.ts";

const SIZE = /^(\d{1,9}(?:_\d{3})*(?:\.\d{1,6})?)([km]?)$/i;
const FACTOR: Readonly<Record<string, number>> = { "": 1, k: 1_000, m: 1_000_000 };

/**
 * Reads `200000`, `200k`, `1m` or a list such as `64k,32k`; each size once, in the order given.
 * @throws OptionError if a size cannot be parsed or is out of range.
 */
export function parseWindowSizes(text: string): readonly number[] {
  return [...new Set(text.split(",").map((part) => parseSize(part.trim(), text)))];
}

function parseSize(part: string, whole: string): number {
  const { minWindowTokens, maxWindowTokens } = CLI_DEFAULTS;
  const tokens = parseTokens(part);
  if (Number.isInteger(tokens) && tokens >= minWindowTokens && tokens <= maxWindowTokens) return tokens;
  const inside = part === whole ? "" : ` in ${JSON.stringify(whole)}`;
  throw new OptionError({
    message: `--window: ${JSON.stringify(part)}${inside} is not a window size from ${formatCount(minWindowTokens)} to ${formatCount(maxWindowTokens)} tokens.`,
    hint: "Write a number of tokens such as 200000, 200k or 1m; separate several by commas.",
  });
}

/**
 * Reads the size of system prompt and tools: `12000`, `12k`, or 0 if there were none.
 * @throws OptionError if it cannot be parsed or is larger than any window.
 */
export function parseFixedTokens(text: string): number {
  const { maxWindowTokens } = CLI_DEFAULTS;
  const tokens = parseTokens(text.trim());
  if (Number.isInteger(tokens) && tokens <= maxWindowTokens) return tokens;
  throw new OptionError({
    message: `--fixed: ${JSON.stringify(text)} is not a number of tokens from 0 to ${formatCount(maxWindowTokens)}.`,
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
