/**
 * Undo of everything: whatever the layers did to a window, one after another and with messages in
 * between, taking it back gives the exact window, in any order, also after reopening the log.
 */
import fc from "fast-check";
import { expect, it } from "vitest";
import { anyHistory, type FoldedLog, foldHistory } from "#test/helpers/agent-histories.ts";
import { NOTHING, planners } from "#test/helpers/layer-planners.ts";
import { planCheckpoint, restoreCheckpoint } from "#transcript/checkpoint.ts";
import type { CheckpointEntry } from "#transcript/entries.ts";
import { type Projection, project } from "#transcript/projection.ts";
import { bySize } from "../../../../test/helpers/size-of-run.ts";

const RUNS = bySize({ usual: 5, long: 250, soak: 5_000 });

const layers = fc.array(fc.nat(planners.length - 1), { minLength: 1, maxLength: 5 });

/** Lets a layer act on the window as it is; the number of its edit, if it made one. */
function act(folded: FoldedLog, layer: number): number | undefined {
  const edit = planners[layer]!.plan(folded, folded.projection.visible, NOTHING);
  return edit === undefined ? undefined : folded.edit(edit);
}

/** Opens the log from a checkpoint written now: hidden messages are no longer known. */
function reopen(folded: FoldedLog): void {
  const { projection, log } = folded;
  const index = planCheckpoint(projection, (seq) => seq)!;
  const place = { type: "checkpoint", seq: projection.headSeq, id: "cp", v: 1, at: 0 } as const;
  const checkpoint: CheckpointEntry = { ...place, ...index };
  const named = checkpoint.runs.flatMap(({ from, to }) =>
    log.entries.filter(({ seq }) => seq >= from && seq <= to),
  );
  folded.projection = restoreCheckpoint(checkpoint, named);
}

/** The window of the log without some of its edits. */
const without = ({ log }: FoldedLog, edits: ReadonlySet<number>): Projection =>
  project(log.entries.filter(({ seq }) => !edits.has(seq)));

it("takes layers back one by one, the newest first, each to the exact window before it", () => {
  fc.assert(
    fc.property(anyHistory, layers, fc.boolean(), (steps, chosen, isReopened) => {
      const folded = foldHistory(steps);
      const before: { readonly editSeq: number; readonly visible: unknown }[] = [];
      for (const layer of chosen) {
        const visible = [...folded.projection.visible];
        const editSeq = act(folded, layer);
        if (editSeq !== undefined) before.push({ editSeq, visible });
      }
      if (isReopened) reopen(folded);
      for (const { editSeq, visible } of before.toReversed()) {
        folded.edit({ kind: "undo", editSeq });
        expect(folded.projection.visible).toEqual(visible);
      }
    }),
    { numRuns: RUNS },
  );
});

it("takes layers back in any order, with what was said in between, to the window without them", () => {
  fc.assert(
    fc.property(anyHistory, anyHistory, layers, fc.array(fc.nat(1_000)), (first, second, chosen, order) => {
      const folded = foldHistory(first);
      const edits: number[] = [];
      chosen.forEach((layer, index) => {
        edits.push(...[act(folded, layer) ?? []].flat());
        for (const step of second.slice(index * 3, index * 3 + 3)) folded.step(step);
      });
      const left = [...edits];
      for (let next = 0; left.length > 0; next++) {
        const [editSeq] = left.splice((order[next] ?? 0) % left.length, 1);
        folded.edit({ kind: "undo", editSeq: editSeq! });
        const undone = new Set(edits.filter((seq) => !left.includes(seq)));
        expect(folded.projection.visible).toEqual(without(folded, undone).visible);
      }
      if (order.length % 2 === 1) {
        const { visible } = folded.projection;
        reopen(folded);
        expect(folded.projection.visible).toEqual(visible);
      }
    }),
    { numRuns: RUNS },
  );
});
