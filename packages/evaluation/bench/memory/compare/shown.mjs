/**
 * What the library shows of a set, rather than what it could rank: each document is a memory's file, and a question is a
 * message in a session, which is given only what clearly fits, five at the most, by words.
 */

export function shownInSession({ PersistentMemory, inMemoryMemoryStore, formatMemoryFile }) {
  return async (documents) => {
    const store = inMemoryMemoryStore();
    const places = new Map(documents.map(({ id }, place) => [id, place]));
    const pathOf = (id) => `m${places.get(id)}.md`;
    const files = documents.map((document) => ({
      path: pathOf(document.id),
      base: undefined,
      text: formatMemoryFile(memoryOf(document, pathOf)),
    }));
    await store.apply(files);
    const memory = new PersistentMemory({
      store,
      deadline: { after: () => () => undefined },
      now: () => Date.UTC(2026, 0, 1),
    });
    const idOf = (path) => documents[Number(path.slice(1, -".md".length))].id;
    return async ({ text }) => {
      const options = { onlyClear: true, chooseBy: "rank", isLogged: false };
      return (await memory.recall(text, options)).memories.map(({ path }) => idOf(path));
    };
  };
}

/** As a user of the library would remember it; the name is the beginning of the text. */
function memoryOf({ body, time = "", group, before }, pathOf) {
  const createdAtMs = Date.parse(time);
  return {
    name: body.replace(/\s+/gu, " ").slice(0, 60).toWellFormed(),
    body,
    type: "user",
    source: "user",
    decays: false,
    isConfirmed: true,
    createdAtMs: Number.isNaN(createdAtMs) ? undefined : createdAtMs,
    sessionId: group,
    follows: before === undefined ? undefined : pathOf(before),
  };
}
