/** The content that counts as read again after a recorded compaction, and the part of it that a rule covers. */

import type { ImportedItem, ImportedSession } from "palimpsest/formats";
import type { VisibleMessage } from "palimpsest/transcript";
import { describe, expect, it } from "vitest";
import { recordedBoundaries } from "#restoration/restore-boundaries.ts";
import {
  coverRestorations,
  evidenceRule,
  hindsightRule,
  lastTouchedRule,
} from "#restoration/restore-coverage.ts";
import { called, edited, read, resulted } from "../../../../test/helpers/restore-messages.ts";

const BUDGET = { filesCount: 1, fileTokens: 1_000, filesTokens: 1_000 };
const A = ["export const a = 1;", "export const b = 2;"];
const B = ["function other() {", "  return 7;", "}"];

function session(...items: readonly (readonly VisibleMessage[] | ImportedItem)[]): ImportedSession {
  const list = items.flatMap((item): readonly ImportedItem[] =>
    Array.isArray(item)
      ? (item as readonly VisibleMessage[]).map(({ role, origin, blocks }) => ({
          type: "message",
          message: { role, origin, content: blocks.map(({ block }) => block) },
        }))
      : [item as ImportedItem],
  );
  return { format: "claude-code", items: list, leftOut: [], skipped: [], repairs: [] };
}

const boundary = (summary: string, trigger: "auto" | "clear" = "auto"): ImportedItem => ({
  type: "boundary",
  trigger,
  summary,
});

/** a.ts is named, b.ts is the last one touched; then a.ts is read again. */
const recorded = session(
  read(1, "/p/a.ts", A),
  read(3, "/p/b.ts", B),
  boundary("Next: a.ts"),
  read(5, "/p/a.ts", A),
  read(7, "/p/unknown.ts", ["never seen before"]),
  edited(9, "/p/b.ts", "7", "8"),
);

describe("recordedBoundaries", () => {
  it("tells what was hidden, and which known files were read again", () => {
    const [found, ...more] = recordedBoundaries(recorded, "one");
    expect(more).toEqual([]);
    expect(found).toMatchObject({
      session: "one",
      number: 0,
      summary: "Next: a.ts",
      callsAfter: 3,
      knownCount: 2,
    });
    expect(found!.hidden.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(found!.needed.map(({ path, reads }) => [path, reads.map(({ lines }) => lines)])).toEqual([
      ["/p/a.ts", [A]],
    ]);
  });

  it("leaves out what only cleared, and a compaction that nothing followed", () => {
    const cleared = session(
      read(1, "/p/a.ts", A),
      boundary("", "clear"),
      read(3, "/p/a.ts", A),
      boundary("end"),
    );
    expect(recordedBoundaries(cleared, "one")).toEqual([]);
  });

  it("does not count a glimpse among other output as known, nor a failed reading as read again", () => {
    const glimpsed = session(
      [called(1, "Bash", { command: "head -3 /p/a.ts; head -3 /p/b.ts" }), resulted(2, "x\ny")],
      read(3, "/p/b.ts", B),
      boundary("s"),
      read(5, "/p/a.ts", A),
      [called(7, "Read", { file_path: "/p/b.ts" }), resulted(8, "denied", true)],
    );
    expect(recordedBoundaries(glimpsed, "one").map(({ knownCount, needed }) => [knownCount, needed])).toEqual(
      [[1, []]],
    );
  });
});

describe("coverRestorations", () => {
  const boundaries = recordedBoundaries(recorded, "one");

  it.each([
    { name: "by evidence", rule: evidenceRule(), covered: 1 },
    { name: "last touched", rule: lastTouchedRule, covered: 0 },
    { name: "hindsight", rule: hindsightRule, covered: 1 },
  ])("counts what one file put back covers: $name", ({ rule, covered }) => {
    const coverage = coverRestorations(boundaries, rule, BUDGET);
    expect(coverage).toMatchObject({ neededFiles: 1, coveredFiles: covered, restoredFiles: 1 });
    expect(coverage.coveredTokens).toBe(covered * coverage.neededTokens);
  });

  it("counts tokens by the lines that are the same", () => {
    const changed = session(
      read(1, "/p/a.ts", A),
      boundary("s"),
      read(3, "/p/a.ts", [A[0]!, "export const c = 3;"]),
    );
    const { coveredTokens, neededTokens } = coverRestorations(
      recordedBoundaries(changed, "one"),
      evidenceRule(),
      BUDGET,
    );
    expect(coveredTokens / neededTokens).toBe(0.5);
  });
});
