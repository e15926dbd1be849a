/** The recall threshold: a message recalls what clearly fits it, not what only shares a word with it. */
import { describe, expect, it } from "vitest";
import { createMemorySearch, type MemoryFields } from "#base/search/memory-search.ts";
import { aboveRecallThreshold } from "#memory/recall/recall-plan.ts";

/** Which of a hundred memories are clear: `a.md`, eight others with a common word, and what is about something else. */
function clearFor(query: string, found: MemoryFields, common = ""): ReadonlySet<string> {
  const search = createMemorySearch();
  search.set("a.md", found);
  for (let at = 0; at < 8; at++) search.set(`other-${at}.md`, { body: `${common} number${at}` });
  for (let at = 9; at < 100; at++) search.set(`else-${at}.md`, { body: `something${at} else${at}` });
  const hits = search.search(query, { limit: 40 });
  return aboveRecallThreshold(
    hits.map(({ id, matchedShare, why }) => ({ path: id, matchedShare, words: why.words })),
  );
}

const CASES: readonly {
  readonly name: string;
  readonly query: string;
  readonly found: MemoryFields;
  readonly common?: string;
  readonly isClear: boolean;
}[] = [
  {
    name: "two rare words",
    query: "Deploy it to staging, please",
    found: { body: "We deploy to staging on Tuesdays" },
    isClear: true,
  },
  {
    name: "one rare word of two in the text",
    query: "Deploy it to staging, please",
    found: { body: "We deploy on Tuesdays" },
    isClear: false,
  },
  {
    name: "one rare word beside the kind of what is asked for",
    query: "On which days do we deploy?",
    found: { body: "We deploy on Tuesdays" },
    isClear: true,
  },
  {
    name: "the same in German",
    query: "An welchen Tagen wird gestrichen?",
    found: { body: "Dienstags wird gestrichen" },
    isClear: true,
  },
  {
    name: "the kind alone",
    query: "Which days are holidays?",
    found: { body: "The office has ten days of leave" },
    isClear: false,
  },
  {
    name: "one rare word that is all that the message is about",
    query: "Deploy it once more, please",
    found: { body: "We deploy on Tuesdays" },
    isClear: true,
  },
  {
    name: "a common word in the text",
    query: "Make the deploy button blue",
    found: { body: "deploy" },
    common: "deploy",
    isClear: false,
  },
  {
    name: "a rare word of many",
    query: "Rename this variable in the deploy script, and then run all of the tests again",
    found: { body: "We deploy on Tuesdays" },
    isClear: false,
  },
  {
    name: "a common word that is all that the message is about",
    query: "When may I deploy?",
    found: { name: "deploy" },
    common: "deploy",
    isClear: true,
  },
  {
    name: "one common word of many, in the name",
    query: "Rename this variable in the deploy script, and then run all of the tests again",
    found: { name: "deploy" },
    common: "deploy",
    isClear: false,
  },
  {
    name: "three words in the name, however long the message is",
    query: `deploy staging friday ${Array.from({ length: 40 }, (_, at) => `word${at}`).join(" ")}`,
    found: { name: "deploy staging friday" },
    common: "deploy staging friday",
    isClear: true,
  },
  { name: "no word at all", query: "ok", found: { name: "deploy" }, isClear: false },
];

describe("what a message clearly calls for", () => {
  it.each(CASES)("is told by its words: $name", ({ query, found, common, isClear }) => {
    expect(clearFor(query, found, common).has("a.md")).toBe(isClear);
  });

  it("is told by pairs of characters where a script has no blanks", () => {
    expect(clearFor("我对什么过敏？", { body: "我对花生过敏。" }).has("a.md")).toBe(true);
    expect(clearFor("帮我写一首关于大海和风暴的诗吧", { body: "我对花生过敏。" }).has("a.md")).toBe(false);
  });

  it.each([
    { query: "売上をまとめてください。", body: "今後は敬語で答えてください。", isClear: false },
    { query: "旅行の計画を立てたいと思っています。", body: "木曜日だけデプロイしています。", isClear: false },
    { query: "敬語で書いてください。", body: "今後は敬語で答えてください。", isClear: true },
    { query: "会議室は何階ですか", body: "会議室は3階にあります。", isClear: true },
    { query: "더 짧게 해 주세요.", body: "존댓말로 대답해 주세요.", isClear: false },
    { query: "배포는 언제 하나요?", body: "배포는 목요일에만 합니다.", isClear: true },
  ])("is not told by how Japanese and Korean sentences end: $query", ({ query, body, isClear }) => {
    expect(clearFor(query, { body }).has("a.md")).toBe(isClear);
  });

  it("is nothing of an empty message, and of no memories", () => {
    expect(clearFor("", { name: "deploy" })).toEqual(new Set());
    expect(aboveRecallThreshold([])).toEqual(new Set());
  });
});
