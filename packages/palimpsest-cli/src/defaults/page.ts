/**
 * Numbers of the page of a replayed session: how much of what it tells is kept in it.
 */
import { assert } from "palimpsest/internal";

export const PAGE_DEFAULTS = {
  /** Characters of one block's text that the page keeps. Source: our choice: two screens of text; with it a session of 770K tokens makes a page of a few megabytes. */
  pageTextCharacters: 4_000,
  /** The same of a text that the library itself put in. Source: our choice: a whole summary, which is what one looks for on such a page. */
  pageInsertedCharacters: 60_000,
  /** Of these, characters of the text's end. Source: our choice: errors and results stand there. */
  pageTextTailCharacters: 800,
  /** Files, commands and strings that the page keeps of one loss report, of each kind. Source: our choice: the most important stand first. */
  lossNamesCount: 24,
  /** Characters of one such name. Source: our choice: a long path or command. */
  lossNameCharacters: 160,
  /** Characters of a title, a model's name and the like. Source: our choice: three lines on a screen. */
  pageNameCharacters: 300,
} as const;

assert(
  PAGE_DEFAULTS.pageTextTailCharacters < PAGE_DEFAULTS.pageTextCharacters,
  "a text that is cut has a beginning",
);
