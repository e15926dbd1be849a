/** Draws items of the screen as lines of at most a width, in colours or without. */
import { cutToColumns } from "../../terminal/columns.ts";
import type { Styles } from "../../terminal/styles.ts";
import { safeText } from "../base/safe-text.ts";
import type { ChatView, ViewItem } from "./chat-view.ts";
import { isDrawable } from "./drawable-markdown.ts";
import type { Tone } from "./event-words.ts";
import { type Layout, wrapLine } from "./layout.ts";
import { Markdown, type MarkdownTheme, truncateToWidth, visibleWidth } from "./pi-tui.ts";

/** Narrower terminals are drawn as if they had so many columns. */
const LEAST_COLUMNS = 12;
/** Lines of a message of the user that are shown. */
const USER_LINES = 20;
const USER_CHARACTERS = 4_000;
/** Lines of thinking that are shown once it is over. */
const THINKING_LINES = 3;
/** Lines of a text that streams. More scrolled away already, or is drawn when it is final. */
const TAIL_LINES = 200;

/** Colours come from the terminal's own palette, so that they can be read on dark and on light ground. */
function markdownTheme({ bold, dim, cyan, blue, green }: Styles): MarkdownTheme {
  const plain = (text: string): string => text;
  return {
    ...{ heading: bold, link: blue, linkUrl: dim, code: cyan, codeBlock: green, codeBlockBorder: dim },
    ...{ quote: dim, quoteBorder: dim, hr: dim, listBullet: dim },
    ...{ bold, italic: plain, strikethrough: plain, underline: plain },
  };
}

/** Lines of Markdown. Escapes that the text has are left out. */
function markdownLines(text: string, { columns, styles }: Layout): readonly string[] {
  const width = Math.max(LEAST_COLUMNS, columns);
  const safe = safeText(text);
  try {
    if (isDrawable(safe))
      return new Markdown(safe, 0, 0, markdownTheme(styles)).render(width).map((line) => line.trimEnd());
  } catch {
    // Nested too deeply for the parser: shown as it is.
  }
  const indent = " ".repeat(width / 2);
  return safe.split("\n").flatMap((line) => wrapLine(line.replace(/^\s{40,}/, indent), width));
}

const TONES: Readonly<Record<Tone, { readonly mark: string; readonly color: keyof Styles }>> = {
  mark: { mark: "◆", color: "magenta" },
  dim: { mark: "·", color: "dim" },
  warn: { mark: "!", color: "yellow" },
  error: { mark: "✗", color: "red" },
};

/** The lines of an item, with the empty line before it. */
export function itemLines(item: ViewItem, layout: Layout): readonly string[] {
  const { columns, styles } = layout;
  switch (item.type) {
    case "user":
      return ["", ...userLines(item.text, layout)];
    case "answer":
      return [...(item.isContinued ? [] : [""]), ...markdownLines(item.text, layout)];
    case "thinking": {
      const lines = safeText(item.text).trim().split("\n");
      const more = lines.length > THINKING_LINES ? [`… ${lines.length - THINKING_LINES} more lines`] : [];
      return [
        "",
        ...marked("~", [...lines.slice(0, THINKING_LINES), ...more], { ...layout, color: styles.dim }),
      ];
    }
    case "tool": {
      const color = item.isError ? styles.red : styles.green;
      return [
        "",
        `${color("●")} ${styles.bold(cutToColumns(item.label, columns - 2))}`,
        ...item.lines.map((line) =>
          toneOf(line, item.isChange === true, styles)(cutToColumns(`  ${line}`, columns)),
        ),
      ];
    }
    case "note": {
      const { mark, color } = TONES[item.tone];
      const lines = marked(mark, item.lines, {
        ...layout,
        color: styles[color],
        isFirstOnly: item.tone !== "dim",
      });
      return item.tone === "dim" ? lines : ["", ...lines];
    }
    case "lines":
      return ["", ...item.show(layout)];
  }
}

function toneOf(line: string, isChange: boolean, { dim, red, green }: Styles): (text: string) => string {
  if (!isChange || !/^[-+] /.test(line)) return dim;
  return line.startsWith("-") ? red : green;
}

function userLines(text: string, { columns, styles }: Layout): readonly string[] {
  const lines = safeText(text.slice(0, USER_CHARACTERS))
    .split("\n")
    .flatMap((line) => wrapLine(line, columns - 2));
  const isCut = text.length > USER_CHARACTERS || lines.length > USER_LINES;
  const shown = lines.slice(0, USER_LINES);
  return [
    ...shown.map((line, index) => `${styles.cyan(index === 0 ? ">" : " ")} ${styles.bold(line)}`),
    ...(isCut ? [styles.dim(`  … ${text.length.toLocaleString("en")} characters in all`)] : []),
  ];
}

interface Marking extends Layout {
  readonly color: (text: string) => string;
  /** True if only the first line is coloured. */
  readonly isFirstOnly?: boolean;
}

function marked(
  mark: string,
  lines: readonly string[],
  { columns, color, isFirstOnly, styles }: Marking,
): readonly string[] {
  return lines.flatMap((line, index) =>
    wrapLine(line, columns - 2).map((part, partIndex) => {
      const first = index === 0 && partIndex === 0;
      const tint = index === 0 || isFirstOnly !== true ? color : styles.dim;
      return `${first ? color(mark) : " "} ${tint(part)}`;
    }),
  );
}

const SPINNER = ["◐", "◓", "◑", "◒"] as const;

/** The live part: the end of the answer that streams, running tools, and how long it takes. */
export function liveLines(view: ChatView, queued: readonly string[], layout: Layout): readonly string[] {
  const { columns, styles } = layout;
  const { text, isThinking, isContinued } = view.tail;
  const { busy } = view;
  const streamed =
    text.trim() === ""
      ? []
      : itemLines(
          isThinking ? { type: "thinking", text: text.slice(-2_000) } : { type: "answer", text, isContinued },
          layout,
        );
  const spinner = busy === undefined ? "" : (SPINNER[Math.floor(busy.sinceMs / 250) % SPINNER.length] ?? "");
  return [
    ...streamed.slice(-TAIL_LINES),
    ...(busy === undefined
      ? []
      : [
          "",
          ...busy.tools.map((tool) => `${styles.yellow("○")} ${cutToColumns(tool, columns - 2)}`),
          `${styles.cyan(spinner)} ${cutToColumns(busyWords(busy, columns - 2), columns - 2)}`,
        ]),
    ...queued.map((line) =>
      styles.dim(cutToColumns(`  then: ${safeText(line).replaceAll("\n", " ")}`, columns)),
    ),
  ];
}

/** Work in progress. Where room is short the activity is cut, and not how long it takes or how to stop it. */
function busyWords({ activity, sinceMs }: NonNullable<ChatView["busy"]>, columns: number): string {
  const rest = ` · ${Math.floor(sinceMs / 1_000)} s · Esc stops`;
  return `${cutToColumns(activity, Math.max(1, columns - rest.length))}${rest}`;
}

/** Lines that are certainly not wider than the terminal: the library ends the program at one that is. */
export function fit(lines: readonly string[], columns: number): string[] {
  return lines.map((line) => (visibleWidth(line) > columns ? truncateToWidth(line, columns, "") : line));
}
