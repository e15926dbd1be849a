/** The cases of the session store's contract that are about the trash. */
import {
  all,
  casesOf,
  CONTRACT_ID as ID,
  message,
  refuses,
  type StoreHarness,
  same,
  seqs,
} from "./session-store-contract-kit.ts";

const AT = 1_767_225_600_000;
const BY_HAND = { at: AT, reason: "by hand" };

async function stored({ store }: Pick<StoreHarness, "store">, sessionId: string): Promise<void> {
  const log = await store.create(sessionId);
  await log.append([message(1, "one")]);
  await log.close();
}

export const TRASH_CASES = casesOf({
  "moves a session to the trash and brings it back whole": async ({ store, reopen, hasher }) => {
    const text = JSON.stringify("a blob");
    const log = await store.create(ID);
    await log.putBlob(hasher.sha256(text), text);
    await log.append([message(1, "one"), message(2, "two")]);
    await log.close();
    await store.trash(ID, BY_HAND);
    for (const each of [store, reopen()]) {
      same(await each.list(), [], "no session in the list");
      same((await each.describe()).sessions, [], "no session in the page");
      await refuses(() => each.open(ID), "SESSION_NOT_FOUND");
      await refuses(() => each.find(ID), "SESSION_NOT_FOUND");
      same(
        await each.listTrash(),
        [{ sessionId: ID, trashedAt: AT, reason: "by hand" }],
        "the session in the trash, with when and why",
      );
    }
    await reopen().restore(ID);
    same(await store.listTrash(), [], "an empty trash");
    same(await store.list(), [ID], "the session back in the list");
    const again = await reopen().open(ID);
    same(seqs(await all(again)), [1, 2], "its entries");
    same(await again.getBlob(hasher.sha256(text)), text, "its blob");
    await again.append([message(3, "three")]);
    same(seqs(await all(again)), [1, 2, 3], "what it goes on with");
    await again.close();
  },
  "deletes for good what is in the trash, and only that": async ({ store, reopen }) => {
    await stored({ store }, ID);
    await stored({ store }, "other");
    await refuses(() => store.purge(ID), "SESSION_NOT_FOUND");
    same(await store.list(), [ID, "other"], "what is not in the trash is not deleted");
    await store.trash(ID, BY_HAND);
    await store.trash("other", { at: AT + 1, reason: "another" });
    await store.purge(ID);
    same(
      await reopen().listTrash(),
      [{ sessionId: "other", trashedAt: AT + 1, reason: "another" }],
      "what was not purged",
    );
    await refuses(() => reopen().restore(ID), "SESSION_NOT_FOUND");
    await refuses(() => store.purge(ID), "SESSION_NOT_FOUND");
    const log = await store.create(ID);
    await log.append([message(1, "one of a new session")]);
    same(seqs(await all(log)), [1], "nothing of the purged session in a new one of its id");
    await log.close();
  },
  "trashes only what is as it was seen, if it can": async ({ store, reopen }) => {
    if (store.trashUnchanged === undefined) return;
    await stored({ store }, ID);
    const seen = await reopen().find(ID);
    const writer = await store.open(ID);
    await writer.acquire();
    await refuses(async () => void (await reopen().trashUnchanged?.(seen, BY_HAND)), "SESSION_IN_USE");
    await writer.append([message(2, "two")]);
    await writer.close();
    same(await reopen().trashUnchanged?.(seen, BY_HAND), false, "no move of what was written since");
    same([await store.list(), await store.listTrash()], [[ID], []], "the session in the list");
    same(await reopen().trashUnchanged?.(await store.find(ID), BY_HAND), true, "a move of what is as it was");
    same(await store.listTrash(), [{ sessionId: ID, trashedAt: AT, reason: "by hand" }], "it in the trash");
    await refuses(async () => void (await reopen().trashUnchanged?.(seen, BY_HAND)), "SESSION_NOT_FOUND");
  },
  "refuses to trash, restore or purge what is not there": async ({ store }) => {
    for (const use of [
      () => store.trash(ID, BY_HAND),
      () => store.restore(ID),
      () => store.purge(ID),
      () => store.trash("no-such-session", BY_HAND),
    ])
      await refuses(use, "SESSION_NOT_FOUND");
    same(await store.listTrash(), [], "no trash");
    await refuses(() => store.trash("../other", BY_HAND), "OPTION_INVALID");
  },
  "never replaces a session that is in the trash or in the list": async ({ store }) => {
    await stored({ store }, ID);
    await store.trash(ID, BY_HAND);
    const log = await store.create(ID);
    await log.append([message(1, "one"), message(2, "of a second session")]);
    await log.close();
    await refuses(() => store.restore(ID), "SESSION_EXISTS");
    await refuses(() => store.trash(ID, BY_HAND), "SESSION_EXISTS");
    const second = await store.open(ID);
    same(seqs(await all(second)), [1, 2], "the second session as it was");
    await second.close();
    await store.purge(ID);
    await store.trash(ID, BY_HAND);
    await store.restore(ID);
    const restored = await store.open(ID);
    same(seqs(await all(restored)), [1, 2], "the second session after the first was purged");
    await restored.close();
  },
  "keeps the trash of different scopes apart": async ({ store }) => {
    const [one, other] = [{ project: "one" }, { project: "other" }];
    for (const scope of [undefined, one, other]) {
      const log = await store.create(ID, scope);
      await log.append([message(1, "one")]);
      await log.close();
    }
    await store.trash(ID, BY_HAND, one);
    same(await store.list(one), [], "no session in the scope");
    same([await store.list(), await store.list(other)], [[ID], [ID]], "the sessions of the others");
    same([await store.listTrash(), await store.listTrash(other)], [[], []], "the others' trash");
    await refuses(() => store.restore(ID, other), "SESSION_NOT_FOUND");
    await refuses(() => store.purge(ID), "SESSION_NOT_FOUND");
    await store.restore(ID, one);
    same(await store.list(one), [ID], "the session back in its scope");
  },
});
