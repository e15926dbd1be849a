/** The cases of the session store's contract that are about lists. */

import type { SessionStore } from "palimpsest";
import type { SessionInfo } from "palimpsest/internal";
import type { Entry, HeaderEntry, MetadataEntry, Scope } from "palimpsest/transcript";
import {
  casesOf,
  checkpoint,
  holds,
  CONTRACT_ID as ID,
  message,
  refuses,
  same,
} from "./session-store-contract-kit.ts";

/** Later than any clock that a store may look at, so that the entries' own times decide. */
const LATE = 4_000_000_000_000;
/** More than a store reads of the end of a log for a list. */
const LONG = "z".repeat(9_000);

const place = (seq: number, at = LATE + seq) => ({
  seq,
  id: `e${seq}`,
  ...(seq > 1 && { parentId: `e${seq - 1}` }),
  v: 1,
  at,
});
const header = (sessionId: string, scope?: Scope): HeaderEntry => ({
  type: "header",
  ...place(1),
  sessionId,
  createdBy: "contract",
  workingCopy: "/projects/copy",
  ...(scope === undefined ? {} : { scope }),
});
const metadata = (seq: number, key: string, value: string): MetadataEntry => ({
  type: "metadata",
  ...place(seq),
  key,
  value,
});
const later = <T extends Entry>(entry: T, at: number): T => ({ ...entry, at });

async function stored(
  store: SessionStore,
  id: string,
  entries: readonly Entry[],
  scope?: Scope,
): Promise<void> {
  const log = await store.create(id, scope);
  await log.append(entries);
  await log.close();
}

const idsOf = (sessions: readonly Pick<SessionInfo, "sessionId">[]) =>
  sessions.map(({ sessionId }) => sessionId);

export const LISTING_CASES = casesOf({
  "describes sessions, the latest activity first": async ({ store, reopen }) => {
    same(await store.describe(), { sessions: [] }, "an empty page of an empty store");
    const order = ["c", "a", "e", "b", "d"];
    for (const [index, id] of order.entries())
      await stored(store, id, [later(message(1, id), LATE + index * 10)]);
    const twin = later(message(1, "as late as d"), LATE + 40);
    await stored(store, "d2", [twin]);
    const wanted = ["d", "d2", "b", "e", "a", "c"];
    for (const each of [store, reopen()]) {
      same(idsOf((await each.describe()).sessions), wanted, "the latest first, then by id");
      const all = await each.describe({ limit: Number.POSITIVE_INFINITY });
      same(idsOf(all.sessions), wanted, "all at once");
      holds(all.next === undefined, "no page after all of them");
    }
    const log = await store.open("c");
    await log.append([later(message(2, "again"), LATE + 100)]);
    await log.close();
    same(idsOf((await reopen().describe({ limit: 1 })).sessions), ["c"], "the session that was gone on with");
  },
  "describes sessions in pages, each session once": async ({ store, reopen }) => {
    for (let index = 0; index < 7; index++)
      await stored(store, `s${index}`, [later(message(1, "said"), LATE + 100 - index)]);
    const other = reopen();
    const found: string[][] = [];
    let after: string | undefined;
    do {
      const page = await other.describe({ limit: 3, after });
      found.push(idsOf(page.sessions));
      after = page.next;
      holds(found.length <= 3, "pages that come to an end");
    } while (after !== undefined);
    same(found, [["s0", "s1", "s2"], ["s3", "s4", "s5"], ["s6"]], "every session once, page by page");
    const whole = await other.describe({ limit: 7 });
    holds(whole.next === undefined, "no page after a page that holds the last one");
    for (const limit of [0, -1, 1.5, Number.NaN])
      await refuses(() => store.describe({ limit }), "OPTION_INVALID");
  },
  "describes header, metadata, first prompt and writer": async ({ store, reopen }) => {
    const first = header(ID);
    const log = await store.create(ID);
    await log.append([
      first,
      metadata(2, "title", "old"),
      { ...message(3, "an answer"), ...place(3), role: "assistant", origin: "assistant" },
      { ...message(4, "  the\n first   prompt "), ...place(4) },
      { ...message(5, "the second"), ...place(5) },
      metadata(6, "palimpsest.own", "not for hosts"),
      metadata(7, "title", "new"),
      metadata(8, "tag", "kept"),
    ]);
    for (const each of [store, reopen()]) {
      const info = await each.find(ID);
      same(info, (await each.describe()).sessions[0], "the same alone and in a page");
      same(info.header, first, "the header");
      same(info.metadata, { title: "new", tag: "kept" }, "the last value of each key that is the host's");
      same(info.firstPrompt, "the first prompt", "the first words of a user, on one line");
      same(info.lastActivityAt, LATE + 8, "when the newest entry was appended");
      holds(info.bytes > 500, "the size of its log");
      holds(info.isInUse, "a writer, while there is one");
    }
    await log.close();
    holds(!(await reopen().find(ID)).isInUse, "no writer, once it is closed");
    await refuses(() => store.find("somebody-else"), "SESSION_NOT_FOUND");
  },
  "finds metadata that a checkpoint carries": async ({ store, reopen }) => {
    const long = (seq: number) => ({ ...message(seq, LONG), ...place(seq) });
    await stored(store, ID, [
      header(ID),
      metadata(2, "title", "set at first"),
      metadata(3, "tag", "set at first, too"),
      { ...message(4, "prompt"), ...place(4) },
      ...[5, 6, 7].map(long),
      { ...checkpoint(8), ...place(8), carried: { metadata: { title: "set at first", tag: "carried" } } },
      metadata(9, "title", "set behind the checkpoint"),
      ...[10, 11, 12].map(long),
    ]);
    const { metadata: found, firstPrompt } = await reopen().find(ID);
    same(
      found,
      { title: "set behind the checkpoint", tag: "carried" },
      "metadata of a log whose end has none",
    );
    same(firstPrompt, "prompt", "the first prompt");
  },
  "describes the sessions of one scope": async ({ store, reopen }) => {
    const scopes = [undefined, { tenant: "acme" }, { tenant: "acme", project: "web" }];
    for (const [index, scope] of scopes.entries())
      await stored(store, `of-${index}`, [header(`of-${index}`, scope)], scope);
    for (const [index, scope] of scopes.entries()) {
      const query = scope === undefined ? {} : { scope };
      same(idsOf((await reopen().describe(query)).sessions), [`of-${index}`], `the page of scope ${index}`);
      same((await reopen().find(`of-${index}`, scope)).sessionId, `of-${index}`, "the session of the scope");
      await refuses(() => reopen().find(`of-${(index + 1) % 3}`, scope), "SESSION_NOT_FOUND");
    }
  },
  "gives an overview of all sessions, if it can": async ({ store, reopen }) => {
    if (store.overview === undefined) return;
    await stored(store, "titled", [
      metadata(1, "title", "A title"),
      { ...message(2, "prompt"), ...place(2) },
    ]);
    await stored(store, "prompted", [later(message(1, "only a prompt"), LATE + 90)]);
    await stored(store, "silent", [header("silent")]);
    await reopen().describe();
    const overview = (await reopen().overview?.()) ?? [];
    const { sessions } = await reopen().describe();
    same(
      overview.map(({ sessionId, lastActivityAt, bytes }) => [sessionId, lastActivityAt, bytes]),
      sessions.map(({ sessionId, lastActivityAt, bytes }) => [sessionId, lastActivityAt, bytes]),
      "the sessions of the page, in its order",
    );
    const writer = await store.open("prompted");
    await writer.acquire();
    const looked = (await reopen().overview?.(undefined, { idleSince: Number.MAX_SAFE_INTEGER })) ?? [];
    for (const { sessionId, isInUse } of looked)
      holds(isInUse === undefined || isInUse === (sessionId === "prompted"), "whether somebody writes it");
    same(looked.length, overview.length, "as many where they are looked at");
    await writer.close();
    const titles = ["only a prompt", "A title", undefined];
    for (const [index, { title }] of overview.entries())
      holds(
        title === undefined || title === titles[index],
        "a title, or else the first prompt, where it is known",
      );
  },
  "never denies a text that a session holds": async ({ store, hasher, reopen }) => {
    if (store.mayHold === undefined) return;
    const whole = JSON.stringify({ type: "text", text: "a Needle in a blob" });
    const log = await store.create(ID);
    await log.putBlob(hasher.sha256(whole), whole);
    await log.append([message(1, "some Straw_and/hay-7@home"), message(2, LONG)]);
    await log.close();
    for (const text of ["straw_AND/hay-7@home", "needle", "zzzz"])
      holds((await reopen().mayHold?.(ID, text)) === true, `${text} may be there`);
  },
});
