/**
 * Plain words: ordinary words of eight letters and more, as they are said and not as things are named.
 *
 * They measure what names cannot: if the window still shows what was talked about. Words within identifiers, paths and
 * addresses do not count. No layer of the library uses this extractor.
 */

/** Letters only, and nothing beside them that makes a name of them. */
const WORD = /(?<![\w$@/\\.#-])[A-Za-zÀ-ɏ][a-zß-ɏ]{7,39}(?![\w$@/\\(À-ɏ-]|\.\w|::?\w)/g;

/** Returns the distinct words of a text, in lower case. */
export function findPlainWords(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  for (const [word] of text.matchAll(WORD)) words.add(word.toLowerCase());
  return words;
}
