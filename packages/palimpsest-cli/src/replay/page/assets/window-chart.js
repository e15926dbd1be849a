/**
 * The picture: what each request was made of, with the window's limits, the edits below it and a
 * cursor on one call.
 */
import { callIn, listenToCalls } from "./call-cursor.js";
import { CATEGORIES, color } from "./colors.js";
import { EditLanes } from "./edit-lanes.js";
import { element } from "./elements.js";
import { formatCount, formatTokens } from "./format.js";

/** Narrower than this, in pixels, names are in legends, not beside the lines they name. */
export const NARROW = 640;
const GUTTERS = { wide: { left: 92, right: 128 }, narrow: { left: 44, right: 12 } };
/** A window that is filled to less than this share is drawn larger, without its limits. */
const FULL_SCALE_SHARE = 0.4;
const LABEL_HEIGHT = 14;
/** Columns of so many pixels have a gap between their parts; in narrower ones it would hide the thin parts. */
const GAP_COLUMN = 8;

export class WindowChart {
  #holder;
  #session;
  #chart;
  #lanes;
  #marker = element("div", { class: "marker" });
  #onDraw;
  #selected = 0;

  constructor({ holder, lanes, session, onPoint, onPick, onLeave, onDraw }) {
    this.#holder = holder;
    this.#session = session;
    this.#onDraw = onDraw;
    this.#lanes = new EditLanes(lanes, session);
    listenToCalls(holder, {
      callAt: (event) => this.#callAt(event),
      onPoint: (event, call) => onPoint(event, { call, edits: session.editsOf[call] }),
      onPick,
      onLeave,
    });
    this.#listenToLanes(lanes, { onPoint, onPick, onLeave });
    this.draw();
    new ResizeObserver(() => this.#resize()).observe(holder);
  }

  /** Layers that the lanes only have shapes for. */
  get unnamedLayers() {
    return this.#isNarrow ? this.#lanes.layers : [];
  }

  /** Names of the limits that the picture itself does not name. */
  get unnamedLimits() {
    const top = topOf(this.#session);
    return limitsOf(this.#session).filter(({ tokens }) => this.#isNarrow || tokens >= top);
  }

  /** Draws everything: the first time, and after a change of colours. */
  draw() {
    this.#chart?.destroy();
    const { width, height } = this.#holder.getBoundingClientRect();
    this.#chart = new uPlot(this.#options({ width, height }), stackOf(this.#session), this.#holder);
    this.#chart.over.append(this.#marker);
  }

  /** Puts the cursor on a call. */
  select(call) {
    this.#selected = call;
    const width = this.#chart.over.clientWidth / this.#session.calls.length;
    this.#marker.style.transform = `translateX(${call * width}px)`;
    this.#marker.style.width = `${Math.max(2, width)}px`;
    this.#marker.classList.toggle("narrow", width < 5);
  }

  get #isNarrow() {
    return this.#holder.clientWidth < NARROW;
  }

  #options({ width, height }) {
    const gutter = this.#isNarrow ? GUTTERS.narrow : GUTTERS.wide;
    const count = this.#session.calls.length;
    const axis = axisOf();
    return {
      width,
      height,
      padding: [10, gutter.right, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { time: false, range: [0.5, count + 0.5] },
        y: { range: [0, topOf(this.#session)] },
      },
      axes: [
        { ...axis, size: 30, space: 70, incrs: WHOLE_STEPS, values: (_, calls) => calls.map(formatCount) },
        { ...axis, size: gutter.left, values: (_, sizes) => sizes.map(formatTokens) },
      ],
      series: [{}, ...layersOfStack({ hasGaps: width / count >= GAP_COLUMN })],
      hooks: { draw: [() => this.#drawAround()] },
    };
  }

  /** Draws labels on the picture and below it, once its size is known. */
  #drawAround() {
    this.#drawLimits(this.#chart);
    this.#drawLanes();
    this.select(this.#selected);
    this.#onDraw(this);
  }

  #drawLimits(chart) {
    const { ctx, bbox } = chart;
    const ratio = devicePixelRatio;
    const top = topOf(this.#session);
    const lines = limitsOf(this.#session)
      .filter(({ tokens }) => tokens < top)
      .map((limit) => ({ ...limit, y: Math.floor(chart.valToPos(limit.tokens, "y", true)) + 0.5 }));
    ctx.save();
    // Odd, so that a line fills whole pixels.
    ctx.lineWidth = 2 * Math.floor(ratio / 2) + 1;
    for (const { y, id } of lines) {
      ctx.strokeStyle = color(id);
      ctx.setLineDash(
        id === "blocking" ? [] : id === "compact" ? [6 * ratio, 3 * ratio] : [2 * ratio, 3 * ratio],
      );
      ctx.beginPath();
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
      ctx.stroke();
    }
    if (!this.#isNarrow) drawLabels(ctx, lines, { x: bbox.left + bbox.width, ratio });
    ctx.restore();
  }

  #drawLanes() {
    const { bbox } = this.#chart;
    const ratio = devicePixelRatio;
    this.#lanes.draw({
      left: bbox.left / ratio,
      width: bbox.width / ratio,
      xOf: (call) => (bbox.width / ratio / this.#session.calls.length) * (call + 0.5),
      hasNames: !this.#isNarrow,
    });
  }

  #resize() {
    const { width, height } = this.#holder.getBoundingClientRect();
    if (width === 0 || (width === this.#chart.width && height === this.#chart.height)) return;
    // The gutters belong to the width.
    this.draw();
  }

  #callAt(event) {
    return callIn(this.#chart, this.#session.calls.length, event);
  }

  #listenToLanes(target, { onPoint, onPick, onLeave }) {
    const editsAt = (event) => {
      const { left, top } = target.getBoundingClientRect();
      return this.#lanes.editsAt(event.clientX - left, event.clientY - top);
    };
    target.addEventListener("pointerdown", (event) => {
      const [edit] = editsAt(event);
      onPick(edit?.call ?? this.#callAt(event));
    });
    target.addEventListener("pointermove", (event) => {
      const edits = editsAt(event);
      target.style.cursor = edits.length > 0 ? "pointer" : "";
      if (event.pointerType !== "mouse") return;
      if (edits.length > 0) onPoint(event, { call: edits[0].call, edits, isEdit: true });
      else onLeave();
    });
    target.addEventListener("pointerleave", onLeave);
  }
}

/** Calls are whole. */
const WHOLE_STEPS = [1, 2, 5]
  .flatMap((step) => [step, step * 10, step * 100, step * 1e3, step * 1e4, step * 1e5])
  .sort((one, other) => one - other);

export function axisOf() {
  return {
    stroke: color("muted"),
    font: `11px ${getComputedStyle(document.body).fontFamily}`,
    grid: { stroke: color("grid"), width: 1 },
    ticks: { stroke: color("grid"), width: 1, size: 5 },
  };
}

function limitsOf({ limits }) {
  return [
    { id: "blocking", name: "limit", tokens: limits.blockingTokens },
    { id: "compact", name: "auto-compact", tokens: limits.autoCompactTokens },
    { id: "warning", name: "warning", tokens: limits.warningTokens },
  ];
}

/** The whole window, or less where the session fills only a small part of it. */
function topOf({ calls, limits }) {
  const peak = calls.reduce((most, { tokens }) => Math.max(most, tokens), 1);
  return peak >= limits.windowTokens * FULL_SCALE_SHARE ? Math.max(limits.windowTokens, peak) : peak * 1.15;
}

/** Columns from half a call before to half a call after: the last value occurs twice to end the last one. */
function stackOf({ calls }) {
  const heights = CATEGORIES.map(() => new Array(calls.length + 1).fill(0));
  for (const [index, { byCategory }] of calls.entries()) {
    let height = 0;
    for (const [category, tokens] of byCategory.entries()) {
      height += tokens;
      heights[category][index] = height;
    }
  }
  for (const column of heights) column[calls.length] = column[calls.length - 1] ?? 0;
  const places = Array.from({ length: calls.length + 1 }, (_, index) => index + 0.5);
  return [places, ...heights.toReversed()];
}

/** The tallest first: each is painted over by those it is the sum of. */
function layersOfStack({ hasGaps }) {
  const paths = uPlot.paths.stepped({ align: 1 });
  return CATEGORIES.toReversed().map(({ id }) => ({
    fill: color(`c-${id}`),
    stroke: color("surface"),
    width: hasGaps ? 0.6 : 0,
    paths,
    points: { show: false },
  }));
}

/** Names at the ends of the lines, moved apart so that they do not cover each other; highest first. */
function drawLabels(ctx, lines, { x, ratio }) {
  const least = LABEL_HEIGHT * ratio;
  ctx.font = `${11 * ratio}px ${getComputedStyle(document.body).fontFamily}`;
  ctx.textBaseline = "middle";
  ctx.textAlign = "left";
  ctx.setLineDash([]);
  let above = Number.NEGATIVE_INFINITY;
  for (const { name, tokens, id, y } of lines) {
    const labelY = Math.max(y, above + least);
    above = labelY;
    ctx.strokeStyle = color(id);
    ctx.lineWidth = ratio;
    ctx.beginPath();
    ctx.moveTo(x + 2 * ratio, y);
    ctx.lineTo(x + 10 * ratio, labelY);
    ctx.stroke();
    ctx.fillStyle = color("muted");
    ctx.fillText(`${name} ${formatTokens(tokens)}`, x + 14 * ratio, labelY);
  }
}
