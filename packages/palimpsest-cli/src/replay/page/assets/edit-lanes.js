/**
 * The lanes below the picture: one for each layer that acted, a shape for each edit under the call
 * that saw it first, larger if it freed more.
 */
import { color } from "./colors.js";
import { activeLayers, freedWords, layerOf } from "./edit-words.js";
import { formatCount } from "./format.js";

const LANE = 20;
/** Pointer distance at which an edit is meant, in pixels. */
const REACH = 9;

export class EditLanes {
  #canvas;
  #session;
  #layers;
  #plot;

  constructor(canvas, session) {
    this.#canvas = canvas;
    this.#session = session;
    this.#layers = activeLayers(session);
    canvas.style.height = `${this.#layers.length * LANE}px`;
    canvas.hidden = this.#layers.length === 0;
  }

  /** Draws below a picture whose plot begins at `left` and is `width` wide; `xOf` places a call in it. */
  draw(plot) {
    this.#plot = plot;
    const ratio = devicePixelRatio;
    const width = this.#canvas.clientWidth;
    const height = this.#layers.length * LANE;
    this.#canvas.width = Math.round(width * ratio);
    this.#canvas.height = Math.round(height * ratio);
    const context = this.#canvas.getContext("2d");
    context.scale(ratio, ratio);
    context.font = `11px ${getComputedStyle(document.body).fontFamily}`;
    context.textBaseline = "middle";
    for (const [index, layer] of this.#layers.entries()) this.#drawLane(context, layer, index);
  }

  #drawLane(context, layer, index) {
    const { name } = layer;
    const { left, width, hasNames } = this.#plot;
    const middle = index * LANE + LANE / 2;
    context.strokeStyle = color("line");
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(left, Math.round(middle) + 0.5);
    context.lineTo(left + width, Math.round(middle) + 0.5);
    context.stroke();
    context.fillStyle = color("muted");
    if (hasNames) {
      context.textAlign = "right";
      context.fillText(name, left - 10, middle);
      context.textAlign = "left";
      context.fillText(`×${formatCount(layer.count)}  ${freedWords(layer)}`, left + width + 14, middle);
    } else this.#drawShape(context, name, { x: left - 14, middle, scale: 0.9 });
    context.fillStyle = color("ink");
    const edits = this.#session.edits.filter((edit) => edit.layer === name);
    const most = edits.reduce((largest, { freedTokens }) => Math.max(largest, freedTokens), 1);
    for (const edit of edits) {
      const scale = 0.6 + 0.4 * Math.sqrt(Math.max(0, edit.freedTokens) / most);
      this.#drawShape(context, name, { x: this.#xOf(edit), middle, scale });
    }
  }

  #drawShape(context, name, { x, middle, scale }) {
    context.save();
    context.translate(x, middle);
    context.scale(scale, scale);
    context.fill(new Path2D(layerOf(this.#session, name).shape));
    context.restore();
  }

  #xOf(edit) {
    return this.#plot.left + this.#plot.xOf(Math.min(edit.call, this.#session.calls.length - 1));
  }

  /** The edits at a point of the canvas; those of one lane and one call. */
  editsAt(x, y) {
    const layer = this.#layers[Math.floor(y / LANE)];
    if (layer === undefined || this.#plot === undefined) return [];
    let nearest;
    for (const edit of this.#session.edits) {
      const distance = Math.abs(this.#xOf(edit) - x);
      if (edit.layer === layer.name && distance <= REACH && distance < (nearest?.distance ?? Infinity))
        nearest = { call: edit.call, distance };
    }
    if (nearest === undefined) return [];
    return this.#session.edits.filter(
      ({ layer: name, call }) => name === layer.name && call === nearest.call,
    );
  }

  /** The layers that have a lane, in the order of the lanes. */
  get layers() {
    return this.#layers;
  }
}
