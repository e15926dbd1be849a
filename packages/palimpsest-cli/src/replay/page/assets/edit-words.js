/** Layers and edits in words and shapes. */
import { element } from "./elements.js";
import { formatBytes, formatCount, formatQuantity, formatTokens } from "./format.js";

/** Layers that acted, in their own order, with the figures of their edits; layers of a later version at the end. */
export function activeLayers({ edits, layers }) {
  const found = new Map();
  for (const { layer, freedTokens } of edits) {
    const sum = found.get(layer) ?? { name: layer, count: 0, freedTokens: 0 };
    sum.count++;
    sum.freedTokens += freedTokens;
    found.set(layer, sum);
  }
  const known = layers.map(({ name }) => name);
  const rank = (name) => (known.includes(name) ? known.indexOf(name) : known.length);
  return [...found.values()].sort((one, other) => rank(one.name) - rank(other.name));
}

/** Description and shape of a layer; an unknown layer of a later version is drawn like the first one. */
export function layerOf({ layers }, name) {
  return layers.find((layer) => layer.name === name) ?? { description: "", shape: layers[0].shape };
}

/** `extractive, threshold`: the layer and why it acted. */
export function editName({ layer, reason }) {
  return `${layer}, ${reason}`;
}

/** Describes an edit in a few words. */
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
