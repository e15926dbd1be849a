import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { finish } from "#base/steps.ts";
import { addToHistory, createHistoryIndex } from "#session/history/search/history-index.ts";
import { searchHistory } from "#session/history/search/history-search.ts";
import {
  mergeSegments,
  readHead,
  type Segment,
  SegmentBlocks,
  TERMS_FROM,
  type WholeSegment,
  writeSegment,
} from "#session/history/search/history-segment.ts";
import { SegmentedHistory } from "#session/history/search/segmented-history.ts";
import { turnsOf } from "#session/turns/fair-turns.ts";
import type { Message } from "#transcript/blocks.ts";
import { bySize } from "../../../../../../test/helpers/size-of-run.ts";
import { assistant, call, result, text, user } from "../../../../../../test/helpers/windows.ts";

const turns = turnsOf({});
const WORDS = [
  ..."retry limit client server parser cache window the of and".split(" "),
  ...[
    "maxRetryCount",
    "session_expiry_seconds",
    "src/net/http-client.ts",
    "src/net/http-server.ts",
    "ZX-4417",
  ],
  ...[
    "a1b2c3d4",
    "a1b2c3d5",
    "v2.10.3",
    "数据库连接池",
    "タイムアウト",
    `sk-ant-api03-${"abcdefghijklmnopqrstuvwxyz0123456789"}`,
  ],
];
const QUERIES = [
  ...[
    "retry limit",
    "maxRetryCount",
    "session expiry",
    "http client ts",
    '"limit client"',
    "ZX-4417",
    "b2c3",
  ],
  ...[
    "连接池",
    "net/http",
    "what was the parser cache?",
    "MAXRETRYCOUNT",
    '"RETRY"',
    "the of",
    "nothing-here",
    "",
  ],
];

const words = fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }).map((chosen) => chosen.join(" "));
const tool = fc.constantFrom("Read", "Bash", "history_search", "history_read");
const round = fc.record({
  asked: words,
  stated: words,
  tool,
  input: words,
  answered: words,
  isLate: fc.boolean(),
});

function messagesOf(
  rounds: readonly (typeof round extends fc.Arbitrary<infer Round> ? Round : never)[],
): Message[] {
  const late: Message[] = [];
  const messages = rounds.flatMap((one, index): Message[] => {
    const { asked, stated, tool, input, answered, isLate } = one;
    const answer = result(`c${index}`, answered);
    if (isLate) late.push(answer);
    return [
      user(asked),
      assistant(`r${index}`, text(stated), call(`c${index}`, tool, { query: input })),
      ...(isLate ? [] : [answer]),
    ];
  });
  return [...messages, ...late];
}

/** The segment as it is after writing and reading it. */
function stored(segment: Segment): WholeSegment {
  const [headPart, blocksPart, ...parts] = writeSegment(segment as WholeSegment, "an-id");
  const head = readHead(headPart)!;
  expect(head.id).toBe("an-id");
  expect(TERMS_FROM).toBe(2);
  return {
    head,
    blocks: new SegmentBlocks(head, blocksPart!),
    blocksPart: blocksPart!,
    parts,
    part: async (index) => parts[index],
  };
}

describe("a history in segments", () => {
  it("is searched with the same answers as one index in memory, wherever segments end and are merged", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(round, { minLength: 1, maxLength: 12 }),
        fc.array(fc.constantFrom("go on", "go on", "seal", "reopen", "merge"), {
          minLength: 1,
          maxLength: 20,
        }),
        fc.array(fc.oneof(fc.constantFrom(...QUERIES), words), { minLength: 1, maxLength: 5 }),
        async (rounds, steps, queries) => {
          const messages = messagesOf(rounds);
          const reader = {
            findContent: async (seq: number, position: number) =>
              position === (seq - 1) * 100 ? messages[seq - 1]?.content : undefined,
          };
          const index = createHistoryIndex();
          let history = new SegmentedHistory();
          for (const [place, message] of messages.entries()) {
            addToHistory(index, place + 1, message);
            finish(history.add(place + 1, message, place * 100));
            const step = steps[place % steps.length];
            if (step === "go on") continue;
            finish(history.seal());
            if (step === "reopen") history = new SegmentedHistory(history.segments.map(stored));
            if (step !== "merge") continue;
            const last = history.segments.slice(-3);
            history.replace(last, stored(finish(mergeSegments(last.map(stored)))));
          }
          for (const query of queries)
            expect(await history.search(query, { limit: 5, reader, turns })).toEqual(
              searchHistory(index, query, { limit: 5 }),
            );
        },
      ),
      { numRuns: bySize({ usual: 60, long: 500, soak: 2_000 }) },
    );
  });
});
