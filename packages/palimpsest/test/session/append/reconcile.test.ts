/** A host's list against the log: unchanged, hidden and new messages. */
import fc from "fast-check";
import { anyMessage } from "palimpsest-testing/arbitraries";
import { describe, expect, it } from "vitest";
import { HostList } from "#session/append/host-list.ts";
import { keysOf } from "#session/append/message-keys.ts";
import { planReconcile, type ReconcilePlan } from "#session/append/reconcile.ts";
import type { OriginalMessage } from "#session/history/message-reader.ts";
import { nodeHasher } from "#stores/platform/node-ports.ts";
import { assistant, call, result, text, user } from "#test/helpers/histories.ts";
import { type ContentBlock, defaultOrigin, type Message } from "#transcript/blocks.ts";
import type { MessageEntry } from "#transcript/entries.ts";

const keys = (message: Message) => keysOf(message, nodeHasher);
/** The log's messages have odd numbers, as if a call lay between them. */
const seqOf = (index: number): number => 2 * index + 1;

function plan(log: readonly Message[], list: readonly Message[]): ReconcilePlan {
  const known = log.map((message, index) => ({
    seq: seqOf(index),
    ...keys(message),
    ...(message.hostId === undefined ? {} : { hostId: message.hostId }),
  }));
  return planReconcile(known, list, keys);
}

const thinking = (value: string, signature?: string): ContentBlock => ({
  type: "thinking",
  thinking: value,
  ...(signature === undefined ? {} : { signature }),
});
const marked = (block: ContentBlock): ContentBlock =>
  ({ ...block, cache_control: { type: "ephemeral" } }) as unknown as ContentBlock;
const [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map((one) => user(one)) as [
  Message,
  Message,
  Message,
  Message,
  Message,
];
const named = (hostId: string, message: Message): Message => ({ ...message, hostId });
const reasoned = assistant("r1", thinking("hm", "sig"), "answer", call("c1"));

describe("planReconcile", () => {
  it.each([
    { log: [], list: [a, b], hide: [], append: 2, why: "the first list" },
    { log: [a, b], list: [a, b], hide: [], append: 0, why: "nothing is new" },
    { log: [a, b], list: [a, b, c], hide: [], append: 1, why: "one is new" },
    { log: [a, b], list: [], hide: [[1, 3]], append: 0, why: "the host cleared its list" },
    { log: [a, b, c, d, e], list: [a, d, e], hide: [[3, 5]], append: 0, why: "neighbours are one range" },
    {
      log: [a, b, c, d, e],
      list: [b, d],
      hide: [
        [1, 1],
        [5, 5],
        [9, 9],
      ],
      append: 0,
      why: "what lies between is kept",
    },
    {
      log: [a, b, c],
      list: [a, e, c],
      hide: [[3, 5]],
      append: 2,
      why: "from the first change on it is said again",
    },
    { log: [named("1", a)], list: [named("1", a)], hide: [], append: 0, why: "same id, same content" },
    {
      log: [named("1", a)],
      list: [named("1", b)],
      hide: [[1, 1]],
      append: 1,
      why: "same id, changed content",
    },
    {
      log: [named("1", a), named("2", a)],
      list: [named("2", a)],
      hide: [[1, 1]],
      append: 0,
      why: "ids tell equal contents apart",
    },
    {
      log: [a],
      list: [named("1", a)],
      hide: [],
      append: 0,
      why: "we recorded it before the host gave it an id",
    },
    {
      log: [{ ...a, origin: "summary" as const }],
      list: [a],
      hide: [],
      append: 0,
      why: "whoever is behind it",
    },
    {
      log: [reasoned],
      list: [assistant("r1", "answer", call("c1"))],
      hide: [],
      append: 0,
      why: "the host keeps no reasoning",
    },
    {
      log: [reasoned],
      list: [assistant("r1", thinking("hm"), "answer", call("c1"))],
      hide: [],
      append: 0,
      why: "the host keeps no signatures",
    },
    {
      log: [reasoned],
      list: [assistant("r1", thinking("hm", "other"), "answer", call("c1"))],
      hide: [[1, 1]],
      append: 1,
      why: "signed otherwise is another answer",
    },
    {
      log: [reasoned],
      list: [assistant("r1", "other", call("c1"))],
      hide: [[1, 1]],
      append: 1,
      why: "other words are another answer",
    },
    {
      log: [assistant("r1", "answer")],
      list: [assistant("r1", thinking("hm", "s"), "answer")],
      hide: [[1, 1]],
      append: 1,
      why: "reasoning that we do not have is new",
    },
    {
      log: [a, assistant("r1", thinking("hm", "s")), assistant("r1", "x")],
      list: [a, assistant("r1", "x")],
      hide: [],
      append: 0,
      why: "reasoning in a chunk of its own stays with its answer",
    },
    {
      log: [a, assistant("r1", thinking("hm", "s")), assistant("r1", "x")],
      list: [a],
      hide: [[3, 5]],
      append: 0,
      why: "and goes with it",
    },
    {
      log: [assistant("r1", thinking("hm", "s"))],
      list: [assistant("r1", thinking("oh"))],
      hide: [[1, 1]],
      append: 1,
      why: "reasoning alone has no words to be known by",
    },
    {
      log: [user(text("a"), text("b"))],
      list: [user(text("a"), marked(text("b")))],
      hide: [],
      append: 0,
      why: "a cache mark is no content",
    },
    {
      log: [user(result("c1"))],
      list: [user(marked(result("c1")))],
      hide: [],
      append: 0,
      why: "on a result neither",
    },
    {
      log: [user({ type: "tool_result", tool_use_id: "c", content: [{ type: "text", text: "x" }] })],
      list: [user({ type: "tool_result", tool_use_id: "c", content: [marked(text("x")) as never] })],
      hide: [],
      append: 0,
      why: "nor on a part of one",
    },
    {
      log: [user(text("a"))],
      list: [
        user({ ...text("a"), aiSdk: { providerOptions: { anthropic: {} } } } as unknown as ContentBlock),
      ],
      hide: [],
      append: 0,
      why: "what a converter keeps beside a block is no content",
    },
    {
      log: [assistant("r", call("c", "Write", { aiSdk: "1" }))],
      list: [assistant("r", call("c", "Write", { aiSdk: "2" }))],
      hide: [[1, 1]],
      append: 1,
      why: "in a tool's input it is data, too",
    },
    {
      log: [assistant("r", call("c", "Write", { cache_control: "1" }))],
      list: [assistant("r", call("c", "Write", {}))],
      hide: [[1, 1]],
      append: 1,
      why: "in a tool's input it is data",
    },
    {
      log: [user("ab", "c")],
      list: [user("a", "bc")],
      hide: [[1, 1]],
      append: 1,
      why: "where a block ends is content",
    },
    {
      log: [user("x".repeat(300))],
      list: [user(`${"x".repeat(299)}y`)],
      hide: [[1, 1]],
      append: 1,
      why: "long texts differ in their last letter",
    },
    {
      log: [user(`${"x".repeat(300)}\ud800`)],
      list: [user(`${"x".repeat(300)}\ud801`)],
      hide: [[1, 1]],
      append: 1,
      why: "and by half a character",
    },
  ])("hides $hide and appends $append: $why", ({ log, list, hide, append }) => {
    const planned = plan(log, list);
    expect(planned.hide.map(({ from, to }) => [from, to])).toEqual(hide);
    expect(planned.append).toEqual(list.slice(list.length - append));
  });

  it("makes the line equal to the list, and finds nothing the second time", () => {
    const message = fc.oneof(anyMessage(), fc.constantFrom(a, b, c, reasoned));
    fc.assert(
      fc.property(
        fc.array(message, { maxLength: 12 }),
        fc.array(message, { maxLength: 12 }),
        (log, extra) => {
          const list = [...log.filter((_, index) => index % 3 !== 1), ...extra];
          const { hide, hiddenMessages, append } = plan(log, list);
          const isHidden = (index: number): boolean =>
            hide.some(({ from, to }) => seqOf(index) >= from && seqOf(index) <= to);
          const line = [...log.filter((_, index) => !isHidden(index)), ...append];
          expect(log.filter((_, index) => isHidden(index))).toHaveLength(hiddenMessages);
          expect(hide.every(({ from }, index) => index === 0 || from > hide[index - 1]!.to)).toBe(true);
          const again = plan(line, list);
          expect([again.hide, again.append]).toEqual([[], []]);
        },
      ),
    );
  });

  it("does not see the order of members, nor members that are undefined", () => {
    const one = {
      role: "user",
      content: [{ type: "text", text: "a", x: { p: 1, q: [2] } }],
    } as unknown as Message;
    const other = {
      role: "user",
      content: [{ x: { q: [2], p: 1, r: undefined }, text: "a", type: "text" }],
    } as unknown as Message;
    expect(keys(one)).toEqual(keys(other));
  });
});

/** A host's list over a log in memory that grows as a session's would. */
function aHostList(log: readonly Message[] = []) {
  const entries: OriginalMessage[] = [];
  let reads = 0;
  const store = (message: Message): number => {
    const seq = seqOf(entries.length);
    const entry = { ...message, seq, type: "message", origin: message.origin ?? defaultOrigin(message) };
    entries.push({ entry: entry as unknown as MessageEntry, content: message.content, position: seq });
    return seq;
  };
  log.forEach(store);
  const hidden = new Set<number>();
  const hostList = new HostList({
    hasher: nodeHasher,
    reader: {
      async *messages() {
        reads++;
        yield* entries;
      },
    },
    isShown: (seq) => !hidden.has(seq),
  });
  const reconcile = async (list: unknown): Promise<string> => {
    const planned = await hostList.plan(hostList.receive(list));
    for (const { from, to } of planned.hide) for (let seq = from; seq <= to; seq++) hidden.add(seq);
    hostList.forget(planned.hide);
    for (const message of planned.append) hostList.push(store(message), message);
    return `-${planned.hiddenMessages}+${planned.append.length}`;
  };
  return { hostList, reconcile, reads: () => reads };
}

/** A message that counts how often its content is read. */
function watched(value: string): { readonly message: Message; readonly reads: () => number } {
  let reads = 0;
  const block = {
    type: "text",
    get text(): string {
      reads++;
      return value;
    },
  } as ContentBlock;
  return { message: { role: "user", content: [block] }, reads: () => reads };
}

describe("a host's list", () => {
  it("is not changed by what the host does to its objects afterwards", async () => {
    const { hostList } = aHostList();
    const block = { type: "text", text: "said" };
    const received = hostList.receive([{ role: "user", content: [block] }]);
    block.text = "changed";
    expect((await hostList.plan(received)).append).toEqual([user("said")]);
  });

  it("is read from the log once, and followed from there on", async () => {
    const { reconcile, reads } = aHostList([a, b]);
    expect(await reconcile([a, b, c])).toBe("-0+1");
    expect(await reconcile([a, b, c])).toBe("-0+0");
    expect(await reconcile([a, c, d])).toBe("-1+1");
    expect(await reconcile([a, c, d])).toBe("-0+0");
    expect(reads()).toBe(1);
  });

  it("knows the host's own summaries and restored messages again", async () => {
    const { reconcile } = aHostList();
    const list = [{ ...a, origin: "summary" }, { ...b, origin: "restored" }, c];
    expect(await reconcile(list)).toBe("-0+3");
    expect(await reconcile(structuredClone(list))).toBe("-0+0");
  });

  it("sees an answer that was completed in place, also once more was said after it", async () => {
    for (const following of [0, 3, 30]) {
      const { reconcile } = aHostList();
      const answer: { role: string; content: { type: string; text: string }[] } = {
        role: "assistant",
        content: [{ type: "text", text: "half an ans" }],
      };
      const list: unknown[] = [a, answer];
      for (let turn = 0; turn < 3; turn++) await reconcile(list);
      answer.content[0]!.text = "half an answer";
      for (let turn = 0; turn < following; turn++) list.push(user(`t${turn}`));
      expect(await reconcile(list), `${following} messages later`).toBe(`-1+${following + 1}`);
      expect(await reconcile(list)).toBe("-0+0");
    }
  });

  it("sees another content, or more of it, in an object that was settled long ago", async () => {
    const { reconcile } = aHostList();
    const old = user("first");
    const list: Message[] = [old, ...Array.from({ length: 30 }, (_, turn) => user(`t${turn}`))];
    for (let turn = 0; turn < 3; turn++) await reconcile(list);
    (old.content as ContentBlock[]).push(text("more"));
    expect(await reconcile(list)).toBe("-31+31");
    (old as { content: unknown }).content = [text("other")];
    expect(await reconcile(list)).toBe("-31+31");
  });

  it("sees a change in an object that was settled, and became one of the newest again", async () => {
    const { reconcile } = aHostList();
    const answer = { role: "assistant", content: [{ type: "text", text: "first try" }] };
    const later = Array.from({ length: 30 }, (_, turn) => user(`t${turn}`));
    for (let turn = 0; turn < 3; turn++) await reconcile([a, answer, ...later]);
    expect(await reconcile([a, answer])).toBe("-30+0");
    answer.content[0]!.text = "second try";
    expect(await reconcile([a, answer])).toBe("-1+1");
    expect(await reconcile([a, answer, ...later])).toBe("-0+30");
    expect(await reconcile([a, answer, ...later])).toBe("-0+0");
  });

  it("reads an old object twice, however often it is handed over", async () => {
    const { reconcile } = aHostList();
    const old = watched("old");
    const list: Message[] = [old.message, ...Array.from({ length: 40 }, (_, turn) => user(`t${turn}`))];
    for (let turn = 0; turn < 10; turn++) await reconcile(list);
    expect(old.reads()).toBe(2);
  });

  it("refuses a list that is none, and a message in it by its place", () => {
    const { hostList } = aHostList();
    expect(() => hostList.receive({ role: "user", content: "a" })).toThrow("messages is an object");
    expect(() => hostList.receive([a, { role: "user" }])).toThrow("messages[1].content is missing");
  });

  it("knows content of any depth again, from the host and from a log that holds it deeper than a host may", async () => {
    let deep: unknown = [];
    for (let level = 0; level < 20_000; level++) deep = level % 2 === 0 ? [deep] : { a: deep };
    const message = assistant("r1", { type: "tool_use", id: "c1", name: "Read", input: deep as never });
    const { reconcile } = aHostList();
    expect(await reconcile([a, message])).toBe("-0+2");
    expect(await reconcile([a, { ...message }])).toBe("-0+0");
    const older = aHostList([a, message]);
    expect(await older.reconcile([a, b])).toBe("-1+1");
  });
});
