import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planMicrocompactByUsage } from "#compaction/layers/microcompact/microcompact-by-usage.ts";
import { planOffloadByUsage } from "#compaction/layers/offload/offload-by-usage.ts";
import { planOldBlocks } from "#compaction/planner/escalation.ts";
import { microcompactPolicy, offloadPolicy } from "#compaction/planner/policies.ts";
import { meetsRewriteThreshold } from "#compaction/shared/rewrite-rule.ts";
import type { WindowSituation } from "#compaction/shared/window-state.ts";
import type { Message } from "#transcript/blocks.ts";
import type { VisibleMessage } from "#transcript/window.ts";
import { asWindow } from "../../../../../test/helpers/recorded.ts";
import { bySize, usualFew } from "../../../../../test/helpers/size-of-run.ts";
import {
  applyEdit,
  assistant,
  brokenPairs,
  call,
  measure,
  result,
  text,
  tokensOf,
  user,
} from "../../../../../test/helpers/windows.ts";

const situation: WindowSituation = {
  windowTokens: 32_000,
  effectiveTokens: 28_000,
  editSafety: "permissive",
  pendingCallIds: [],
};
const GATE = 5_000;

/** A session of calls of `tools`, each with a result of `characters`. */
function session(tools: readonly string[], characters: number): readonly VisibleMessage[] {
  const messages: Message[] = [user("please look at everything")];
  tools.forEach((tool, position) => {
    const id = `c${position}`;
    messages.push(
      assistant(
        `r${position}`,
        text(`step ${position}`),
        call(id, tool, { file_path: `src/file-${position}.ts` }),
      ),
    );
    messages.push(
      result(id, `export const uniqueName${position} = 1;\n${"some code here\n".repeat(characters / 15)}`),
    );
  });
  return asWindow(messages);
}

const twenty = (tool: string) => Array.from({ length: 20 }, () => tool);

describe("offload by usage", () => {
  const large = session(twenty("mcp__db__query"), 4_500);
  const plan = (
    visible: readonly VisibleMessage[],
    changes: Partial<WindowSituation & { usedTokens: number }> = {},
  ) =>
    planOffloadByUsage(
      { visible, usedTokens: changes.usedTokens ?? tokensOf(visible), measure },
      offloadPolicy({ ...situation, ...changes }, GATE),
    );

  it("previews old large blocks of any tool and leaves the recent tail alone", () => {
    const edit = plan(large)!;
    expect(edit).toMatchObject({ kind: "offload", reason: "usage" });
    const touched = edit.effect.forms!.map(({ seq }) => seq);
    expect(touched[0]).toBe(3);
    expect(Math.max(...touched)).toBeLessThan(large.at(-3)!.seq);
    const after = applyEdit(large, edit, 99);
    expect(tokensOf(large) - tokensOf(after)).toBe(edit.freedTokens);
    expect(brokenPairs(after)).toEqual([]);
  });

  it("leaves the user's own words alone, however long they are, and not what a host sends in the user's name", () => {
    const pasted = "a line that the user pasted\n".repeat(300);
    const words = asWindow([
      user(pasted),
      assistant("r", text("thanks")),
      user(`<system-reminder>${pasted}</system-reminder>`),
      assistant("s", text("noted")),
      { ...user(pasted), origin: "host" },
      assistant("t", text("fine")),
    ]);
    const edit = plan([...words, ...large.map((one) => ({ ...one, seq: one.seq + 10 }))])!;
    expect(edit.effect.forms!.map(({ seq }) => seq).filter((seq) => seq <= 10)).toEqual([3, 5]);
  });

  it("finds nothing the second time", () => {
    expect(plan(applyEdit(large, plan(large)!, 99), { usedTokens: 100_000 })).toBeUndefined();
  });

  it.each([
    { changes: { usedTokens: 4_999 }, why: "the window is below the gate" },
    { changes: { editSafety: "strict" as const }, why: "thinking is bound to what was sent" },
    { changes: { pendingCallIds: ["c9"] }, why: "a call is pending" },
  ])("does nothing when $why", ({ changes }) => {
    expect(plan(large, changes)).toBeUndefined();
  });
});

describe("microcompact by usage", () => {
  const plan = (
    visible: readonly VisibleMessage[],
    changes: Partial<WindowSituation & { usedTokens: number }> = {},
  ) =>
    planMicrocompactByUsage(
      { visible, usedTokens: changes.usedTokens ?? tokensOf(visible), measure },
      microcompactPolicy({ ...situation, ...changes }, GATE),
    );
  const reads = session(twenty("Read"), 3_000);

  it("leaves a brief that says what the result was, its size, its pointer and what it alone named", () => {
    const edit = plan(reads)!;
    expect(edit.effect.forms![0]!.shown).toEqual({
      type: "tool_result",
      tool_use_id: "c0",
      content:
        "[Old tool result content cleared: Read src/file-0.ts, about 758 tokens; it named uniqueName0] " +
        'history_read({ pointer: "m3.0" })',
    });
    expect(brokenPairs(applyEdit(reads, edit, 99))).toEqual([]);
  });

  it("keeps fewer of the newest results where five of them would fill the window", () => {
    const huge = session(twenty("Read"), 12_000);
    const cleared = plan(huge, { usedTokens: 60_000 })!.effect.forms!.map(({ seq }) => seq);
    expect(cleared).toContain(huge.at(-3)!.seq);
    expect(cleared).not.toContain(huge.at(-1)!.seq);
  });

  it("keeps the last five results whatever else", () => {
    const cleared = plan(reads)!.effect.forms!.map(({ seq }) => seq);
    const newest = reads.filter(({ origin }) => origin === "tool").slice(-5);
    for (const { seq } of newest) expect(cleared).not.toContain(seq);
  });

  it("finds nothing the second time", () => {
    expect(plan(applyEdit(reads, plan(reads)!, 99), { usedTokens: 100_000 })).toBeUndefined();
  });

  it("removes a small read-only result together with its call", () => {
    const small = session(
      Array.from({ length: 60 }, () => "grep"),
      900,
    );
    const edit = plan(small, { usedTokens: GATE })!;
    expect(edit.effect.forms!.slice(0, 2)).toEqual([
      { seq: 2, block: 1 },
      { seq: 3, block: 0 },
    ]);
    const after = applyEdit(small, edit, 99);
    expect(tokensOf(small) - tokensOf(after)).toBe(edit.freedTokens);
    expect(brokenPairs(after)).toEqual([]);
  });

  it("leaves no brief of a small read-only result whose call has to stay", () => {
    const messages = Array.from({ length: 60 }, (_, position) => [
      assistant(
        `r${position}`,
        { type: "thinking", thinking: "hm", signature: "s" },
        call(`c${position}`, "grep", { pattern: "x" }),
      ),
      result(`c${position}`, "x is here\n".repeat(80)),
    ]).flat();
    const small = asWindow([user("look"), ...messages]);
    expect(plan(small, { usedTokens: GATE })!.effect.forms![0]!.shown).toMatchObject({
      content: '[Old tool result content cleared] history_read({ pointer: "m3.0" })',
    });
  });

  it.each([
    "Task",
    "mcp__db__query",
    "ask_oracle",
  ])("keeps results of %s: they cannot be had again", (tool) => {
    expect(plan(session(twenty(tool), 3_000))).toBeUndefined();
  });

  it.each([
    "Bash",
    "MultiEdit",
    "read_file",
    "write_to_file",
    "execute_command",
    "local_shell",
    "str_replace_editor",
    "web-fetch",
    "LS",
  ])("clears results of %s", (tool) => {
    expect(plan(session(twenty(tool), 3_000))?.effect.forms?.length).toBeGreaterThan(5);
  });

  it("previews large old arguments in place", () => {
    const messages: Message[] = [user("write it")];
    for (let position = 0; position < 20; position++) {
      messages.push(
        assistant(
          `r${position}`,
          call(`c${position}`, "Write", {
            file_path: `f${position}`,
            content: "a line of text\n".repeat(200),
          }),
        ),
        result(`c${position}`, "ok"),
      );
    }
    const first = plan(asWindow(messages))!.effect.forms![0]!;
    expect(first).toMatchObject({
      seq: 2,
      block: 0,
      shown: { type: "tool_use", id: "c0", input: { file_path: "f0" } },
    });
    expect(measure(first.shown!)).toBeLessThan(130);
  });

  it("does not act for a trifle: one batch, not one by one", () => {
    const mixed = session(
      [...twenty("mcp__db__query"), "Read", ...twenty("mcp__db__query"), ...twenty("Read").slice(0, 5)],
      3_000,
    );
    expect(plan(mixed)).toBeUndefined();
  });

  it("names the failure in the brief of a failed result", () => {
    const messages = [
      user("go"),
      assistant("r0", call("t0", "Bash", { command: "npm test" })),
      result("t0", `FAIL src/a.test.ts\nError: expected 4 to be 5\n${"noise\n".repeat(600)}`, true),
      ...session(twenty("Read"), 3_000)
        .map((message) => ({
          role: message.role,
          origin: message.origin,
          content: message.blocks.map(({ block }) => block),
        }))
        .slice(1),
    ] as readonly Message[];
    const brief = JSON.stringify(plan(asWindow(messages))!.effect.forms![0]!.shown);
    expect(brief).toContain("Bash npm test");
    expect(brief).toContain("failed: FAIL src/a.test.ts");
  });

  it.each([
    { changes: { usedTokens: 100 }, why: "the window is small and the results are few" },
    { changes: { editSafety: "strict" as const }, why: "thinking is bound to what was sent" },
    { changes: { pendingCallIds: ["c9"] }, why: "a call is pending" },
  ])("does nothing when $why", ({ changes }) => {
    expect(plan(reads, changes)).toBeUndefined();
  });

  it("acts on a hundred clearable results below the gate", () => {
    const many = session(
      Array.from({ length: 100 }, () => "Bash"),
      1_500,
    );
    expect(plan(many, { usedTokens: 100 })).toMatchObject({ reason: "count" });
  });
});

describe("rewrites of old blocks", () => {
  it.each([
    { usedTokens: 10_000, freedTokens: 4_000, isJustified: true, why: "it comes down to the low-water mark" },
    { usedTokens: 10_000, freedTokens: 3_999, isJustified: false, why: "the next one would be near" },
    { usedTokens: 30_000, freedTokens: 5_000, isJustified: true, why: "it frees a meaningful share" },
    { usedTokens: 30_000, freedTokens: 4_999, isJustified: false, why: "the next layer frees more" },
    { usedTokens: 5_000, freedTokens: 0, isJustified: false, why: "it frees nothing" },
  ])("that free $freedTokens of $usedTokens: $isJustified, because $why", ({
    usedTokens,
    freedTokens,
    isJustified,
  }) => {
    const relevanceScore = { lowWaterTokens: 6_000, minFreedTokens: 5_000 };
    expect(meetsRewriteThreshold({ usedTokens, freedTokens }, relevanceScore)).toBe(isJustified);
  });

  it.each(
    usualFew([16_000, 32_000, 64_000, 200_000], 4),
  )("are far apart in a window of %d tokens, whatever the size of the results", (windowTokens) => {
    const effectiveTokens = windowTokens * 0.9;
    const resultTokens = fc.integer({ min: 20, max: Math.floor(effectiveTokens / 20) });
    fc.assert(
      fc.property(resultTokens, fc.constantFrom("Read", "mcp__db__query"), (tokens, tool) => {
        const { passes, addedTokens } = run({ windowTokens, effectiveTokens, resultTokens: tokens, tool });
        // A pass frees at least a quarter of the lower gate, and all freed tokens were added before.
        expect(passes * effectiveTokens * 0.15).toBeLessThanOrEqual(addedTokens);
      }),
      { numRuns: bySize({ usual: 4, long: 12 }) },
    );
  });
});

/** Adds results until the window is full in spite of both layers, or for long. */
function run({
  windowTokens,
  effectiveTokens,
  resultTokens,
  tool,
}: {
  readonly windowTokens: number;
  readonly effectiveTokens: number;
  readonly resultTokens: number;
  readonly tool: string;
}) {
  let visible: readonly VisibleMessage[] = [];
  let passes = 0;
  let addedTokens = 0;
  for (let seq = 1; seq < 400; seq += 2) {
    const id = `c${seq}`;
    const blocks = [
      call(id, tool, { path: id }),
      result(id, `${id}\n`.repeat(Math.ceil((resultTokens * 4) / (id.length + 1)))).content[0]!,
    ];
    const added = blocks.map(
      (block, index): VisibleMessage => ({
        seq: seq + index,
        role: index === 0 ? "assistant" : "user",
        origin: index === 0 ? "assistant" : "tool",
        at: 0,
        blocks: [{ index: 0, block, form: "original" }],
      }),
    );
    addedTokens += tokensOf(added);
    visible = [...visible, ...added];
    const usedTokens = tokensOf(visible);
    if (usedTokens > effectiveTokens * 0.9) break;
    const { edits } = planOldBlocks({
      visible,
      usedTokens,
      gates: { offloadTokens: effectiveTokens * 0.6, microcompactTokens: effectiveTokens * 0.8 },
      situation: { windowTokens, effectiveTokens, editSafety: "permissive", pendingCallIds: [] },
      measure,
      padding: 1,
      disabledLayers: new Set(),
      keptTools: [],
      seq: 1_000,
      at: 0,
    });
    if (edits.length > 0) passes++;
    for (const edit of edits) visible = applyEdit(visible, edit, 1_000);
  }
  return { passes, addedTokens };
}
