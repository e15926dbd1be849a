import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { factTokens, lacksMoreWords, wordsMissing } from "#memory/subject/fact-frame.ts";
import { areOfTwoInstances, compareFacts } from "#memory/subject/same-subject.ts";
import { anyCharacter } from "#test/helpers/any-character.ts";

describe("a new fact and an old one", () => {
  it.each([
    { fresh: "We deploy on Tuesdays.", known: "we deploy on Tuesdays", why: "case and full stop" },
    {
      fresh: "The build takes two minutes",
      known: "A build takes 2 minutes",
      why: "an article, a number as a word",
    },
    { fresh: "User walks to work", known: "The user walked to work", why: "forms of one word" },
    { fresh: "部署在星期二", known: "部署在星期二", why: "the same, in any language" },
    {
      fresh: "From now on, we deploy on Tuesdays.",
      known: "We deploy on Tuesdays.",
      why: "since when it is so changes nothing",
    },
    {
      fresh: "No, we deploy on Tuesdays.",
      known: "We deploy on Tuesdays.",
      why: "an objection denies nothing",
    },
    { fresh: "From now on", known: "from now on!", why: "nothing but such words" },
    { fresh: "???", known: "???", why: "no words at all" },
  ])("repeats “$known”: $why", ({ fresh, known }) => {
    expect(compareFacts(fresh, known)).toBe("repeats");
  });

  it.each([
    { fresh: "The user lives in Berlin", known: "The user lives in Paris", why: "one lives in one place" },
    { fresh: "I live in Berlin now", known: "I live in Paris", why: "the speaker is the subject" },
    { fresh: "We deploy on Thursdays", known: "We deploy on Tuesdays", why: "another weekday" },
    {
      fresh: "We do not deploy on Tuesdays but on Thursdays.",
      known: "We deploy on Tuesdays.",
      why: "an alternative is no exception",
    },
    {
      fresh: "From now on we deploy on Thursdays.",
      known: "From now on we deploy on Tuesdays.",
      why: "both say since when",
    },
    {
      fresh: "We deploy on Thursdays going forward",
      known: "We deploy on Tuesdays",
      why: "it says since when",
    },
    {
      fresh: "No, we deploy on Thursdays.",
      known: "We deploy on Tuesdays.",
      why: "it begins with an objection",
    },
    {
      fresh: "Actually, no, I prefer spaces for indentation",
      known: "I prefer tabs for indentation",
      why: "it begins with two",
    },
    { fresh: "No, we deploy on Fridays.", known: "We never deploy on Fridays.", why: "the denial is denied" },
    { fresh: "The API timeout is 30 seconds", known: "The API timeout is 60 seconds", why: "another number" },
    {
      fresh: "Staging is on port 5433",
      known: "Staging is on port 5432",
      why: "another number behind its noun",
    },
    {
      fresh: "The favorite color is green",
      known: "The favorite color is blue",
      why: "a subject with one value",
    },
    { fresh: "Use pnpm for installs", known: "Use npm for installs", why: "one tool for one purpose" },
    { fresh: "The user is not a morning person", known: "The user is a morning person", why: "it is denied" },
    { fresh: "The user doesn't eat meat", known: "The user eats meat", why: "it is denied, in short" },
    { fresh: "Deploy on Fridays", known: "Never deploy on Fridays", why: "the denial is taken back" },
    {
      fresh: "Rachel, not Marek, developed the photo tool",
      known: "Marek developed the photo tool",
      why: "the old value is denied by name",
    },
    { fresh: "Use spaces, not tabs", known: "Use tabs", why: "the old value is denied, in short" },
    {
      fresh: "The limit is 100 per user",
      known: "The limit is 10 per user",
      why: "another number for the same purpose",
    },
    { fresh: "The timeout is 5 minutes", known: "The timeout is 1 minute", why: "forms of one word" },
    {
      fresh: "Office hours are from 8 to 4",
      known: "Office hours are from 9 to 5",
      why: "a span of time is one value",
    },
    {
      fresh: "The deadline is May 5 at 10",
      known: "The deadline is May 3 at 12",
      why: "and so is a point in time",
    },
    {
      fresh: "The default branch is trunk",
      known: "The default branch is main",
      why: "there is one default",
    },
    {
      fresh: "Reviews go to Dana instead of Kim",
      known: "Reviews go to Kim",
      why: "the new value is named with the old one",
    },
    { fresh: "部署在星期四", known: "部署在星期二", why: "another day, in Chinese" },
    { fresh: "I moved from Lisbon to Oslo.", known: "I live in Lisbon now.", why: "it names what it was" },
    {
      fresh: "Der Start wurde von März auf Juni verschoben.",
      known: "Der Start ist im März.",
      why: "it names what it was, in German",
    },
    { fresh: "Ya no trabajo en Fabrikam.", known: "Trabajo en Fabrikam.", why: "denied in Spanish" },
    {
      fresh: "Ledger was renamed to Tally.",
      known: "The billing service is called Ledger.",
      why: "a new name",
    },
  ])("corrects “$known”: $why", ({ fresh, known }) => {
    expect(compareFacts(fresh, known)).toBe("corrects");
  });

  it.each([
    { fresh: "The user likes coffee", known: "The user likes tea", why: "one may like both" },
    {
      fresh: "User is allergic to nuts",
      known: "User is allergic to shellfish",
      why: "and be allergic to both",
    },
    { fresh: "The user is a teacher", known: "The user is a vegetarian", why: "and be both" },
    { fresh: "User prefers dark mode", known: "User prefers short answers", why: "two preferences" },
    { fresh: "User prefers tabs in Go", known: "User prefers tabs in Python", why: "two purposes" },
    { fresh: "The build pipeline is flaky", known: "The build pipeline is slow", why: "and be both" },
    { fresh: "Do we deploy on Fridays?", known: "We do not deploy on Fridays", why: "a question" },
    ...[
      ["On Fridays, we do not deploy to production.", "We deploy to production."],
      ["We don't deploy to production during audits.", "We deploy to production."],
      ["Never deploy to production on Fridays.", "Deploy to production."],
      ["In December, the shop does not ship to Norway.", "The shop ships to Norway."],
    ].map(([fresh, known]) => ({ fresh: fresh!, known: known!, why: "an exception leaves the rule" })),
    { fresh: "Write tests without mocks", known: "Write mocks", why: "something else is there" },
    { fresh: "Bob is fluent in German", known: "Anna is fluent in German", why: "two people" },
    { fresh: "Her sister lives in Rome", known: "Her brother lives in Rome", why: "the subject differs" },
    {
      fresh: "Production is on port 5433",
      known: "Staging is on port 5432",
      why: "subject and value differ",
    },
    { fresh: "Server 2 is in Berlin", known: "Server 1 is in Berlin", why: "a number that names" },
    { fresh: "Anna published a book in 2022", known: "Anna published a book in 2021", why: "it happened" },
    { fresh: "Ada was in Rome in May", known: "Ada was in Rome in June", why: "it happened" },
    {
      fresh: "The user is planning a 5-day trip",
      known: "The user is planning a 3-day trip",
      why: "one of many",
    },
    {
      fresh: "The port is 6379 for redis",
      known: "The port is 5432 for postgres",
      why: "a port for each purpose",
    },
    {
      fresh: "The timeout is 60 seconds for writes",
      known: "The timeout is 30 seconds for reads",
      why: "the same",
    },
    { fresh: "The limit is 100 per team", known: "The limit is 10 per user", why: "the same" },
    {
      fresh: "The price is 9 euros for adults",
      known: "The price is 5 euros for kids",
      why: "the same",
    },
    { fresh: "The owner is Bob for search", known: "The owner is Anna for billing", why: "the same" },
    {
      fresh: "The API listens on port 9443 for TLS",
      known: "The API listens on port 9090",
      why: "one of them says what for",
    },
    {
      fresh: "The timeout is 60 seconds when busy",
      known: "The timeout is 30 seconds when idle",
      why: "a timeout for each case",
    },
    {
      fresh: "The URL is https://b.example for production",
      known: "The URL is https://a.example for staging",
      why: "a place for each purpose",
    },
    {
      fresh: "The server listens on port 443 for https",
      known: "The server listens on port 80 for http",
      why: "two purposes that are written nearly alike",
    },
    { fresh: "Cost for adults is 9", known: "Cost for kids is 5", why: "the subject differs" },
    { fresh: "He plans to use rye in the cake", known: "He plans to use oats in the cake", why: "a plan" },
    { fresh: "The bus goes to work", known: "The bus comes from work", why: "a small word that tells" },
    {
      fresh: "Bob did not join the band until 2009",
      known: "Bob joined the band in 2009",
      why: "not denied",
    },
    {
      fresh: "I can't, as a program, walk in a park in person",
      known: "I walk in the park",
      why: "much else",
    },
    { fresh: "Unsure whether or not to change jobs", known: "He may change jobs", why: "denies nothing" },
    {
      fresh: "We moved the backups from Frankfurt to Dublin.",
      known: "Our office is in Frankfurt.",
      why: "something else moved",
    },
    { fresh: "I may move from Lisbon to Oslo.", known: "I live in Lisbon.", why: "a thought" },
    { fresh: "I have not moved from Lisbon to Oslo.", known: "I live in Lisbon.", why: "a denial" },
    { fresh: "Ich möchte von Leipzig nach Dresden umziehen.", known: "Ich wohne in Leipzig.", why: "a wish" },
    { fresh: "如果我从上海搬到了杭州，会怎样", known: "我住在上海。", why: "a what-if" },
    {
      fresh: "The trip to Rome was cancelled.",
      known: "The offsite in Rome is in September.",
      why: "something else does not happen",
    },
    { fresh: "Do not use spaces instead of tabs.", known: "Use tabs.", why: "it stays as it is" },
    { fresh: "Anna moved from Lisbon to Oslo.", known: "I live in Lisbon.", why: "somebody else moved" },
    { fresh: "I moved from Lisbon to Oslo.", known: "I was born in Lisbon.", why: "the past stays as it is" },
    {
      fresh: "The web app uses pnpm instead of npm.",
      known: "The admin panel uses npm.",
      why: "another one uses it",
    },
    { fresh: "No,", known: "From now on", why: "neither says anything" },
    { fresh: "", known: "The user lives in Paris", why: "nothing is said" },
  ])("is another one than “$known”: $why", ({ fresh, known }) => {
    expect([compareFacts(fresh, known), compareFacts(known, fresh)]).toEqual(["other", "other"]);
  });

  it.each([
    {
      fresh: "We switched from Jest to Vitest.",
      known: "Our test runner is Jest.",
      why: "it does not say of what",
    },
    { fresh: "I am vegan now.", known: "I am vegetarian.", why: "both may hold" },
    {
      fresh: "The offsite in September is cancelled.",
      known: "The offsite is in September.",
      why: "it does not happen",
    },
    { fresh: "九月的团建取消了。", known: "团建在九月。", why: "it does not happen" },
    { fresh: "Mi portátil usa Fedora ahora.", known: "Mi portátil usa Ubuntu.", why: "it may use both" },
  ])("revises “$known”: $why", ({ fresh, known }) => {
    expect(compareFacts(fresh, known)).toBe("revises");
  });

  it("is another one where it is too long to be one fact", () => {
    const page = "The user lives in Paris. ".repeat(50);
    expect(compareFacts(`${page}The user lives in Berlin.`, page)).toBe("other");
    expect(compareFacts(page, page)).toBe("repeats");
  });
});

it("takes any two texts, and a text always repeats itself", () => {
  const words = fc.array(fc.constantFrom("not", "is", "the", "user", "lives", "in", "Rome", "2", "not,"), {
    maxLength: 8,
  });
  const anyText = fc.oneof(
    words.map((list) => list.join(" ")),
    fc.string({ unit: anyCharacter, maxLength: 40 }),
  );
  fc.assert(
    fc.property(anyText, anyText, (one, other) => {
      expect(["repeats", "corrects", "revises", "other"]).toContain(compareFacts(one, other));
      expect(compareFacts(one, one)).toBe("repeats");
    }),
  );
});

it("lacks more than so many words where the words that it lacks are more", () => {
  const word = fc.constantFrom(
    "we",
    "deploy",
    "deploys",
    "Oslo",
    "to",
    "moved",
    "上",
    "海",
    "é",
    "x9f",
    "is",
    "?",
  );
  const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(" "));
  fc.assert(
    fc.property(text, text, fc.nat(6), (one, other, most) => {
      const missing = wordsMissing(factTokens(one), factTokens(other));
      expect(lacksMoreWords(one, factTokens(other), most)).toBe(missing > most);
    }),
  );
});

describe("facts about two instances of one kind", () => {
  it.each([
    {
      one: "From now on always use pnpm for workspace 0.",
      other: "From now on always use pnpm for workspace 3.",
    },
    { one: "We deploy service 1 on Tuesdays", other: "We deploy service 2 on Tuesdays" },
    { one: "We use Redis in cluster 4", other: "We use Redis in cluster 5" },
    { one: "The nightly job runs on server 12", other: "The nightly job runs on server 13" },
    { one: "Use TLS for port 443", other: "Use TLS for port 8443" },
    { one: "The standup starts at 9 in office 1", other: "The standup starts at 9 in office 2" },
    {
      one: "The default timeout is 30 seconds in stage 1",
      other: "The default timeout is 30 seconds in stage 2",
    },
    {
      one: "We prefer tabs for indentation in package 7",
      other: "We prefer tabs for indentation in package 8",
    },
  ])("both hold: “$one” and “$other”", ({ one, other }) => {
    expect([compareFacts(one, other), compareFacts(other, one)]).toEqual(["other", "other"]);
    expect(areOfTwoInstances(one, other)).toBe(true);
  });

  it.each([
    { known: "Staging is on port 5432", fresh: "Staging is on port 5433", why: "an attribute has one value" },
    { known: "The meeting is in room 4", fresh: "The meeting is in room 5", why: "it is in one place" },
    { known: "The runtime is Node 20", fresh: "The runtime is Node 22", why: "all that it is" },
    { known: "The shop opens at 9", fresh: "The shop opens at 10", why: "a relation with one hour" },
    { known: "The licence expires on May 3", fresh: "The licence expires on May 4", why: "a date" },
    { known: "The licence costs EUR 30", fresh: "The licence costs EUR 40", why: "a price" },
  ])("are not meant by “$known” and “$fresh”: $why", ({ known, fresh }) => {
    expect(areOfTwoInstances(known, fresh)).toBe(false);
    expect(compareFacts(fresh, known)).toBe("corrects");
  });

  it("never correct each other, whatever is said of which instance", () => {
    const saying = fc.constantFrom(
      ...["use pnpm for workspace", "deploy the API on server", "always run the linter for package"],
    );
    const number = fc.nat({ max: 999 });
    fc.assert(
      fc.property(saying, number, number, (words, one, other) => {
        expect(compareFacts(`${words} ${one}.`, `${words} ${other}.`)).toBe(
          one === other ? "repeats" : "other",
        );
      }),
    );
  });
});
