import { describe, expect, it } from "vitest";
import { planMicrocompactWhenCold } from "#compaction/layers/microcompact/microcompact-when-cold.ts";
import { microcompactPolicy } from "#compaction/planner/policies.ts";
import type { WindowSituation } from "#compaction/shared/window-state.ts";
import type { Message } from "#transcript/blocks.ts";
import type { LayerEdit } from "#transcript/edits.ts";
import type { VisibleMessage } from "#transcript/window.ts";
import { asWindow } from "../../../../../../test/helpers/recorded.ts";
import {
  applyEdit,
  assistant,
  brokenPairs,
  call,
  measure,
  result,
  tokensOf,
  user,
} from "../../../../../../test/helpers/windows.ts";

const NOW_MS = 1_800_000_000_000;
const situation: WindowSituation = {
  windowTokens: 200_000,
  effectiveTokens: 160_000,
  editSafety: "permissive",
  pendingCallIds: [],
};
const policy = { ...microcompactPolicy(situation, 100_000), cacheTtlMs: 300_000 };

/** Calls `t0`, `t1` … of `tool`, answered `idleMs` ago. */
function aWindow({
  idleMs = 300_001,
  count = 7,
  tool = "Read",
  input = {},
}: {
  readonly idleMs?: number;
  readonly count?: number;
  readonly tool?: string;
  readonly input?: Record<string, string>;
}): readonly VisibleMessage[] {
  const messages = Array.from({ length: count }, (_, index): readonly Message[] => [
    assistant(`r${index}`, call(`t${index}`, tool, { file_path: `src/${index}.ts`, ...input })),
    result(`t${index}`, `line ${index}\n`.repeat(400)),
  ]);
  return asWindow([user("go"), ...messages.flat()]).map((message) => ({ ...message, at: NOW_MS - idleMs }));
}

const plan = (visible: readonly VisibleMessage[], changes: Partial<typeof policy> = {}) =>
  planMicrocompactWhenCold({ visible, measure, nowMs: NOW_MS }, { ...policy, ...changes });

const clearedBy = (edit: LayerEdit | undefined): readonly string[] =>
  (edit?.effect.forms ?? []).map(({ shown }) =>
    shown?.type === "tool_result"
      ? shown.tool_use_id
      : shown?.type === "tool_use"
        ? `${shown.id}'s call`
        : "",
  );

describe("microcompact when cold", () => {
  it.each<{
    window: Parameters<typeof aWindow>[0];
    changes?: Partial<typeof policy>;
    cleared: readonly string[];
    why: string;
  }>([
    { window: { idleMs: 300_000 }, cleared: [], why: "still warm at exactly its lifetime" },
    { window: { idleMs: 300_001 }, cleared: ["t0", "t1"], why: "the cache has expired" },
    { window: { idleMs: -50 }, cleared: [], why: "a clock that went back says nothing of the cache" },
    {
      window: { idleMs: 300_001 },
      changes: { cacheTtlMs: 3_600_000 },
      cleared: [],
      why: "this provider keeps the prefix for an hour",
    },
    { window: { count: 5 }, cleared: [], why: "the newest five stay" },
    { window: { count: 0 }, cleared: [], why: "nothing was answered yet" },
    { window: { tool: "Agent" }, cleared: [], why: "an agent's result cannot be had again" },
    {
      window: { tool: "Write", input: { content: "a line of text\n".repeat(200) } },
      cleared: ["t0", "t1", "t0's call", "t1's call"],
      why: "large old arguments go with the results beside them",
    },
    {
      window: {},
      changes: { editSafety: "strict" },
      cleared: [],
      why: "a cold cache makes a rewrite cheap, not safe",
    },
    {
      window: {},
      changes: { pendingCallIds: ["t6"] },
      cleared: [],
      why: "a pending call is answered against what it saw",
    },
    { window: {}, changes: { clearableTools: new Set() }, cleared: [], why: "the host keeps these results" },
  ])("clears $cleared: $why", ({ window, changes, cleared }) => {
    expect(clearedBy(plan(aWindow(window), changes))).toEqual(cleared);
  });

  it("frees what it says and breaks no pair", () => {
    const window = aWindow({ count: 20 });
    const edit = plan(window)!;
    const after = applyEdit(window, edit, 99);
    expect(tokensOf(window) - tokensOf(after)).toBe(edit.freedTokens);
    expect(brokenPairs(after)).toEqual([]);
    expect(plan(after)).toBeUndefined();
  });
});
