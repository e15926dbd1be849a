import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addToDigest, addToDigestInSteps, createDigest } from "#compaction/digest/digest.ts";
import { writeDigest } from "#compaction/digest/saved-digest.ts";
import { FoldedFromLog } from "#session/history/folded-from-log.ts";
import type { OriginalMessage } from "#session/history/message-reader.ts";
import {
  addToHistory,
  addToHistoryInSteps,
  createHistoryIndex,
} from "#session/history/search/history-index.ts";
import { assistant, call, result, user } from "#test/helpers/histories.ts";
import { steppedLoop } from "#test/helpers/stepped-loop.ts";
import type { Message } from "#transcript/blocks.ts";
import { bySize } from "../../../../../test/helpers/size-of-run.ts";

/** A log of messages 1 … `count`, read one at a time: `between` runs before each. */
function aFold({
  count,
  between = () => {},
}: {
  readonly count: number;
  readonly between?: (seq: number) => void | Promise<void>;
}) {
  let reads = 0;
  const log = { count };
  const reader = {
    async *messages(): AsyncIterable<OriginalMessage> {
      reads++;
      for (let seq = 1; seq <= log.count; seq++) {
        await between(seq);
        yield {
          entry: { type: "message", seq, id: `e${seq}`, v: 1, at: 0, ...user("x"), origin: "user" },
          content: [],
          position: seq,
        };
      }
    },
  };
  const fold = {
    create: (): number[] => [],
    *add(seqs: number[], seq: number, _message: Message): Generator<void> {
      seqs.push(seq);
      yield;
    },
    includes: () => true,
  };
  return {
    folded: new FoldedFromLog<number[]>(reader, fold, { isNew: false, turns: steppedLoop().turns }),
    log,
    reads: () => reads,
  };
}

describe("what is folded from a log", () => {
  it("holds a message that was appended while the log was read", async () => {
    const { folded } = aFold({ count: 3, between: (seq) => folded.push(seq + 3, user("new")) });
    expect(await folded.get()).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("holds a message once that was both read and told", async () => {
    const { folded, log } = aFold({
      count: 2,
      between: (seq) => {
        if (seq !== 2) return;
        log.count = 4;
        folded.push(3, user("told before it was read"));
      },
    });
    expect(await folded.get()).toEqual([1, 2, 3, 4]);
    folded.push(4, user("told after it was read"));
    folded.push(5, user("new"));
    expect(await folded.get()).toEqual([1, 2, 3, 4, 5]);
  });

  it("is read once for all who ask meanwhile", async () => {
    const { folded, reads } = aFold({ count: 3 });
    const [one, other] = await Promise.all([folded.get(), folded.get()]);
    expect(one).toBe(other);
    expect(reads()).toBe(1);
  });

  it("is read again where it was declared void meanwhile", async () => {
    let isVoided = false;
    const { folded, reads } = aFold({
      count: 2,
      between: () => {
        if (!isVoided) folded.invalidate();
        isVoided = true;
      },
    });
    expect(await folded.get()).toEqual([1, 2]);
    expect(reads()).toBe(2);
  });

  it("is read again after reading failed", async () => {
    let failures = 1;
    const { folded } = aFold({
      count: 2,
      between: (seq) => {
        if (seq === 2 && failures-- > 0) throw new TypeError("unreadable");
      },
    });
    await expect(folded.get()).rejects.toThrow("unreadable");
    expect(await folded.get()).toEqual([1, 2]);
  });
});

/** Put together so that no scanner takes this file for a leak. */
const KEY = `${"sk-"}ant-api03-${"abCD3fGhIJ4kLmNoPQ5rStUvWX6yZ012".repeat(2)}`;

/** A round of an agent, small or so large that it is folded in many steps. */
const round = fc.record({
  words: fc.nat({ max: 40 }),
  lines: fc.constantFrom(1, 30, 1_200),
  hasKey: fc.boolean(),
});

function messagesOf(
  { words, lines, hasKey }: { words: number; lines: number; hasKey: boolean },
  index: number,
) {
  const id = `call_${index}`;
  const output = Array.from(
    { length: lines },
    (_, line) => `src/part_${index}/file${line}.ts:${words}: readValue${line}`,
  );
  if (hasKey) output.splice(Math.floor(lines / 2), 0, `token ${KEY}`);
  return [
    user(`Look at module_${words}, please.`),
    assistant(`r${index}`, "I look.", call(id, "Bash", { command: `grep value_${words} src` })),
    user(result(id, output.join("\n"))),
  ];
}

describe("what is folded between other things", () => {
  it("is what it is when folded at once, however the steps were spread", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(round, { minLength: 1, maxLength: 6 }),
        fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 12 }),
        async (rounds, passes) => {
          const messages = rounds.flatMap(messagesOf);
          const loop = steppedLoop({ lookMs: 1 });
          const reader = {
            messages: () => expect.unreachable("nothing is read from the log of a new session"),
          };
          const options = { isNew: true, turns: loop.turns };
          const includes = (): boolean => true;
          const digest = new FoldedFromLog(
            reader,
            { create: createDigest, add: addToDigestInSteps, includes },
            options,
          );
          const index = new FoldedFromLog(
            reader,
            {
              create: () => createHistoryIndex(),
              add: (index, seq, message: Message) => addToHistoryInSteps(index, seq, message),
              includes,
            },
            options,
          );
          const [expectedDigest, expectedIndex] = [createDigest(), createHistoryIndex()];
          for (const [place, message] of messages.entries()) {
            digest.push(place + 1, message);
            index.push(place + 1, message);
            addToDigest(expectedDigest, place + 1, message);
            addToHistory(expectedIndex, place + 1, message);
            for (let pass = passes[place % passes.length]!; pass > 0; pass--) await loop.pass();
          }
          const asked = Promise.all([digest.get(), index.get()]);
          while (await loop.pass());
          const [foldedDigest, foldedIndex] = await asked;
          expect(writeDigest(foldedDigest)).toBe(writeDigest(expectedDigest));
          expect(foldedIndex).toEqual(expectedIndex);
          expect(digest.known?.throughSeq).toBe(messages.length);
        },
      ),
      { numRuns: bySize({ usual: 2, long: 20, soak: 60 }) },
    );
  });

  it("is folded although nobody asks, once more than a few messages wait", async () => {
    const loop = steppedLoop();
    const seen: number[] = [];
    const fold = {
      create: () => seen,
      *add(seqs: number[], seq: number): Generator<void> {
        yield;
        seqs.push(seq);
      },
      includes: () => true,
    };
    const reader = { messages: () => expect.unreachable("nothing is read") };
    const folded = new FoldedFromLog<number[]>(reader, fold, { isNew: true, turns: loop.turns });
    for (let seq = 1; seq <= 8; seq++) folded.push(seq, user("x"));
    expect(await loop.pass()).toBe(false);
    folded.push(9, user("x"));
    while (await loop.pass());
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    folded.push(10, user("x"));
    while (await loop.pass());
    expect(seen.at(-1)).toBe(10);
  });

  it("waits while a state is held, and a caller that needs it does not", async () => {
    const loop = steppedLoop();
    const fold = {
      create: (): number[] => [],
      *add(seqs: number[], seq: number): Generator<void> {
        yield;
        seqs.push(seq);
      },
      includes: () => true,
    };
    const reader = { messages: () => expect.unreachable("nothing is read") };
    const folded = new FoldedFromLog<number[]>(reader, fold, { isNew: true, turns: loop.turns });
    for (let seq = 1; seq <= 9; seq++) folded.push(seq, user("x"));
    while (await loop.pass());
    const held = folded.known!;
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const holding = folded.hold(() => released);
    folded.push(10, user("x"));
    while (await loop.pass());
    expect(folded.isStill(held)).toBe(true);
    expect(held.state.at(-1)).toBe(9);
    expect((await folded.get()).at(-1)).toBe(10);
    expect(folded.isStill(held)).toBe(false);
    folded.push(11, user("x"));
    while (await loop.pass());
    expect(held.state.at(-1)).toBe(10);
    release();
    await holding;
    while (await loop.pass());
    expect(held.state.at(-1)).toBe(11);
  });

  it("is read from the log again where folding failed while nobody waited", async () => {
    const loop = steppedLoop();
    let failures = 1;
    const fold = {
      create: (): number[] => [],
      *add(seqs: number[], seq: number): Generator<void> {
        yield;
        if (seq === 9 && failures-- > 0) throw new TypeError("cannot be folded");
        seqs.push(seq);
      },
      includes: () => true,
    };
    const reader = {
      async *messages(): AsyncIterable<OriginalMessage> {
        for (let seq = 1; seq <= 9; seq++)
          yield {
            entry: { type: "message", seq, id: `e${seq}`, v: 1, at: 0, ...user("x"), origin: "user" },
            content: [],
            position: seq,
          };
      },
    };
    const folded = new FoldedFromLog<number[]>(reader, fold, { isNew: true, turns: loop.turns });
    for (let seq = 1; seq <= 9; seq++) folded.push(seq, user("x"));
    while (await loop.pass());
    expect(folded.known).toBeUndefined();
    const asked = folded.get();
    while (await loop.pass());
    expect(await asked).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
});
