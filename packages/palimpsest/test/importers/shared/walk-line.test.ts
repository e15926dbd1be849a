/** The walk from the newest record to the root, over any tangle of links. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { walkLine } from "#importers/shared/walk-line.ts";

const tangle = fc.array(
  fc.record({
    id: fc.option(fc.integer({ min: 0, max: 8 }).map(String), { nil: undefined }),
    parentId: fc.option(fc.integer({ min: 0, max: 10 }).map(String), { nil: undefined }),
  }),
  { maxLength: 12 },
);

describe("the line of a tree", () => {
  it("always ends, begins at the leaf and reports every link that could not be followed", () => {
    fc.assert(
      fc.property(tangle, (nodes) => {
        const problems: number[] = [];
        const line = walkLine({
          nodes: nodes.map(({ id, parentId }) => ({
            id,
            parentId,
          })),
          leaf: nodes.length - 1,
          isStep: () => true,
          continuesBefore: () => false,
          report: (_, index) => problems.push(index),
        });
        expect(line.size).toBeLessThanOrEqual(nodes.length);
        if (nodes.length > 0) expect([...line][0]).toBe(nodes.length - 1);
        for (const index of problems) expect(line).toContain(index);
      }),
    );
  });

  it("follows parents written after their children", () => {
    const line = walkLine({
      nodes: [
        { id: "root" },
        { id: "c", parentId: "b" },
        { id: "b", parentId: "root" },
        { id: "d", parentId: "c" },
      ],
      leaf: 3,
      isStep: () => true,
      continuesBefore: () => false,
      report: () => expect.fail("no link is broken"),
    });
    expect([...line]).toEqual([3, 1, 2, 0]);
  });
});
