/** The cases of the session store's contract that are about a crash in the middle of a write. */
import {
  all,
  casesOf,
  checkpoint,
  CONTRACT_ID as ID,
  message,
  same,
  seqs,
  textOf,
} from "./session-store-contract-kit.ts";

export const CRASH_CASES = casesOf({
  "keeps every whole entry when the last line is torn, and says so": async ({ store, reopen, tear }) => {
    if (tear === undefined) return;
    const log = await store.create(ID);
    await log.append([message(1, "one")]);
    await log.append([checkpoint(2)]);
    await log.append([message(3, "three")]);
    await log.close();
    tear(ID, 10);
    const again = await reopen().open(ID);
    for (const contents of [await all(again), await again.readTail(), await again.readFrom(0, 99)])
      same(
        contents.damage.map(({ reason }) => reason),
        ["torn-tail"],
        "the torn line is reported",
      );
    same(seqs(await all(again)), [1, 2], "the whole entries");
    same(seqs(await again.readTail()), [2], "the tail");
    await again.close();
  },
  "appends after a torn line without touching what is there": async ({ store, reopen, tear }) => {
    if (tear === undefined) return;
    const log = await store.create(ID);
    await log.append([message(1, "one")]);
    await log.append([message(2, "two")]);
    await log.close();
    tear(ID, 10);
    const again = await reopen().open(ID);
    const [position] = await again.append([message(2, "two again")]);
    same(seqs(await again.readFrom(position!, 2)), [2], "the new entry at its position");
    await again.append([message(3, "three")]);
    await again.close();
    const third = await reopen().open(ID);
    const contents = await all(third);
    same(
      contents.entries.map(({ entry }) => textOf(entry)),
      ["one", "two again", "three"],
      "all whole entries",
    );
    same(contents.damage.length, 1, "the torn line is still there and reported");
    await third.close();
  },
  "takes a batch whose end never arrived as not appended": async ({ store, reopen, tear }) => {
    if (tear === undefined) return;
    const log = await store.create(ID);
    await log.append([message(1, "one")]);
    await log.append([message(2, "two"), checkpoint(3), message(4, "four")]);
    await log.close();
    tear(ID, 10);
    const again = await reopen().open(ID);
    same(seqs(await all(again)), [1], "none of the batch");
    same(seqs(await again.readTail()), [], "no checkpoint of the batch");
    await again.append([message(2, "instead")]);
    same(
      (await all(again)).entries.map(({ entry }) => textOf(entry)),
      ["one", "instead"],
      "none of it comes back when the log goes on",
    );
    await again.close();
  },
});
