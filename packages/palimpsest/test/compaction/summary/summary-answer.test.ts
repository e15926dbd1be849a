/** Answers that are summaries, and the parts of them that are kept. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readSummaryAnswer } from "#compaction/summary/summary-answer.ts";
import type { ContentBlock } from "#transcript/blocks.ts";
import { call, text } from "../../../../../test/helpers/windows.ts";

const read = (texts: string | readonly ContentBlock[], stopReason = "end") =>
  readSummaryAnswer({ content: typeof texts === "string" ? [text(texts)] : texts, stopReason });
const sections = (count: number, mark = (n: number) => `${n}. Words`): string =>
  Array.from({ length: count }, (_, index) => mark(index + 1)).join("\n");
const NINE = sections(9);

describe("an answer", () => {
  it.each([
    { text: `<analysis>I think.</analysis>\n<summary>\n${NINE}\n</summary>`, why: "in its tags" },
    { text: `<summary>${NINE}`, why: "in a tag that is not closed" },
    { text: `<analysis>I think.</analysis>\n${NINE}`, why: "behind its scratchpad" },
    { text: NINE, why: "bare" },
    { text: `Here it is:\n<summary>${NINE}</summary>\nShall I go on?`, why: "with talk around it" },
    { text: `<analysis>The <summary> comes last.</analysis><summary>${NINE}</summary>`, why: "named before" },
  ])("is a summary $why, and only that is kept", ({ text }) => {
    expect(read(text)).toEqual({ ok: true, text: NINE });
  });

  it("may speak of tags itself", () => {
    const inner = `${NINE}\nThe parser drops \`<summary>\` and </summary> in \`<analysis>\`.`;
    expect(read(`<analysis>a</analysis><summary>${inner}</summary>`)).toEqual({ ok: true, text: inner });
  });

  it("is all of its texts, without what was thought", () => {
    const thought: ContentBlock = { type: "thinking", thinking: "hm", signature: "s" };
    expect(read([thought, text("<summary>"), text(NINE), text("</summary>")])).toEqual({
      ok: true,
      text: NINE,
    });
  });

  it.each([
    { mark: (n: number) => `## ${n}. Words`, why: "headings" },
    { mark: (n: number) => `**${n}. Words**`, why: "bold" },
    { mark: (n: number) => `${n}) Слова`, why: "brackets, in another language" },
    { mark: (n: number) => `${n}、言葉`, why: "ideographic commas" },
    { mark: (n: number) => `  **${n}**: Words`, why: "bold numbers" },
    { mark: (n: number) => `${"一二三四五六七八九"[n - 1]}、主要请求`, why: "Chinese numerals" },
    { mark: (n: number) => `${"１２３４５６７８９"[n - 1]}．依頼`, why: "wide digits" },
    { mark: (n: number) => `## ${"١٢٣٤٥٦٧٨٩"[n - 1]}. الطلب`, why: "Arabic digits" },
  ])("may number its sections with $why", ({ mark }) => {
    expect(read(sections(9, mark)).ok).toBe(true);
  });

  it.each([
    { text: "", problem: "empty", why: "nothing" },
    { text: " \n", problem: "empty", why: "blanks" },
    { text: "I go on with the work.", problem: "not-a-summary", why: "other words" },
    { text: `My plan:\n${sections(6)}`, problem: "not-a-summary", why: "a plan of six steps" },
    { text: `<summary>${sections(4)}</summary>`, problem: "not-a-summary", why: "too few sections" },
    { text: "<summary></summary>", problem: "not-a-summary", why: "empty tags" },
    { text: `<analysis>${NINE}`, problem: "not-a-summary", why: "a scratchpad that never ends" },
    { text: sections(9, (n) => `1. Words ${n}`), problem: "not-a-summary", why: "one number nine times" },
  ])("that is $why is none: $problem", ({ text, problem }) => {
    expect(read(text)).toEqual({ ok: false, problem });
  });

  it("with five of the sections in its tags, or five of their titles, is one", () => {
    const titles = "Primary request and intent: a\nErrors and fixes: b\nPending tasks: c\nCurrent work: d";
    expect(read(`<summary>${sections(5)}</summary>`).ok).toBe(true);
    expect(read(titles).ok).toBe(false);
    expect(read(`${titles}\nProblem solving: e`).ok).toBe(true);
  });

  it.each([
    { stopReason: "output-limit", problem: "cut-off" },
    { stopReason: "window-full", problem: "cut-off" },
    { stopReason: "refusal", problem: "refused" },
  ])("that ended by $stopReason is none, however good it looks", ({ stopReason, problem }) => {
    expect(read(NINE, stopReason)).toEqual({ ok: false, problem });
  });

  it.each(["tool_use", "server_tool_use", "mcp_tool_use"])("that holds a %s is none", (type) => {
    const made = { ...call("a", "Read", {}), type } as ContentBlock;
    expect(read([text(NINE), made])).toEqual({ ok: false, problem: "called-a-tool" });
  });

  it("of any text is judged, and what is kept was said", () => {
    const piece = fc.constantFrom(
      "<summary>",
      "</summary>",
      "<analysis>",
      "</analysis>",
      NINE,
      "words",
      "\n",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join("");
        const answer = read(text);
        if (answer.ok) {
          expect(text).toContain(answer.text);
          expect(answer.text).toContain("5. Words");
        } else expect(["empty", "not-a-summary"]).toContain(answer.problem);
      }),
    );
  });
});
