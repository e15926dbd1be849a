import { describe, expect, it } from "vitest";
import { compareFacts, judgeClaim, mayCorrect } from "#memory/subject/same-subject.ts";

describe("a likely correction", () => {
  it.each([
    ["I moved to Leeds last month.", "I live in Porto, near the river.", "another word of the same slot"],
    ["Steven and I got divorced in spring", "Im married to Steven", "another word of the same slot"],
    ["Sold the Golf, I've got a Kia Niro instead.", "I drive a 2012 Golf.", "the old value by name"],
    ["Biscuit turned four yesterday.", "My dog Biscuit is three years old.", "the subject by name"],
    [
      "Priya has taken over the billing service from Daniel.",
      "Daniel owns the billing service.",
      "an office",
    ],
    ["Bei Siemens hab ich gekündigt, bin jetzt bei Bosch.", "Ich arbeite bei Siemens.", "German"],
    ["Mi hermana se casó en julio.", "Mi hermana está soltera.", "Spanish"],
    ["我戒烟了。", "我抽烟。", "Chinese"],
    ["私は福岡に引っ越しました。", "私は大阪に住んでいます。", "Japanese"],
    ["J'ai arrêté de fumer.", "Je fume.", "French"],
    ["I no longer drink coffee after lunch.", "I drink coffee.", "an exception is shown with the rule"],
    ["We stopped using prettier in the docs.", "We format with prettier.", "only there"],
  ])("“%s” is shown before “%s”: %s", (fresh, known) => {
    expect(compareFacts(fresh, known)).not.toBe("other");
  });

  it.each([
    ["I will live in Rome for a year after my degree.", "I live in Oslo.", "a plan"],
    ["Algún día viviré en Bilbao.", "Vivo en Valencia.", "a plan"],
    ["I used to live in Bruges.", "I live in Ghent.", "the past"],
    ["我以前在百度上班。", "我在腾讯上班。", "the past"],
    ["My sister got divorced from Karl.", "I am married to Steven.", "another person"],
    ["Anna moved to Berlin last year.", "I live in Linz.", "another person"],
    ["Our backups moved to Dublin.", "I live in Porto.", "another subject"],
    [
      "The wifi password at work is [redacted: password].",
      "The wifi password at home is [redacted: password].",
      "no sign",
    ],
  ])("“%s” is beside “%s”: %s", (fresh, known) => {
    expect(compareFacts(fresh, known)).toBe("other");
  });
});

describe("a claim that a fact corrects another one", () => {
  it.each([
    ["My manager is Ingrid.", "My manager is Tobias.", "one attribute"],
    ["Mi hermana se casó en julio.", "Mi hermana está soltera.", "a likely correction"],
    ["私の上司は鈴木さんです。", "私の上司は田中さんです。", "one attribute"],
  ])("is believed of “%s” and “%s”: %s", (fresh, known) => {
    expect(judgeClaim(fresh, known)).toBe("corrects");
  });

  it.each([
    ["I like techno.", "I like jazz."],
    ["I'm allergic to penicillin.", "I'm allergic to nuts."],
    ["bin auf brave umgestiegen", "ich nutz immer firefox"],
    ["Leo stopped smoking.", "Mia smokes."],
    ["We sponsor a chess club now, too.", "We sponsor a football club."],
  ])("shows both where no word supports it: “%s” and “%s”", (fresh, known) => {
    expect(judgeClaim(fresh, known)).toBe("revises");
  });

  it.each([
    ["Her favourite colour is green.", "My favourite colour is red."],
    ["My husband's phone number ends in 9038.", "My phone number ends in 4471."],
    ["My boss drives a Tesla.", "I drive a Golf."],
    ["In C++ I use CLion.", "In C# I use Rider."],
    ["src/b.ts exports format.", "src/a.ts exports parse."],
    ["La jefa de Pedro es Mónica.", "Mi jefa es Lucía."],
    ["本番のポートは9090です。", "ステージングのポートは8080です。"],
    ["I will live in Rome for a year after my degree.", "I live in Oslo."],
  ])("is refused where both hold: “%s” and “%s”", (fresh, known) => {
    expect(judgeClaim(fresh, known)).toBe("other");
  });
});

it.each([
  ["My manager is Ingrid.", "My manager is Tobias."],
  ["I like techno.", "I like jazz."],
  ["Her favourite colour is green.", "My favourite colour is red."],
  ["In C++ I use CLion.", "In C# I use Rider."],
  ["I will live in Rome for a year after my degree.", "I live in Oslo."],
  ["We deploy on Fridays.", "My cat is grey."],
  ["I like jazz.", "I like jazz."],
])("“%s” may correct “%s” exactly if a claim that it does is not refused", (fresh, known) => {
  expect(mayCorrect(fresh, known)).toBe(judgeClaim(fresh, known) !== "other");
});

it("two passages that share words, one of them with a word of change, correct nothing", () => {
  const known =
    "The mild form of the illness lasts a week, and patients with the illness rest at home. Patients drink water, " +
    "sleep a lot, see no other people, and call the practice. The practice then sends a nurse to the patients within a day.";
  const fresh =
    "The illness now has a name, and patients with the mild form rest at home for a week. Patients see no other people, " +
    "drink water, and call the practice; the practice sends a nurse, who writes down when the illness began and how the " +
    "patients sleep.";
  expect(compareFacts(fresh, known)).toBe("other");
});

it("a short fact corrects a memory that also says why and how to apply it", () => {
  const known =
    "Omar owns the grant report. Why: he wrote the last three and knows the funder well. How to apply: ask him for the " +
    "numbers, send him drafts a week before the deadline, and never submit without his sign-off, because the funder " +
    "writes to him directly with questions.";
  expect(compareFacts("Priya owns the grant report now.", known)).toBe("revises");
});
