/** The page: opens the session that it holds and keeps every part of it on one call. */
import { CallPanel } from "./call-panel.js";
import { sizesTable } from "./call-sizes.js";
import { CATEGORIES, onColorsChange } from "./colors.js";
import { CostChart } from "./cost-chart.js";
import { editName, editWords, freedWords, layerOf, lossReport } from "./edit-words.js";
import { byId, element, fill, shape } from "./elements.js";
import { formatCount, formatQuantity, formatTokens } from "./format.js";
import { showHeadline } from "./headline.js";
import { editList, layerTable } from "./layer-table.js";
import { openSession } from "./session-data.js";
import { hideTooltip, showTooltip } from "./tooltip.js";
import { WindowChart } from "./window-chart.js";

/** Names of each kind that the tooltip shows of a loss report, and its edits. */
const TOOLTIP_NAMES = 4;
const TOOLTIP_EDITS = 3;
/** Calls that Shift and an arrow go at once. */
const STRIDE = 10;

const session = openSession(JSON.parse(byId("data").textContent));
const last = session.calls.length - 1;
let selected = 0;

showHeadline(session);
fill("layers", layerTable(session), editList(session, select));
if (session.notes !== undefined) showNotes(session.notes);
if (last < 0) document.body.classList.add("no-calls");
else start();
document.body.classList.add("ready");

function showNotes({ text, tokens }) {
  fill("notes-size", `about ${formatTokens(tokens)} tokens`);
  byId("notes").textContent = text;
  byId("noted").hidden = false;
}

function start() {
  const panel = new CallPanel(session);
  const sizes = sizesTable(session);
  fill("call-sizes", sizes.table);
  const chart = new WindowChart({
    holder: byId("window-chart"),
    lanes: byId("edit-lanes"),
    session,
    onPoint: (event, at) => showTooltip(event, callWords(at)),
    onPick: select,
    onLeave: hideTooltip,
    onDraw: (drawn) => fill("legend", legendOf(drawn)),
  });
  const cost = startCost();
  select.parts = (call) => {
    chart.select(call);
    cost.select(call);
    sizes.show(session.calls[call]);
    panel.show(call);
    byId("call-number").value = String(call + 1);
    describeCursor(call);
  };
  onColorsChange(() => {
    chart.draw();
    cost.draw();
  });
  listen();
  fill("calls-count", `of ${formatCount(session.calls.length)}`);
  byId("call-number").max = String(session.calls.length);
  select(callOfAddress() ?? firstVisibleIndex());
}

function startCost() {
  const cost = new CostChart({
    holder: byId("cost-chart"),
    session,
    onPoint: (event, call) => showTooltip(event, costWords(cost, call)),
    onPick: select,
    onLeave: hideTooltip,
  });
  byId("cost-chart").hidden = !cost.isShown;
  byId("cost-lead").hidden = !cost.isShown;
  byId("no-cost").hidden = cost.isShown;
  byId("misses").hidden = cost.missCount === 0;
  fill("miss-count", formatQuantity(cost.missCount, "call"));
  byId("uncompacted-key").hidden = cost.sumsAt(0).uncompacted === undefined;
  return cost;
}

/** Selects a call; all views of it follow. */
function select(call) {
  selected = Math.max(0, Math.min(last, call));
  select.parts(selected);
}

/** The call that the address names, such as `#call=47`. */
function callOfAddress() {
  const named = /^#call=(\d{1,9})$/.exec(location.hash)?.[1];
  return named === undefined ? undefined : Number(named) - 1;
}

/** The last call that saw the window made smaller, else the last. */
function firstVisibleIndex() {
  return session.edits.findLast(({ loss }) => loss !== undefined)?.call ?? last;
}

function describeCursor(call) {
  const { tokens } = session.calls[call];
  const cursor = byId("window-chart");
  cursor.setAttribute("aria-valuemax", String(session.calls.length));
  cursor.setAttribute("aria-valuenow", String(call + 1));
  cursor.setAttribute("aria-valuetext", `call ${call + 1}, ${formatTokens(tokens)} tokens`);
}

function listen() {
  const steps = {
    "to-previous": () => selected - 1,
    "to-next": () => selected + 1,
    "to-previous-edit": () => editBeside(-1),
    "to-next-edit": () => editBeside(1),
  };
  for (const [id, step] of Object.entries(steps)) byId(id).addEventListener("click", () => select(step()));
  byId("call-number").addEventListener("change", (event) => {
    const asked = Number(event.target.value);
    select(Number.isInteger(asked) ? asked - 1 : selected);
  });
  byId("only-changes").addEventListener("change", (event) => {
    byId("rows").classList.toggle("only-changes", event.target.checked);
    select(selected);
  });
  document.addEventListener("keydown", (event) => {
    const call = callOfKey(event);
    if (call === undefined || event.target.closest("input, textarea, select") !== null) return;
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    hideTooltip();
    select(call);
  });
  addEventListener("hashchange", () => select(callOfAddress() ?? selected));
}

function callOfKey({ key, shiftKey, target }) {
  const stride = shiftKey ? STRIDE : 1;
  if (key === "ArrowLeft") return selected - stride;
  if (key === "ArrowRight") return selected + stride;
  if (key === "[") return editBeside(-1);
  if (key === "]") return editBeside(1);
  // Elsewhere these keys scroll.
  if (target !== byId("window-chart")) return undefined;
  return { Home: 0, End: last, PageUp: editBeside(-1), PageDown: editBeside(1) }[key];
}

/** The nearest call with an edit before or after the cursor; the cursor's own if there is none. */
function editBeside(direction) {
  for (let call = selected + direction; call >= 0 && call <= last; call += direction)
    if (session.editsOf[call].length > 0) return call;
  return selected;
}

function legendOf(chart) {
  const limits = chart.unnamedLimits.map(({ name, tokens, id }) =>
    element("li", {}, element("span", { class: `rule ${id}` }), `${name} ${formatTokens(tokens)}`),
  );
  const layers = chart.unnamedLayers.map(({ name, count }) =>
    element(
      "li",
      { class: "layer-key" },
      shape(layerOf(session, name).shape),
      `${name} ×${formatCount(count)}`,
    ),
  );
  return [...layers, ...limits];
}

/** The tooltip of a call. */
function callWords({ call, edits, isEdit = false }) {
  const { tokens, byCategory } = session.calls[call];
  const sizes = CATEGORIES.map(({ id, name }, index) => ({ id, name, tokens: byCategory[index] }))
    .filter((size) => size.tokens > 0)
    .toReversed();
  const table = element(
    "table",
    {},
    sizes.map((size) =>
      element(
        "tr",
        {},
        element("th", {}, element("span", { class: `swatch c-${size.id}` }), size.name),
        element("td", {}, formatTokens(size.tokens)),
      ),
    ),
  );
  const more = edits.length - TOOLTIP_EDITS;
  return [
    element(
      "p",
      { class: "tip-title" },
      `call ${formatCount(call + 1)}`,
      element("b", {}, formatTokens(tokens)),
    ),
    isEdit ? "" : table,
    ...edits.slice(0, TOOLTIP_EDITS).map(tipEdit),
    more > 0 ? element("p", { class: "muted" }, `and ${formatCount(more)} more edits`) : "",
  ];
}

function tipEdit(edit) {
  return element(
    "div",
    { class: "tip-edit" },
    element(
      "p",
      { class: "edit-name" },
      shape(layerOf(session, edit.layer).shape),
      element("b", {}, editName(edit)),
      element("span", {}, freedWords(edit)),
    ),
    edit.loss === undefined ? element("p", {}, editWords(edit)) : lossReport(edit.loss, TOOLTIP_NAMES),
  );
}

function costWords(cost, call) {
  const { here, uncompacted } = cost.sumsAt(call);
  const { missedTokens } = session.calls[call];
  return [
    element("p", { class: "tip-title" }, `up to call ${formatCount(call + 1)}`),
    element("p", {}, `here ${formatTokens(here)}`),
    uncompacted === undefined ? "" : element("p", {}, `uncompacted ${formatTokens(uncompacted)}`),
    missedTokens > 0
      ? element("p", {}, `cache missed: ${formatTokens(missedTokens)} tokens written again`)
      : "",
  ];
}
