/**
 * The list of layers: each has a folder here with its `plan…` function, and a row below.
 *
 * The row holds what people read about the layer: the report, the chart and the page of `palimpsest replay`
 * and the list of sessions take their labels from this list and from nowhere else. To add a layer, add its
 * folder, its name to `LayerName`, a row, and a call in the planner.
 */

import type { LayerName } from "../../transcript/edits.ts";

export interface Layer {
  /** The `kind` of its edits in the log; never changes. */
  readonly name: LayerName;
  /** Says in one line what the layer does to the window. */
  readonly description: string;
  /** Stands under a call in the chart. Layers of one letter count together and share its name. */
  readonly mark: { readonly letter: string; readonly name: string };
  /** The SVG path that marks its edits on the page, drawn within 11 × 11 around the origin. Shapes differ, not colors only. */
  readonly shape: string;
  /** True if the layer leaves head and tail of a block in its place. */
  readonly leavesPreview?: boolean;
  /** True if the overview of sessions counts its edits as compactions. */
  readonly isCompaction?: boolean;
}

const COMPACTION_MARK = { letter: "x", name: "compaction" };
const OFFLOAD_MARK = { letter: "o", name: "offload" };

/** In the order of the report. In the chart, the mark of a later layer wins over that of an earlier one. */
export const LAYERS: readonly Layer[] = [
  {
    name: "offload",
    description: "large blocks moved out of the window, a preview and a pointer left",
    mark: OFFLOAD_MARK,
    shape: "M0,-4.5A4.5,4.5 0 1 1 0,4.5A4.5,4.5 0 1 1 0,-4.5Z",
    leavesPreview: true,
  },
  {
    name: "microcompact",
    description: "old tool results and arguments cleared, a brief left",
    mark: { letter: "m", name: "microcompact" },
    shape: "M0,-5.5L5.5,0L0,5.5L-5.5,0Z",
  },
  {
    name: "collapse",
    description: "old rounds shown as one line each",
    mark: { letter: "c", name: "collapse" },
    shape: "M-5.5,-2H5.5V2H-5.5Z",
  },
  {
    name: "extractive",
    description: "everything older told in nine sections, without a model",
    mark: COMPACTION_MARK,
    shape: "M-5.5,-4.5H5.5L0,5Z",
    isCompaction: true,
  },
  {
    name: "full",
    description: "everything older told by a model's summary",
    mark: COMPACTION_MARK,
    shape: "M-4.5,-4.5H4.5V4.5H-4.5Z",
    isCompaction: true,
  },
  {
    name: "session-memory",
    description: "everything older told by the session's notes",
    mark: COMPACTION_MARK,
    shape: "M-5.5,4.5H5.5L0,-5Z",
    isCompaction: true,
  },
  {
    name: "reactive",
    description: "made smaller after the provider refused",
    mark: COMPACTION_MARK,
    shape: "M-1.8,-5.5H1.8V-1.8H5.5V1.8H1.8V5.5H-1.8V1.8H-5.5V-1.8H-1.8Z",
    isCompaction: true,
  },
  {
    name: "peel",
    description: "the newest round itself cut to size",
    mark: OFFLOAD_MARK,
    shape: "M-5,0A5,5 0 0 1 5,0Z",
    leavesPreview: true,
    isCompaction: true,
  },
  {
    name: "provider-clear",
    description: "old results cleared, or everything older summarised, by the provider on its side",
    mark: { letter: "p", name: "provider" },
    shape: "M-5.5,0L0,-5.5L5.5,0L0,2Z",
  },
];

/** Returns the row of a layer; `undefined` for a layer of a later version. */
export function findLayer(name: string): Layer | undefined {
  return LAYERS.find((layer) => layer.name === name);
}
