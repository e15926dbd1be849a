/** Recent files behind a summary, from the log alone: how much of them after an early summary, and never past the target. */
import { describe, expect, it } from "vitest";
import { addToDigest, createDigest } from "#compaction/digest/digest.ts";
import type { FileBudget } from "#compaction/restore/restore-files.ts";
import { filesAfter, restoreFilesFromLog } from "#compaction/restore/restore-from-log.ts";
import { SESSION_STRINGS_HEADING } from "#compaction/shared/quoted-lines.ts";
import { visibleAfter, type WindowState } from "#compaction/shared/window-state.ts";
import { composeNewestExchange } from "#compaction/summary/newest-exchange.ts";
import { blockText } from "#transcript/blocks.ts";
import type { LayerEdit } from "#transcript/edits.ts";
import type { VisibleMessage } from "#transcript/window.ts";
import { edited, messageOf, read } from "../../../../../test/helpers/restore-messages.ts";
import { measure, tokensOf } from "../../../../../test/helpers/windows.ts";
import { aWindowState } from "../layers/collapse/window-states.ts";

const EARLY: FileBudget = { filesCount: 5, fileTokens: 3_000, filesTokens: 6_000, isPartsInUse: true };
const LINES = Array.from({ length: 900 }, (_, index) => `const line${index + 1} = compute(${index + 1});`);

/** A file of 900 lines, read whole, with one change near its middle; and one that was only read. */
const WORK = [
  messageOf(1, "user", "Change line 450."),
  ...read(2, "/p/under-edit.ts", LINES),
  ...edited(4, "/p/under-edit.ts", "const line450 = compute(450);", "const line450 = changed(450);"),
  ...read(6, "/p/read.ts", ["export const small = 1;"]),
];

function summary(visible: readonly VisibleMessage[], summaryText = "What was done."): LayerEdit {
  const lastSeq = visible.at(-1)!.seq;
  const messages = [
    { role: "user", origin: "summary", content: [{ type: "text", text: summaryText }] } as const,
  ];
  const effect = { hide: [{ from: 1, to: lastSeq }], insert: [{ afterSeq: lastSeq, messages }] };
  return { kind: "extractive", reason: "rent", isBoundary: true, freedTokens: 0, effect };
}

function restored(
  visible: readonly VisibleMessage[],
  budget: FileBudget,
  over: Parameters<typeof aWindowState>[1] = { windowTokens: 200_000 },
  summaryText = "What was done.",
) {
  const digest = createDigest();
  for (const { seq, role, origin, blocks } of visible)
    addToDigest(digest, seq, { role, origin, content: blocks.map(({ block }) => block) });
  const state: WindowState = aWindowState(visible, over);
  const edit = restoreFilesFromLog(summary(visible, summaryText), state, { digest, budget });
  const after = visibleAfter(state, [edit]);
  const shown = after.filter(({ origin }) => origin === "restored");
  return {
    after,
    shown,
    text: shown.flatMap(({ blocks }) => blocks.map(({ block }) => blockText(block))).join("\n"),
  };
}

describe("files after a summary", () => {
  it.each([
    { reason: "rent", tokens: 6_000, files: 6_000, parts: true, why: "saves cost, so little is shown" },
    { reason: "payback", tokens: 6_000, files: 6_000, parts: true, why: "saves cost as well" },
    { reason: "threshold", tokens: 6_000, files: 24_000, parts: undefined, why: "the window was full" },
    { reason: "manual", tokens: 0, files: 24_000, parts: undefined, why: "a person asked" },
    { reason: "rent", tokens: 0, files: 0, parts: true, why: "0 switches it off" },
    { reason: "rent", tokens: 24_000, files: 24_000, parts: undefined, why: "as much as after any other" },
  ])("$files tokens after $reason, of $tokens: $why", ({ reason, tokens, files, parts }) => {
    const budget = filesAfter(
      { reason },
      { earlyFiles: { tokens, floor: Math.min(tokens, 2_000) } },
      200_000,
    );
    expect([budget.filesTokens, budget.isPartsInUse]).toEqual([files, parts]);
  });
});

describe("files from the log", () => {
  it("shows the part that was changed, and not the rest of a large file", () => {
    const { shown, text } = restored(WORK, EARLY);
    expect(shown).toHaveLength(1);
    expect(text).toContain("const line450 = changed(450);");
    expect(text).toContain("[… lines 1-419 are not shown …]\nconst line420 = compute(420);");
    expect(text).toContain("const line480 = compute(480);\n[… lines 481-900 are not shown …]");
    expect(text).toContain("Recent file: /p/read.ts");
    expect(tokensOf(shown)).toBeLessThanOrEqual(6_000 + 120);
  });

  it("shows whole files after another summary", () => {
    const { text } = restored(WORK, {
      ...EARLY,
      fileTokens: 10_000,
      filesTokens: 24_000,
      isPartsInUse: false,
    });
    expect(text).toContain("const line1 = compute(1);");
    expect(text).toContain("const line900 = compute(900);");
  });

  it("shows a file that was read in the newest exchange only where the summary does not quote all of it", () => {
    const small = ["\tconst first = 1;", "", "const second = 2;  "];
    const work = [...read(2, "/p/other.ts", ["const other = 1;"]), ...read(4, "/p/small.ts", small)];
    const newest = work.slice(-2);
    const quoted = composeNewestExchange(newest, 2_000, measure);
    const all = { filesCount: 5, fileTokens: 3_000, filesTokens: 6_000 };
    const textAfter = (summaryText: string) => restored(work, all, undefined, summaryText).text;
    expect(quoted).toContain("const second = 2;");
    expect(textAfter(quoted)).not.toContain("/p/small.ts");
    expect(textAfter(quoted)).toContain("/p/other.ts");
    expect(textAfter(quoted.replace("const second", "const"))).toContain("Recent file: /p/small.ts");
  });

  it("shows no file that the summary quotes in a round before the newest", () => {
    const work = [
      ...read(2, "/p/other.ts", ["const other = 1;"]),
      ...read(4, "/p/small.ts", ["const first = 1;"]),
      ...read(6, "/p/newest.ts", ["const last = 1;"]),
    ];
    const quoted = composeNewestExchange(work.slice(-4), 2_000, measure);
    const all = { filesCount: 5, fileTokens: 3_000, filesTokens: 6_000 };
    const { text } = restored(work, all, undefined, quoted);
    expect(text).toContain("Recent file: /p/other.ts");
    expect(text).not.toContain("/p/small.ts");
    expect(text).not.toContain("/p/newest.ts");
    // A quotation that is not whole does not replace the file.
    expect(restored(work, all, undefined, quoted.replace("const first", "const")).text).toContain(
      "Recent file: /p/small.ts",
    );
  });

  it("stays within the target of the compaction, whatever the budget", () => {
    const all = { filesCount: 50, fileTokens: 90_000, filesTokens: 90_000 };
    const { after, shown } = restored(WORK, all, { windowTokens: 16_000 });
    expect(shown).toHaveLength(1);
    // The target of the window of 16,000 with 3,000 of system prompt and tools.
    expect(tokensOf(after)).toBeLessThanOrEqual(3_627);
    expect(tokensOf(after)).toBeGreaterThan(3_200);
    expect(restored(WORK, { ...all, filesTokens: 0 }).shown).toEqual([]);
  });

  it("counts a file in the list of strings as no evidence: whatever was seen is in it", () => {
    const files = [
      ...read(2, "/p/old.ts", ["export const old = 1;"]),
      ...read(4, "/p/new.ts", ["export const fresh = 1;"]),
    ];
    const one = { ...EARLY, filesCount: 1 };
    const shownFirst = (summaryText: string) => restored(files, one, undefined, summaryText).text;
    expect(shownFirst("Go on with /p/old.ts.")).toContain("Recent file: /p/old.ts");
    expect(shownFirst(`Go on.\n\n${SESSION_STRINGS_HEADING}\n/p/old.ts`)).toContain("Recent file: /p/new.ts");
  });

  it("takes what the window shows shortened from the log", () => {
    const cleared = WORK.map((message): VisibleMessage => {
      if (message.seq !== 3) return message;
      const block = { type: "tool_result", tool_use_id: "c2", content: "[cleared]" } as const;
      return { ...message, blocks: [{ index: 0, block, form: "edited" }] };
    });
    const digest = createDigest();
    const state = aWindowState(cleared, { windowTokens: 200_000 });
    const contentOf = (seq: number) =>
      WORK.find((message) => message.seq === seq)?.blocks.map(({ block }) => block);
    const edit = restoreFilesFromLog(summary(cleared), state, { digest, budget: EARLY, contentOf });
    const texts = edit.effect.insert!.flatMap(({ messages }) =>
      messages.flatMap(({ content }) => content.map(blockText)),
    );
    expect(texts.join("\n")).toContain("const line420 = compute(420);");
  });

  it("leaves an edit alone that is no summary", () => {
    const edit = { ...summary(WORK), isBoundary: false };
    const state = aWindowState(WORK);
    expect(restoreFilesFromLog(edit, state, { digest: createDigest(), budget: EARLY })).toBe(edit);
  });
});
