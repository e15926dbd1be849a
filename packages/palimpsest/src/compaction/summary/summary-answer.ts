/**
 * Checks a model's answer before it becomes a summary.
 *
 * The scratchpad is dropped. An answer is refused if the output limit cut it, if it is empty, calls a tool
 * or was refused by the model, or if it has none of the sections: then the model went on with the work or
 * answered a question of the transcript.
 */
import type { ContentBlock } from "../../transcript/blocks.ts";
import { findLiterals, visitLiterals } from "../literals/literals.ts";
import { SUMMARY_SECTIONS } from "./summary-prompt.ts";

/** Numbered sections that an answer must have to be a summary, of nine. Our choice: a short conversation has little to say in some. */
const LEAST_SECTIONS_COUNT = 5;
/** Strings not found in the log that are marked in one summary, at the most. Our choice: more says that the summary is bad, not which string is wrong. */
const UNVERIFIED_MARKS_COUNT = 60;

/** The reason why an answer is not a summary. */
export type SummaryProblem = "called-a-tool" | "cut-off" | "refused" | "empty" | "not-a-summary";

/** An answer as far as it matters here. */
interface SummaryAnswer {
  readonly content: readonly ContentBlock[];
  /** `output-limit`, `refusal` …, as the model client tells it. */
  readonly stopReason: string;
}

type ReadSummary =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: SummaryProblem };

/** The summary in an answer. */
export function readSummaryAnswer({ content, stopReason }: SummaryAnswer): ReadSummary {
  if (stopReason === "refusal") return { ok: false, problem: "refused" };
  if (stopReason === "output-limit" || stopReason === "window-full") return { ok: false, problem: "cut-off" };
  if (content.some(({ type }) => CALLS.has(type))) return { ok: false, problem: "called-a-tool" };
  const answer = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  const { text, isTagged } = stripScratchpad(answer);
  if (text === "") return { ok: false, problem: answer.trim() === "" ? "empty" : "not-a-summary" };
  return hasSections(text, isTagged) ? { ok: true, text } : { ok: false, problem: "not-a-summary" };
}

const CALLS: ReadonlySet<string> = new Set(["tool_use", "server_tool_use", "mcp_tool_use"]);

/**
 * Returns the text between the summary's tags; without tags, the text without the scratchpad. A summary may
 * mention such tags itself, so the outermost ones after the scratchpad count.
 */
function stripScratchpad(answer: string): { readonly text: string; readonly isTagged: boolean } {
  const end = answer.indexOf("</analysis>");
  const open = answer.indexOf("<summary>", Math.max(0, end));
  if (open !== -1) {
    const start = open + "<summary>".length;
    const close = answer.lastIndexOf("</summary>");
    return { text: answer.slice(start, close < start ? undefined : close).trim(), isTagged: true };
  }
  // A scratchpad that never ends has no summary behind it.
  const rest =
    end === -1 && answer.includes("<analysis>")
      ? ""
      : answer.slice(end === -1 ? 0 : end + "</analysis>".length);
  return { text: rest.trim(), isTagged: false };
}

/** `1.`, `## 1)`, `**1.` …: the numbers of the sections at the start of a line, in any language. */
const SECTION = /^[ \t]{0,3}(?:#{1,6}[ \t]*)?(?:\*\*|__)?([1-9])(?:[.)、:]|\*\*)/gm;

/** Five steps of a plan are numbered, too: where the tags are missing, five titles or all nine numbers say it. */
function hasSections(text: string, isTagged: boolean): boolean {
  const least = LEAST_SECTIONS_COUNT;
  const lower = text.toLowerCase();
  const titles = SUMMARY_SECTIONS.filter(({ title }) => lower.includes(title.toLowerCase()));
  if (titles.length >= least) return true;
  const numbers = new Set(Array.from(text.matchAll(SECTION), ([, number]) => number));
  return numbers.size >= (isTagged ? least : SUMMARY_SECTIONS.length);
}

// Marks strings of a summary that occur nowhere in the log: a model that summarizes changes digits,
// completes paths and invents names. The mark follows the first occurrence of each string, never inside
// code, where it would be read as code; strings that occur only in fenced code are listed at the end. The
// next summary is written from a window that shows this one, so marked strings are recognized again.

const MARK = " [unverified]";
const LIST = "Not found in the log [unverified]: ";

/** The text with its marks. */
export function markUnverified(text: string, isInLog: (literal: string) => boolean): string {
  const unknown = new Set<string>();
  visitLiterals(text, (literal, kind) => {
    if (unknown.size >= UNVERIFIED_MARKS_COUNT) return;
    const isShortNumber = kind === "number" && literal.replace(/\D/g, "").length < 4;
    if (!isShortNumber && !isInLog(literal)) unknown.add(literal);
  });
  if (unknown.size === 0) return text;
  const lines: string[] = [];
  let isFenced = false;
  for (const line of text.split("\n")) {
    if (/^\s*(?:```|~~~)/.test(line)) isFenced = !isFenced;
    lines.push(isFenced ? line : markLine(line, unknown));
  }
  const left = [...unknown].map((literal) => `\`${literal.replaceAll("`", "'")}\``);
  if (left.length > 0) lines.push(...(isFenced ? ["```"] : []), "", `${LIST}${left.join(", ")}`);
  return lines.join("\n");
}

/** The literals of a marked text that carry no mark: what the log was found to hold. */
export function findVerified(marked: string): ReadonlySet<string> {
  const verified = new Set(findLiterals(marked));
  for (const line of marked.split("\n")) {
    if (!line.includes(MARK)) continue;
    for (const literal of findLiterals(line)) if (isMarked(line, literal)) verified.delete(literal);
  }
  return verified;
}

/** Marks each string of `unknown` that the line contains, and removes it from the set. */
function markLine(line: string, unknown: Set<string>): string {
  const places = new Set<number>();
  visitLiterals(line, (literal) => {
    if (!unknown.delete(literal)) return;
    const place = placeBehind(line, literal);
    if (!line.startsWith(MARK, place) && !line.startsWith(LIST)) places.add(place);
  });
  return [...places]
    .sort((one, other) => other - one)
    .reduce((marked, place) => `${marked.slice(0, place)}${MARK}${marked.slice(place)}`, line);
}

const isMarked = (line: string, literal: string): boolean =>
  line.startsWith(LIST) || line.startsWith(MARK, placeBehind(line, literal));

/** Returns the place of a string's mark: after the string, and after the code and the quotation marks around it. */
function placeBehind(line: string, literal: string): number {
  let end = findWhole(line, literal) + literal.length;
  const isInCode = (line.slice(0, end).split("`").length - 1) % 2 === 1;
  if (isInCode) end = Math.max(end, line.indexOf("`", end));
  while (end < line.length && /[`"'*_)\]]/.test(line[end]!)) end++;
  return end;
}

/** The first place where the string stands by itself and not as a part of another one. */
function findWhole(line: string, literal: string): number {
  for (let at = line.indexOf(literal); at !== -1; at = line.indexOf(literal, at + 1))
    if (!isPartOfName(line[at - 1]) && !isPartOfName(line[at + literal.length])) return at;
  return line.indexOf(literal);
}

const isPartOfName = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}_]/u.test(character);
