/**
 * Checks a model's answer before it becomes a summary.
 *
 * The scratchpad is dropped. An answer is refused if the output limit cut it, if it is empty, calls a tool
 * or was refused by the model, or if it has none of the sections: then the model went on with the work or
 * answered a question of the transcript.
 */
import type { ContentBlock } from "../../transcript/blocks.ts";
import { SUMMARY_SECTIONS } from "./summary-prompt.ts";

/** Numbered sections that an answer must have to be a summary, of nine. Our choice: a short conversation has little to say in some. */
const LEAST_SECTIONS_COUNT = 5;
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

/** `1.`, `## 1)`, `**1.`, `一、`, `１．` …: the numbers of the sections at the start of a line, in any language. */
const SECTION =
  /^[ \t]{0,3}(?:#{1,6}[ \t]*)?(?:\*\*|__)?([1-9１-９一二三四五六七八九١-٩])(?:[.)、:．）：]|\*\*)/gm;

/** Five steps of a plan are numbered, too: where the tags are missing, five titles or all nine numbers say it. */
function hasSections(text: string, isTagged: boolean): boolean {
  const least = LEAST_SECTIONS_COUNT;
  const lower = text.toLowerCase();
  const titles = SUMMARY_SECTIONS.filter(({ title }) => lower.includes(title.toLowerCase()));
  if (titles.length >= least) return true;
  const numbers = new Set(Array.from(text.matchAll(SECTION), ([, number]) => number));
  return numbers.size >= (isTagged ? least : SUMMARY_SECTIONS.length);
}
