/**
 * `{{variables}}` in a user's template or prompt.
 *
 * What is filled in is never looked through again, so that notes which speak of variables stay as they are.
 */

interface FilledText {
  readonly text: string;
  /** Names that nothing is known of, once each; they stay in the text as they were written. */
  readonly unknown: readonly string[];
  readonly used: ReadonlySet<string>;
}

const VARIABLE = /\{\{[ \t]{0,8}([A-Za-z][A-Za-z0-9_]{0,63})[ \t]{0,8}\}\}/g;

/** The text with every variable that has a value filled in. */
export function fillVariables(text: string, values: Readonly<Record<string, string>>): FilledText {
  const unknown = new Set<string>();
  const used = new Set<string>();
  const filled = text.replace(VARIABLE, (whole, name: string) => {
    if (!Object.hasOwn(values, name)) {
      unknown.add(name);
      return whole;
    }
    used.add(name);
    return values[name]!;
  });
  return { text: filled, unknown: [...unknown], used };
}
