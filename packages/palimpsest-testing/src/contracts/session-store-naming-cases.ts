/** The cases of the session store's contract that are about what a session is called. */
import {
  all,
  CONTRACT_ID as ID,
  message,
  refuses,
  type StoreHarness,
  same,
  seqs,
  textOf,
} from "./session-store-contract-kit.ts";

export async function refusesExisting({ store }: StoreHarness): Promise<void> {
  const log = await store.create(ID);
  const rival = await store.create(ID);
  await log.append([message(1, "one")]);
  await refuses(() => store.create(ID), "SESSION_EXISTS");
  await refuses(() => rival.append([message(1, "other")]), "SESSION_EXISTS");
  same(seqs(await all(log)), [1], "the first one's entry alone");
  await log.close();
  await rival.close();
}

export async function refusesMissing({ store }: StoreHarness): Promise<void> {
  await refuses(() => store.open(ID), "SESSION_NOT_FOUND");
}

export async function refusesIds({ store }: StoreHarness): Promise<void> {
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
}

export async function keepsScopesApart({ store, reopen }: StoreHarness): Promise<void> {
  const scopes = [undefined, { tenant: "acme" }, { tenant: "acme", project: "web" }, { project: "../acme" }];
  for (const [index, scope] of scopes.entries()) {
    const log = await store.create(ID, scope);
    await log.append([message(1, `said in scope ${index}`)]);
    await log.close();
  }
  const other = reopen();
  for (const [index, scope] of scopes.entries()) {
    same(await other.list(scope), [ID], `the sessions of scope ${index}`);
    const log = await other.open(ID, scope);
    same(textOf((await all(log)).entries[0]!.entry), `said in scope ${index}`, `the entry of scope ${index}`);
    await log.close();
  }
  same(await other.list({ tenant: "nobody" }), [], "the sessions of a scope without any");
}
