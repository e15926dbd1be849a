/** Tells the rest of a broken key from the next line, word or variable. */

/** Blanks behind the mark of a comparison. Bounded, like all that is repeated. */
const BLANKS = /[ \t]{0,40}/y;

/** The place behind blanks. */
export function behindBlanks(text: string, at: number): number {
  BLANKS.lastIndex = at;
  BLANKS.test(text);
  return BLANKS.lastIndex;
}

/** A word, a variable that is set, or what is in no key. */
const NEW_WORD = /[^\w+/=.:@-]|[A-Za-z][a-z]{2,19}(?![\w+/=@-])|[A-Z][A-Z0-9_]{1,40}=(?!=|\s|$)|$/y;

/** True if a line begins with something else than the rest of a key. */
export function startsNewText(text: string, at: number): boolean {
  NEW_WORD.lastIndex = at;
  return NEW_WORD.test(text);
}

/** The next variable of an environment, whose parts are divided by a hidden character. */
const VARIABLE = /[A-Z][A-Z0-9_]{1,40}=(?!=|\s|$)/y;

/** True if the next variable of an environment begins here. */
export function startsVariable(text: string, at: number): boolean {
  VARIABLE.lastIndex = at;
  return VARIABLE.test(text);
}
