/** Layers and edits in words and shapes. */
import { element } from "./elements.js";
import { formatBytes, formatCount, formatQuantity, formatTokens } from "./format.js";

/** Shapes differ as well as positions, so that none has to be told by its colour. */
export const LAYERS = {
  offload: {
    words: "large blocks moved out of the window, a preview and a pointer left",
    path: "M0,-4.5A4.5,4.5 0 1 1 0,4.5A4.5,4.5 0 1 1 0,-4.5Z",
  },
  microcompact: {
    words: "old tool results and arguments cleared, a brief left",
    path: "M0,-5.5L5.5,0L0,5.5L-5.5,0Z",
  },
  collapse: { words: "old rounds shown as one line each", path: "M-5.5,-2H5.5V2H-5.5Z" },
  extractive: {
    words: "everything older told in nine sections, without a model",
    path: "M-5.5,-4.5H5.5L0,5Z",
  },
  full: { words: "everything older told by a model's summary", path: "M-4.5,-4.5H4.5V4.5H-4.5Z" },
  "session-memory": { words: "everything older told by the session's notes", path: "M-5.5,4.5H5.5L0,-5Z" },
  reactive: {
    words: "made smaller after the provider refused",
    path: "M-1.8,-5.5H1.8V-1.8H5.5V1.8H1.8V5.5H-1.8V1.8H-5.5V-1.8H-1.8Z",
  },
  peel: { words: "the newest round itself cut to size", path: "M-5,0A5,5 0 0 1 5,0Z" },
  repair: {
    words: "mended what a provider would have refused",
    path: "M-5,-3L-3,-5L0,-2L3,-5L5,-3L2,0L5,3L3,5L0,2L-3,5L-5,3L-2,0Z",
  },
};

const KNOWN = Object.keys(LAYERS);

/** Layers that acted, in their own order, with the figures of their edits; layers of a later version at the end. */
export function activeLayers(edits) {
  const found = new Map();
  for (const { layer, freedTokens } of edits) {
    const sum = found.get(layer) ?? { name: layer, count: 0, freedTokens: 0 };
    sum.count++;
    sum.freedTokens += freedTokens;
    found.set(layer, sum);
  }
  const rank = (name) => (KNOWN.includes(name) ? KNOWN.indexOf(name) : KNOWN.length);
  return [...found.values()].sort((one, other) => rank(one.name) - rank(other.name));
}

export function layerOf(name) {
  return LAYERS[name] ?? { words: "", path: LAYERS.offload.path };
}

/** `extractive, threshold`: the layer and why it acted. */
export function editName({ layer, reason }) {
  return `${layer}, ${reason}`;
}

/** What an edit did, in a few words. */
export function editWords({ layer, blocks, bytes, subject, loss, seq }) {
  if (layer === "repair") return subject;
  if (bytes !== undefined)
    return `a block of ${formatBytes(bytes)} arrived (m${seq}): head, tail and pointer are shown`;
  const parts = [];
  if (loss !== undefined) parts.push(`${formatQuantity(loss.messages, "message")} hidden`);
  if (blocks !== undefined) parts.push(`${formatQuantity(blocks, "block")} shortened`);
  return parts.join(", ");
}

export function freedWords({ freedTokens }) {
  return freedTokens === 0 ? "" : `−${formatTokens(freedTokens)}`;
}

/** The loss report of an edit: what can no longer be read in the window, by kind. `most` names of each are shown. */
export function lossReport(loss, most) {
  const { messages, blocks, userMessages, files, commands, strings, more, recovery } = loss;
  const counts = [formatQuantity(messages, "message"), formatQuantity(blocks, "block")];
  if (userMessages > 0) counts.push(`${formatCount(userMessages)} of the user no longer verbatim`);
  const kinds = [
    ["files", files],
    ["commands", commands],
    ["strings", strings],
  ].filter(([, names]) => names.length > 0);
  const shown = kinds.map(([kind, names]) => [kind, names.slice(0, most)]);
  const rest = more + kinds.reduce((sum, [, names]) => sum + Math.max(0, names.length - most), 0);
  return element(
    "div",
    { class: "loss" },
    element("p", {}, `Out of sight: ${counts.join(", ")}.`),
    shown.map(([kind, names]) =>
      element(
        "p",
        {},
        element("b", {}, kind),
        names.map((name) => element("code", { dir: "auto" }, name)),
      ),
    ),
    rest > 0 && element("p", { class: "muted" }, `and ${formatCount(rest)} more`),
    element("p", { class: "muted" }, recovery),
  );
}
