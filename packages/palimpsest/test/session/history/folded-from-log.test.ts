import { describe, expect, it } from "vitest";
import { FoldedFromLog } from "#session/history/folded-from-log.ts";
import type { OriginalMessage } from "#session/history/message-reader.ts";
import { user } from "#test/helpers/histories.ts";
import type { Message } from "#transcript/blocks.ts";

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
        };
      }
    },
  };
  const fold = {
    create: (): number[] => [],
    add: (seqs: number[], seq: number, _message: Message) => void seqs.push(seq),
    includes: () => true,
  };
  return { folded: new FoldedFromLog<number[]>(reader, fold, { isNew: false }), log, reads: () => reads };
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
