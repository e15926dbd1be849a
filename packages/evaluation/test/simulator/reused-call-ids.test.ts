/** Recordings in which every call has the same id: repaired in the simulator as the engine repairs them. */

import type { ContentBlock } from "palimpsest";
import { costPolicy } from "palimpsest/experimental";
import type { ImportedItem } from "palimpsest/formats";
import { trajectoryOf } from "palimpsest-testing/internal";
import { describe, expect, it } from "vitest";
import { managedPolicy } from "#simulator/managed-window.ts";
import { simulate } from "#simulator/simulate.ts";
import { aSetting } from "../../../../test/helpers/made-up-trajectories.ts";

const messageOf = (role: "user" | "assistant", ...content: readonly ContentBlock[]): ImportedItem => ({
  type: "message",
  message: { role, content },
});

/** A long explanation, thirty calls with tiny results, and one large answer that fills the window. */
function recording(idOf: (index: number) => string): readonly ImportedItem[] {
  const rounds = Array.from({ length: 30 }, (_, index): readonly ImportedItem[] => [
    messageOf("assistant", { type: "tool_use", id: idOf(index), name: "Read", input: {} }),
    messageOf("user", { type: "tool_result", tool_use_id: idOf(index), content: "ok" }),
  ]);
  const asked = messageOf("user", { type: "text", text: "Please explain, then read. ".repeat(500) });
  const explained = messageOf("assistant", { type: "text", text: "It is like this. ".repeat(400) });
  const again = messageOf("user", { type: "text", text: "Go on and finish it. ".repeat(60) });
  const answered = messageOf("assistant", { type: "text", text: "Done." });
  return [
    asked,
    explained,
    messageOf("user", { type: "text", text: "Read." }),
    ...rounds.flat(),
    again,
    answered,
  ];
}

/** Messages that are visible after each compaction, and the largest request. */
function replayed(idOf: (index: number) => string) {
  const session = { format: "claude-code", leftOut: [], repairs: [], skipped: [] } as const;
  const trajectory = trajectoryOf(
    { ...session, items: recording(idOf) },
    { name: "s", model: "claude-opus-4-5", fixedTokens: 500 },
  );
  const kept: number[] = [];
  const policy = managedPolicy({
    id: "faithful",
    name: "faithful",
    policy: costPolicy("faithful")!,
    editSafety: "permissive",
    arrival: "none",
    disabledLayers: ["offload", "microcompact", "collapse"],
    onEntry: (entry, { visible }) => {
      if (entry.type === "edit" && "isBoundary" in entry.edit && entry.edit.isBoundary === true)
        kept.push(visible.filter(({ blocks }) => blocks.length > 0).length);
    },
  });
  const { peakTokens, failedAt } = simulate(policy, aSetting(trajectory, { windowTokens: 8_000 }));
  return { kept, peakTokens, failedAt };
}

describe("a recording that reuses the ids of its calls", () => {
  it("keeps the same tail at a compaction as one with an id for each call", () => {
    const unique = replayed((index) => `call_${index}`);
    expect(unique.kept).toEqual([22]);
    expect(replayed(() => "REDACTED")).toEqual(unique);
  });
});
