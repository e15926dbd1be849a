/** A layer is known to the report, the chart, the page and the overview of sessions by its row of the registry alone. */
import { LAYERS, type Layer } from "palimpsest/internal";
import { planBudget } from "palimpsest/tokens";
import type { Edit, LayerEdit, LayerName } from "palimpsest/transcript";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SessionTrack } from "#replay/measure/session-track.ts";
import { WireJudge } from "#replay/measure/wire-judge.ts";
import { assemblePage } from "#replay/page/page-data.ts";
import { PageRecorder } from "#replay/page/page-recorder.ts";
import { renderPage } from "#replay/page/write-page.ts";
import { layerLines } from "#replay/report/session-report.ts";
import { renderWindowChart } from "#replay/report/window-chart.ts";
import { Survey } from "#stored-sessions/survey-log.ts";
import { createStyles } from "#terminal/styles.ts";
import { aReplayed } from "./measure/sample-session.ts";

const ROW: Layer = {
  name: "paraphrase" as LayerName,
  description: "old answers said in fewer words",
  mark: { letter: "p", name: "paraphrase" },
  shape: "M0,0H1Z",
  isCompaction: true,
};
const edit: LayerEdit = { kind: ROW.name, effect: {}, reason: "usage", freedTokens: 1_200 };
const event = { type: "layer", seq: 7, layer: ROW.name, edit, why: "it was time" } as const;
const styles = createStyles({ isColored: false });

beforeEach(() => {
  (LAYERS as Layer[]).push(ROW);
});
afterEach(() => {
  (LAYERS as Layer[]).pop();
});

function trackedLayers() {
  const track = new SessionTrack(new WireJudge({ hasAnthropicTools: false }));
  track.onEvent(event);
  return track.layers;
}

describe("a layer that is only added to the registry", () => {
  it("is counted and named in the report", () => {
    const result = aReplayed({ layers: trackedLayers() });
    expect(layerLines(result, { columns: 100, styles })).toEqual([
      "  paraphrase  1×  −1.2K  old answers said in fewer words",
      "                         1× layer's threshold",
      "",
    ]);
  });

  it("has its letter and its name in the chart, and wins over the layers before it", () => {
    const chart = { calls: [{ tokens: 9_000, marks: ["x", "p"] }], windowTokens: 64_000, thresholds: [] };
    const lines = renderWindowChart(chart, { columns: 70, styles });
    expect(lines.at(-3)).toBe("        p");
    expect(lines.at(-1)).toBe("        x compaction ×1   p paraphrase ×1");
  });

  it("has its lane, its words and its shape on the page", () => {
    const page = new PageRecorder();
    page.onEvent(event);
    const data = assemblePage({
      title: "A session",
      version: "1.2.3",
      figures: aReplayed({ layers: trackedLayers() }),
      budget: planBudget({ windowTokens: 64_000 }),
      recorded: page.finish(),
    });
    expect(data.edits.map(({ layer }) => layer)).toEqual(["paraphrase"]);
    expect(data.layers.at(-2)).toEqual({
      name: "paraphrase",
      description: "old answers said in fewer words",
      shape: "M0,0H1Z",
    });
    expect(renderPage(data)).toContain("old answers said in fewer words");
  });

  it("counts as a compaction in the overview of sessions", () => {
    const survey = new Survey({ isEstimating: false });
    const entry = { type: "edit", seq: 7, at: 0, edit: edit as Edit } as const;
    survey.add({ entries: [{ entry }], damage: [] } as unknown as Parameters<Survey["add"]>[0]);
    expect(survey.compactions).toBe(1);
  });
});

it("lists every layer name of the log, in the order of the report", () => {
  expect(LAYERS.slice(0, -1).map(({ name }) => name)).toEqual([
    "offload",
    "microcompact",
    "collapse",
    "extractive",
    "full",
    "session-memory",
    "reactive",
    "peel",
    "provider-clear",
  ]);
});
