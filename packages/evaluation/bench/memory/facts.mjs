/**
 * Distilled facts: the 2,000 facts of Letta's sets, each independent of the others, with its known source.
 * Every set is treated as one session, its facts in their order, on a different day. Their 1,100 questions
 * are asked of all facts at once, of those of ten sessions, and of the question's session.
 *
 * It also measures which of the five facts shown for a question are recognized as used by the answer.
 */
const DAY_MS = 86_400_000;
const SHOWN_COUNT = 5;
const NAME_WORDS_COUNT = 8;

/** Parts of a fact beside its text. */
const PARTS = {
  "a fact alone": () => ({}),
  "with its first words as a name": ({ name }) => ({ name }),
  "with its day (what is done)": ({ time }) => ({ time }),
  "with its session": ({ group }) => ({ group }),
  "with both": ({ time, group }) => ({ time, group }),
  "with neighbours": ({ before }) => ({ before }),
  "with all": ({ name: _, ...links }) => links,
};
const SCOPES = {
  "all 200 sessions": () => 0,
  "ten sessions": (set) => Math.floor(set / 10),
  one: (set) => set,
};

/** One row for each part and scope. */
export function measureFacts(rows, { createMemorySearch, MEMORY_RECALL_DEFAULTS }) {
  const { facts, questions } = readFacts(rows);
  return Object.entries(SCOPES).flatMap(([scope, placeOf]) =>
    Object.entries(PARTS).map(([name, partsOf]) => {
      const indexes = new Map();
      for (const { id, set, body, links } of facts) {
        const place = placeOf(set);
        if (!indexes.has(place)) indexes.set(place, createMemorySearch());
        indexes.get(place).set(id, { body, ...partsOf(links) });
      }
      const sums = { first: 0, recall5: 0, shown: 0, shownByAll: 0 };
      for (const { question, set, gold } of questions) {
        const hits = indexes.get(placeOf(set)).search(question, { limit: SHOWN_COUNT });
        const ids = hits.map(({ id }) => id);
        const ownOf = ({ score, why }) => score - why.groupScore;
        const notFar = (read) =>
          hits.filter((hit) => read(hit) >= MEMORY_RECALL_DEFAULTS.leastScoreShare * read(hits[0])).length;
        sums.first += gold.includes(ids[0]) ? 1 : 0;
        sums.recall5 += gold.filter((id) => ids.includes(id)).length / gold.length;
        sums.shown += notFar(ownOf);
        sums.shownByAll += notFar(({ score }) => score);
      }
      const mean = (key) => sums[key] / questions.length;
      return {
        ...{ scope, name, first: mean("first"), recall5: mean("recall5") },
        ...{ shown: mean("shown"), shownByAll: mean("shownByAll") },
      };
    }),
  );
}

/** Counts the shown facts recognized as used by the answers, and the others mistaken for used. */
export function measureUses(rows, answers, { createMemorySearch, usedMemories }) {
  const { facts, questions } = readFacts(rows);
  // The update set has the answers that hold after the update.
  const keyOf = ({ input, agent_args }) => JSON.stringify([input, agent_args.extra.facts]);
  const answerOf = new Map(answers.map((row) => [keyOf(row), row.ground_truth]));
  const counts = { answering: 0, noticed: 0, others: 0, mistaken: 0 };
  for (const { question, row, set, gold } of questions) {
    const answer = answerOf.get(keyOf(row));
    if (answer === undefined) continue;
    const search = createMemorySearch();
    const own = facts.filter((fact) => fact.set === set);
    for (const { id, body } of own) search.set(id, { body });
    const ids = search.search(question, { limit: SHOWN_COUNT }).map(({ id }) => id);
    const shown = own.filter(({ id }) => ids.includes(id)).map((fact) => ({ ...fact, description: "" }));
    const used = usedMemories(shown, { userText: question, answer }).map(({ id }) => id);
    for (const id of ids) {
      const isAnswering = gold.includes(id);
      counts[isAnswering ? "answering" : "others"]++;
      if (used.includes(id)) counts[isAnswering ? "noticed" : "mistaken"]++;
    }
  }
  return counts;
}

function readFacts(rows) {
  const sets = new Map();
  const facts = [];
  const questions = rows.map((row) => {
    const { facts: factTexts, supporting_fact_indices } = row.agent_args.extra;
    const key = factTexts.join("\n");
    if (!sets.has(key)) {
      sets.set(key, sets.size);
      facts.push(...factTexts.map((body, index) => factOf(body, index, sets.get(key))));
    }
    const set = sets.get(key);
    return { question: row.input, row, set, gold: supporting_fact_indices.map((index) => idOf(set, index)) };
  });
  return { facts, questions };
}

const idOf = (set, index) => `${set}:${index}`;

function factOf(body, index, set) {
  // Days without a pattern, in a little more than a year.
  const date = new Date(Date.UTC(2025, 0, 1) + ((set * 131) % 400) * DAY_MS);
  const month = date.toLocaleString("en", { month: "long", timeZone: "UTC" });
  const time = `${date.getUTCDate()} ${month} ${date.getUTCFullYear()}`;
  const before = index === 0 ? undefined : idOf(set, index - 1);
  const name = body.split(" ").slice(0, NAME_WORDS_COUNT).join(" ");
  return { id: idOf(set, index), set, body, links: { name, time, group: `session ${set}`, before } };
}
