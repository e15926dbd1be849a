/** Table of the layers' effects, and a list of all edits. */
import { activeLayers, editName, editWords, freedWords, layerOf } from "./edit-words.js";
import { element, shape } from "./elements.js";
import { formatCount, formatQuantity, formatTokens } from "./format.js";

export function layerTable(session) {
  const { savedByLayer } = session;
  const layers = activeLayers(session);
  if (layers.length === 0)
    return element("p", { class: "empty" }, "No layer had to act: everything fits as it was said.");
  const most = Math.max(1, ...layers.map(({ freedTokens }) => freedTokens));
  const titles = [
    element("th", { scope: "col" }, "layer"),
    element("th", { scope: "col" }, "edits"),
    element("th", { scope: "col", class: "freed" }, "tokens freed"),
    savedByLayer !== undefined && element("th", { scope: "col" }, "input-token-equivalents saved"),
  ];
  return element(
    "table",
    { class: "layers" },
    element("thead", {}, element("tr", {}, titles)),
    element(
      "tbody",
      {},
      layers.map(({ name, count, freedTokens }) => {
        const saved = savedByLayer?.[name];
        const bar = element("span", { class: "freed-bar" });
        bar.style.width = `${(freedTokens / most) * 100}%`;
        return element(
          "tr",
          {},
          element(
            "th",
            { scope: "row" },
            shape(layerOf(session, name).shape),
            element("span", {}, name),
            element("span", { class: "layer-words" }, layerOf(session, name).description),
          ),
          element("td", {}, formatCount(count)),
          element(
            "td",
            { class: "freed" },
            element(
              "div",
              { class: "freed-cell" },
              element("span", { class: "freed-size" }, formatTokens(freedTokens)),
              element("span", { class: "freed-track" }, bar),
            ),
          ),
          savedByLayer !== undefined &&
            element(
              "td",
              { "data-narrow": "equivalents saved" },
              saved === undefined ? "" : formatTokens(saved),
            ),
        );
      }),
    ),
  );
}

/** Every edit; the rows are made when the list is opened. */
export function editList({ edits }, onPick) {
  const body = element("tbody", {});
  const list = element(
    "details",
    { class: "edit-list" },
    element("summary", {}, `${formatQuantity(edits.length, "edit")}, one by one`),
    element(
      "table",
      {},
      element(
        "thead",
        {},
        element(
          "tr",
          {},
          ["call", "layer, reason", "freed", "what"].map((title) => element("th", { scope: "col" }, title)),
        ),
      ),
      body,
    ),
  );
  list.addEventListener("toggle", () => {
    if (list.open && body.childElementCount === 0)
      for (const edit of edits) body.append(editRow(edit, onPick));
  });
  list.hidden = edits.length === 0;
  return list;
}

function editRow(edit, onPick) {
  const go = element(
    "button",
    { type: "button", on: { click: () => onPick(edit.call) } },
    formatCount(edit.call + 1),
  );
  return element(
    "tr",
    {},
    element("td", {}, go),
    element("td", {}, editName(edit)),
    element("td", {}, freedWords(edit)),
    element("td", { dir: "auto" }, editWords(edit)),
  );
}
