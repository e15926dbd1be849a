/**
 * `--window`: sizes as people write them, several at once.
 */
import { CLI_DEFAULTS } from "../../base/defaults/cli.ts";
import { OptionError } from "../../base/errors.ts";
import { formatCount } from "./figures.ts";

const SIZE = /^(\d{1,9}(?:_\d{3})*(?:\.\d{1,6})?)([km]?)$/i;
const FACTOR: Readonly<Record<string, number>> = { "": 1, k: 1_000, m: 1_000_000 };

/**
 * Reads `200000`, `200k`, `1m` or a list such as `64k,32k`; each size once, in the order given.
 * @throws OptionError where a size cannot be read or no window can have it.
 */
export function parseWindowSizes(text: string): readonly number[] {
  return [...new Set(text.split(",").map((part) => parseSize(part.trim(), text)))];
}

function parseSize(part: string, whole: string): number {
  const found = SIZE.exec(part);
  const { minWindowTokens, maxWindowTokens } = CLI_DEFAULTS;
  const tokens =
    found === null ? Number.NaN : Number(found[1]!.replaceAll("_", "")) * FACTOR[found[2]!.toLowerCase()]!;
  if (Number.isInteger(tokens) && tokens >= minWindowTokens && tokens <= maxWindowTokens) return tokens;
  const inside = part === whole ? "" : ` in ${JSON.stringify(whole)}`;
  throw new OptionError({
    message: `--window: ${JSON.stringify(part)}${inside} is no size of a window; it has ${formatCount(minWindowTokens)} to ${formatCount(maxWindowTokens)} tokens.`,
    hint: "Write a number of tokens such as 200000, 200k or 1m; separate several by commas.",
  });
}
