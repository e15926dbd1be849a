import { describe, expect, it } from "vitest";
import {
  type CollapsePolicy,
  type PreparedCollapse,
  planCollapse,
  prepareCollapse,
} from "#compaction/layers/collapse/collapse.ts";
import { collapsePolicy } from "#compaction/layers/collapse/collapse-policy.ts";
import type { ContentBlock, Message } from "#transcript/blocks.ts";
import type { LayerEdit } from "#transcript/edits.ts";
import { previewEdit } from "#transcript/projection.ts";
import type { VisibleMessage } from "#transcript/window.ts";
import { asWindow } from "../../../../../../test/helpers/recorded.ts";
import {
  assistant,
  brokenPairs,
  call,
  measure,
  result,
  text,
  tokensOf,
  user,
} from "../../../../../../test/helpers/windows.ts";

const situation = {
  windowTokens: 32_000,
  effectiveTokens: 28_000,
  editSafety: "permissive",
  pendingCallIds: [],
} as const;
const base: CollapsePolicy = { ...collapsePolicy(situation), recentTailTokens: 0 };

const output = "some line of output\n".repeat(40);
/** A round that reads one file: call and result. */
const read = (id: string, ...before: readonly ContentBlock[]): readonly Message[] => [
  assistant(`r-${id}`, ...before, call(id, "Read", { file_path: `src/${id}.ts` })),
  result(id, output),
];
const thinking: ContentBlock = { type: "thinking", thinking: "hm", signature: "s" };
const system: Message = { role: "system", content: [text("be kind")] };

function plan(
  visible: readonly VisibleMessage[],
  changes: Partial<CollapsePolicy> & {
    readonly freeTokens?: number;
    readonly prepared?: PreparedCollapse;
  } = {},
): LayerEdit | undefined {
  const { freeTokens = 1_000_000, prepared, ...others } = changes;
  const policy = { ...base, ...others };
  return planCollapse(
    {
      visible,
      prepared: prepared ?? prepareCollapse({ visible, headSeq: 0, measure }, policy),
      measure,
      freeTokens,
    },
    policy,
  );
}

/** The blocks shown after the edit, a word for each message. */
function shownAfter(visible: readonly VisibleMessage[], edit: LayerEdit | undefined): readonly string[] {
  const after = edit === undefined ? visible : previewEdit(visible, edit, { seq: 1_000, at: 0 });
  return after
    .filter(({ blocks }) => blocks.length > 0)
    .map(({ seq, insertedBy, blocks }) =>
      insertedBy === 1_000 && blocks[0]!.block.type === "text" ? blocks[0]!.block.text : `m${seq}`,
    );
}

const line = (range: string, text: string) => `[Collapsed, ${range}: ${text}. history_read opens them.]`;

describe("context collapse", () => {
  it.each<{
    messages: readonly Message[];
    changes?: Parameters<typeof plan>[1];
    shown: readonly string[];
    why: string;
  }>([
    {
      messages: [user("go"), ...read("a"), ...read("b"), ...read("z")],
      shown: ["m1", line("m2.0 to m5.0", "Read src/a.ts · Read src/b.ts"), "m6", "m7"],
      why: "old rounds become one line, the newest round stays",
    },
    {
      messages: [user("go"), ..."abcde".split("").flatMap((id) => read(id)), ...read("z")],
      shown: [
        "m1",
        line("m2.0 to m9.0", "Read src/a.ts · Read src/b.ts · Read src/c.ts · Read src/d.ts"),
        line("m10.0 to m11.0", "Read src/e.ts"),
        "m12",
        "m13",
      ],
      why: "a line stands for four rounds at the most",
    },
    {
      messages: [user("go"), ..."abcde".split("").flatMap((id) => read(id)), ...read("z")],
      changes: { freeTokens: 500 },
      shown: [
        "m1",
        line("m2.0 to m9.0", "Read src/a.ts · Read src/b.ts · Read src/c.ts · Read src/d.ts"),
        "m10",
        "m11",
        "m12",
        "m13",
      ],
      why: "the oldest first, and no more than is needed",
    },
    {
      messages: [user("go"), ...read("a"), ...read("b"), ...read("c"), ...read("z")],
      changes: { recentTailTokens: 500 },
      shown: ["m1", line("m2.0 to m5.0", "Read src/a.ts · Read src/b.ts"), "m6", "m7", "m8", "m9"],
      why: "the recent tail stays",
    },
    {
      messages: [user("go"), ...read("a"), user("and b"), ...read("b"), ...read("z")],
      shown: [
        "m1",
        line("m2.0 to m3.0", "Read src/a.ts"),
        "m4",
        line("m5.0 to m6.0", "Read src/b.ts"),
        "m7",
        "m8",
      ],
      why: "the user's words stay where they were said",
    },
    {
      messages: [user("go"), ...read("a"), user("word ".repeat(900)), ...read("b"), ...read("z")],
      shown: [
        "m1",
        line("m2.0 to m6.0", `the user: "${"word ".repeat(31)}word…"; Read src/a.ts · Read src/b.ts`),
        "m7",
        "m8",
      ],
      why: "long ones are quoted in part",
    },
    {
      messages: [user("go"), ...read("a", thinking), ...read("b"), ...read("z")],
      shown: ["m1", "m2", "m3", "m4", "m5", "m6", "m7"],
      why: "the newest exchange would no longer begin with thinking",
    },
    {
      messages: [user("go"), ...read("a", thinking), ...read("b"), ...read("z", thinking)],
      shown: ["m1", line("m2.0 to m5.0", "Read src/a.ts · Read src/b.ts"), "m6", "m7"],
      why: "what stays begins with thinking",
    },
    {
      messages: [user("go"), ...read("a", thinking), ...read("b"), user("next"), ...read("z")],
      shown: ["m1", line("m2.0 to m5.0", "Read src/a.ts · Read src/b.ts"), "m6", "m7", "m8"],
      why: "the newest exchange is another one",
    },
    {
      messages: [user("go"), ...read("a"), system, ...read("b"), ...read("c"), ...read("z")],
      shown: ["m1", "m2", "m3", "m4", "m5", "m6", line("m7.0 to m8.0", "Read src/c.ts"), "m9", "m10"],
      why: "a system message keeps the round before it and its answer",
    },
    {
      messages: [user("go"), assistant("r", text("Yes.")), user("on"), ...read("z")],
      shown: ["m1", "m2", "m3", "m4", "m5"],
      why: "a line would be longer than the round",
    },
    {
      messages: [user("go"), ...read("a"), ...read("z")],
      changes: { editSafety: "strict" },
      shown: ["m1", "m2", "m3", "m4", "m5"],
      why: "thinking is bound to what was sent",
    },
    {
      messages: [user("go"), ...read("a"), ...read("z")],
      changes: { pendingCallIds: ["x"] },
      shown: ["m1", "m2", "m3", "m4", "m5"],
      why: "a call is pending",
    },
    {
      messages: [user("go"), ...read("a"), ...read("b"), ...read("c"), ...read("z")],
      changes: { pins: [{ seq: 5, block: 0 }] },
      shown: [
        "m1",
        line("m2.0 to m3.0", "Read src/a.ts"),
        "m4",
        "m5",
        line("m6.0 to m7.0", "Read src/c.ts"),
        "m8",
        "m9",
      ],
      why: "a pinned result stays with its call",
    },
    {
      messages: [user("go"), ...read("a"), user("word ".repeat(900)), ...read("b"), ...read("z")],
      changes: { pins: [{ seq: 4 }] },
      shown: [
        "m1",
        line("m2.0 to m3.0", `the user: "${"word ".repeat(31)}word…"; Read src/a.ts`),
        "m4",
        line("m5.0 to m6.0", "Read src/b.ts"),
        "m7",
        "m8",
      ],
      why: "pinned words stay, however long",
    },
  ])("shows $shown: $why", ({ messages, changes, shown }) => {
    const visible = asWindow(messages);
    const edit = plan(visible, changes);
    expect(shownAfter(visible, edit)).toEqual(shown);
    if (edit !== undefined)
      expect(brokenPairs(previewEdit(visible, edit, { seq: 1_000, at: 0 }))).toEqual([]);
  });

  it("leaves the user's words of a message that answered a call, too", () => {
    const mixed: Message = {
      role: "user",
      content: [
        ...result("a", output).content,
        text("but hurry"),
        text(`<system-reminder>${output}</system-reminder>`),
      ],
    };
    const visible = asWindow([user("go"), ...read("a").slice(0, 1), mixed, ...read("z")]);
    const edit = plan(visible)!;
    expect(edit.effect.forms).toEqual([
      { seq: 3, block: 0 },
      { seq: 3, block: 2 },
    ]);
    const after = previewEdit(visible, edit, { seq: 1_000, at: 0 });
    expect(after.find(({ seq }) => seq === 3)!.blocks.map(({ block }) => block)).toEqual([text("but hurry")]);
    expect(tokensOf(visible) - tokensOf(after)).toBe(edit.freedTokens);
  });

  it("says what can no longer be read, and how to get it back", () => {
    const edit = plan(asWindow([user("go"), ...read("a"), ...read("b"), ...read("z")]))!;
    expect(edit.loss).toMatchObject({ messages: 4, blocks: 4, files: [], userMessages: 0 });
    expect(edit.loss!.recovery).toContain("undo this edit");
    expect(edit.isBoundary).toBeUndefined();
  });
});

describe("lines prepared ahead", () => {
  const messages = [user("go"), ..."abcdefgh".split("").flatMap((id) => read(id)), ...read("z")];
  const visible = asWindow(messages);

  it("cost what is new", () => {
    let measured = 0;
    const counting = (block: ContentBlock) => {
      measured++;
      return measure(block);
    };
    const first = prepareCollapse({ visible, headSeq: 19, measure: counting }, base);
    const whole = measured;
    measured = 0;
    expect(prepareCollapse({ visible, headSeq: 19, measure: counting, before: first }, base)).toEqual(first);
    expect(measured).toBe(0);
    const grown = [...visible, ...asWindow(read("y"), 20)];
    const second = prepareCollapse({ visible: grown, headSeq: 21, measure: counting, before: first }, base);
    expect(second.rounds.size).toBe(first.rounds.size + 1);
    expect(measured).toBeLessThan(whole / 4);
    expect(second.headSeq).toBe(21);
  });

  it("hold for a window that was folded anew, message by message", () => {
    const prepared = prepareCollapse({ visible, headSeq: 19, measure }, base);
    const anew = asWindow(messages);
    expect(plan(anew, { prepared })).toEqual(plan(visible));
  });

  it("do not hold for a round that was edited or has left the line", () => {
    const prepared = prepareCollapse({ visible, headSeq: 19, measure }, base);
    const edited = visible.map((message) =>
      message.seq === 3
        ? { ...message, blocks: [{ ...message.blocks[0]!, block: result("a", "[cleared]").content[0]! }] }
        : message,
    );
    expect(shownAfter(edited, plan(edited, { prepared })).slice(0, 4)).toEqual([
      "m1",
      "m2",
      "m3",
      line("m4.0 to m11.0", "Read src/b.ts · Read src/c.ts · Read src/d.ts · Read src/e.ts"),
    ]);
    const rewound = [...visible.slice(0, 5), ...asWindow([...read("x"), ...read("y")], 30)];
    expect(shownAfter(rewound, plan(rewound, { prepared }))).toEqual([
      "m1",
      line("m2.0 to m5.0", "Read src/a.ts · Read src/b.ts"),
      "m30",
      "m31",
      "m32",
      "m33",
    ]);
  });

  it("are not there for the newest round, which may still grow", () => {
    const prepared = prepareCollapse({ visible: visible.slice(0, 4), headSeq: 4, measure }, base);
    expect([...prepared.rounds.values()].map(({ text }) => text)).toEqual(["Read src/a.ts"]);
  });
});
