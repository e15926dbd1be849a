import { describe, expect, it } from "vitest";
import { StableBoundary } from "#session/window/prompt-cache-watch.ts";
import { assistant, call, result, TestLog, user } from "#test/helpers/histories.ts";
import type { Edit } from "#transcript/edits.ts";
import { Projection } from "#transcript/projection.ts";
import { assembleRequest } from "#transcript/request.ts";

/** Go. | Agent | result | Read c1 | result | Bash c2 | result: messages 0 … 6, entries 1 … 7. */
function aLog(): TestLog {
  const log = new TestLog();
  log.message(user("Go."));
  log.message(assistant("r1", call("c0", "Agent")));
  log.message(user(result("c0")));
  log.message(assistant("r2", call("c1", "Read")));
  log.message(user(result("c1")));
  log.message(assistant("r3", call("c2", "Bash")));
  log.message(user(result("c2")));
  return log;
}

function cleared(seq: number, id: string): Edit {
  const shown = result(id, "[Old tool result content cleared]");
  return {
    kind: "microcompact",
    reason: "usage",
    freedTokens: 1,
    effect: { forms: [{ seq, block: 0, shown }] },
  };
}

function find(boundary: StableBoundary, projection: Projection): number | undefined {
  return boundary.find(projection, assembleRequest(projection.visible, projection.callSeqs));
}

describe("StableBoundary", () => {
  it.each([
    { edits: [], kept: [], through: 2, why: "the first result that can be had again is that of c1" },
    { edits: [cleared(5, "c1")], kept: [], through: 4, why: "c1 has been cleared" },
    { edits: [cleared(5, "c1"), cleared(7, "c2")], kept: [], through: undefined, why: "nothing is left" },
    { edits: [], kept: ["read"], through: 4, why: "results of Read are kept" },
    { edits: [], kept: ["Read", "Bash"], through: undefined, why: "results of both are kept" },
  ])("ends at $through: $why", ({ edits, kept, through }) => {
    const log = aLog();
    for (const edit of edits) log.edit(edit);
    const projection = new Projection();
    for (const entry of log.entries) projection.apply(entry);
    expect(find(new StableBoundary({ keptTools: kept }), projection)).toBe(through);
  });

  it("is none where the conversation begins with what is cleared", () => {
    const log = new TestLog();
    log.message(assistant("r1", call("c1", "Read")));
    log.message(user(result("c1")));
    const projection = new Projection();
    for (const entry of log.entries) projection.apply(entry);
    expect(find(new StableBoundary({ keptTools: [] }), projection)).toBeUndefined();
  });

  it("is found as the conversation grows, stays, and moves on with an edit", () => {
    const log = aLog();
    const projection = new Projection();
    const boundary = new StableBoundary({ keptTools: [] });
    const seen = log.entries.map((entry) => {
      projection.apply(entry);
      return find(boundary, projection);
    });
    expect(seen).toEqual([undefined, undefined, undefined, undefined, 2, 2, 2]);
    projection.apply(log.edit(cleared(5, "c1")));
    expect(find(boundary, projection)).toBe(4);
  });
});
