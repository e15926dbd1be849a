/** The cases of the session store's contract that are about who may append, and what comes next. */
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

export async function refusesOtherNumbers({ store, reopen }: StoreHarness): Promise<void> {
  const log = await store.create(ID);
  await refuses(() => log.append([message(2, "two")]), "SESSION_TAKEN");
  same(await store.list(), [], "no session from an append that was refused");
  await log.append([message(1, "one"), message(2, "two")]);
  for (const entries of [
    [{ ...message(2, "other"), id: "x2" }],
    [message(4, "four")],
    [message(3, "three"), message(5, "five")],
    [message(3, "three"), message(3, "three")],
  ])
    await refuses(() => log.append(entries), "SESSION_TAKEN");
  await log.append([message(3, "three")]);
  await log.close();
  const again = await reopen().open(ID);
  await refuses(() => again.append([{ ...message(3, "other"), id: "x3" }]), "SESSION_TAKEN");
  await again.append([message(4, "four")]);
  same(seqs(await all(again)), [1, 2, 3, 4], "what was not refused");
  await again.close();
}

export async function letsOneGoOn({ store, reopen }: StoreHarness): Promise<void> {
  const first = await store.create(ID);
  await first.append([message(1, "one"), message(2, "two")]);
  const other = await reopen().open(ID);
  await other.readTail();
  await first.append([message(3, "of the first")]);
  const late = { ...message(3, "of the other"), id: "x3" };
  for (let attempt = 0; attempt < 2; attempt++) await refuses(() => other.append([late]), "SESSION_TAKEN");
  await other.close();
  const again = await reopen().open(ID);
  await again.append([message(4, "of the other, after reading")]);
  await refuses(() => first.append([{ ...message(4, "of the first"), id: "x4" }]), "SESSION_TAKEN");
  const contents = await all(again);
  same(
    contents.entries.map(({ entry }) => textOf(entry)),
    ["one", "two", "of the first", "of the other, after reading"],
    "everything that was acknowledged",
  );
  same(contents.damage, [], "no damage");
  await again.close();
  await first.close();
}

export async function storesRepeatedOnce({ store }: StoreHarness): Promise<void> {
  const log = await store.create(ID);
  await log.append([message(1, "one")]);
  const batch = [message(2, "two"), message(3, "three")];
  const positions = await log.append(batch);
  same(await log.append(batch), positions, "the positions of the append that is made again");
  await log.append([message(4, "four")]);
  same(seqs(await all(log)), [1, 2, 3, 4], "each entry once");
  await log.close();
}
