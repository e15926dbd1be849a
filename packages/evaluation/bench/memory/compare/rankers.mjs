/**
 * The rankers: ours, and those that people would use instead. Each is made once for a collection of documents and returns the
 * ids for a question, best first. All peers see the same text: what the library is given, in one field.
 */

/** The text of a document that has more than one field. */
export const textOf = ({ name, description, body, time }) =>
  [name, description, body, time].filter((text) => text !== undefined && text !== "").join("\n");

/** By the words alone, with the words around a turn. */
export function oursByWords(createMemorySearch, weights) {
  return (documents) => {
    const search = createMemorySearch(weights);
    for (const { id, ...fields } of documents) search.set(id, fields);
    return ({ text }, limit) => search.search(text, { limit, alsoAlike: true }).map(({ id }) => id);
  };
}

const RUNS = /[\p{L}\p{N}\p{M}]+/gu;
const NO_BLANKS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const SEGMENTS = new Intl.Segmenter("zh", { granularity: "word" });

/** Runs of letters and digits in small letters; those of scripts without blanks in the words that ICU sees. */
const wordsOf = (text) =>
  (text.toLowerCase().match(RUNS) ?? []).flatMap((run) =>
    NO_BLANKS.test(run) ? [...SEGMENTS.segment(run)].map(({ segment }) => segment) : run,
  );

/** BM25 as in the textbooks: words in small letters, nothing left out, no stems. */
export function plainBm25(documents, { k1 = 1.2, b = 0.75 } = {}) {
  const places = new Map();
  const lengths = documents.map((document, place) => {
    const words = wordsOf(textOf(document));
    for (const word of words) {
      const counts = places.get(word) ?? places.set(word, new Map()).get(word);
      counts.set(place, (counts.get(place) ?? 0) + 1);
    }
    return words.length;
  });
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, documents.length);
  return ({ text }, limit) => {
    const scores = new Map();
    for (const word of new Set(wordsOf(text))) {
      const counts = places.get(word);
      if (counts === undefined) continue;
      const rarity = Math.log(1 + (documents.length - counts.size + 0.5) / (counts.size + 0.5));
      for (const [place, count] of counts) {
        const weight = (count * (k1 + 1)) / (count + k1 * (1 - b + (b * lengths[place]) / average));
        scores.set(place, (scores.get(place) ?? 0) + rarity * weight);
      }
    }
    return best(scores, limit).map((place) => documents[place].id);
  };
}

const best = (scores, limit) =>
  [...scores]
    .sort(([one, oneScore], [other, otherScore]) => otherScore - oneScore || one - other)
    .slice(0, limit)
    .map(([place]) => place);

/** SQLite's full-text search with its default tokenizer; what a query cannot express is quoted. */
export function sqliteFts5(Database) {
  return (documents) => {
    const db = new Database(":memory:");
    db.exec("create virtual table texts using fts5(text)");
    const add = db.prepare("insert into texts(rowid, text) values (?, ?)");
    db.exec("begin");
    for (const [place, document] of documents.entries()) add.run(place + 1, textOf(document));
    db.exec("commit");
    const ask = db.prepare("select rowid from texts where texts match ? order by rank limit ?");
    return ({ text }, limit) => {
      const words = [...new Set(wordsOf(text))].map((word) => `"${word.replaceAll('"', "")}"`);
      if (words.length === 0) return [];
      return ask.all(words.join(" OR "), limit).map(({ rowid }) => documents[rowid - 1].id);
    };
  };
}

export function miniSearch(MiniSearch) {
  return (documents) => {
    const search = new MiniSearch({ fields: ["text"], idField: "place" });
    search.addAll(documents.map((document, place) => ({ place, text: textOf(document) })));
    return ({ text }, limit) =>
      search
        .search(text)
        .slice(0, limit)
        .map(({ id }) => documents[id].id);
  };
}

export function orama({ create, insertMultiple, search }) {
  return async (documents) => {
    const db = create({ schema: { place: "string", text: "string" } });
    await insertMultiple(
      db,
      documents.map((document, place) => ({
        id: String(place),
        place: String(place),
        text: textOf(document),
      })),
    );
    return async ({ text }, limit) => {
      const { hits } = await search(db, { term: text, properties: ["text"], limit, threshold: 1 });
      return hits.map(({ id }) => documents[Number(id)].id);
    };
  };
}

/** The cosine alone, of vectors of length one. */
export function vectorsAlone(embed) {
  return async (documents) => {
    const vectors = await embed(documents.map(textOf), "memory");
    return async ({ text }, limit) => {
      const [query] = await embed([text], "message");
      if (query === undefined) return [];
      const scores = new Map(
        vectors.flatMap((vector, place) => (vector === undefined ? [] : [[place, dot(query, vector)]])),
      );
      return best(scores, limit).map((place) => documents[place].id);
    };
  };
}

/** Words and vectors fused by rank, as the library does it where it searches. */
export function oursHybrid({ createMemorySearch, closest, fuseFound, embed }) {
  return async (documents) => {
    const search = createMemorySearch();
    for (const { id, ...fields } of documents) search.set(id, fields);
    const made = await embed(documents.map(textOf), "memory");
    const vectors = new Map(
      documents.flatMap(({ id }, place) => (made[place] === undefined ? [] : [[id, made[place]]])),
    );
    return async ({ text }, limit) => {
      const [query] = await embed([text], "message");
      const near = query === undefined ? [] : closest(query, vectors, { least: -1, count: FUSED_COUNT });
      const hits = search.search(text, { limit: FUSED_COUNT });
      return fuseFound(
        hits,
        near.map(({ id }) => id),
      )
        .slice(0, limit)
        .map(({ id }) => id);
    };
  };
}

const FUSED_COUNT = 40;

function dot(one, other) {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += one[at] * other[at];
  return sum;
}
