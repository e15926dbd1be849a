/**
 * Long recorded sessions that pass small windows by their notes alone, with the real engine: no one is asked when the
 * window is full, the rest is within the target, requests are valid, and the log gives back every one of them.
 */

import { judgeAnthropicRequest } from "palimpsest-testing";
import { describe, expect, it } from "vitest";
import { type JournalItem, type PlayedAgent, playNoted } from "#test/helpers/noted-session.ts";
import { estimateMessage } from "#tokens/estimate/estimate-block.ts";
import type { Entry } from "#transcript/entries.ts";
import { Projection } from "#transcript/projection.ts";
import { assembleRequest } from "#transcript/request.ts";
import type { RequestMessage } from "#transcript/window.ts";
import { toAnthropic } from "#wire/anthropic/to-anthropic.ts";
import { corpusFiles, hasCorpus } from "../../../../test/helpers/corpus.ts";
import { recordedAgent } from "../../../../test/helpers/recorded-agent.ts";
import { bySize, isLong } from "../../../../test/helpers/size-of-run.ts";

/** Sessions of one repository, in the order of the manifest; by default the smaller ones. */
const CHAIN = isLong
  ? ["cc-entire-3compact", "cc-entire-2compact"]
  : ["cc-entire-persisted", "cc-entire-unpaired"];
const LEAST_TOKENS = isLong ? 500_000 : 50_000;

/** Half of the window without the room for a summary. */
const TARGETS: Readonly<Record<number, number>> = { 200000: 90_000, 64000: 28_800, 32000: 14_400 };

/** All in a soak; in the long run every fourth, which has each value of each setting; by default one. */
const RUNS = bySize({ usual: [64_000], long: [200_000, 64_000] })
  .flatMap((windowTokens) =>
    bySize<readonly ("permissive" | "strict")[]>({
      usual: ["strict"],
      long: ["permissive", "strict"],
    }).flatMap((editSafety) =>
      bySize<readonly ("forked" | "cold" | "extractive")[]>({
        usual: ["forked"],
        long: ["forked", "cold", "extractive"],
      }).map((updater) => ({ windowTokens, editSafety, updater })),
    ),
  )
  .filter((_, index) => index % bySize({ usual: 1, long: 4, soak: 1 }) === 0);

describe.skipIf(!hasCorpus)("a long session (skipped without the corpus)", () => {
  it.each(RUNS)("passes $windowTokens by its notes alone, $editSafety, $updater", async ({
    windowTokens,
    editSafety,
    updater,
  }) => {
    const files = CHAIN.map((id) => corpusFiles("claude-code").find((file) => file.id === id)!);
    const agent = await recordedAgent(files.map(({ path }) => path));
    const texts = new Set<string>();
    const sent: string[] = [];
    const noted = await playNoted(listening(agent, texts), {
      windowTokens,
      notes: { updater, costShareCap: "off" },
      // In a short one nothing else makes room, so that the window fills at all.
      window: isLong
        ? { editSafety }
        : { editSafety, policy: "faithful", disabledLayers: ["offload", "microcompact", "collapse"] },
      onRequest: ({ messages }) => {
        expect(judgeAnthropicRequest({ messages: toAnthropic(messages) })).toEqual([]);
        sent.push(wireOf(messages));
      },
    });
    const full = noted.journal.flatMap((item) => (item.type === "window-full" ? [item.event.layer] : []));
    const after = tokensAfterCompactions(noted.journal);
    if (isLong)
      process.stdout.write(
        `${windowTokens} ${editSafety} ${updater}: ${Math.round(tokensOf(noted.entries))} tokens, ${full.length} compactions, at most ${Math.max(...after)} left\n`,
      );
    expect(tokensOf(noted.entries)).toBeGreaterThan(LEAST_TOKENS);
    expect(new Set(full)).toEqual(new Set(["session-memory"]));
    expect(noted.journal.filter((item) => item.type === "asked" && item.for === "summary")).toEqual([]);
    expect(askedWhileFull(noted.journal)).toEqual([]);
    expect(Math.max(...after)).toBeLessThanOrEqual(TARGETS[windowTokens]!);
    expect(requestsOf(noted.entries)).toEqual(sent);
    expect([...texts].filter((text) => !isIn(noted.entries, text))).toEqual([]);
  });
});

/** The agent, whose words and calls are written down. */
function listening(agent: PlayedAgent, texts: Set<string>): PlayedAgent {
  return {
    tools: agent.tools,
    nextPrompt: () => agent.nextPrompt(),
    say: () => {
      const parts = agent.say();
      for (const part of parts) texts.add(part.type === "tool-call" ? part.id! : part.text);
      return parts;
    },
  };
}

const known = new WeakMap<readonly Entry[], ReadonlySet<string>>();

/** True if the log has a text or a call, and the call's result. */
function isIn(entries: readonly Entry[], text: string): boolean {
  let held = known.get(entries);
  if (held === undefined) {
    const all = new Set<string>();
    const results = new Set<string>();
    for (const entry of entries)
      if (entry.type === "message")
        for (const stored of entry.content) {
          const block = stored.type === "blob" ? stored.shown : stored;
          if (block.type === "text") all.add(block.text);
          if (block.type === "tool_result") results.add(block.tool_use_id);
          if (block.type === "tool_use") all.add(block.id);
        }
    held = new Set([...all].filter((one) => !/^f\d+_toolu/.test(one) || results.has(one)));
    known.set(entries, held);
  }
  return held.has(text);
}

const wireOf = (messages: readonly RequestMessage[]): string => JSON.stringify(toAnthropic(messages));

/** The requests that the log says have left. */
function requestsOf(entries: readonly Entry[]): readonly string[] {
  const projection = new Projection();
  return entries.flatMap((entry) => {
    projection.apply(entry);
    return entry.type === "call" ? [wireOf(assembleRequest(projection.visible, projection.callSeqs))] : [];
  });
}

const tokensOf = (entries: readonly Entry[]): number =>
  entries.reduce(
    (sum, entry) =>
      entry.type === "message"
        ? sum +
          estimateMessage({
            content: entry.content.map((block) => (block.type === "blob" ? block.shown : block)),
          })
        : sum,
    0,
  );

/** Sizes of the requests that left right after a compaction. */
function tokensAfterCompactions(journal: readonly JournalItem[]): readonly number[] {
  return journal.flatMap((item, index) => {
    const answer =
      item.type === "window-full" ? journal.slice(index).find(({ type }) => type === "answer") : undefined;
    return answer?.type === "answer" ? [answer.callTokens] : [];
  });
}

/** Calls between the end of all work and the request after a compaction. */
function askedWhileFull(journal: readonly JournalItem[]): readonly string[] {
  return journal.flatMap((item, index) => {
    if (item.type !== "window-full") return [];
    const before = journal.slice(0, index).findLastIndex(({ type }) => type === "quiet");
    const asked = journal.slice(before).flatMap((one) => (one.type === "asked" ? [one.for] : []));
    return asked.slice(0, asked.indexOf("answer"));
  });
}
