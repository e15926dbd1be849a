/**
 * The pages of one `replay` run: each replayed session becomes a file, and a file that cannot be
 * written never stops the run.
 */

import type { LayerName } from "palimpsest/transcript";
import { describeError, type ErrorReport } from "../terminal/error-report.ts";
import { assemblePage, type PageCallCost, type PageEdit } from "./page/page-data.ts";
import { PageFiles, type PageParts } from "./page/page-files.ts";
import type { PageRecorder } from "./page/page-recorder.ts";
import { writePage } from "./page/write-page.ts";
import type { Replayed } from "./replay-session.ts";

interface PageOf {
  readonly done: Replayed;
  readonly recorder: PageRecorder;
  readonly title: string;
  /** Parts of this page's name that differ within the run. */
  readonly parts: PageParts;
}

type PageOutcome =
  | { readonly type: "written"; readonly path: string; readonly bytes: number }
  | { readonly type: "failed"; readonly error: ErrorReport };

export class ReplayPages {
  readonly #files: PageFiles;
  readonly #version: string;
  #failedCount = 0;

  /** @throws OptionError `OPTION_INVALID` where no page can be written at `path`. */
  constructor({ path, version }: { readonly path: string; readonly version: string }) {
    this.#files = new PageFiles(path);
    this.#version = version;
  }

  get failedCount(): number {
    return this.#failedCount;
  }

  write({ done, recorder, title, parts }: PageOf): PageOutcome {
    const { result: figures, budget } = done;
    try {
      const recorded = recorder.finish();
      const { calls } = done.costs;
      const costs = { calls, savedByLayer: savedByLayer(recorded.edits, calls) };
      const data = assemblePage({ title, version: this.#version, figures, budget, recorded, costs });
      const path = this.#files.next(parts);
      return { type: "written", path, bytes: writePage(path, data) };
    } catch (error) {
      this.#failedCount++;
      return { type: "failed", error: describeError(error) };
    }
  }
}

export function savedByLayer(
  edits: readonly PageEdit[],
  calls: readonly PageCallCost[],
): Readonly<Partial<Record<LayerName, number>>> {
  const saved = calls.reduce((sum, { cost, uncompactedCost = cost }) => sum + uncompactedCost - cost, 0);
  const spared = new Map<LayerName, number>();
  for (const { layer, freedTokens, call } of edits)
    if (layer !== "repair")
      spared.set(layer, (spared.get(layer) ?? 0) + Math.max(0, freedTokens) * (calls.length - call));
  const all = [...spared.values()].reduce((sum, tokens) => sum + tokens, 0);
  if (all === 0) return {};
  return Object.fromEntries(
    [...spared].map(([layer, tokens]) => [layer, Math.round((saved * tokens) / all)]),
  );
}
