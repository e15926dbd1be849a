/** Damage of edits and checkpoints: what the window is folded by. */
import { type Expected, entriesKind, type Fields, type Kind, messageWith } from "./kind.ts";

const LEVEL = { level: "edits and checkpoints" } as const;

/** Appends an edit behind the last entry. */
function editKind(
  name: string,
  what: string,
  edit: (entries: Fields[]) => unknown,
  expected: Expected = {},
): Kind {
  const append = (entries: Fields[]): readonly Fields[] => {
    const last = entries.at(-1)!;
    const seq = (last["seq"] as number) + 1;
    return [
      ...entries,
      { type: "edit", seq, id: "appended", parentId: last["id"], v: 1, at: 1, edit: edit(entries) },
    ];
  };
  return entriesKind(name, what, append, { ...LEVEL, ...expected });
}

function effectKind(
  name: string,
  what: string,
  effect: (entries: Fields[]) => unknown,
  expected: Expected = {},
): Kind {
  const edit = (entries: Fields[]): unknown => ({
    kind: "microcompact",
    reason: "test",
    freedTokens: 0,
    effect: effect(entries),
  });
  return editKind(name, what, edit, expected);
}

/** The last checkpoint, to be changed. */
function checkpointKind(
  name: string,
  what: string,
  change: (checkpoint: Fields, entries: Fields[]) => void,
  expected: Expected = {},
): Kind {
  const changeIt = (entries: Fields[]): void => {
    const checkpoint = entries.findLast((entry) => entry["type"] === "checkpoint");
    if (checkpoint !== undefined) change(checkpoint, entries);
  };
  return entriesKind(name, what, changeIt, { ...LEVEL, ...expected, needsCheckpoint: true });
}

const seqOf = (entries: Fields[], mark: string): number => messageWith(entries, mark)["seq"] as number;
const hides = (entries: Fields[], from: string, to: string): Fields => ({
  hide: [{ from: seqOf(entries, from), to: seqOf(entries, to) }],
});
const HIDDEN = { quiet: "a valid edit; what it hides stays in the history" };
const IGNORED = { quiet: "it names nothing that exists, so it changes nothing" };
const IN_FORCE = { quiet: "the checkpoint's extra claims change nothing visible" };

const EDIT_KINDS: readonly Kind[] = [
  editKind("unknown-edit-kind", "an edit is of a kind that nobody knows", () => ({
    kind: "teleport",
    to: 5,
  })),
  editKind(
    "edit-of-a-later-layer",
    "a layer that nobody knows hid a message",
    (entries) => ({ kind: "dream", reason: "x", effect: hides(entries, "markfound", "markfound") }),
    HIDDEN,
  ),
  editKind("edit-is-null", "an edit is `null`", () => null),
  editKind("edit-is-text", "an edit is a string", () => "rewind"),
  editKind("edit-without-kind", "an edit has no kind", () => ({ effect: {} })),
  editKind("effect-is-null", "the effect of an edit is `null`", () => ({
    kind: "peel",
    reason: "x",
    freedTokens: 0,
    effect: null,
  })),
  effectKind(
    "hide-backwards",
    "an edit hides from a later to an earlier message",
    (entries) => ({ hide: [{ from: seqOf(entries, "markend"), to: 2 }] }),
    IGNORED,
  ),
  effectKind(
    "hide-beyond-the-end",
    "an edit hides messages that are not there",
    () => ({ hide: [{ from: 9_000, to: 9_999 }] }),
    IGNORED,
  ),
  effectKind("hide-everything", "an edit hides every message", () => ({
    hide: [{ from: 0, to: Number.MAX_SAFE_INTEGER }],
  })),
  effectKind("hide-with-fractions", "an edit hides half a message", () => ({ hide: [{ from: 2.5, to: 7 }] })),
  effectKind("compaction-between-call-and-result", "a compaction hid a call and left its result", (entries) =>
    hides(entries, "markplan", "markplan"),
  ),
  effectKind(
    "compaction-between-result-and-answer",
    "a compaction hid a result and left its call",
    (entries) => hides(entries, "markfile", "markfile"),
  ),
  effectKind("compaction-between-results", "a compaction hid one message of several results", (entries) =>
    hides(entries, "markgrep", "markgrep"),
  ),
  effectKind(
    "compaction-of-the-first-question",
    "a compaction hid the first message, so an answer stands first",
    (entries) => hides(entries, "markquestion", "markquestion"),
  ),
  effectKind(
    "compaction-of-the-last-message",
    "a compaction hid the last message, so an answer stands last",
    (entries) => hides(entries, "marklast", "marklast"),
  ),
  effectKind(
    "forms-of-no-message",
    "an edit shows a block of a message that is not there",
    () => ({ forms: [{ seq: 9_999, block: 3, shown: { type: "text", text: "ghost" } }] }),
    IGNORED,
  ),
  effectKind("form-without-text", "an edit shows a message as an empty text", (entries) => ({
    forms: [{ seq: seqOf(entries, "markfound"), block: 0, shown: { type: "text", text: "" } }],
  })),
  effectKind(
    "form-of-an-unknown-block",
    "an edit shows a message as a block that nobody knows",
    (entries) => ({ forms: [{ seq: seqOf(entries, "markfound"), block: 0, shown: { type: "hologram" } }] }),
  ),
  effectKind(
    "form-takes-a-call-away",
    "an edit shows a call as nothing and leaves its result",
    (entries) => ({ forms: [{ seq: seqOf(entries, "markplan"), block: 2 }] }),
  ),
  effectKind("form-with-half-a-character", "an edit cut a text in the middle of a character", (entries) => ({
    forms: [{ seq: seqOf(entries, "markfound"), block: 0, shown: { type: "text", text: "cut \ud83d" } }],
  })),
  effectKind("insertion-of-a-call", "an edit inserts a call that nobody answers", (entries) => ({
    insert: [
      {
        afterSeq: seqOf(entries, "markfound"),
        messages: [{ role: "assistant", content: [{ type: "tool_use", id: "i1", name: "Read", input: {} }] }],
      },
    ],
  })),
  effectKind("insertion-of-a-used-id", "an edit inserts a call whose id is taken", (entries) => ({
    insert: [
      {
        afterSeq: seqOf(entries, "markfound"),
        messages: [
          { role: "assistant", content: [{ type: "tool_use", id: "c1", name: "Read", input: {} }] },
          { role: "user", content: [{ type: "tool_result", tool_use_id: "c1", content: "x" }] },
        ],
      },
    ],
  })),
  effectKind(
    "insertion-between-call-and-result",
    "an edit inserts an answer between a call and its result",
    (entries) => ({
      insert: [
        {
          afterSeq: seqOf(entries, "markplan"),
          messages: [{ role: "assistant", content: [{ type: "text", text: "stray" }] }],
        },
      ],
    }),
  ),
  effectKind(
    "insertion-far-behind-the-end",
    "an edit inserts a message behind all that will ever come",
    () => ({
      insert: [
        {
          afterSeq: Number.MAX_SAFE_INTEGER,
          messages: [{ role: "user", content: [{ type: "text", text: "stray" }] }],
        },
      ],
    }),
    { quiet: "it is at the end" },
  ),
  effectKind("insertion-of-an-unknown-role", "an edit inserts a message of a role that nobody knows", () => ({
    insert: [{ afterSeq: 0, messages: [{ role: "tool", content: [] }] }],
  })),
  effectKind("insertion-of-an-unknown-block", "an edit inserts a block that nobody knows", () => ({
    insert: [{ afterSeq: 0, messages: [{ role: "user", content: [{ type: "hologram" }] }] }],
  })),
  editKind(
    "undo-of-nothing",
    "an undo names an edit that is not there",
    () => ({ kind: "undo", editSeq: 9_999 }),
    IGNORED,
  ),
  editKind(
    "undo-of-a-message",
    "an undo names a message",
    (entries) => ({ kind: "undo", editSeq: seqOf(entries, "markfound") }),
    IGNORED,
  ),
  editKind(
    "undo-of-itself",
    "an undo names itself",
    (entries) => ({ kind: "undo", editSeq: (entries.at(-1)!["seq"] as number) + 1 }),
    IGNORED,
  ),
  editKind("undo-of-a-repair", "the repair of a call that nobody answered was undone", (entries) => ({
    kind: "undo",
    editSeq: entries.find((entry) => (entry["edit"] as Fields | undefined)?.["kind"] === "repair")!["seq"],
  })),
  editKind("rewind-to-nothing", "a rewind goes to entry 0", () => ({ kind: "rewind", toSeq: 0 })),
  editKind("rewind-to-the-future", "a rewind goes to an entry that is not there yet", () => ({
    kind: "rewind",
    toSeq: 9_999,
  })),
  editKind("rewind-to-itself", "a rewind goes to itself", (entries) => ({
    kind: "rewind",
    toSeq: (entries.at(-1)!["seq"] as number) + 1,
  })),
  editKind(
    "rewind-between-call-and-result",
    "a rewind went back to a call that is answered no more",
    (entries) => ({ kind: "rewind", toSeq: seqOf(entries, "markplan") }),
  ),
  editKind("rewind-to-text", "a rewind goes to a word", () => ({ kind: "rewind", toSeq: "start" })),
  editKind(
    "pin-of-nothing",
    "a pin holds a message that is not there",
    () => ({ kind: "pin", seq: 9_999, block: 7 }),
    IGNORED,
  ),
  editKind(
    "unpin-of-nothing",
    "a pin is let go that never was",
    () => ({ kind: "unpin", seq: 9_999 }),
    IGNORED,
  ),
];

const CHECKPOINT_KINDS: readonly Kind[] = [
  checkpointKind(
    "checkpoint-with-wrong-positions",
    "a checkpoint points into the middle of lines",
    (checkpoint) => {
      for (const run of checkpoint["runs"] as Fields[]) run["position"] = (run["position"] as number) + 7;
    },
  ),
  checkpointKind(
    "checkpoint-with-positions-beyond-the-end",
    "a checkpoint points behind the end of the file",
    (checkpoint) => {
      for (const run of checkpoint["runs"] as Fields[]) run["position"] = 1e12;
    },
  ),
  checkpointKind(
    "checkpoint-with-positions-of-others",
    "every run of a checkpoint points to the start of the file",
    (checkpoint) => {
      for (const run of checkpoint["runs"] as Fields[])
        Object.assign(run, { position: 0, from: (run["from"] as number) + 1 });
    },
  ),
  checkpointKind("checkpoint-without-runs", "a checkpoint names nothing", (checkpoint) => {
    checkpoint["runs"] = [];
  }),
  checkpointKind(
    "checkpoint-with-half-the-runs",
    "a checkpoint lost the end of its last run",
    (checkpoint) => {
      const run = (checkpoint["runs"] as Fields[]).at(-1)!;
      run["to"] = Math.floor((run["to"] as number) / 2);
    },
  ),
  checkpointKind("checkpoint-with-backward-runs", "the runs of a checkpoint go backwards", (checkpoint) => {
    for (const run of checkpoint["runs"] as Fields[])
      Object.assign(run, { from: run["to"], to: run["from"] });
  }),
  checkpointKind("checkpoint-with-endless-run", "a run of a checkpoint never ends", (checkpoint) => {
    for (const run of checkpoint["runs"] as Fields[]) run["to"] = Number.MAX_SAFE_INTEGER;
  }),
  checkpointKind("checkpoint-with-repeated-runs", "a checkpoint names every run twice", (checkpoint) => {
    const runs = checkpoint["runs"] as Fields[];
    checkpoint["runs"] = [...runs, ...runs];
  }),
  checkpointKind("checkpoint-without-line", "a checkpoint has an empty line", (checkpoint) => {
    checkpoint["line"] = [];
  }),
  checkpointKind("checkpoint-with-short-line", "the line of a checkpoint ends early", (checkpoint) => {
    checkpoint["line"] = [{ from: 1, to: 3 }];
  }),
  checkpointKind("checkpoint-with-backward-line", "the line of a checkpoint goes backwards", (checkpoint) => {
    checkpoint["line"] = [{ from: 30, to: 1 }];
  }),
  checkpointKind(
    "checkpoint-with-line-of-the-future",
    "the line of a checkpoint goes on behind it",
    (checkpoint) => {
      checkpoint["line"] = [{ from: 1, to: 9_999 }];
    },
  ),
  checkpointKind(
    "checkpoint-of-another-session",
    "a checkpoint comes from another, longer session",
    (checkpoint) => {
      Object.assign(checkpoint, {
        runs: [{ from: 400, to: 900, position: 90_000 }],
        line: [{ from: 1, to: 900 }],
      });
    },
  ),
  checkpointKind(
    "checkpoint-with-strange-pins",
    "a checkpoint pins what is not there",
    (checkpoint) => {
      checkpoint["pins"] = [{ seq: 9_999 }, { seq: 0, block: 99 }];
    },
    IN_FORCE,
  ),
  checkpointKind(
    "checkpoint-with-strange-undone",
    "a checkpoint has undone what is not there",
    (checkpoint) => {
      checkpoint["undone"] = [0, 9_999];
    },
    IN_FORCE,
  ),
  checkpointKind(
    "checkpoint-with-nonsense-figures",
    "the figures of a checkpoint are nonsense",
    (checkpoint) => {
      Object.assign(checkpoint, {
        usageAnchor: {
          ledger: { model: 5, generation: "x", ratio: -7, reported: { tokens: "many" } },
          fixedTokens: -1e15,
        },
        carried: { openCall: { callSeq: -4, coveredTokens: 1e300 }, sentCount: 1e15 },
      });
    },
    { quiet: "figures are counted again" },
  ),
  checkpointKind(
    "checkpoint-with-figures-of-nothing",
    "the figures of a checkpoint are `null` and lists",
    (checkpoint) => {
      Object.assign(checkpoint, { usageAnchor: [null], carried: { openCall: null, sentCount: null } });
    },
    { quiet: "figures are counted again" },
  ),
  checkpointKind("checkpoint-without-lists", "a checkpoint has no lists at all", (checkpoint) => {
    for (const field of ["runs", "line", "undone", "pins"]) delete checkpoint[field];
  }),
  checkpointKind(
    "checkpoint-of-a-later-version",
    "a checkpoint was written by a later version",
    (checkpoint) => {
      Object.assign(checkpoint, { v: 2, runs: "elsewhere" });
    },
  ),
  checkpointKind(
    "damage-inside-a-checkpoints-run",
    "a line that a checkpoint names was spoiled",
    (_, entries) => {
      messageWith(entries, "markfound")["seq"] = -1;
    },
    { costs: ["markfound"] },
  ),
];

export const EDIT_AND_CHECKPOINT_KINDS: readonly Kind[] = [...EDIT_KINDS, ...CHECKPOINT_KINDS];
