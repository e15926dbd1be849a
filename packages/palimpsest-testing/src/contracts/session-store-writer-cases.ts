/** The cases of the session store's contract that are about who may append, and what comes next. */
import {
  all,
  appendMany,
  casesOf,
  holds,
  CONTRACT_ID as ID,
  MANY_COUNT,
  message,
  refuses,
  same,
  seqs,
  textOf,
} from "./session-store-contract-kit.ts";

export const WRITER_CASES = casesOf({
  "refuses an append that leaves a number out or gives one again": async ({ store, reopen }) => {
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
  },
  "goes on behind what is there while it is read": async ({ store, reopen }) => {
    const first = await store.create(ID);
    await appendMany(first);
    await first.close();
    for (const seq of [MANY_COUNT + 1, MANY_COUNT + 2]) {
      const log = await reopen().open(ID);
      const reading = log.readAll()[Symbol.asyncIterator]();
      await reading.next();
      await log.append([message(seq, "more")]);
      // The second reading is given up, as one is whose session is closed.
      if (seq === MANY_COUNT + 1) while ((await reading.next()).done !== true);
      await log.close();
    }
    const last = await reopen().open(ID);
    same((await all(last)).entries.length, MANY_COUNT + 2, "every entry");
    await last.close();
  },
  "has one writer at a time, and loses nothing of it": async ({ store, reopen }) => {
    const first = await store.create(ID);
    await first.append([message(1, "one"), message(2, "two")]);
    const other = await reopen().open(ID);
    for (let attempt = 0; attempt < 2; attempt++) await refuses(() => other.acquire(), "SESSION_IN_USE");
    await refuses(() => other.append([message(3, "of the other")]), "SESSION_IN_USE");
    same(seqs(await all(other)), [1, 2], "what somebody reads who is not the writer");
    holds((await reopen().find(ID)).isInUse, "a session that has a writer is in use");
    await first.acquire();
    await first.append([message(3, "of the first")]);
    await first.close();
    holds(!(await reopen().find(ID)).isInUse, "a session whose writer has closed it is not in use");
    const late = { ...message(3, "of the other"), id: "x3" };
    for (let attempt = 0; attempt < 2; attempt++) await refuses(() => other.append([late]), "SESSION_TAKEN");
    await other.append([message(4, "of the other, after reading")]);
    const contents = await all(other);
    same(
      contents.entries.map(({ entry }) => textOf(entry)),
      ["one", "two", "of the first", "of the other, after reading"],
      "everything that was acknowledged",
    );
    same(contents.damage, [], "no damage");
    await other.close();
  },
  "replaces a writer that gives no sign of life, and tells it": async ({ store, reopen, expireWriters }) => {
    if (expireWriters === undefined) return;
    const asleep = await store.create(ID);
    await asleep.append([message(1, "one"), message(2, "two")]);
    await expireWriters();
    const next = await reopen().open(ID);
    await next.acquire();
    const late = { ...message(3, "said in its sleep"), id: "x3" };
    for (let attempt = 0; attempt < 2; attempt++) await refuses(() => asleep.append([late]), "SESSION_TAKEN");
    // Taking over may have left a separate entry.
    const last = (await all(next)).entries.at(-1)!.entry;
    const nextEntry = { ...message(last.seq + 1, "of the next"), parentId: last.id };
    await next.append([nextEntry]);
    await refuses(() => asleep.append([{ ...message(nextEntry.seq, "again"), id: "x4" }]), "SESSION_TAKEN");
    await asleep.close();
    const third = await reopen().open(ID);
    await refuses(() => third.acquire(), "SESSION_IN_USE");
    const { entries, damage } = await all(third);
    same(
      entries.flatMap(({ entry }) => textOf(entry) ?? []),
      ["one", "two", "of the next"],
      "what was acknowledged, of both",
    );
    same(damage, [], "no damage");
    await next.close();
    await third.acquire();
    await third.close();
  },
  "stores once an append that is made again": async ({ store }) => {
    const log = await store.create(ID);
    await log.append([message(1, "one")]);
    const batch = [message(2, "two"), message(3, "three")];
    const positions = await log.append(batch);
    same(await log.append(batch), positions, "the positions of the append that is made again");
    await log.append([message(4, "four")]);
    same(seqs(await all(log)), [1, 2, 3, 4], "each entry once");
    await log.close();
  },
});
