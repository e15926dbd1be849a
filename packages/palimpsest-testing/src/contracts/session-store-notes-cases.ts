/** Cases of the session store's contract about the notes of a session. A store may keep none; then they pass. */

import type { SessionLog, SessionStore } from "palimpsest";
import type { NotesFile } from "palimpsest/internal";
import { casesOf, CONTRACT_ID as ID, message, refuses, same } from "./session-store-contract-kit.ts";

const TRASHING = { at: 1_767_225_600_000, reason: "by hand" };
/** A text that a store may damage: a byte order mark, both line ends, nulls, pairs of surrogates. */
const ODD_TEXT = "\uFEFF# Title\r\n\n\u0000 and \u{1F4DD} \u202E — end";

async function begin(store: SessionStore, scope?: { readonly project: string }): Promise<SessionLog> {
  const log = await store.create(ID, scope);
  await log.append([message(1, "one")]);
  return log;
}

/** Begins a session and calls `use` with its notes. Returns false if the store keeps none. */
async function withNotes(store: SessionStore, use: (notes: NotesFile) => Promise<void>): Promise<boolean> {
  const log = await begin(store);
  if (log.notes !== undefined) await use(log.notes);
  await log.close();
  return log.notes !== undefined;
}

export const NOTES_CASES = casesOf({
  "keeps notes to the letter, and replaces what is to be replaced": async ({ store, reopen }) => {
    await withNotes(store, async (notes) => {
      same(await notes.read(), undefined, "no notes at first");
      same(await notes.replace("something", "new"), false, "no replacement of what is not there");
      same(await notes.read(), undefined, "no notes still");
      same(await notes.replace(undefined, "# One"), true, "the first notes");
      same(
        await notes.replace(undefined, "# Other"),
        false,
        "no notes in the place of nothing, where there are some",
      );
      same(await notes.replace("# one", "# Other"), false, "no replacement of another text");
      same(await notes.read(), "# One", "the first notes as they were");
      same(await notes.replace("# One", ODD_TEXT), true, "a replacement");
      same(await notes.replace(ODD_TEXT, ""), true, "an empty text in its place");
      same(await notes.replace(undefined, "# Other"), false, "no notes in the place of empty ones");
      same(await notes.replace("", ODD_TEXT), true, "a text in the place of the empty one");
      same(await notes.replace(ODD_TEXT, ODD_TEXT), true, "a text in the place of itself");
    });
    const again = await reopen().open(ID);
    same(
      await again.notes?.read(),
      again.notes && ODD_TEXT,
      "the notes after it was reopened, to the letter",
    );
    await again.close();
  },
  "lets one of many replace the same notes": async ({ store, reopen }) => {
    await withNotes(store, async (notes) => {
      await notes.replace(undefined, "base");
      const others = await Promise.all([1, 2, 3].map(() => reopen().open(ID)));
      const texts = ["by the first", ...others.map((_, index) => `by other ${index}`)];
      const done = await Promise.all(
        [notes, ...others.flatMap((log) => log.notes ?? [])].map((one, index) =>
          one.replace("base", texts[index]!),
        ),
      );
      same(done.filter(Boolean).length, 1, "one of four that replace the same text");
      same(await notes.read(), texts[done.indexOf(true)], "the text of the one");
      for (const log of others) {
        same(await log.notes?.read(), texts[done.indexOf(true)], "the same text for all of them");
        await log.close();
      }
    });
  },
  "keeps notes of every size up to its limit": async ({ store }) => {
    await withNotes(store, async (notes) => {
      const large = "# A line of notes\n".repeat(50_000);
      same(await notes.replace(undefined, large), true, "notes of 900,000 bytes");
      same((await notes.read())?.length, 900_000, "all of them");
      await refuses(() => notes.replace(large, large + large), "STORE_FAILED");
      same((await notes.read())?.length, 900_000, "the notes, after larger ones were refused");
      same(await notes.replace(large, "\uD800"), true, "half a surrogate pair");
      same(await notes.read(), "\uFFFD", "what it is in UTF-8");
    });
  },
  "keeps a session's notes with it in the trash, and purges them with it": async ({ store, reopen }) => {
    const hasNotes = await withNotes(store, async (notes) => {
      await notes.replace(undefined, "of the first");
    });
    if (!hasNotes) return;
    await store.trash(ID, TRASHING);
    const second = await begin(reopen());
    same(await second.notes?.read(), undefined, "no notes of another session of the same id");
    await second.notes?.replace(undefined, "of the second");
    await second.close();
    await store.purge(ID);
    await store.trash(ID, TRASHING);
    await reopen().restore(ID);
    const restored = await store.open(ID);
    same(await restored.notes?.read(), "of the second", "the notes that went to the trash with it");
    await restored.close();
    await store.trash(ID, TRASHING);
    await store.purge(ID);
    const third = await begin(store);
    same(await third.notes?.read(), undefined, "no notes after both were purged");
    await third.close();
  },
  "keeps the notes of different scopes apart": async ({ store }) => {
    const [one, other] = [await begin(store, { project: "one" }), await begin(store, { project: "other" })];
    await one.notes?.replace(undefined, "of one");
    same(await other.notes?.read(), undefined, "no notes of another scope");
    await one.close();
    await other.close();
  },
  "refuses the notes of a closed log": async ({ store }) => {
    const log = await begin(store);
    const { notes } = log;
    await log.close();
    if (notes === undefined) return;
    await refuses(() => notes.read(), "SESSION_CLOSED");
    await refuses(() => notes.replace(undefined, "new"), "SESSION_CLOSED");
  },
});
