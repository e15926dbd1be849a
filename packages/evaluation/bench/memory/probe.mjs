/**
 * The probe: questions in other words than the memories that answer them, and messages that no memory helps with, through
 * the library as a session recalls (only what clearly fits) and as a caller does.
 *
 * Each language has its own memory. The probe was frozen before the ranking was changed: nothing is tuned to it.
 */
import { readFileSync } from "node:fs";

const LANGUAGES = ["en", "de", "es", "zh"];

const linesOf = (name) =>
  readFileSync(new URL(`./probe/${name}`, import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "");

/** One row a language and way: shares of questions that find their memory, and of messages that are given one. */
export async function measureProbe(
  { PersistentMemory, inMemoryMemoryStore },
  embeddings,
  languages = LANGUAGES,
) {
  const rows = [];
  for (const language of languages) {
    const memory = new PersistentMemory({
      store: inMemoryMemoryStore(),
      deadline: { after: () => () => undefined },
      now: () => Date.UTC(2026, 0, 1),
      embeddings,
    });
    const asked = [];
    for (const line of linesOf(`memories-${language}.tsv`)) {
      const [type, text, question] = line.split("\t");
      const { path } = await memory.remember(text, { type, source: "user" });
      asked.push({ question, path });
    }
    const unrelated = linesOf(`unrelated-${language}.txt`);
    for (const onlyClear of [true, false]) {
      const recalled = async (text) =>
        (
          await memory.recall(text, {
            ...(onlyClear ? { onlyClear } : {}),
            chooseBy: "rank",
            isLogged: false,
          })
        ).memories.map(({ path }) => path);
      const row = {
        language,
        onlyClear,
        questions: asked.length,
        unrelated: unrelated.length,
        first: 0,
        five: 0,
        given: 0,
      };
      for (const { question, path } of asked) {
        const paths = await recalled(question);
        row.first += paths[0] === path ? 1 : 0;
        row.five += paths.includes(path) ? 1 : 0;
      }
      for (const message of unrelated) row.given += (await recalled(message)).length > 0 ? 1 : 0;
      rows.push(row);
    }
    await memory.close();
  }
  return rows;
}
