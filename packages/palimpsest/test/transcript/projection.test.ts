import { describe, expect, it } from "vitest";
import { assistant, call, result, TestLog, text, user } from "#test/helpers/histories.ts";
import { planCheckpoint, restoreCheckpoint } from "#transcript/checkpoint.ts";
import type { LayerEdit } from "#transcript/edits.ts";
import { Line } from "#transcript/line.ts";
import { project } from "#transcript/projection.ts";

const hide = (
  from: number,
  to: number,
  summary: string,
  hideInserted: readonly number[] = [],
): LayerEdit => ({
  kind: "extractive",
  reason: "test",
  freedTokens: 0,
  isBoundary: true,
  effect: {
    hide: [{ from, to }],
    hideInserted,
    insert: [{ afterSeq: to, messages: [{ role: "user", origin: "summary", content: [text(summary)] }] }],
  },
});

const shown = (log: TestLog) =>
  project(log.entries).visible.map((message) =>
    message.blocks.map(({ block }) => ("text" in block ? block.text : block.type)).join(),
  );

/** A log of `count` messages named by their number. */
function aLog(count: number): TestLog {
  const log = new TestLog();
  for (let number = 1; number <= count; number++) log.message(user(`${number}`));
  return log;
}

describe("the window", () => {
  it("is the messages in the order of the log", () => {
    expect(shown(aLog(3))).toEqual(["1", "2", "3"]);
  });

  it("shows a summary where the hidden messages ended, before what was kept", () => {
    const log = aLog(4);
    log.edit(hide(1, 2, "sum"));
    log.message(user("5"));
    expect(shown(log)).toEqual(["sum", "3", "4", "5"]);
  });

  it("keeps a summary when the message that it stands behind is hidden: it tells of more than that one", () => {
    const log = aLog(4);
    log.edit(hide(1, 2, "sum"));
    log.edit({ kind: "host", reason: "gone", effect: { hide: [{ from: 2, to: 2 }] } });
    expect(shown(log)).toEqual(["sum", "3", "4"]);
  });

  it("shows an answer behind what its call sent, before what was appended meanwhile", () => {
    const log = aLog(1);
    const { seq } = log.call();
    log.message(user("meanwhile"));
    const answer = log.message(assistant("r", "the answer"));
    log.entries[log.entries.length - 1] = { ...answer, answerTo: seq };
    log.message(user("after"));
    expect(shown(log)).toEqual(["1", "the answer", "meanwhile", "after"]);
  });

  it("hides an earlier summary behind a later one that tells of it too", () => {
    const log = aLog(4);
    log.edit(hide(1, 2, "first"));
    log.edit(hide(1, 3, "second", [5]));
    expect(shown(log)).toEqual(["second", "4"]);
  });

  it("shows the earlier summary again when the later one is undone", () => {
    const log = aLog(4);
    log.edit(hide(1, 2, "first"));
    log.edit(hide(1, 3, "second", [5]));
    log.edit({ kind: "undo", editSeq: 6 });
    expect(shown(log)).toEqual(["first", "3", "4"]);
  });

  it("keeps a later edit in force when an earlier one is undone", () => {
    const log = aLog(4);
    log.edit(hide(1, 2, "first"));
    log.edit(hide(1, 3, "second", [5]));
    log.edit({ kind: "undo", editSeq: 5 });
    expect(shown(log)).toEqual(["second", "4"]);
  });

  it("gives a block its last form in force", () => {
    const log = new TestLog();
    log.message(assistant("r", call("a")));
    log.message(user(result("a", "whole")));
    const form = (content: string): LayerEdit => ({
      kind: "offload",
      reason: "test",
      freedTokens: 0,
      effect: { forms: [{ seq: 2, block: 0, shown: result("a", content) }] },
    });
    log.edit(form("shorter"));
    log.edit(form("short"));
    expect(project(log.entries).visible[1]!.blocks[0]).toMatchObject({
      form: "edited",
      block: { content: "short" },
    });
    log.edit({ kind: "undo", editSeq: 4 });
    expect(project(log.entries).visible[1]!.blocks[0]).toMatchObject({ block: { content: "shorter" } });
  });

  it("leaves what came after a rewind out, edits included, and finds it again", () => {
    const log = aLog(3);
    log.edit(hide(1, 2, "sum"));
    log.edit({ kind: "rewind", toSeq: 2 });
    log.message(user("other"));
    expect(shown(log)).toEqual(["1", "2", "other"]);
    log.edit({ kind: "rewind", toSeq: 4 });
    expect(shown(log)).toEqual(["sum", "3"]);
  });

  it("knows what is pinned, on the line it stands on", () => {
    const log = aLog(2);
    log.edit({ kind: "pin", seq: 1 });
    log.edit({ kind: "pin", seq: 2, block: 0 });
    log.edit({ kind: "unpin", seq: 1 });
    expect(project(log.entries).pins).toEqual([{ seq: 2, block: 0 }]);
    log.edit({ kind: "rewind", toSeq: 3 });
    expect(project(log.entries).pins).toEqual([{ seq: 1 }]);
  });

  it("restores the newest summary of a provider, which inserts nothing, and what it still clears", () => {
    const log = aLog(40);
    const { seq } = log.call();
    log.message(assistant("r", { type: "compaction", content: "all of it" } as never));
    log.edit({ ...hide(1, seq, ""), kind: "provider-clear", effect: { hide: [{ from: 1, to: seq }] } });
    const cleared = { throughSeq: 0, thinkingThroughSeq: seq + 1, keptTools: [], tokens: 5 };
    log.edit({ kind: "provider-clear", reason: "cleared", freedTokens: 5, effect: {}, cleared } as LayerEdit);
    const whole = project(log.entries);
    const index = planCheckpoint(whole, (at) => at)!;
    const restored = restoreCheckpoint(
      { ...log.entries[0]!, seq: whole.headSeq + 1, type: "checkpoint", ...index } as never,
      log.entries.filter(({ seq: at }) => index.runs.some(({ from, to }) => at >= from && at <= to)),
    );
    expect(restored.activeEdits).toEqual(whole.activeEdits);
    expect(restored.visible).toEqual(whole.visible);
  });

  it("says when an undo needs more than it knows", () => {
    const log = aLog(3);
    log.edit(hide(1, 2, "sum"));
    const projection = project(log.entries);
    projection.forgetHidden();
    const undo = log.edit({ kind: "undo", editSeq: 4 });
    expect(projection.canApply(undo)).toBe(false);
    expect(() => projection.apply(undo)).toThrow("folds the whole log again");
    expect(shown(log)).toEqual(["1", "2", "3"]);
  });

  it("keeps the texts of the summary that is shown, not those of all before it", () => {
    const log = new TestLog();
    const projection = project([]);
    let summarySeq: number | undefined;
    for (let round = 1; round <= 50; round++) {
      const { seq } = log.message(user(`question ${round}`));
      const content = [text(`summary ${round}, ${"long ".repeat(1_000)}`)];
      const edit = log.edit({
        ...hide(1, seq, ""),
        effect: {
          hide: [{ from: 1, to: seq }],
          ...(summarySeq === undefined ? {} : { hideInserted: [summarySeq] }),
          insert: [{ afterSeq: seq, messages: [{ role: "user", origin: "summary", content }] }],
        },
      });
      for (const entry of log.entries.slice(-2)) projection.apply(entry);
      summarySeq = edit.seq;
      projection.forgetHidden();
    }
    expect(projection.activeEdits).toHaveLength(50);
    expect(JSON.stringify(projection.activeEdits).length).toBeLessThan(6_000 + 50 * 250);
    expect(projection.visible).toEqual(project(log.entries).visible);
    // The one before the last showed a text that is not known here.
    expect(projection.canApply(log.edit({ kind: "undo", editSeq: summarySeq! }))).toBe(false);
  });

  it("undoes what came since, behind which texts were let go of", () => {
    const log = aLog(3);
    log.edit(hide(1, 2, "sum"));
    const projection = project(log.entries);
    projection.forgetHidden();
    projection.apply(log.message(user("5")));
    const insert = [{ afterSeq: 5, messages: [{ role: "user" as const, content: [text("later")] }] }];
    const effect = { hide: [{ from: 5, to: 5 }], hideInserted: [4], insert };
    projection.apply(log.edit({ ...hide(5, 5, ""), effect }));
    expect(shown(log)).toEqual(["3", "later"]);
    projection.apply(log.edit({ kind: "undo", editSeq: 6 }));
    expect(shown(log)).toEqual(["sum", "3", "5"]);
    expect(projection.visible).toEqual(project(log.entries).visible);
  });
});

describe("a window that was opened from a checkpoint", () => {
  /** A summary in the place of what an earlier one inserted. */
  const instead = (afterSeq: number, summary: string, hideInserted: readonly number[]): LayerEdit => ({
    ...hide(1, 1, summary),
    effect: {
      hideInserted,
      insert: [{ afterSeq, messages: [{ role: "user", origin: "summary", content: [text(summary)] }] }],
    },
  });

  it("says when an undo shows again what an edit before it inserted", () => {
    const log = aLog(2);
    log.edit(hide(1, 2, "first"));
    log.message(user("4"));
    log.edit(instead(2, "second", [3]));
    log.edit(instead(2, "third", [5]));
    const checkpoint = planCheckpoint(project(log.entries), (seq) => seq)!;
    expect(checkpoint.runs).toEqual([{ from: 4, to: 6, position: 4 }]);
    const opened = restoreCheckpoint(
      { type: "checkpoint", seq: 7, id: "c", v: 1, at: 0, ...checkpoint },
      log.entries.slice(3),
    );
    expect(opened.visible).toEqual(project(log.entries).visible);
    const undo = log.edit({ kind: "undo", editSeq: 5 });
    expect(opened.canApply(undo)).toBe(false);
    expect(shown(log)).toEqual(["first", "third", "4"]);
  });
});

describe("how a message is first shown", () => {
  const firstBlocks = (message: Parameters<TestLog["message"]>[0]) => {
    const log = new TestLog();
    log.message(message);
    return project(log.entries).visible[0]!.blocks.map(({ block }) => block);
  };

  it.each([
    { why: "blank text is refused by providers", given: [text(" \n"), text("a")], shown: [text("a")] },
    { why: "half a character is refused by providers", given: [text("a\ud800")], shown: [text("a\ufffd")] },
    {
      why: "an empty result reads as a failure",
      given: [result("c", " ")],
      shown: [result("c", "(no output)")],
    },
  ])("is mended where $why", ({ given, shown: expected }) => {
    expect(firstBlocks({ role: "user", content: given })).toEqual(expected);
  });

  it.each([
    { type: "compaction", content: "so far\ud800" },
    { type: "opaque", provider: "anthropic", value: { type: "container_upload", file_id: "f\ud800" } },
  ] as const)("has no half a character in a block of $type", (block) => {
    expect(JSON.stringify(firstBlocks({ role: "assistant", content: [block] }))).not.toContain("\\ud800");
  });

  it("of a cut answer shows what is finished: no half call, no unsigned thinking", () => {
    const blocks = firstBlocks({
      role: "assistant",
      interrupted: true,
      content: [
        { type: "thinking", thinking: "half a thou" },
        text("I will read"),
        { type: "tool_use", id: "c1", name: "Read", input: '{"file_pa' },
        call("c2"),
      ],
    });
    expect(blocks).toEqual([text("I will read"), call("c2")]);
  });

  it("leaves signed thinking as it is or out, never changed", () => {
    const signed = { type: "thinking", thinking: "so", signature: "s" } as const;
    const damaged = { type: "thinking", thinking: "so\ud800", signature: "s" } as const;
    expect(firstBlocks({ role: "assistant", content: [signed, damaged] })).toEqual([signed]);
  });
});

describe("a checkpoint", () => {
  it("names the tail of a long session only, whatever lies before the boundary", () => {
    const log = aLog(500);
    log.edit(hide(1, 490, "sum"));
    const checkpoint = planCheckpoint(project(log.entries), (seq) => seq * 100);
    expect(checkpoint?.runs).toEqual([{ from: 491, to: 501, position: 49_100 }]);
  });

  it("reads no message along that a later summary hid, near an edit of the host from long before", () => {
    const log = aLog(2);
    log.edit({ kind: "host", reason: "not in the list", effect: { hide: [{ from: 2, to: 2 }] } });
    log.message(user("said after it"));
    log.call();
    for (let count = 0; count < 40; count++) log.message(user("long after it"));
    log.edit(hide(1, 45, "sum"));
    log.message(user("hidden, too"));
    log.edit(hide(46, 47, "again", [46]));
    log.message(user("visible"));
    const whole = project(log.entries);
    const index = planCheckpoint(whole, (seq) => seq)!;
    const restored = restoreCheckpoint(
      { type: "checkpoint", seq: whole.headSeq + 1, id: "c", v: 1, at: 0, ...index },
      log.entries.filter(({ seq }) => index.runs.some(({ from, to }) => seq >= from && seq <= to)),
    );
    expect(restored.visible).toEqual(whole.visible);
  });

  it("is not written where the place of an entry is unknown", () => {
    expect(planCheckpoint(project(aLog(2).entries), () => undefined)).toBeUndefined();
  });
});

describe("the line", () => {
  it("goes back to what another rewind left behind", () => {
    const line = new Line();
    for (let seq = 1; seq <= 5; seq++) line.extend(seq);
    line.rewind(2, 6);
    line.extend(7);
    expect(line.ranges()).toEqual([
      { from: 1, to: 2 },
      { from: 6, to: 7 },
    ]);
    line.rewind(4, 8);
    expect(line.ranges()).toEqual([
      { from: 1, to: 4 },
      { from: 8, to: 8 },
    ]);
  });

  it("cannot tell what a rewind left before the checkpoint it was opened from", () => {
    const line = new Line({
      ranges: [
        { from: 1, to: 2 },
        { from: 6, to: 9 },
      ],
    });
    expect(line.canRewind(7)).toBe(true);
    expect(line.canRewind(2)).toBe(true);
    expect(line.canRewind(4)).toBe(false);
  });
});
