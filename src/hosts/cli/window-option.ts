/**
 * `--window`: sizes as people write them, several at once.
 */
import { CLI_DEFAULTS } from "../../base/defaults/cli.ts";
import { OptionError } from "../../base/errors.ts";

const SIZE = /^(\d{1,9}(?:_\d{3})*(?:\.\d{1,6})?)\s*([km]?)$/i;
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
  if (found === null)
    throw refused(`${JSON.stringify(part)} in --window ${JSON.stringify(whole)} is no size.`);
  const tokens = Number(found[1]!.replaceAll("_", "")) * FACTOR[found[2]!.toLowerCase()]!;
  const { minWindowTokens, maxWindowTokens } = CLI_DEFAULTS;
  if (Number.isInteger(tokens) && tokens >= minWindowTokens && tokens <= maxWindowTokens) return tokens;
  throw refused(
    `A window of ${part} tokens cannot be used; it has ${minWindowTokens} to ${maxWindowTokens}.`,
  );
}

function refused(message: string): OptionError {
  return new OptionError({
    message,
    hint: "Write a number of tokens such as 200000, 200k or 1m; separate several by commas.",
  });
}
