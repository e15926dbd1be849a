/**
 * Recall among five and ten and the reciprocal rank, question by question, and intervals of paired differences: the
 * same questions are drawn again and again for both rankings, with a fixed seed.
 */

/** One figure for each question: `{ r5, r10, mrr, given }`; `given` is 1 where anything was found. */
export async function measureSet({ collections, questions }, makeRanker) {
  const rankers = [];
  const figures = [];
  for (const question of questions) {
    const { collection, gold } = question;
    // One index at a time: collections come in order.
    if (rankers[collection] === undefined) {
      rankers.length = 0;
      rankers[collection] = await makeRanker(collections[collection]);
    }
    const found = await rankers[collection](question, 10);
    const share = (count) => gold.filter((id) => found.slice(0, count).includes(id)).length / gold.length;
    const place = found.findIndex((id) => gold.includes(id));
    const mrr = place < 0 ? 0 : 1 / (place + 1);
    figures.push({ r5: share(5), r10: share(10), mrr, given: found.length > 0 ? 1 : 0 });
  }
  return figures;
}

export const mean = (values) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

const DRAWS_COUNT = 2_000;

/** The mean of the differences and the interval in which it lies in 95 of 100 draws. */
export function pairedInterval(ours, theirs) {
  const differences = ours.map((value, place) => value - theirs[place]);
  const random = mulberry(20_260_101);
  const means = Array.from({ length: DRAWS_COUNT }, () => {
    let sum = 0;
    for (let draw = 0; draw < differences.length; draw++)
      sum += differences[Math.floor(random() * differences.length)];
    return sum / differences.length;
  }).sort((one, other) => one - other);
  return {
    difference: mean(differences),
    low: means[Math.floor(0.025 * DRAWS_COUNT)],
    high: means[Math.ceil(0.975 * DRAWS_COUNT) - 1],
  };
}

function mulberry(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
