/**
 * Marks by which hosts and models tell who speaks, made ordinary text.
 *
 * Text that a tool or the web returned may hold them on purpose: written into a request again, they would
 * end the place it stands in and speak as the system or the user. Linear in the text, whoever wrote it.
 */

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
