import { describe, expect, it } from "vitest";
import { finish } from "#base/steps.ts";
import { addToDigest, createDigest } from "#compaction/digest/digest.ts";
import { planExtractiveCompact } from "#compaction/layers/extractive/extractive-summary.ts";
import { rankLiterals } from "#compaction/literals/literal-ledger.ts";
import { findLiterals } from "#compaction/literals/literals.ts";
import { extractivePolicy } from "#compaction/planner/policies.ts";
import { composeAppendix, rankForAppendix } from "#compaction/summary/log-parts.ts";
import { addToHistory, createHistoryIndex } from "#session/history/search/history-index.ts";
import { searchHistory } from "#session/history/search/history-search.ts";
import { blockText, type Message } from "#transcript/blocks.ts";
import { hasCorpus } from "../../../../../test/helpers/corpus.ts";
import { asWindow, readClaudeCode, readOpenAIChat, readPi } from "../../../../../test/helpers/recorded.ts";
import { usualFew } from "../../../../../test/helpers/size-of-run.ts";
import { applyEdit, brokenPairs, measure, tokensOf } from "../../../../../test/helpers/windows.ts";

/** Read by the first test that needs it. */
function once(read: () => readonly Message[]): () => readonly Message[] {
  let messages: readonly Message[] | undefined;
  return () => (messages ??= read());
}

const SESSIONS: readonly { readonly name: string; readonly read: () => readonly Message[] }[] = [
  { name: "cc-entire-3compact", read: once(() => readClaudeCode("claude-code/cc-entire-3compact.jsonl.gz")) },
  { name: "pi-before-compaction", read: once(() => readPi("pi/pi-before-compaction.jsonl.gz")) },
  { name: "tau-airline", read: once(() => readOpenAIChat("openai-chat/tau-airline-gpt4o-12.jsonl.gz")) },
];

describe.skipIf(!hasCorpus)("on recorded sessions (skipped without the corpus)", () => {
  describe.each(usualFew(SESSIONS, 3, 2))("$name", ({ read }) => {
    it.each([
      64_000, 32_000, 16_000,
    ])("a window of %i tokens holds through chained compactions", (windowTokens) => {
      const messages = read();
      const digest = createDigest();
      const effectiveTokens = Math.floor(windowTokens * 0.9);
      const policy = extractivePolicy({
        windowTokens,
        effectiveTokens,
        editSafety: "permissive",
        pendingCallIds: [],
      });
      let window = asWindow([]);
      let windowSize = 0;
      let edits = 0;
      for (const [index, message] of messages.entries()) {
        addToDigest(digest, index + 1, message);
        const added = asWindow([message], index + 1);
        window = [...window, ...added];
        windowSize += tokensOf(added);
        if (windowSize < effectiveTokens || brokenPairs(window).length > 0) continue;
        const edit = planExtractiveCompact({
          visible: window,
          digest,
          measure,
          policy,
          pendingCallIds: [],
          reason: "threshold",
        });
        if (edit === undefined) continue;
        window = applyEdit(window, edit, 100_000 + edits++);
        windowSize = tokensOf(window);
        expect(windowSize).toBeLessThanOrEqual(policy.targetTokens);
        expect(brokenPairs(window)).toEqual([]);
        expect(window.filter(({ origin }) => origin === "summary")).toHaveLength(1);
      }
      const totalTokens = tokensOf(asWindow(messages));
      if (totalTokens > 2 * effectiveTokens) expect(edits).toBeGreaterThan(0);
    });

    it("names nothing in its appendix that the session does not hold", () => {
      const messages = read();
      const digest = createDigest();
      for (const [index, message] of messages.entries()) addToDigest(digest, index + 1, message);
      const everything = messages
        .flatMap(({ content }) =>
          content.map(
            (block) => `${blockText(block)}\n${block.type === "tool_use" ? stringsOf(block.input) : ""}`,
          ),
        )
        .join("\n");
      const appendix = finish(
        composeAppendix(
          finish(rankForAppendix(digest.literals, 3_000)),
          { budgetTokens: 3_000, isShown: () => false },
          measure,
        ),
      );
      expect(appendix.length).toBeGreaterThan(50);
      // Quoted strings are set off by quotation marks.
      const isHeld = (literal: string): boolean =>
        everything.includes(literal) || everything.includes(literal.slice(1, -1));
      expect(appendix.filter((literal) => !isHeld(literal))).toEqual([]);
    });

    it("finds every block again by a string that only it holds", () => {
      const index = createHistoryIndex();
      const texts = new Map<string, string>();
      for (const [position, message] of read().entries()) {
        addToHistory(index, position + 1, message);
        for (const [number, block] of message.content.entries())
          texts.set(`m${position + 1}.${number}`, blockText(block));
      }
      const holders = (literal: string) =>
        [...texts]
          .filter(([, words]) => words.toLowerCase().includes(literal.toLowerCase()))
          .map(([pointer]) => pointer);
      const literals = [...new Set([...texts.values()].flatMap((words) => findLiterals(words)))].filter(
        (literal) => !literal.includes('"'),
      );
      const sample = literals.filter((_, number) => number % Math.ceil(literals.length / 150) === 0);
      const unique = sample
        .map((literal) => ({ literal, places: holders(literal) }))
        .filter(({ places }) => places.length === 1);
      const missed = unique.filter(
        ({ literal, places }) => searchHistory(index, `"${literal}"`, { limit: 3 })[0]?.pointer !== places[0],
      );
      expect(unique.length).toBeGreaterThan(5);
      expect(missed).toEqual([]);
    });
  });

  it("most strings that later answers need are in an appendix of 6,000 tokens", () => {
    const messages = readClaudeCode("claude-code/cc-entire-2compact.jsonl.gz");
    const cut = Math.floor(messages.length * 0.55);
    const digest = createDigest();
    for (const [index, message] of messages.slice(0, cut).entries()) addToDigest(digest, index + 1, message);
    const seen = new Set(finish(rankLiterals(digest.literals)).map(({ text }) => text));
    const needed = new Set(
      messages
        .slice(cut, cut + 100)
        .filter(({ role }) => role === "assistant")
        .flatMap(({ content }) => content.flatMap((block) => findLiterals(blockText(block))))
        .filter((literal) => seen.has(literal)),
    );
    const appendix = new Set(
      finish(
        composeAppendix(
          finish(rankForAppendix(digest.literals, 6_000)),
          { budgetTokens: 6_000, isShown: () => false },
          measure,
        ),
      ),
    );
    const kept = [...needed].filter((literal) => appendix.has(literal)).length;
    expect(needed.size).toBeGreaterThan(50);
    expect(kept / needed.size).toBeGreaterThan(0.7);
  });
});

function stringsOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return String(value);
  return Object.values(value).map(stringsOf).join("\n");
}
