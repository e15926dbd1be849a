/** The panel: what the model saw at the call under the cursor, and what had been done to it. */
import { diffWindows } from "./call-diff.js";
import { CallRows } from "./call-rows.js";
import { editName, editWords, freedWords, layerOf, lossReport } from "./edit-words.js";
import { byId, element, fill, shape } from "./elements.js";
import { formatChange, formatCount, formatQuantity, formatTokens } from "./format.js";

/** Names of each kind that a card shows of a loss report. */
const NAMES_SHOWN = 5;

export class CallPanel {
  #session;
  #rows;
  #list = byId("rows");

  constructor(session) {
    this.#session = session;
    this.#rows = new CallRows(session);
  }

  show(call) {
    const { calls, windowOf, editsOf, placeOf } = this.#session;
    const { seq, tokens, ratio, byCategory } = calls[call];
    const rows = diffWindows(call === 0 ? [] : windowOf(call - 1), windowOf(call), placeOf);
    // Of the first call everything is new, which says nothing.
    const shown = call === 0 ? rows.map((row) => ({ ...row, change: "same" })) : rows;
    const elements = this.#rows.of(shown, { ratio, fixedTokens: byCategory[0] });
    replaceRows(this.#list, elements);
    this.#list.dataset.call = String(seq);
    byId("no-change").hidden = shown.some(({ change }) => change !== "same");
    this.#scrollToChange(elements);
    const blocks = rows.filter(({ change }) => change !== "gone").length;
    fill("call-facts", `${formatQuantity(blocks, "block")}, ${formatCount(tokens)} tokens`);
    fill("changes", this.#changes(shown, ratio));
    fill(
      "call-edits",
      editsOf[call].map((edit) => editCard(this.#session, edit)),
    );
    byId("no-edits").hidden = editsOf[call].length > 0;
    fill("announce", `Call ${call + 1} of ${calls.length}, ${formatTokens(tokens)} tokens`);
  }

  #changes(rows, ratio) {
    const kinds = [
      ["new", "new"],
      ["reshaped", "changed"],
      ["gone", "left the window"],
    ];
    return kinds.map(([change, words]) => {
      const found = rows.filter((row) => row.change === change);
      const tokens = found.reduce((sum, row) => sum + this.#growth(row), 0) * ratio;
      return element(
        "div",
        { "data-change": change, class: found.length === 0 ? "none" : undefined },
        element("dt", {}, words),
        element("dd", {}, formatQuantity(found.length, "block")),
        element("dd", {}, found.length === 0 ? "" : formatChange(tokens)),
      );
    });
  }

  /** Tokens that a row adds to the request, in reference tokens. */
  #growth({ piece, change, was }) {
    const { pieces } = this.#session;
    if (change === "gone") return -pieces[piece].tokens;
    return pieces[piece].tokens - (was === undefined ? 0 : pieces[was].tokens);
  }

  /** The first row that changed comes into view, below what it follows. */
  #scrollToChange(elements) {
    const changed = elements.findIndex(({ dataset }) => dataset.change !== "same");
    this.#list.scrollTop = changed <= 0 ? 0 : elements[changed - 1].offsetTop;
  }
}

function editCard(session, edit) {
  const { layer, loss } = edit;
  return element(
    "div",
    { class: "edit" },
    element(
      "p",
      { class: "edit-name" },
      shape(layerOf(session, layer).shape),
      element("b", {}, editName(edit)),
      element("span", { class: "tokens" }, freedWords(edit)),
    ),
    loss === undefined ? element("p", {}, editWords(edit)) : lossReport(loss, NAMES_SHOWN),
  );
}

/** Makes `rows` the children of `list`, moving only what has to move. */
function replaceRows(list, rows) {
  const wanted = new Set(rows);
  for (const child of [...list.children]) if (!wanted.has(child)) child.remove();
  let next = list.firstElementChild;
  for (const row of rows) {
    if (row === next) next = next.nextElementSibling;
    else list.insertBefore(row, next);
  }
}
