/** The top of the page: what was replayed, in which setting, and whether it held. */
import { element, fill } from "./elements.js";
import { formatCount, formatQuantity, formatRatio, formatShare, formatTokens } from "./format.js";

export function showHeadline({ title, figures, palimpsest, edits }) {
  const { source, window: replayed, calls, peakTokens } = figures;
  document.title = `${title} · palimpsest replay`;
  fill("title", title);
  fill(
    "setting",
    settingOf(figures).map(([name, value]) =>
      element("div", {}, element("dt", {}, name), element("dd", { dir: "auto" }, value)),
    ),
  );
  const sizes = `${formatQuantity(source.messages, "message")} and ${formatQuantity(source.toolCalls, "tool call")}`;
  const strong = (tokens) => element("b", {}, formatTokens(tokens));
  fill(
    "sentence",
    `${sizes} say `,
    strong(source.tokens),
    ` tokens. They pass through a window of `,
    strong(replayed.tokens),
    `, which never holds more than `,
    strong(peakTokens),
    `: ${formatQuantity(calls, "call")}, each as it would have been sent.`,
  );
  const compaction = edits.findLast(({ isCompaction }) => isCompaction);
  if (compaction !== undefined) fill("last-compaction", `Last ${compaction.reason.replaceAll("`", "")}.`);
  fill("figures", figuresOf(figures).map(tile));
  fill("version", palimpsest === "" ? "" : ` ${palimpsest}`);
}

function settingOf({ source, window: replayed, cost }) {
  const setting = [
    ["format", source.format],
    ["model", replayed.model],
    ["window", formatTokens(replayed.tokens)],
    ["policy", replayed.policy],
    ["tariff", nameOfTariff(replayed.tariff ?? cost?.tariff)],
    ["edit safety", replayed.editSafety],
  ];
  return setting.filter(([, value]) => value !== undefined && value !== "");
}

function nameOfTariff(tariff) {
  return typeof tariff === "object" && tariff !== null ? (tariff.name ?? tariff.id) : tariff;
}

/** `holds` is `undefined` if nothing is judged. */
function figuresOf({
  calls,
  peakTokens,
  overflows,
  fits,
  prompt,
  invariants,
  lossless,
  rebuild,
  survival,
  cost,
  window: replayed,
}) {
  const tiles = [
    {
      name: "largest request",
      value: formatTokens(peakTokens),
      words:
        overflows === 0
          ? `of ${formatTokens(replayed.tokens)}; ${formatQuantity(calls, "call")}, ${fitWords(fits, prompt)}`
          : `${formatCount(overflows)} of ${formatQuantity(calls, "call")} too large`,
      holds: fits,
    },
    {
      name: "lossless",
      value: formatShare(shareOf(lossless.recovered, lossless.blocks)),
      words: `${formatCount(lossless.recovered)} of ${formatQuantity(lossless.blocks, "block")} read back by pointer`,
      holds: lossless.recovered === lossless.blocks,
    },
    {
      name: "rebuilt",
      value: formatShare(shareOf(rebuild.checked - rebuild.different, rebuild.checked)),
      words: `${formatCount(rebuild.checked - rebuild.different)} of ${formatQuantity(rebuild.checked, "window")} identical from the log`,
      holds: rebuild.different === 0,
    },
    {
      name: "valid",
      value: formatShare(shareOf(invariants.checked - invariants.broken, invariants.checked)),
      words: `${formatQuantity(invariants.checked, "request")} judged, ${formatCount(invariants.broken)} refused`,
      holds: invariants.broken === 0,
    },
  ];
  if (survival !== undefined) tiles.push(survivalTile(survival));
  if (cost !== undefined)
    tiles.push({
      name: "input cost",
      value: formatRatio(cost.ratio),
      words: `of uncompacted: ${formatTokens(cost.inputTokenEquivalents)} of ${formatTokens(cost.uncompacted)} input-token-equivalents`,
    });
  return tiles;
}

/** The judgement of the largest request, and the system prompt and tools that it was made with. */
function fitWords(fits, { source, tokens }) {
  if (fits === undefined) return "not judged: the prompt is not recorded";
  const size = formatTokens(tokens);
  const words = { recorded: `a recorded prompt of ${size}`, fixed: `a given prompt of ${size}` };
  return `none too large with ${words[source] ?? `a billed prompt of about ${size}`}`;
}

/** Strings that were used long after they were last seen, and what the window still showed of them. */
function survivalTile({ farReferences, visible, reachable }) {
  const name = "still visible";
  if (farReferences === 0) return { name, value: "–", words: "nothing from far back was used again" };
  const words = `of ${formatQuantity(farReferences, "far reference")}; ${formatShare(reachable / farReferences)} reachable`;
  return { name, value: formatShare(visible / farReferences), words };
}

function shareOf(part, whole) {
  return whole === 0 ? 1 : part / whole;
}

function tile({ name, value, words, holds }) {
  const sign = holds === undefined ? undefined : holds ? "✓" : "✗";
  return element(
    "li",
    { class: "tile", "data-holds": holds === undefined ? undefined : String(holds) },
    element(
      "span",
      { class: "tile-name" },
      name,
      sign !== undefined && element("span", { class: "sign" }, sign),
    ),
    element("span", { class: "tile-value" }, value),
    element("span", { class: "tile-words" }, words),
  );
}
