/** The rows of the panel: one for each block that a request held, made once and used for every call. */
import { CATEGORIES } from "./colors.js";
import { element } from "./elements.js";
import { formatCount, formatTokens } from "./format.js";

/** Characters of a text on its row; the row cuts what does not fit. */
const LINE_CHARACTERS = 260;
/** Rows shown at each end of a run of rows that left the window; the others are folded. */
const GONE_SHOWN = 6;

/** Speakers with a style. Texts of the library itself are from `engine`. */
const SPEAKERS = new Set(["user", "assistant", "tool", "host"]);
const KINDS = {
  user: "text",
  assistant: "text",
  thinking: "thinking",
  calls: "call",
  results: "result",
  attachments: "note",
};

export class CallRows {
  #session;
  #known = new Map();

  constructor(session) {
    this.#session = session;
  }

  /** Elements for the rows of `diffWindows`, in order; `ratio` makes tokens of reference tokens. */
  of(rows, { ratio, fixedTokens }) {
    const used = new Map();
    const made = this.#fixedRow(fixedTokens);
    for (let at = 0; at < rows.length; ) {
      let end = at;
      while (end < rows.length && rows[end].change === "gone") end++;
      const foldFrom = at + GONE_SHOWN;
      const foldTo = end - GONE_SHOWN;
      if (foldTo - foldFrom > 1) {
        for (; at < foldFrom; at++) made.push(this.#row(rows[at], ratio, used));
        made.push(this.#folded(rows.slice(foldFrom, foldTo), ratio));
        at = foldTo;
      }
      for (end = Math.max(end, at + 1); at < end; at++) made.push(this.#row(rows[at], ratio, used));
    }
    return made;
  }

  #fixedRow(tokens) {
    const { system, tools } = this.#session.fixed;
    if (system === undefined && tools === undefined) return [];
    const row = this.#known.get("fixed") ?? this.#makeFixed({ system, tools });
    this.#known.set("fixed", row);
    row.show("same", tokens);
    return [row.element];
  }

  #makeFixed({ system, tools }) {
    const row = makeRow({
      category: "fixed",
      speaker: "system",
      kind: "prompt and tools",
      line: lineOf(system ?? tools),
      body: () => [
        system !== undefined && textElements(system),
        tools !== undefined && [
          element("p", { class: "about" }, "Tools, as they are declared:"),
          textElements(tools),
        ],
      ],
    });
    row.element.dataset.fixed = "";
    return row;
  }

  /** A block that occurs twice in a request gets a second row. */
  #row({ piece, change, was }, ratio, used) {
    const turn = (used.get(piece) ?? 0) + 1;
    used.set(piece, turn);
    // What a row says of its past belongs to one call only.
    const key = `${piece}.${turn}.${change === "reshaped" ? was : ""}`;
    const row = this.#known.get(key) ?? this.#makePiece(piece, was);
    this.#known.set(key, row);
    row.show(change, this.#session.pieces[piece].tokens * ratio);
    return row.element;
  }

  #makePiece(index, was) {
    const piece = this.#session.pieces[index];
    const { seq, role, origin, insertedBy } = this.#session.sourceOf(index);
    const category = CATEGORIES[piece.category].id;
    const before = was === undefined ? undefined : this.#session.pieces[was];
    const row = makeRow({
      category,
      speaker: SPEAKERS.has(origin) ? origin : "engine",
      kind: [kindOf(piece, category), piece.tool].filter((word) => word !== undefined).join(" "),
      line: lineOf(piece.text),
      form: piece.form,
      isError: piece.isError === true,
      body: () => [
        element("p", { class: "about" }, aboutOf(piece, { seq, role, insertedBy })),
        textElements(piece.text),
        before !== undefined && [
          element("p", { class: "about" }, "In the call before it was shown as:"),
          element("div", { class: "before" }, textElements(before.text)),
        ],
      ],
    });
    row.element.dataset.piece = String(index);
    return row;
  }

  #folded(rows, ratio) {
    const tokens = rows.reduce((sum, { piece }) => sum + this.#session.pieces[piece].tokens, 0) * ratio;
    const inside = element("div", {});
    const folded = element(
      "details",
      { class: "gone-run" },
      element(
        "summary",
        {},
        `${formatCount(rows.length)} more blocks left the window here`,
        element("span", { class: "tokens" }, `−${formatTokens(tokens)}`),
      ),
      inside,
    );
    folded.addEventListener("toggle", () => {
      if (folded.open && inside.childElementCount === 0)
        for (const { piece } of rows) inside.append(this.#goneRow(piece, ratio));
    });
    return folded;
  }

  #goneRow(piece, ratio) {
    const row = this.#makePiece(piece);
    row.show("gone", this.#session.pieces[piece].tokens * ratio);
    return row.element;
  }
}

function noteOf(change) {
  return { new: "new", reshaped: "changed", gone: "left" }[change] ?? "";
}

function kindOf({ form, type }, category) {
  if (category === "inserted") return form === "summary" ? "summary" : (type ?? "inserted");
  return category === "attachments" || category === "thinking" ? (type ?? KINDS[category]) : KINDS[category];
}

function aboutOf({ block, form, text, tokens, type }, { seq, role, insertedBy }) {
  const characters = typeof text === "string" ? text.length : text.characters;
  const where = insertedBy === undefined ? `m${seq}.${block}` : `inserted by edit ${insertedBy}`;
  const size = `${formatCount(characters)} characters, about ${formatCount(tokens)} reference tokens`;
  const words = [where, `role ${role}`, type, form === "original" ? "as it was said" : form, size];
  return words.filter((word) => word !== undefined).join(" · ");
}

function makeRow({ category, speaker, kind, line, form = "original", isError = false, body }) {
  const tokens = element("span", { class: "tokens" });
  const note = element("span", { class: "note" });
  const summary = element(
    "summary",
    {},
    element("span", { class: `bar c-${category}` }),
    element("span", { class: "speaker" }, speaker),
    element("span", { class: "kind", dir: "auto" }, kind),
    element("span", { class: "line", dir: "auto" }, line),
    element(
      "span",
      { class: "badges" },
      isError && element("span", { class: "badge error" }, "error"),
      form !== "original" && form !== kind && element("span", { class: "badge" }, form),
      note,
    ),
    tokens,
  );
  const inside = element("div", { class: "body" });
  const row = element("details", { class: "row" }, summary, inside);
  // The text is rendered when the row is opened.
  row.addEventListener("toggle", () => {
    if (!row.open || inside.childElementCount > 0) return;
    inside.append(
      ...body()
        .flat(2)
        .filter((child) => child !== undefined && child !== false),
    );
  });
  const shown = { change: "", tokens: "" };
  /** Most rows are the same as at the call before: only changes are drawn. */
  const show = (change, size) => {
    const words = formatCount(size);
    if (shown.tokens !== words) tokens.textContent = words;
    if (shown.change !== change) {
      row.dataset.change = change;
      note.textContent = noteOf(change);
    }
    Object.assign(shown, { change, tokens: words });
  };
  return { element: row, show };
}

function lineOf(text) {
  const start = typeof text === "string" ? text : text.head;
  return start
    .slice(0, LINE_CHARACTERS * 2)
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, LINE_CHARACTERS);
}

function textElements(text) {
  if (typeof text === "string")
    return text === ""
      ? [element("p", { class: "about" }, "nothing that can be read")]
      : [element("pre", { dir: "auto" }, text)];
  const left = text.characters - text.head.length - text.tail.length;
  return [
    element("pre", { dir: "auto" }, text.head),
    element(
      "p",
      { class: "cut" },
      `${formatCount(left)} of ${formatCount(text.characters)} characters are not in this page`,
    ),
    element("pre", { dir: "auto" }, text.tail),
  ];
}
