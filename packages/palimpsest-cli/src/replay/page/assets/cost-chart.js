/**
 * The cost curve: what the requests cost so far, in input-token-equivalents, beside what they would
 * have cost with the whole conversation so far in them. A mark shows a miss of the prompt cache.
 */
import { callIn, listenToCalls } from "./call-cursor.js";
import { color } from "./colors.js";
import { element } from "./elements.js";
import { formatCount, formatTokens } from "./format.js";
import { axisOf, NARROW } from "./window-chart.js";

const COST_GUTTERS = { wide: { left: 92, right: 128 }, narrow: { left: 44, right: 12 } };

/** Sums up to each call; `undefined` where some call has no cost. */
export function sumsOf(calls, field) {
  if (calls.length === 0 || calls.some((call) => call[field] === undefined)) return undefined;
  let sum = 0;
  return calls.map((call) => {
    sum += call[field];
    return sum;
  });
}

export class CostChart {
  #holder;
  #session;
  #sums;
  #chart;
  #marker = element("div", { class: "marker thin" });
  #selected = 0;

  constructor({ holder, session, onPoint, onPick, onLeave }) {
    this.#holder = holder;
    this.#session = session;
    this.#sums = {
      here: sumsOf(session.calls, "cost"),
      uncompacted: sumsOf(session.calls, "uncompactedCost"),
    };
    if (!this.isShown) return;
    listenToCalls(holder, {
      callAt: (event) => callIn(this.#chart, session.calls.length, event),
      onPoint,
      onPick,
      onLeave,
    });
    this.draw();
    new ResizeObserver(() => {
      if (holder.clientWidth !== this.#chart.width) this.draw();
    }).observe(holder);
  }

  /** True if there is anything to show: not every replay simulates a cache. */
  get isShown() {
    return this.#sums.here !== undefined;
  }

  get missCount() {
    return this.#session.calls.filter(({ missedTokens }) => missedTokens > 0).length;
  }

  sumsAt(call) {
    return { here: this.#sums.here?.[call], uncompacted: this.#sums.uncompacted?.[call] };
  }

  draw() {
    if (!this.isShown) return;
    this.#chart?.destroy();
    const { width, height } = this.#holder.getBoundingClientRect();
    const { here, uncompacted } = this.#sums;
    const count = here.length;
    const top = Math.max(here.at(-1), uncompacted?.at(-1) ?? 0, 1) * 1.08;
    const isNarrow = this.#holder.clientWidth < NARROW;
    const gutter = isNarrow ? COST_GUTTERS.narrow : COST_GUTTERS.wide;
    const axis = axisOf();
    const line = (name, dash) => ({ stroke: color(name), width: 2, dash, points: { show: count < 3 } });
    this.#chart = new uPlot(
      {
        width,
        height,
        padding: [10, gutter.right, 0, 0],
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: false, range: [0.5, count + 0.5] }, y: { range: [0, top] } },
        axes: [
          {
            ...axis,
            size: 30,
            space: 70,
            values: (_, calls) => calls.map((call) => (Number.isInteger(call) ? formatCount(call) : "")),
          },
          { ...axis, size: gutter.left, values: (_, sums) => sums.map(formatTokens) },
        ],
        series: [{}, line("cost-uncompacted", [6, 4]), line("cost-here")],
        hooks: { draw: [(chart) => this.#drawMarks(chart, { isNarrow })] },
      },
      [here.map((_, index) => index + 1), uncompacted ?? here.map(() => null), here],
      this.#holder,
    );
    this.#chart.over.append(this.#marker);
  }

  select(call) {
    this.#selected = call;
    if (this.#chart === undefined) return;
    const width = this.#chart.over.clientWidth / this.#session.calls.length;
    this.#marker.style.transform = `translateX(${(call + 0.5) * width}px)`;
  }

  #drawMarks(chart, { isNarrow }) {
    const { ctx, bbox } = chart;
    const ratio = devicePixelRatio;
    const { here, uncompacted } = this.#sums;
    ctx.save();
    ctx.fillStyle = color("cost-miss");
    ctx.strokeStyle = color("surface");
    ctx.lineWidth = ratio;
    for (const [index, { missedTokens }] of this.#session.calls.entries()) {
      if (missedTokens === undefined || missedTokens <= 0) continue;
      const x = chart.valToPos(index + 1, "x", true);
      const y = chart.valToPos(here[index], "y", true);
      ctx.beginPath();
      ctx.arc(x, y, 4 * ratio, 0, Math.PI * 2);
      ctx.fill();
      ctx.stroke();
    }
    if (!isNarrow) {
      ctx.font = `${11 * ratio}px ${getComputedStyle(document.body).fontFamily}`;
      ctx.textBaseline = "middle";
      ctx.textAlign = "left";
      const x = bbox.left + bbox.width + 8 * ratio;
      const label = (words, sum, name, y) => {
        ctx.fillStyle = color(name);
        ctx.fillText(`${words} ${formatTokens(sum)}`, x, y);
      };
      const y = chart.valToPos(here.at(-1), "y", true);
      label("here", here.at(-1), "cost-here", y);
      if (uncompacted !== undefined)
        label(
          "uncompacted",
          uncompacted.at(-1),
          "cost-uncompacted",
          Math.min(chart.valToPos(uncompacted.at(-1), "y", true), y - 14 * ratio),
        );
    }
    ctx.restore();
    this.select(this.#selected);
  }
}
