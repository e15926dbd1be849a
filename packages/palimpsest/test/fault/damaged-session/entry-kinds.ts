/** Damage of what an entry says, with checksums that are right: other versions, bad programs, bad hands. */
import { entriesKind, type Fields, type Kind, messageWith } from "./kind.ts";
import { ALL_MARKS } from "./sound-session.ts";

/** Changes the fields of the message with the word. */
const changed =
  (mark: string, fields: Fields) =>
  (entries: Fields[]): void => {
    Object.assign(messageWith(entries, mark), fields);
  };

const without =
  (mark: string, field: string) =>
  (entries: Fields[]): void => {
    delete messageWith(entries, mark)[field];
  };

const ofType = (entries: readonly Fields[], type: string): Fields =>
  entries.find((entry) => entry["type"] === type)!;

const COSTS = { costs: ["markfound"] };

function insertedBefore(entries: readonly Fields[], mark: string, fields: Fields): readonly Fields[] {
  const at = entries.indexOf(messageWith([...entries], mark));
  const seq = entries[at]!["seq"] as number;
  const later: Fields[] = entries.slice(at).map((entry) => ({ ...entry, seq: (entry["seq"] as number) + 1 }));
  const id = "inserted";
  const parentId = entries[at - 1]!["id"];
  later[0] = { ...later[0]!, parentId: id };
  return [...entries.slice(0, at), { type: "metadata", seq, id, parentId, v: 1, at: 1, ...fields }, ...later];
}

export const ENTRY_KINDS: readonly Kind[] = [
  entriesKind(
    "unknown-entry-type",
    "a message has a type that nobody knows",
    changed("markfound", { type: "hologram" }),
    COSTS,
  ),
  entriesKind(
    "inserted-unknown-entry",
    "an entry of a type that nobody knows stands between the others",
    (entries) => insertedBefore(entries, "markfound", { type: "hologram", beam: [1, 2] }),
  ),
  entriesKind(
    "later-version",
    "a message was written by a later version",
    changed("markfound", { v: 2 }),
    COSTS,
  ),
  entriesKind(
    "all-of-a-later-version",
    "everything was written by a later version",
    (entries) => entries.map((entry) => ({ ...entry, v: 3 })),
    {
      costs: ALL_MARKS,
      isEmpty: true,
    },
  ),
  entriesKind(
    "unknown-fields",
    "a message has fields that nobody knows",
    changed("markfound", { mood: "blue", nested: { a: [null] } }),
    {
      quiet: "unknown fields are kept and change nothing",
    },
  ),
  entriesKind("version-0", "a message has version 0", changed("markfound", { v: 0 }), COSTS),
  entriesKind(
    "version-as-text",
    "a message has its version as text",
    changed("markfound", { v: "1" }),
    COSTS,
  ),
  entriesKind("no-type", "an entry has no type", without("markfound", "type"), COSTS),
  entriesKind(
    "type-is-a-number",
    "an entry has a number for its type",
    changed("markfound", { type: 7 }),
    COSTS,
  ),
  entriesKind("no-seq", "an entry has no number", without("markfound", "seq"), COSTS),
  entriesKind("negative-seq", "an entry has a negative number", changed("markfound", { seq: -3 }), COSTS),
  entriesKind(
    "fractional-seq",
    "an entry has a number with a fraction",
    changed("markfound", { seq: 12.5 }),
    COSTS,
  ),
  entriesKind("seq-as-text", "an entry has its number as text", changed("markfound", { seq: "12" }), COSTS),
  entriesKind(
    "huge-seq",
    "an entry has the largest number there is",
    changed("markfound", { seq: Number.MAX_SAFE_INTEGER }),
    COSTS,
  ),
  entriesKind(
    "large-seq",
    "an entry has a number far beyond its place",
    changed("markfound", { seq: 4_000_000 }),
    COSTS,
  ),
  entriesKind(
    "huge-last-seq",
    "the last entry has the largest number there is",
    changed("marklast", { seq: Number.MAX_SAFE_INTEGER }),
    { costs: ["marklast"] },
  ),
  entriesKind("seq-0", "an entry has the number 0", changed("markfound", { seq: 0 }), COSTS),
  entriesKind(
    "seq-of-the-entry-before",
    "an entry of a writer that came too late has a number that is taken",
    (entries) => {
      const at = entries.indexOf(messageWith(entries, "markreminder"));
      const { seq, parentId } = entries[at]!;
      const late = { type: "metadata", seq, id: "late", parentId, v: 1, at: 1, key: "title", value: "late" };
      return entries.toSpliced(at + 1, 0, late);
    },
  ),
  entriesKind(
    "seq-that-is-too-low",
    "an entry has the number of a much earlier one",
    changed("markreminder", { seq: 3 }),
    { costs: ["markreminder"] },
  ),
  entriesKind("fork-of-two-entries", "a writer that came too late went on for two entries", (entries) => {
    const at = entries.indexOf(messageWith(entries, "markreminder"));
    const { seq, parentId } = entries[at]!;
    const late = { type: "metadata", id: "late", v: 1, at: 1, key: "title", value: "late" };
    const next = { ...late, seq: (seq as number) + 1, id: "later", parentId: "late" };
    return entries.toSpliced(at + 1, 0, { ...late, seq, parentId }, next);
  }),
  entriesKind(
    "all-seqs-equal",
    "all entries have the number 1",
    (entries) => entries.map((entry) => ({ ...entry, seq: 1 })),
    {
      costs: ALL_MARKS,
      isEmpty: true,
    },
  ),
  entriesKind("no-id", "an entry has no id", without("markfound", "id"), COSTS),
  entriesKind(
    "duplicate-id",
    "two entries have one id",
    (entries) => {
      const [one, other] = [messageWith(entries, "markfound"), messageWith(entries, "markreminder")];
      other["id"] = one["id"];
    },
    { quiet: "ids only name the previous entry" },
  ),
  entriesKind(
    "own-parent",
    "an entry is its own parent",
    (entries) => {
      const entry = messageWith(entries, "markreminder");
      entry["parentId"] = entry["id"];
    },
    { quiet: "the numbers decide the order" },
  ),
  entriesKind(
    "cyclic-parents",
    "two entries are each other's parents",
    (entries) => {
      const [one, other] = [messageWith(entries, "markreminder"), messageWith(entries, "markpicture")];
      one["parentId"] = other["id"];
      other["parentId"] = one["id"];
    },
    { quiet: "the numbers decide the order" },
  ),
  entriesKind(
    "unknown-parent",
    "an entry goes on from one that is not there",
    changed("markreminder", { parentId: "nowhere" }),
    {
      quiet: "the numbers decide the order",
    },
  ),
  entriesKind(
    "parent-is-a-number",
    "an entry has a number for its parent",
    changed("markreminder", { parentId: 4 }),
    { costs: ["markreminder"] },
  ),
  entriesKind("no-time", "an entry has no time", without("markfound", "at"), COSTS),
  entriesKind(
    "time-in-the-far-future",
    "an entry is from the year 275760",
    changed("markfound", { at: 8.64e15 }),
    {
      quiet: "the numbers decide the order; clocks jump",
    },
  ),
  entriesKind("negative-time", "an entry is from before 1970", changed("markfound", { at: -1 }), {
    quiet: "the numbers decide the order; clocks jump",
  }),
  entriesKind(
    "header-of-another-session",
    "the header names another session",
    (entries) => {
      ofType(entries, "header")["sessionId"] = "another";
    },
    { quiet: "a file may be copied; its name counts" },
  ),
  entriesKind("header-without-session", "the header names no session", (entries) => {
    delete ofType(entries, "header")["sessionId"];
  }),
  entriesKind("header-of-a-later-version", "the header was written by a later version", (entries) => {
    ofType(entries, "header")["v"] = 9;
  }),
  entriesKind("two-headers", "a second header stands in the middle", (entries) =>
    insertedBefore(entries, "markfound", { type: "header", sessionId: "again", createdBy: "somebody" }),
  ),
  entriesKind(
    "header-is-a-message",
    "the first entry is a message",
    (entries) => {
      Object.assign(ofType(entries, "header"), {
        type: "message",
        role: "user",
        origin: "user",
        content: [],
      });
    },
    { quiet: "an empty message changes nothing" },
  ),
  entriesKind(
    "unknown-role",
    "a message is of a role that nobody knows",
    changed("markfound", { role: "developer" }),
    COSTS,
  ),
  entriesKind("no-role", "a message has no role", without("markfound", "role"), COSTS),
  entriesKind(
    "content-is-text",
    "the content of a message is a string",
    changed("markfound", { content: "markfound" }),
    COSTS,
  ),
  entriesKind(
    "content-is-null",
    "the content of a message is `null`",
    changed("markfound", { content: null }),
    COSTS,
  ),
  entriesKind(
    "content-is-an-object",
    "the content of a message is an object",
    changed("markfound", { content: { 0: "markfound" } }),
    COSTS,
  ),
  entriesKind("no-content", "a message has no content", without("markfound", "content"), COSTS),
  entriesKind("empty-content", "the content of a message is empty", changed("markfound", { content: [] }), {
    ...COSTS,
    quiet: "there is nothing to show",
  }),
  entriesKind(
    "null-fields",
    "the optional fields of a message are `null`",
    changed("markfound", { responseId: null, model: null }),
    COSTS,
  ),
  entriesKind(
    "interrupted-as-text",
    "a flag of a message is a word",
    changed("markfound", { interrupted: "no" }),
    COSTS,
  ),
  entriesKind(
    "answers-a-later-call",
    "a message answers a call that never left",
    changed("markfound", { answerTo: 9_999 }),
    {
      quiet: "it stays where it was appended",
    },
  ),
  entriesKind(
    "answers-the-first-call",
    "a late message says that it answers the first call",
    changed("markdone", { answerTo: 3 }),
    {
      quiet: "the order is repaired like any other",
    },
  ),
  entriesKind(
    "answer-to-text",
    "a message answers a call by a word",
    changed("markfound", { answerTo: "c" }),
    COSTS,
  ),
  entriesKind(
    "answer-without-its-call",
    "an answer names a call that never left",
    (entries) => {
      ofType(entries, "answer")["callSeq"] = 9_999;
    },
    { quiet: "only the request's cost is unknown" },
  ),
  entriesKind(
    "huge-usage",
    "an answer reports more tokens than there are",
    (entries) => {
      for (const entry of entries)
        if (entry["type"] === "answer")
          entry["usage"] = {
            inputTokens: 1e15,
            cacheReadTokens: 1e15,
            cacheWriteTokens: 0,
            outputTokens: 1e15,
          };
    },
    { quiet: "an impossible report is ignored if it would stop a request" },
  ),
  entriesKind("negative-usage", "an answer reports fewer tokens than none", (entries) => {
    for (const entry of entries)
      if (entry["type"] === "answer")
        entry["usage"] = { inputTokens: -5, cacheReadTokens: -1e9, cacheWriteTokens: 0, outputTokens: -1e9 };
  }),
  entriesKind(
    "call-of-a-nameless-model",
    "calls name a model that nobody knows",
    (entries) => {
      for (const entry of entries) if (entry["type"] === "call") entry["model"] = "";
    },
    { quiet: "the next call names its own" },
  ),
  entriesKind(
    "call-through-the-future",
    "a call says that it held what came later",
    (entries) => {
      ofType(entries, "call")["throughSeq"] = 9_999;
    },
    { quiet: "it only describes that request" },
  ),
  entriesKind(
    "call-with-negative-size",
    "a call has a negative size",
    (entries) => {
      for (const entry of entries)
        if (entry["type"] === "call") Object.assign(entry, { estimatedTokens: -1e12, fixedTokens: -1e12 });
    },
    { quiet: "the next call is counted again" },
  ),
  entriesKind("metadata-without-key", "a title has no key", (entries) => {
    delete ofType(entries, "metadata")["key"];
  }),
  entriesKind(
    "metadata-named-proto",
    "a title is named `__proto__`",
    (entries) => {
      ofType(entries, "metadata")["key"] = "__proto__";
    },
    { quiet: "a name like any other" },
  ),
];
