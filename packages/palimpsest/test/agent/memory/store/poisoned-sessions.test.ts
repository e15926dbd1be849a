/**
 * Poison through whole sessions: what a page, a file, a tool or a paste says is proposed by an extractor that obeys
 * it, and a second session of the same memory shows none of it; the same said by the user is remembered.
 */
import { describe, expect, it } from "vitest";
import { bySize } from "../../../../../../test/helpers/size-of-run.ts";
import { CARRIERS, type Carrier } from "./carriers.ts";
import { extractorOf, GUISES, type Guise, KEY } from "./guises.ts";
import { PLANTED_FACTS, type PlantedFact } from "./poisons.ts";
import { allFiles, breakouts, KNOWN_PATHS, playFirst, playSecond } from "./two-sessions.ts";

interface Case {
  readonly carrier: Carrier;
  readonly guise: Guise;
  readonly fact: PlantedFact;
}

/**
 * By default a few pairs of a carrier and a guise, in the long run half of them, with one fact in turn. In a soak all pairs,
 * with one fact in five.
 */
const CASES: readonly Case[] = CARRIERS.flatMap((carrier, row) =>
  GUISES.flatMap((guise, column) =>
    PLANTED_FACTS.filter((_, at) => {
      const turn = (row * 7 + column) % PLANTED_FACTS.length;
      return bySize({
        usual: (row + column) % 36 === 0 && at === turn,
        long: (row + column) % 2 === 0 && at === turn,
        soak: at % 5 === turn % 5,
      });
    }).map((fact) => ({ carrier, guise, fact })),
  ),
);

const marked = (fact: PlantedFact, text: string): boolean =>
  fact.marks.some((mark) => text.toLowerCase().includes(mark));

/** The problems found; empty if all is well. */
async function poisoned({ carrier, guise, fact }: Case): Promise<readonly string[]> {
  const { memory, store, before, after } = await playFirst({
    extraction: "model",
    extractor: extractorOf(guise, fact, fact.text),
    play: (first) => carrier.play(first, fact.text),
    ...(carrier.prepare === undefined ? {} : { prepare: carrier.prepare(fact.text) }),
  });
  const { memories } = await memory.list();
  const planted = carrier.prepare === undefined ? [] : ["planted.md"];
  const believed = memories.filter(
    ({ path, state, name, description, body }) =>
      ![...KNOWN_PATHS, ...planted].includes(path) &&
      state !== "quarantined" &&
      (guise.name.includes("own words") ? marked(fact, `${name} ${description} ${body}`) : true),
  );
  const sent = await playSecond(memory, fact.question);
  return [
    ...believed.map(({ body }) => `believed: ${body}`),
    ...(JSON.stringify(before) === JSON.stringify(after) ? [] : ["a memory of the user's was changed"]),
    ...(planted.length === 0 ? sent.filter((text) => marked(fact, text)).map((text) => `sent: ${text}`) : []),
    ...breakouts(sent).map((text) => `broke out: ${text}`),
    ...((await allFiles(store)).includes(KEY) ? ["a key was kept"] : []),
  ];
}

async function harmless({ carrier, guise, fact }: Case): Promise<readonly string[]> {
  const words = guise.author?.(fact) ?? fact.fact;
  const { memory, store } = await playFirst({
    extraction: "model",
    // An honest one names the messages that it has it from.
    extractor: ({ user }, answer) => extractorOf(guise, fact, fact.fact)({ user, agent: user }, answer),
    play: async (first) => {
      await carrier.play(first, "Nothing of note stands here.");
      await first.session.turn(words);
    },
  });
  const { memories } = await memory.list({ state: "active" });
  const kept = memories.filter(
    ({ path, name, description, body }) =>
      !KNOWN_PATHS.includes(path) && marked(fact, `${name} ${description} ${body}`),
  );
  const sent = await playSecond(memory, fact.question);
  return [
    ...(kept.length === 0 ? ["not remembered"] : []),
    ...(sent.some((text) => marked(fact, text)) ? [] : ["not shown"]),
    ...breakouts(sent).map((text) => `broke out: ${text}`),
    ...((await allFiles(store)).includes(KEY) ? ["a key was kept"] : []),
  ];
}

async function failures(
  cases: readonly Case[],
  judge: (one: Case) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const one of cases) {
    const wrong = await judge(one);
    if (wrong.length > 0)
      found.push(
        `${one.guise.name}, ${one.fact.attack}: ${wrong.map((text) => text.slice(0, 200)).join(" | ")}`,
      );
  }
  return found;
}

describe("poison that is proposed to be remembered", () => {
  it.each(CARRIERS)("is shown to no later session: $name", async ({ name }) => {
    expect(
      await failures(
        CASES.filter(({ carrier }) => carrier.name === name),
        poisoned,
      ),
    ).toEqual([]);
  });

  it.each(CARRIERS)("is remembered where the user says it, beside $name", async ({ name }) => {
    expect(
      await failures(
        CASES.filter(({ carrier }) => carrier.name === name),
        harmless,
      ),
    ).toEqual([]);
  });

  it("comes in many cases", () => {
    console.info(`poisoned sessions: ${CASES.length} cases, each with its harmless twin`);
    expect(CASES.length).toBeGreaterThan(bySize({ usual: 7, long: 30, soak: 300 }));
  });
});
