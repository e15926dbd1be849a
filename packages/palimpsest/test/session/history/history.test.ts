import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isWellFormed } from "#base/text/text.ts";
import {
  formatReadAnswer,
  formatSearchAnswer,
  parseReadInput,
  parseSearchInput,
  readPage,
} from "#session/history/history-tools.ts";
import { addToHistory, createHistoryIndex } from "#session/history/search/history-index.ts";
import { searchHistory } from "#session/history/search/history-search.ts";
import type { Message } from "#transcript/blocks.ts";
import { assistant, call, result, text, user } from "../../../../../test/helpers/windows.ts";

function indexOf(...messages: readonly Message[]) {
  const index = createHistoryIndex();
  for (const [position, message] of messages.entries()) addToHistory(index, position + 1, message);
  return index;
}

const index = indexOf(
  user("Please make the retry limit configurable; the budget code is ZX-4417."),
  assistant(
    "r1",
    text("I will look at the client."),
    call("1", "Read", { file_path: "src/net/http-client.ts" }),
  ),
  result("1", "export class HttpClient {\n  private maxRetryCount = 3;\n}"),
  assistant("r2", text("The limit is hard coded, so I add an option.")),
  user("数据库连接池的大小应该是二十"),
  user("接続タイムアウトを30秒にしてください"),
  assistant("r3", call("2", "Bash", { command: "git log --oneline | head -3" })),
  result("2", "a1b2c3d fix: session_expiry_seconds was ignored"),
);

describe("history search", () => {
  it.each([
    { query: "retry limit", first: "m1.0", why: "words" },
    { query: "maxRetryCount", first: "m3.0", why: "an identifier as a whole" },
    { query: "session expiry", first: "m8.0", why: "parts of snake case" },
    { query: "http client ts", first: "m2.1", why: "parts of a path" },
    { query: '"hard coded, so"', first: "m4.0", why: "a quoted string to the letter" },
    { query: "ZX-4417", first: "m1.0", why: "an id" },
    { query: "b2c3", first: "m8.0", why: "a piece of a longer word" },
    { query: "连接池", first: "m5.0", why: "Chinese" },
    { query: "タイムアウト", first: "m6.0", why: "Japanese" },
    { query: "what was the budget code?", first: "m1.0", why: "a question" },
  ])("finds $first for $query: $why", ({ query, first }) => {
    expect(searchHistory(index, query, { limit: 3 })[0]?.pointer).toBe(first);
  });

  it("says who spoke, by which tool, and shows the place", () => {
    expect(searchHistory(index, "maxRetryCount", { limit: 1 })).toEqual([
      {
        pointer: "m3.0",
        seq: 3,
        role: "user",
        tool: "Read",
        snippet: "export class HttpClient { private maxRetryCount = 3; }",
        score: expect.any(Number),
      },
    ]);
  });

  it("shows the place of words that are far inside of a long text, without quotes", () => {
    const long = createHistoryIndex();
    const text = `${"GET /bread 200\n".repeat(5_000)}payment refused: card terminal 7${"\nGET /bread 200".repeat(900)}`;
    addToHistory(long, 1, { role: "user", content: [{ type: "text", text }] });
    expect(searchHistory(long, "payment refused", { limit: 1 })[0]?.snippet).toContain(
      "payment refused: card terminal 7",
    );
  });

  it("ranks searches for words, and what they answered, after what was said", () => {
    const asked = createHistoryIndex();
    const say = (text: string) => ({ role: "user" as const, content: [{ type: "text" as const, text }] });
    addToHistory(asked, 1, say(`${"GET /bread 200\n".repeat(100)}payment refused`));
    const input = { query: "payment refused" };
    const call = { type: "tool_use" as const, id: "t1", name: "history_search", input };
    addToHistory(asked, 2, { role: "assistant", content: [call] });
    const result = { type: "tool_result" as const, tool_use_id: "t1", content: "m1.0: payment refused" };
    addToHistory(asked, 3, { role: "user", content: [result] });
    const hits = searchHistory(asked, "payment refused", { limit: 3 });
    expect(hits.map(({ pointer }) => pointer)).toEqual(["m1.0", "m3.0", "m2.0"]);
  });

  it.each([
    "",
    "   ",
    "the of and",
    "zzzqqq",
    '"',
    "\u0000",
    "😀",
  ])("answers %j without an error", (query) => {
    expect(searchHistory(index, query, { limit: 5 }).length).toBeLessThanOrEqual(5);
  });

  it("does not stem: parse is not parser", () => {
    const words = indexOf(user("the parser is slow"), user("please parse it"));
    expect(searchHistory(words, "parse", { limit: 5 }).map(({ pointer }) => pointer)).toEqual(["m2.0"]);
  });
});

describe("history read", () => {
  it("gives pages that concatenate to the text, each of whole characters", () => {
    const anyText = fc.oneof(fc.string({ unit: "grapheme", maxLength: 300 }), fc.constant("😀".repeat(100)));
    fc.assert(
      fc.property(anyText, fc.integer({ min: 2, max: 50 }), (whole, limit) => {
        let read = "";
        let offset: number | undefined = 0;
        while (offset !== undefined) {
          const page = readPage(whole, { offset, limit });
          expect(page.totalCharacters).toBe(whole.length);
          if (isWellFormed(whole)) expect(isWellFormed(page.text)).toBe(true);
          read += page.text;
          offset = page.nextOffset;
        }
        expect(read).toBe(whole);
      }),
    );
  });

  it("starts a character earlier where the offset would split one", () => {
    expect(readPage("a😀b", { offset: 2, limit: 10 })).toEqual({
      text: "😀b",
      offset: 1,
      totalCharacters: 4,
    });
  });

  it("is empty behind the end", () => {
    expect(readPage("abc", { offset: 99, limit: 10 })).toEqual({ text: "", offset: 3, totalCharacters: 3 });
  });

  it("says where the page lies and how to go on", () => {
    expect(formatReadAnswer("m1.0", readPage("x".repeat(5_000), { offset: 0, limit: 2_000 }))).toMatch(
      /^\[m1\.0: characters 0 to 2,000 of 5,000; go on with history_read\(\{ pointer: "m1\.0", offset: 2000 \}\)\]\nx{2000}$/,
    );
  });
});

describe("what models send to the tools", () => {
  it.each([
    {
      value: { pointer: "m3.1", offset: "40" },
      input: { pointer: "m3.1", seq: 3, block: 1, offset: 40, limit: 6_000 },
      why: "numbers as text",
    },
    {
      value: { pointer: "m3.1", limit: 9_999_999 },
      input: { pointer: "m3.1", seq: 3, block: 1, offset: 0, limit: 24_000 },
      why: "too much",
    },
    {
      value: { pointer: "m3.1", offset: -5, limit: 0 },
      input: { pointer: "m3.1", seq: 3, block: 1, offset: 0, limit: 2 },
      why: "too little",
    },
  ])("is put right: $why", ({ value, input }) => {
    expect(parseReadInput(value)).toEqual({ ok: true, input });
  });

  it.each([
    undefined,
    null,
    5,
    {},
    { pointer: "nowhere" },
    { pointer: 12 },
  ])("is refused with the right call: %j", (value) => {
    expect(parseReadInput(value)).toMatchObject({
      ok: false,
      problem: expect.stringContaining("history_read({"),
    });
  });

  it("may be a search without a limit", () => {
    expect(parseSearchInput({ query: "x" })).toEqual({ ok: true, input: { query: "x", limit: 8 } });
    expect(parseSearchInput({ query: " " })).toMatchObject({ ok: false });
  });

  it("is answered in words where nothing was found", () => {
    expect(formatSearchAnswer("abc", [])).toContain('Nothing in this session\'s history matches "abc"');
  });
});
