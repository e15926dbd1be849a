/** Facts that say what has changed, and facts that only look so: the old one must neither be shown alone nor get lost. */
import { describe, expect, it } from "vitest";
import { compareFacts } from "#memory/subject/same-subject.ts";

describe("a fact that says what has changed", () => {
  it.each([
    ["The API listens on port 8080.", "The API listens not on 8080 but on 9090."],
    ["The API listens on port 8080.", "It's not 8080 but 9090 that the API listens on."],
    ["Die API läuft auf Port 8080.", "Die API läuft nicht auf 8080, sondern auf 9090."],
    ["La API escucha en el puerto 8080.", "La API no escucha en el 8080 sino en el 9090."],
    ["我们用npm。", "我们用的不是npm，而是pnpm。"],
    ["Alice owns the billing service.", "Bob took over billing from Alice."],
    ["We format with prettier.", "We replaced prettier with biome."],
    ["We format with prettier.", "We dropped prettier in favour of biome."],
    ["We format with prettier.", "We stopped using prettier."],
    ["We format with prettier.", "Prettier was replaced by biome."],
    ["Wir formatieren mit prettier.", "Wir haben prettier durch biome ersetzt."],
    ["Formateamos con prettier.", "Prettier fue reemplazado por biome."],
    ["Use Node 18.", "We upgraded from Node 18 to Node 20."],
    ["We run on Node 18.", "We upgraded to Node 20."],
    ["Our CI is Jenkins.", "We migrated our CI to GitHub Actions."],
    ["The deadline is March 3.", "The deadline slipped to March 10."],
    ["The price is $10.", "The price went up to $12."],
  ])("revises “%s”: “%s”", (known, fresh) => {
    expect(compareFacts(fresh, known)).toBe("revises");
  });

  it.each([
    ["We switched from npm to pnpm.", "Actually we use bun now, not pnpm."],
    ["We switched from npm to pnpm.", "We no longer use pnpm."],
    ["We use bun instead of pnpm.", "We use deno instead of bun."],
    ["Wir sind von npm auf pnpm umgestiegen.", "Wir nutzen jetzt bun, nicht pnpm."],
    ["Kraken was renamed to Octopus.", "Octopus was renamed to Squid."],
  ])("revises a change of before, “%s”: “%s”", (known, fresh) => {
    expect(compareFacts(fresh, known)).toBe("revises");
  });

  it.each([
    ["Will lives in Rome.", "Will moved from Rome to Oslo.", "Will is a name"],
    ["The meeting is in Rome.", "The meeting moved from Rome to Oslo on May 3.", "May is a month"],
  ])("is read although it has the word of a modal verb: “%s”, “%s”, %s", (known, fresh) => {
    expect(compareFacts(fresh, known)).not.toBe("other");
  });

  it.each([
    ["Anna leitet das Team.", "Ben hat das Team von Anna übernommen."],
    [
      "Das Limit liegt bei 100 Anfragen pro Minute.",
      "Das Limit wurde von 100 auf 250 Anfragen pro Minute erhöht.",
    ],
    ["Our default region is US.", "Our default region is EU."],
  ])("corrects “%s”: “%s”", (known, fresh) => {
    expect(compareFacts(fresh, known)).toBe("corrects");
  });
});

describe("a fact that only looks like a correction", () => {
  it.each([
    ["Python is used.", "Not only Python but also Go is used.", "“not only” denies nothing"],
    ["Python is used for scripts.", "Python is not just used for scripts but also for the API.", "the same"],
    ["Always squash commits.", "Never squash merge commits.", "only some of them"],
    ["The office is located in Oslo.", "The US office is located in Boston.", "US is a name"],
    ["The budget is $9.", "The US budget is $5.", "the same, without a verb of its kind"],
    ["The deadline is March 5.", "The IT deadline is March 3.", "IT is a name"],
    ["Vitamin A costs 5 dollars.", "Vitamin D costs 6 dollars.", "A is a name"],
    ["I live in Oslo.", "I lived in Rome.", "it is past"],
    ["The deadline is March 10.", "The deadline was March 3.", "it is past"],
    ["We deploy on Tuesdays.", "They deploy on Wednesdays.", "another subject"],
    ["My manager is Eve.", "Her manager is Tom.", "another subject"],
    ["Our API listens on port 80.", "Their API listens on port 81.", "another subject"],
    ["My dog is friendly.", "Her dog is not friendly.", "another subject"],
    ["The default branch is main.", "The default branch is protected.", "a property of it"],
    ["The deadline is March 3.", "The deadline is strict.", "a property of it"],
    ["My name is Ana.", "My name is pronounced AH-na.", "a property of it"],
    ["The ball is red.", "Ben dropped the ball.", "another subject"],
    ["We use prettier.", "We did not replace prettier with biome.", "it is denied"],
    ["Carol owns the search service.", "Bob took over billing from Alice.", "another service"],
    ["The price is $10.", "The price went viral.", "another kind of going"],
    ["Anna lives in Rome.", "Anna went to the cinema.", "the same"],
  ])("stays beside “%s”: “%s”, %s", (known, fresh) => {
    expect(compareFacts(fresh, known)).toBe("other");
  });
});
