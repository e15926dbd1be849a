/**
 * The text that a model is assumed to have written where none is asked: the strings that it keeps, to the
 * letter, below headings, among words that name nothing.
 *
 * It is a text and no mere figure, so that what is made of it is made by the library's own code: it is
 * measured, refused and shown like any other.
 */
import { estimateText } from "palimpsest/tokens";

interface ModelledText {
  /** Lines that its parts begin with. */
  readonly headings: readonly string[];
  readonly strings: readonly string[];
  /** Length in reference tokens; strings that take more than that stay all the same. */
  readonly tokens: number;
}

/** No word of it is a string that anybody looks for. */
const FILLER = "- it was looked at once more and then the work went on as it had been said before";

/** A text of about `tokens` in which every string can be read. */
export function composeModelledText({ headings, strings, tokens }: ModelledText): string {
  const each = Math.ceil(strings.length / headings.length);
  const parts = headings.map((heading, index) =>
    [heading, ...strings.slice(index * each, (index + 1) * each).map(quoted)].join("\n"),
  );
  const leftTokens = tokens - estimateText(parts.join("\n\n"));
  const lines = Math.max(0, Math.round(leftTokens / estimateText(`${FILLER}\n`)));
  return parts
    .map((part, index) => {
      const own =
        Math.floor(((index + 1) * lines) / parts.length) - Math.floor((index * lines) / parts.length);
      return [part, ...Array.from({ length: own }, () => FILLER)].join("\n");
    })
    .join("\n\n");
}

/** On a line of its own and between marks that it does not hold itself, so that it is read as one string. */
function quoted(text: string): string {
  const mark = ["`", '"', "'"].find((one) => !text.includes(one)) ?? "";
  return mark + text + mark;
}
