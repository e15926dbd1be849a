/**
 * Whether an answer is a summary: its form is checked before anything rests on it.
 *
 * The scratchpad is thrown away. What was cut by the output limit, is empty, calls a tool or was refused is
 * no summary, and neither is a text that has none of the sections: a model that went on with the work
 * instead, or answered a question of the transcript.
 */
import { FULL_COMPACT_DEFAULTS } from "../../base/defaults/full-compact.ts";
import type { ContentBlock } from "../../transcript/blocks.ts";
import { SUMMARY_SECTIONS } from "./summary-prompt.ts";

/** Why an answer is no summary. */
export type SummaryProblem = "called-a-tool" | "cut-off" | "refused" | "empty" | "not-a-summary" | "inflated";

/** An answer as far as it matters here. */
export interface SummaryAnswer {
  readonly content: readonly ContentBlock[];
  /** `output-limit`, `refusal` …, as the model client tells it. */
  readonly stopReason: string;
}

export type ReadSummary =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: SummaryProblem };

/** The summary in an answer. */
export function readSummaryAnswer({ content, stopReason }: SummaryAnswer): ReadSummary {
  if (stopReason === "refusal") return { ok: false, problem: "refused" };
  if (stopReason === "output-limit" || stopReason === "window-full") return { ok: false, problem: "cut-off" };
  if (content.some(({ type }) => CALLS.has(type))) return { ok: false, problem: "called-a-tool" };
  const said = content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  const text = stripScratchpad(said);
  if (text === "") return { ok: false, problem: said.trim() === "" ? "empty" : "not-a-summary" };
  return countSections(text) >= FULL_COMPACT_DEFAULTS.leastSectionsCount
    ? { ok: true, text }
    : { ok: false, problem: "not-a-summary" };
}

const CALLS: ReadonlySet<string> = new Set(["tool_use", "server_tool_use", "mcp_tool_use"]);

/** The text between the summary's tags; without them, what is left when the scratchpad is taken out. */
function stripScratchpad(said: string): string {
  const open = said.lastIndexOf("<summary>");
  if (open !== -1) {
    const close = said.indexOf("</summary>", open);
    return (close === -1 ? said.slice(open + 9) : said.slice(open + 9, close)).trim();
  }
  const end = said.lastIndexOf("</analysis>");
  if (end !== -1) return said.slice(end + 11).trim();
  // A scratchpad that never ends has no summary behind it.
  return said.includes("<analysis>") ? "" : said.trim();
}

/** `1.`, `## 1)`, `**1.` …: the numbers of the sections at the start of a line, in any language. */
const SECTION = /^[ \t]{0,3}(?:#{1,6}[ \t]*)?(?:\*\*|__)?([1-9])(?:[.)、:]|\*\*)/gm;

function countSections(text: string): number {
  const numbers = new Set<string>();
  for (const found of text.matchAll(SECTION)) numbers.add(found[1]!);
  const titles = SUMMARY_SECTIONS.filter(({ title }) => text.toLowerCase().includes(title.toLowerCase()));
  return Math.max(numbers.size, titles.length);
}
