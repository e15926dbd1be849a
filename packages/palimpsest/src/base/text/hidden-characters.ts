/**
 * Text from outside as people may be shown it: whatever would not be seen, or would steer the terminal or
 * the reading order, is written out as `\u{…}`.
 *
 * What writing needs stays: joiners inside emoji and Indic or Arabic words, the selector behind an emoji
 * or an ideograph, the tags of a regional flag. Linear in the text.
 *
 * The marks by which hosts and models tell who speaks are made ordinary text as well. A text from a tool or the web
 * may hold them on purpose: in a request they would end the place it is in and speak as the system or the user.
 * Linear in the text.
 */

/** Marks on one letter that a reader can still tell apart; languages need four at the most. */
const MARKS_KEPT = 8;

/** Sequences that only look hidden: a regional flag; joiners and selectors where writing needs them. */
const WANTED = [
  "\\u{1F3F4}[\\u{E0030}-\\u{E0039}\\u{E0061}-\\u{E007A}]{1,6}\\u{E007F}",
  "(?<=[\\p{Extended_Pictographic}\\uFE0F\\u{1F3FB}-\\u{1F3FF}])\\u200D(?=\\p{Extended_Pictographic})",
  "(?<=[\\p{Script=Arabic}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}])[\\u200C\\u200D](?=[\\p{L}\\p{M}\\s]|$)",
  "(?<=[\\p{Emoji}])[\\uFE0E\\uFE0F]",
  "(?<=\\p{Script=Han})[\\uFE00-\\uFE02\\u{E0100}-\\u{E01EF}]",
].join("|");

/** Controls, half surrogates, line separators, everything that Unicode says is not to be drawn, and annotations. */
const HIDDEN = "[\\p{Cc}\\p{Cs}\\p{Default_Ignorable_Code_Point}\\u2028\\u2029\\uFFF9-\\uFFFB]";

const FOUND = new RegExp(`(${WANTED})|${HIDDEN}`, "gu");

/** Marks behind as many as are kept; in pieces, because a match of millions is more than an engine's stack holds. */
const TOO_MANY_MARKS = new RegExp(`(?<=\\p{M}{${MARKS_KEPT}})\\p{M}{1,512}`, "gu");

/** Nearly all text is plain, and asking costs a fraction of rewriting. */
const PLAIN = /^[\t\n\u0020-\u007E\u00A1-\u00AC\u00AE-\u02FF]*$/;
const SUSPICIOUS = new RegExp(`${HIDDEN}|\\p{M}{${MARKS_KEPT + 1}}`, "u");

/** The text with everything hidden written out. Line breaks and tabs stay; see {@link showOnOneLine}. */
export function showHidden(text: string): string {
  if (PLAIN.test(text) || !SUSPICIOUS.test(text)) return text;
  const shown = text.replace(FOUND, (found: string, wanted?: string) =>
    wanted !== undefined || found === "\n" || found === "\t" ? found : written(found),
  );
  return withoutTowers(shown);
}

/** More marks on one letter than a reader can distinguish are replaced by their number. */
function withoutTowers(text: string): string {
  const parts: string[] = [];
  let from = 0;
  let marks = 0;
  for (const { 0: some, index } of text.matchAll(TOO_MANY_MARKS)) {
    if (marks > 0 && index > from) {
      parts.push(`[+${marks} marks]`);
      marks = 0;
    }
    parts.push(text.slice(from, index));
    marks += [...some].length;
    from = index + some.length;
  }
  if (marks > 0) parts.push(`[+${marks} marks]`);
  return from === 0 ? text : parts.join("") + text.slice(from);
}

/** The same on one line: white space of any kind is one blank, and none is left at the ends. */
export function showOnOneLine(text: string): string {
  // Other line separators are hidden characters, and are written out.
  return showHidden(text.replace(/[ \t\r\n\f\v]+/g, " ").trim());
}

function written(character: string): string {
  return `\\u{${character.codePointAt(0)!.toString(16).toUpperCase()}}`;
}

/** Tags of hosts, of models' templates, and of what this library puts around data. */
const NAMES = [
  "system(?:[-_](?:reminder|prompt|message|instructions?))?",
  "assistant|user|human|developer|model",
  "tool_(?:use|calls?|results?|response)|function_(?:calls?|results?)|antml:\\w+|invoke",
  "session[-_]notes|current_notes|recalled[-_]memor(?:y|ies)|memory-index(?:-news)?|task-notification",
  "command-(?:name|message|args|contents)|local-command-(?:stdout|stderr|caveat)|user-prompt-submit-hook",
  "start_of_turn|end_of_turn|bos|eos|important|instructions?|transcript|conversation|h[1-6]",
].join("|");

/** In wide letters and signs, which mean the same to a model, every tag is one too many. */
const WIDE = "[\\uFF1C\\uFE64](?=[/\\uFF0F]?[A-Za-z|\\uFF21-\\uFF5C])|<(?=[/\\uFF0F]?[\\uFF21-\\uFF5C])";

const MARK = new RegExp(
  [
    `<(?=[ \\t]{0,3}/?[ \\t]{0,3}(?:${NAMES})(?![\\w-])|/?s>|[|]|</?SYS>>)`,
    WIDE,
    "(?<!\\\\)\\[(?=/?INST\\])",
  ].join("|"),
  "gi",
);

/** The text with what opens such a mark written as `&lt;`, or behind a backslash. */
export function writeOutRoleMarks(text: string): string {
  return text.replace(MARK, (open) => (open === "[" ? "\\[" : "&lt;"));
}
