/** The report of `palimpsest context`: a bar of the whole window, and a table of what is in it. */
import { type ContextCategory, type ContextUse, showOnOneLine } from "palimpsest/internal";
import { cutToColumns, wrapWords } from "../terminal/columns.ts";
import { formatBytes, formatCount, formatQuantity, formatShare, formatTokens } from "../terminal/figures.ts";
import type { Styles } from "../terminal/styles.ts";

/** Tools that are listed by name; the rest is one line. */
const TOOLS_SHOWN = 8;
const BAR_COLUMNS = 72;

/** The use of a stored session's window; `last-call` is the window that its last call was made to fit. */
export interface StoredContextUse extends Omit<ContextUse, "windowSource"> {
  readonly windowSource: ContextUse["windowSource"] | "last-call";
}

interface Look {
  readonly words: string;
  readonly color: keyof Styles;
  /** Distinct without colours, too. */
  readonly mark: string;
}

const LOOKS: Readonly<Record<ContextCategory, Look>> = {
  system: { words: "system prompt", color: "magenta", mark: "█" },
  tools: { words: "tool definitions", color: "magenta", mark: "▓" },
  instructions: { words: "instruction files", color: "blue", mark: "█" },
  memory: { words: "memories", color: "green", mark: "█" },
  notes: { words: "notes of the session", color: "green", mark: "▓" },
  summary: { words: "summary", color: "yellow", mark: "█" },
  restored: { words: "shown again after a compaction", color: "yellow", mark: "▓" },
  results: { words: "tool results", color: "cyan", mark: "█" },
  user: { words: "user", color: "red", mark: "█" },
  assistant: { words: "answers", color: "blue", mark: "▓" },
  calls: { words: "tool calls", color: "cyan", mark: "▓" },
  thinking: { words: "thinking", color: "red", mark: "▓" },
  other: { words: "reminders, pins, notices", color: "dim", mark: "█" },
};
const FREE = { words: "free", mark: "·" };
const RESERVE = { words: "reserve for summary and answer", mark: "░" };

/** Renders the bar and the table. */
export function renderContext(
  name: string,
  use: StoredContextUse,
  { columns, styles }: { readonly columns: number; readonly styles: Styles },
): readonly string[] {
  const { windowTokens, usedTokens, compactAtTokens, source } = use;
  const title = cutToColumns(`${name}  ${showOnOneLine(use.model)}`, columns);
  const rows = [
    ...use.shares.flatMap(({ category, tokens, blocks, parts = [] }) => {
      const { words, color, mark } = LOOKS[category];
      const count = blocks === 0 ? "" : `${formatCount(blocks)}×`;
      return [
        row(styles[color](mark), words, tokens, count),
        ...toolRows(parts).map((part) =>
          row(" ", `  ${part.name}`, part.tokens, `${formatCount(part.blocks)}×`),
        ),
      ];
    }),
    ...(use.providerClearedTokens === undefined
      ? []
      : [row(" ", "sent, cleared by the provider", use.providerClearedTokens, "")]),
    row(styles.dim(FREE.mark), FREE.words, use.freeTokens, ""),
    row(styles.dim(RESERVE.mark), RESERVE.words, use.reserveTokens, ""),
  ];
  return [
    styles.bold(title),
    barOf(use, Math.min(BAR_COLUMNS, columns), styles),
    ...wrapWords(
      "",
      `${formatTokens(usedTokens)} of ${formatTokens(windowTokens)} tokens (${formatShare(usedTokens / windowTokens)}, ${sourceWords(source)}); ${usedTokens < compactAtTokens ? `compaction starts at ${formatTokens(compactAtTokens)}` : `the next call compacts it: that starts at ${formatTokens(compactAtTokens)}`}`,
      columns,
    ),
    ...wrapWords(
      "",
      `${bodyWords(use.body)}. Size of the window: ${WINDOW_SOURCES[use.windowSource]}.`,
      columns,
    ),
    ...(use.lastCompaction === undefined
      ? []
      : wrapWords("", `Last ${use.lastCompaction.why.replaceAll("`", "")}.`, columns)),
    "",
    ...rows.map((cells) => cutRow(cells, columns, windowTokens)),
  ];
}

const SOURCES: ReadonlyMap<string, string> = new Map([
  ["reported", "as the provider reported it"],
  ["anchored", "the provider's last report and what came since"],
  ["estimate", "estimated"],
]);

/** The origin of a figure, in words. */
const sourceWords = (source: string): string =>
  SOURCES.get(source) ?? (source.startsWith("counter:") ? "counted by the provider" : source);

const WINDOW_SOURCES: Readonly<Record<StoredContextUse["windowSource"], string>> = {
  option: "set by an option",
  "last-call": "that of the last call",
  vendor: "from the vendor",
  learned: "from a refusal",
  catalogue: "from the catalogue",
  default: "a guess, the model is unknown",
};

/** The messages in bytes and media, which providers limit, too. */
function bodyWords({ bytes, images, documents }: ContextUse["body"]): string {
  const counts = [
    [images, "image"],
    [documents, "document"],
  ] as const;
  const media = counts.flatMap(([count, word]) => (count === 0 ? [] : [formatQuantity(count, word)]));
  return `Messages: ${[formatBytes(bytes), ...media].join(", ")}`;
}

type Row = readonly [mark: string, words: string, tokens: number, count: string];
const row = (...cells: Row): Row => cells;

function cutRow([mark, words, tokens, count]: Row, columns: number, windowTokens: number): string {
  const figures = `${formatTokens(tokens).padStart(8)} ${formatShare(tokens / windowTokens).padStart(6)} ${count.padStart(6)}`;
  const width = Math.max(12, Math.min(36, columns - figures.length - 3));
  return `${mark} ${cutToColumns(showOnOneLine(words), width).padEnd(width)} ${figures}`.trimEnd();
}

type Parts = NonNullable<ContextUse["shares"][number]["parts"]>;

function toolRows(parts: Parts): Parts {
  const shown = parts.slice(0, TOOLS_SHOWN);
  const rest = parts.slice(TOOLS_SHOWN);
  if (rest.length === 0) return shown;
  const sum = (of: "tokens" | "blocks"): number => rest.reduce((total, part) => total + part[of], 0);
  return [
    ...shown,
    { name: `${formatCount(rest.length)} more tools`, tokens: sum("tokens"), blocks: sum("blocks") },
  ];
}

/** Each category has its share of the columns, and at least one if there is anything in it and room for it. */
function barOf(use: StoredContextUse, columns: number, styles: Styles): string {
  const segments = [
    ...use.shares.map(({ category, tokens }) => ({ ...LOOKS[category], tokens })),
    { ...FREE, color: "dim" as const, tokens: use.freeTokens },
    { ...RESERVE, color: "dim" as const, tokens: use.reserveTokens },
  ].filter(({ tokens }) => tokens > 0);
  const total = segments.reduce((sum, { tokens }) => sum + tokens, 0);
  let end = 0;
  let drawn = 0;
  return segments
    .map(({ mark, color, tokens }, index) => {
      end += tokens;
      const left = segments.length - index - 1;
      const upTo = Math.min(columns - left, Math.max(drawn + 1, Math.round((columns * end) / total)));
      const width = Math.max(0, upTo - drawn);
      drawn += width;
      return styles[color](mark.repeat(width));
    })
    .join("");
}
