/**
 * LongMemEval-S, 236 hard questions: turns of long conversations, and the ranking of an embedding model (stella)
 * that is stored beside each question. Both rank the same turns: those of the pool that belong to the question's
 * own haystack. The measures are those of LongMemEval: turns that have the answer (the data set marks them), and
 * sessions that have evidence; the first 10 places count.
 */
/** One row for the stored ranking, and one for each setting. */
export function measureHard(turns, questions, createMemorySearch, ours) {
  const sessionOf = new Map(turns.map(({ id, session_id }) => [id, session_id]));
  const search = (fields, isScoped, { weights = ours, alsoAlike = false } = {}) => {
    const index = createMemorySearch(weights);
    for (const turn of turns) index.set(turn.id, fields(turn));
    return ({ question, haystack_session_ids }) => {
      const haystack = new Set(haystack_session_ids);
      const accepts = isScoped ? (id) => haystack.has(sessionOf.get(id)) : undefined;
      return index.search(question, { limit: 10, accepts, alsoAlike }).map(({ id }) => id);
    };
  };
  const alone = ({ text }) => ({ body: text });
  const inSession = ({ text, session_id }) => ({ body: text, group: session_id });
  const before = turnsBefore(turns);
  const withNeighbours = ({ id, text }) => ({ body: text, before: before.get(id) });
  const withBoth = (turn) => ({ ...inSession(turn), ...withNeighbours(turn) });
  // The stored ranking always has ten turns; here those without any matching word follow at the end, in no
  // order.
  const mixed = [...turns].sort((one, other) => mix(one.text) - mix(other.text));
  const filledUp = (rank) => (question) => {
    const haystack = new Set(question.haystack_session_ids);
    const rest = mixed.filter(({ session_id }) => haystack.has(session_id)).map(({ id }) => id);
    return [...new Set([...rank(question), ...rest])].slice(0, 10);
  };
  const rows = {
    "stored ranking (stella)": ({ baseline }) => baseline.top10,
    turns: search(alone, true),
    "and what is alike behind": filledUp(search(alone, true, { alsoAlike: true })),
    "and the others in no order": filledUp(search(alone, true)),
    "turns with neighbours": search(withNeighbours, true),
    "turns with their session": search(inSession, true),
    "turns with both": search(withBoth, true),
    "turns, k1 1.2, b 0.75": search(alone, true, { weights: { ...ours, k1: 1.2, b: 0.75 } }),
    "turns, whole pool": search(alone, false),
    "turns with both, whole pool": search(withBoth, false),
  };
  return Object.entries(rows).map(([name, rank]) => ({ name, ...measure(questions, rank, sessionOf) }));
}

/** A number that has nothing to do with what a text says. */
function mix(text) {
  let sum = 0;
  for (let index = 0; index < text.length; index++) sum = (Math.imul(sum, 31) + text.charCodeAt(index)) >>> 0;
  return sum;
}

/** The same person's turn just before, if the pool has it: an id ends in the number of its message. */
function turnsBefore(turns) {
  const placeOf = ({ id, session_id }) => ({ session: session_id, number: Number(/_(\d+)$/.exec(id)?.[1]) });
  const ids = new Map(turns.map((turn) => [JSON.stringify(placeOf(turn)), turn.id]));
  return new Map(
    turns.map((turn) => {
      const { session, number } = placeOf(turn);
      return [turn.id, ids.get(JSON.stringify({ session, number: number - 2 }))];
    }),
  );
}

function measure(questions, rank, sessionOf) {
  const golds = [...sessionOf.keys()].filter((id) => id.startsWith("answer_"));
  const turn = { count: 0, first: 0, any3: 0, recall5: 0, gain: 0, reciprocal: 0 };
  const session = { count: 0, first: 0, recall5: 0, gain: 0 };
  for (const question of questions) {
    const ids = rank(question);
    const evidence = question.evidence_session_ids;
    const gold = golds.filter((id) => evidence.includes(sessionOf.get(id)));
    const sessions = [...new Set(ids.map((id) => sessionOf.get(id)))];
    session.count++;
    session.first += evidence.includes(sessions[0]) ? 1 : 0;
    session.recall5 += shareOf(evidence, sessions.slice(0, 5));
    session.gain += gain(sessions, evidence);
    // Some questions ask for what no single turn says.
    if (gold.length === 0) continue;
    const place = ids.findIndex((id) => gold.includes(id));
    turn.count++;
    turn.first += place === 0 ? 1 : 0;
    turn.any3 += place >= 0 && place < 3 ? 1 : 0;
    turn.recall5 += shareOf(gold, ids.slice(0, 5));
    turn.gain += gain(ids, gold);
    turn.reciprocal += place < 0 ? 0 : 1 / (place + 1);
  }
  const mean = (sums) =>
    Object.fromEntries(Object.entries(sums).map(([key, sum]) => [key, sum / sums.count]));
  return { turn: mean(turn), session: mean(session), turnCount: turn.count, sessionCount: session.count };
}

const shareOf = (wanted, found) => wanted.filter((one) => found.includes(one)).length / wanted.length;

/** NDCG@10, all that is wanted being worth the same. */
function gain(ranked, wanted) {
  const weight = (place) => 1 / Math.log2(place + 2);
  let own = 0;
  ranked.slice(0, 10).forEach((one, place) => {
    if (wanted.includes(one)) own += weight(place);
  });
  let best = 0;
  for (let place = 0; place < Math.min(10, wanted.length); place++) best += weight(place);
  return own / best;
}
