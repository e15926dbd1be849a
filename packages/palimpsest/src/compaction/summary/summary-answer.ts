/**
 * Whether an answer is a summary: its form is checked before anything rests on it.
 *
 * The scratchpad is thrown away. What was cut by the output limit, is empty, calls a tool or was refused is
 * no summary, and neither is a text that has none of the sections: a model that went on with the work
 * instead, or answered a question of the transcript.
 */
import { FULL_COMPACT_DEFAULTS } from "../../base/defaults/compaction/full-compact.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";
import { SUMMARY_SECTIONS } from "./summary-prompt.ts";

/** Why an answer is no summary. */
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
 * The text between the summary's tags; without them, what is left when the scratchpad is taken out. A summary
 * may speak of such tags itself, so the outermost ones behind the scratchpad count.
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
  const least = FULL_COMPACT_DEFAULTS.leastSectionsCount;
  const lower = text.toLowerCase();
  const titles = SUMMARY_SECTIONS.filter(({ title }) => lower.includes(title.toLowerCase()));
  if (titles.length >= least) return true;
  const numbers = new Set(Array.from(text.matchAll(SECTION), ([, number]) => number));
  return numbers.size >= (isTagged ? least : SUMMARY_SECTIONS.length);
}
