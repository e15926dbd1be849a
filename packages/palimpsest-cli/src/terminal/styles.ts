/**
 * Colours and weights of terminal text.
 */
import { styleText } from "node:util";

const NAMES = ["bold", "dim", "red", "green", "yellow", "blue", "magenta", "cyan"] as const;

/** Marks up a text; styles without colours return it as it is. */
export type Styles = Readonly<Record<(typeof NAMES)[number], (text: string) => string>>;

export function createStyles({ isColored }: { readonly isColored: boolean }): Styles {
  const style = (name: keyof Styles) => (text: string) =>
    isColored && text !== "" ? styleText(name, text, { validateStream: false }) : text;
  return Object.fromEntries(NAMES.map((name) => [name, style(name)])) as Styles;
}
