/** The legend, which is also a table: what the request under the cursor is made of. */
import { CATEGORIES } from "./colors.js";
import { element } from "./elements.js";
import { formatCount, formatShare } from "./format.js";

/** Only what some request held; most on top, as in the picture. */
export function sizesTable(session) {
  const used = CATEGORIES.map((category, index) => ({ ...category, index })).filter(({ index }) =>
    session.calls.some(({ byCategory }) => byCategory[index] > 0),
  );
  const cells = new Map();
  const rows = used.toReversed().map(({ id, name, index }) => {
    const row = { tokens: element("td"), share: element("td") };
    cells.set(index, row);
    const swatch = element("span", { class: `swatch c-${id}` });
    return element("tr", {}, element("th", { scope: "row" }, swatch, name), row.tokens, row.share);
  });
  const total = element("td");
  const share = element("td", { colspan: "2" });
  const table = element(
    "table",
    { class: "sizes" },
    element("caption", { class: "hidden" }, "Tokens of the selected call by what they are for"),
    element("tbody", {}, rows),
    element(
      "tfoot",
      {},
      element("tr", {}, element("th", { scope: "row" }, "whole request"), total, element("td")),
      element("tr", {}, element("th", { scope: "row" }, "of the window"), share),
    ),
  );
  const show = ({ byCategory, tokens }) => {
    for (const [index, cell] of cells) {
      cell.tokens.textContent = formatCount(byCategory[index]);
      cell.share.textContent = formatShare(tokens === 0 ? 0 : byCategory[index] / tokens);
      cell.tokens.parentElement.classList.toggle("none", byCategory[index] === 0);
    }
    total.textContent = formatCount(tokens);
    share.textContent = formatShare(tokens / session.limits.windowTokens);
  };
  return { table, show };
}
