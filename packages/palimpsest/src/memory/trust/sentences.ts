/**
 * Sentences of what somebody typed, in scripts with and without blanks. Linear in the text.
 */

/** Ends of sentences; a full stop only in front of a blank, so that `v1.2` and `a.ts` stay whole. */
const END = /[.!?…]+["'”’)\]]{0,3}(?=\s|$)|[。！？]+[」』”）]{0,3}/g;
/** Behind these nothing ends. */
const SHORT_FORM =
  /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|z\.B|d\.h|bzw|usw|ca|p\.ex|ej|т\.е|т\.д|[A-Za-zА-я])\.$/i;

/** The sentences of all lines, without blanks at their ends and with the signs that end them. */
export function sentencesOf(text: string): readonly string[] {
  return text.split(/\r\n?|\n/).flatMap((line) => {
    const sentences: string[] = [];
    let from = 0;
    for (const { 0: sign, index } of line.matchAll(END)) {
      const end = index + sign.length;
      if (sign === "." && SHORT_FORM.test(line.slice(Math.max(from, end - 12), end))) continue;
      sentences.push(line.slice(from, end));
      from = end;
    }
    sentences.push(line.slice(from));
    return sentences.map((sentence) => sentence.trim()).filter((sentence) => sentence !== "");
  });
}
