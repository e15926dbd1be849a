import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMemorySearch, type MemoryFields } from "#base/search/memory-search.ts";
import { anyCharacter } from "#test/helpers/any-character.ts";

function searchOver(memories: Readonly<Record<string, MemoryFields | string>>) {
  const search = createMemorySearch();
  for (const [id, memory] of Object.entries(memories))
    search.set(id, typeof memory === "string" ? { body: memory } : memory);
  return search;
}

const found = (search: ReturnType<typeof createMemorySearch>, query: string, limit = 10) =>
  search.search(query, { limit }).map(({ id }) => id);

describe("what is found", () => {
  it.each([
    { body: "We deploy on Tuesdays", query: "When were things deployed?", why: "another form of the word" },
    { body: "She went to Lisbon", query: "where did she go", why: "a form that bends within" },
    { body: "Das Café öffnet früh", query: "cafe offnet fruh", why: "accents are left out" },
    { body: "crème brûlée", query: "Creme Brulee", why: "accents and case" },
    { body: "Die Straße ist gesperrt", query: "strasse", why: "one letter for two" },
    { body: "Ёлка у дома", query: "елка", why: "Cyrillic letters with signs" },
    { body: "кошка спит", query: "Кошка", why: "another script by its words" },
    { body: "यह बहुत अच्छा है।", query: "अच्छा है", why: "a word before another script's full stop" },
    { body: "مُحَمَّد يعمل هنا", query: "محمد", why: "vowel signs are left out" },
    { body: "我们每周二部署服务", query: "周二部署", why: "Chinese, without blanks" },
    { body: "火曜日にデプロイします", query: "デプロイ", why: "Japanese, without blanks" },
    { body: "매주 화요일에 배포합니다", query: "화요일", why: "Korean, within a longer word" },
    { body: "火", query: "火", why: "a single character" },
    { body: "The parser is in src/json/parse-value.ts", query: "parse-value.ts", why: "a part of a path" },
    { body: "call readMemoryFile first", query: "memory file", why: "parts of an identifier" },
    { body: "It takes two hours", query: "2 hours", why: "a number as a word" },
    { body: "Unser Lieferant ist Medix", query: "Von welchen Lieferanten?", why: "a German plural" },
    { body: "Trabajo en una panadería", query: "¿Dónde trabajaba ella?", why: "a Spanish past tense" },
    { body: "Встреча в понедельник", query: "Расскажи о встрече", why: "a Russian case" },
    { body: "Toplantı salı günü", query: "Toplantılar ne zaman yapılıyor?", why: "a Turkish plural" },
  ])("finds “$body” by “$query”: $why", ({ body, query }) => {
    expect(found(searchOver({ other: "nothing to do with it at all", wanted: body }), query)).toEqual([
      "wanted",
    ]);
  });

  it("takes words with the same beginning for forms of one in other languages only, and after the word itself", () => {
    const search = searchOver({
      form: "Die Lieferanten kommen am Montag",
      itself: "Der Lieferant kommt am Montag",
      english: "an interesting interval",
    });
    expect(found(search, "What is on the internet?")).toEqual([]);
    expect(found(search, "internet of example.com, see src/com/acme")).toEqual([]);
    const hits = search.search("Wer ist der Lieferant für Papier?", { limit: 2 });
    expect(hits.map(({ id }) => id)).toEqual(["itself", "form"]);
    expect(hits.map(({ why }) => why.words.map(({ word }) => word))).toEqual([
      ["der", "lieferant"],
      ["lieferant"],
    ]);
    expect(hits[1]!.matchedShare).toBeLessThan(hits[0]!.matchedShare);
  });

  it("drops a form that is in no memory now, and adds new ones", () => {
    const search = searchOver({ one: "Die Lieferanten kommen" });
    const query = "Wer ist der Lieferant?";
    expect(found(search, query)).toEqual(["one"]);
    search.set("two", { body: "Lieferantin seit Mai" });
    search.set("one", { body: "etwas anderes" });
    expect(found(search, query)).toEqual(["two"]);
  });

  it("finds nothing for words that say nothing, for no words, and for unknown ones", () => {
    const search = searchOver({ one: "This is what we have" });
    expect([found(search, "what is this"), found(search, ""), found(search, "zebra")]).toEqual([[], [], []]);
  });

  it("ranks rare words above common ones, and a name above a body", () => {
    const search = searchOver({
      a: "the build runs on every push",
      b: "the build of the lighthouse",
      c: { name: "lighthouse", body: "built in 1890" },
      d: "build and build again",
    });
    expect(found(search, "lighthouse build")).toEqual(["c", "b", "d", "a"]);
  });

  it("keeps equals in the order of their ids, however they came", () => {
    const search = searchOver({ c: "same words", a: "same words", b: "same words" });
    search.remove("b");
    search.set("b", { body: "same words" });
    expect(found(search, "same")).toEqual(["a", "b", "c"]);
    expect(found(search, "same", 2)).toEqual(["a", "b"]);
  });

  it("finds a memory at once, replaces it, and does not find it after it was removed", () => {
    const search = createMemorySearch();
    search.set("a", { body: "tabs" });
    expect(found(search, "tabs")).toEqual(["a"]);
    search.set("a", { body: "spaces" });
    expect([found(search, "tabs"), found(search, "spaces")]).toEqual([[], ["a"]]);
    expect([search.remove("a"), search.remove("a"), search.size]).toEqual([true, false, 0]);
    expect(found(search, "spaces")).toEqual([]);
  });

  it("lets a word that very many have only add to what a rarer one has found", () => {
    const search = searchOver({ rare: "a lighthouse in common words", both: "lighthouse" });
    for (let index = 0; index < 9_000; index++) search.set(`m${index}`, { body: "common" });
    expect(found(search, "common lighthouse")).toEqual(["both", "rare"]);
    expect(found(search, "common", 3)).toEqual(["m0", "m1", "m10"]);
  });

  it("returns only what is accepted, as many as there are", () => {
    const memories = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`m${index}`, "one word"]));
    const search = searchOver(memories);
    const hits = search.search("word", { limit: 3, accepts: (id) => id.endsWith("7") });
    expect(hits.map(({ id }) => id)).toEqual(["m17", "m27", "m37"]);
  });
});

describe("what is like the best that was found", () => {
  const memories = {
    guitar: "My guitar is a Les Paul with open tuning",
    paul: "The Les Paul needs new strings",
    strings: "Strings for that tuning are thicker",
    office: "The office is in Ghent",
  };
  const alsoAlike = (query: string, limit: number, accepts?: (id: string) => boolean) =>
    searchOver(memories).search(query, { limit, alsoAlike: true, ...(accepts ? { accepts } : {}) });

  it("comes behind, most like it first, and says that it has no word of the query", () => {
    const hits = alsoAlike("guitar", 10);
    expect(hits.map(({ id, why }) => [id, why.words.map(({ word }) => word)])).toEqual([
      ["guitar", ["guitar"]],
      ["paul", []],
      ["strings", []],
    ]);
    expect(found(searchOver(memories), "guitar")).toEqual(["guitar"]);
  });

  it("is worth a tenth of the last one that has a word, at the most", () => {
    const [guitar, ...alike] = alsoAlike("guitar", 10);
    expect(alike[0]!.score).toBeCloseTo(guitar!.score / 10, 10);
    for (const { score, why } of alike)
      expect(score).toBe(why.ownScore + why.neighbourScore + why.groupScore);
  });

  it.each([
    { query: "guitar", limit: 2, ids: ["guitar", "paul"], why: "there is room for one" },
    { query: "guitar", limit: 1, ids: ["guitar"], why: "there is no room" },
    { query: "zebra", limit: 10, ids: [], why: "nothing was found that it could be like" },
    { query: "office", limit: 10, ids: ["office"], why: "nothing is like it" },
  ])("is $ids for “$query”: $why", ({ query, limit, ids }) => {
    expect(alsoAlike(query, limit).map(({ id }) => id)).toEqual(ids);
  });

  it("is only what is accepted", () => {
    expect(alsoAlike("guitar", 10, (id) => id !== "paul").map(({ id }) => id)).toEqual(["guitar", "strings"]);
  });
});

describe("the reason of a hit", () => {
  it("names the query's words with the fields that have them, the rarest first", () => {
    const search = searchOver({
      a: { name: "Deploy days", description: "when we deploy", tags: ["release"], body: "On Tuesdays." },
      b: "deploy something else",
    });
    const [hit] = search.search("Deploying a release on Tuesday, please", { limit: 1 });
    expect(hit).toMatchObject({
      id: "a",
      why: {
        words: [
          { word: "release", fields: ["tags"] },
          { word: "tuesday", fields: ["body"] },
          { word: "deploying", fields: ["name", "description"] },
        ],
        neighbourScore: 0,
        groupScore: 0,
      },
    });
    expect(hit?.score).toBe(hit?.why.ownScore);
  });

  it("adds up to the score", () => {
    const search = searchOver({
      a: { body: "Shall we go to Porto?", group: "g" },
      b: { body: "Yes, in May", before: "a", group: "g" },
      c: { body: "Porto in May is lovely", before: "b", group: "g" },
    });
    for (const { score, why } of search.search("Porto in May", { limit: 3 }))
      expect(score).toBeCloseTo(why.ownScore + why.neighbourScore + why.groupScore, 10);
  });
});

describe("what was said around a memory", () => {
  const conversation = {
    question: { body: "Where did you spend your holiday in Norway?" },
    answer: { body: "With my sister, it rained all week", before: "question" },
    later: { body: "What a pity", before: "answer" },
    far: { body: "Anyway, good night", before: "later" },
    elsewhere: { body: "My sister is fine" },
  };

  it("makes an answer findable by the question's words, and not what is farther away", () => {
    expect(found(searchOver(conversation), "holiday Norway")).toEqual(["question", "answer", "later"]);
  });

  it("prefers what was said near the query's other words", () => {
    const order = (search: ReturnType<typeof createMemorySearch>) =>
      found(search, "sister Norway").filter((id) => id === "answer" || id === "elsewhere");
    expect(order(searchOver(conversation))).toEqual(["answer", "elsewhere"]);
    const { question, ...without } = conversation;
    expect(order(searchOver(without))).toEqual(["elsewhere", "answer"]);
  });

  it("is seen whichever of the two came first, and gone when one of them goes", () => {
    const search = createMemorySearch();
    search.set("answer", conversation.answer);
    expect(found(search, "Norway")).toEqual([]);
    search.set("question", conversation.question);
    expect(found(search, "Norway")).toEqual(["question", "answer"]);
    search.remove("question");
    expect(found(search, "Norway")).toEqual([]);
  });

  it("counts for all that follow the same one", () => {
    const search = searchOver({
      a: "Norway",
      b: { body: "one", before: "a" },
      c: { body: "two", before: "a" },
      d: { body: "three", before: "a" },
    });
    search.remove("c");
    expect(found(search, "Norway")).toEqual(["a", "b", "d"]);
  });

  it("adds what the conversation says as a whole", () => {
    const search = searchOver({
      a: { body: "the recipe needs saffron", group: "cooking" },
      b: { body: "saffron and rice, a Spanish recipe", group: "cooking" },
      c: { body: "the recipe needs flour", group: "baking" },
      d: { body: "flour and water", group: "baking" },
    });
    const [first, second, third] = search.search("recipe saffron", { limit: 3 });
    expect([first, second, third].map((hit) => hit?.id)).toEqual(["a", "b", "c"]);
    expect(first!.why.groupScore).toBeGreaterThan(third!.why.groupScore);
  });

  it("is not fooled by a memory that says it came before itself, nor by a circle", () => {
    const search = searchOver({
      a: { body: "round and round", before: "b" },
      b: { body: "round", before: "a" },
      self: { body: "round", before: "self" },
    });
    expect(search.search("round", { limit: 9 }).find(({ id }) => id === "self")?.why.neighbourScore).toBe(0);
    expect(found(search, "round")).toHaveLength(3);
  });
});

const WORDS = ["deploy", "Tuesday", "the", "café", "部署服务", "blue", "readFile", "x"];
const someText = fc.array(fc.constantFrom(...WORDS), { maxLength: 6 }).map((words) => words.join(" "));
const someId = fc.constantFrom("a", "b", "c", "d", "e", "f");
const someFields: fc.Arbitrary<MemoryFields> = fc.record(
  {
    name: someText,
    description: someText,
    body: someText,
    tags: fc.array(someText, { maxLength: 2 }),
    time: someText,
    before: someId,
    group: fc.constantFrom("g", "h"),
  },
  { requiredKeys: [] },
);
const someSteps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ id: someId, fields: someFields }) },
    { weight: 1, arbitrary: fc.record({ id: someId }) },
  ),
  { maxLength: 30 },
);

it("finds after any steps what an index of the same memories finds, with the same scores", () => {
  fc.assert(
    fc.property(someSteps, fc.array(someText, { minLength: 1, maxLength: 3 }), (steps, queries) => {
      const search = createMemorySearch();
      const there = new Map<string, MemoryFields>();
      for (const { id, fields } of steps as { id: string; fields?: MemoryFields }[])
        if (fields === undefined) expect(search.remove(id)).toBe(there.delete(id));
        else {
          search.set(id, fields);
          there.set(id, fields);
        }
      const fresh = searchOver(Object.fromEntries([...there].reverse()));
      expect(search.size).toBe(there.size);
      for (const query of queries)
        for (const alsoAlike of [false, true]) {
          const asked = { limit: 10, alsoAlike };
          expect(search.search(query, asked)).toEqual(fresh.search(query, asked));
        }
    }),
  );
});

it("finds the first of the best, however few are asked for", () => {
  fc.assert(
    fc.property(
      fc.array(someFields, { maxLength: 20 }),
      someText,
      fc.nat({ max: 8 }),
      (memories, query, limit) => {
        const search = searchOver(Object.fromEntries(memories.map((fields, index) => [`m${index}`, fields])));
        const all = search.search(query, { limit: 100 });
        expect(search.search(query, { limit })).toEqual(all.slice(0, limit));
        const accepts = (id: string) => id !== "m1" && id !== "m3";
        expect(search.search(query, { limit, accepts })).toEqual(
          all.filter(({ id }) => accepts(id)).slice(0, limit),
        );
      },
    ),
  );
});

it("takes any text for a memory and for a query", () => {
  const anyText = fc.string({ unit: anyCharacter, maxLength: 60 });
  fc.assert(
    fc.property(fc.array(anyText, { maxLength: 4 }), anyText, (texts, query) => {
      const search = createMemorySearch();
      for (const [index, body] of texts.entries())
        search.set(`${index}`, { body, before: body, group: body });
      for (const { score } of search.search(query, { limit: 10 })) expect(score).toBeGreaterThan(0);
      for (const index of texts.keys()) expect(search.remove(`${index}`)).toBe(true);
      expect(search.size).toBe(0);
    }),
  );
});

it("forgets words that no memory has any more", () => {
  const letters = (number: number) =>
    [...`${number + 1_000}`].map((digit) => "abcdefghkm"[Number(digit)]).join("");
  const search = createMemorySearch();
  for (let round = 0; round < 60; round++) {
    const words = Array.from({ length: 100 }, (_, index) => `zz${letters(round * 100 + index)}`);
    search.set("a", { body: words.join(" ") });
    expect(found(search, words[7]!)).toEqual(["a"]);
  }
  expect(found(search, `zz${letters(7)}`)).toEqual([]);
});
