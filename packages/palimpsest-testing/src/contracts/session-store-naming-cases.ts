/** The cases of the session store's contract that are about what a session is called. */
import {
  all,
  casesOf,
  CONTRACT_ID as ID,
  message,
  refuses,
  same,
  seqs,
  textOf,
} from "./session-store-contract-kit.ts";

export const NAMING_CASES = casesOf({
  "refuses to create a session that exists": async ({ store }) => {
    const log = await store.create(ID);
    const rival = await store.create(ID);
    await log.append([message(1, "one")]);
    await refuses(() => store.create(ID), "SESSION_EXISTS");
    await refuses(() => rival.append([message(1, "other")]), "SESSION_EXISTS");
    same(seqs(await all(log)), [1], "the first one's entry alone");
    await log.close();
    await rival.close();
  },
  "refuses to open a session that does not exist": async ({ store }) => {
    await refuses(() => store.open(ID), "SESSION_NOT_FOUND");
  },
  "refuses ids that could leave its place": async ({ store }) => {
    const ids = [
      "",
      ".",
      "..",
      "../x",
      "a/b",
      "a\\b",
      "a\0b",
      "a\nb",
      ".hidden",
      "é",
      "x".repeat(129),
      "a.jsonl",
    ];
    for (const id of ids) {
      await refuses(() => store.create(id), "OPTION_INVALID");
      await refuses(() => store.open(id), "OPTION_INVALID");
    }
    const log = await store.create("A-1_b.c");
    await log.append([message(1, "one")]);
    await log.close();
  },
  "keeps the sessions of different scopes apart": async ({ store, reopen }) => {
    const scopes = [
      undefined,
      { tenant: "acme" },
      { tenant: "acme", project: "web" },
      { project: "../acme" },
    ];
    for (const [index, scope] of scopes.entries()) {
      const log = await store.create(ID, scope);
      await log.append([message(1, `said in scope ${index}`)]);
      await log.close();
    }
    const other = reopen();
    for (const [index, scope] of scopes.entries()) {
      same(await other.list(scope), [ID], `the sessions of scope ${index}`);
      const log = await other.open(ID, scope);
      same(
        textOf((await all(log)).entries[0]!.entry),
        `said in scope ${index}`,
        `the entry of scope ${index}`,
      );
      await log.close();
    }
    same(await other.list({ tenant: "nobody" }), [], "the sessions of a scope without any");
  },
});
