/** A list to choose from with arrows, digits and Enter, in the place of the input. */
import { cutToColumns, padColumns } from "../../terminal/columns.ts";
import type { Styles } from "../../terminal/styles.ts";
import type { Layout } from "./layout.ts";
import { type Component, matchesKey } from "./pi-tui.ts";

/** A row. */
export interface ListedChoice {
  readonly label: string;
  readonly detail?: string | undefined;
}

interface ChoiceListOptions {
  readonly title: readonly string[];
  readonly choices: readonly ListedChoice[];
  readonly styles: Styles;
  /** Rows of the terminal. */
  readonly rows: () => number;
  /** `undefined`: nothing was chosen. */
  readonly onChoice: (index: number | undefined) => void;
}

/** Lines of the screen beside the rows of a list. */
const OTHER_LINES = 8;

export class ChoiceList implements Component {
  readonly #options: ChoiceListOptions;
  #at = 0;

  constructor(options: ChoiceListOptions) {
    this.#options = options;
  }

  handleInput(data: string): void {
    const { choices, onChoice } = this.#options;
    const step = (by: number): void => {
      this.#at = Math.max(0, Math.min(choices.length - 1, this.#at + by));
    };
    const page = this.#height() - 1;
    if (matchesKey(data, "escape") || matchesKey(data, "ctrl+c")) onChoice(undefined);
    else if (matchesKey(data, "enter")) onChoice(this.#at);
    else if (matchesKey(data, "up") || data === "k") step(-1);
    else if (matchesKey(data, "down") || data === "j") step(1);
    else if (matchesKey(data, "pageUp")) step(-page);
    else if (matchesKey(data, "pageDown")) step(page);
    else if (/^[1-9]$/.test(data) && Number(data) <= choices.length) onChoice(Number(data) - 1);
  }

  #height(): number {
    return Math.max(2, Math.min(10, this.#options.rows() - OTHER_LINES));
  }

  invalidate(): void {
    // Nothing is kept between two renders.
  }

  render(columns: number): string[] {
    const { title, choices, styles } = this.#options;
    return choiceLines({ title, choices, at: this.#at, height: this.#height() }, { columns, styles });
  }
}

/** The lines of a list: the rows around the chosen one. */
export function choiceLines(
  {
    title,
    choices,
    at,
    height,
  }: Pick<ChoiceListOptions, "title" | "choices"> & { readonly at: number; readonly height: number },
  { columns, styles }: Layout,
): string[] {
  const from = Math.max(0, Math.min(at - Math.floor(height / 2), choices.length - height));
  const shown = choices.slice(from, from + height);
  const rest = choices.length - shown.length;
  return [
    styles.dim("─".repeat(columns)),
    ...title.map((line, index) => (index === 0 ? styles.bold(line) : line)),
    ...shown.map(({ label, detail }, index) =>
      row({ label, detail, number: from + index + 1, isAt: from + index === at }, { columns, styles }),
    ),
    styles.dim(cutToColumns(`${rest > 0 ? `${rest} more · ` : ""}↑ ↓ Enter · Esc`, columns)),
  ];
}

function row(
  { label, detail = "", number, isAt }: ListedChoice & { readonly number: number; readonly isAt: boolean },
  { columns, styles }: Layout,
): string {
  const mark = `${isAt ? ">" : " "} ${number <= 9 ? `${number}.` : "  "} `;
  const width = columns - mark.length;
  // Details give way first.
  const isBoth = detail !== "" && width - detail.length - 2 >= 16;
  const words = cutToColumns(label, isBoth ? width - detail.length - 2 : width);
  const text = `${mark}${isBoth ? padColumns(words, width - detail.length - 2) : words}`;
  const end = isBoth ? `  ${styles.dim(detail)}` : "";
  return `${isAt ? styles.cyan(text) : text}${end}`;
}
