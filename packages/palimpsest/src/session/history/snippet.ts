/**
 * The piece of a text that shows best why it was found.
 */
import { cutHead, cutTail } from "../../base/text/text.ts";
import type { QueryTerms } from "./search-terms.ts";

/** Characters in which a good place for words is looked for; a literal is looked for in all of them. */
const LOOKED_AT = 40_000;
/** Places per term that are weighed. */
const PLACES = 20;

/** About `characters` of `text` around the place where most of the query stands, on one line. */
export function cutSnippet(text: string, { terms, literals }: QueryTerms, characters: number): string {
  const looked = text.length > LOOKED_AT ? cutHead(text, LOOKED_AT) : text;
  const at = placeOfLiteral(text, literals) ?? placeOfTerms(looked.toLowerCase(), terms, characters);
  const start = Math.max(0, at - Math.floor(characters / 3));
  const before = start === 0 ? text : cutTail(text, text.length - start);
  const piece = cutHead(before, characters);
  const isAtEnd = start + piece.length >= text.length;
  return `${start > 0 ? "…" : ""}${piece.replace(/\s+/g, " ").trim()}${isAtEnd ? "" : "…"}`;
}

function placeOfLiteral(text: string, literals: readonly string[]): number | undefined {
  for (const literal of literals) {
    const at = text.indexOf(literal);
    if (at !== -1) return at;
  }
  return undefined;
}

/** The first place of a term after which most different terms follow within `characters`. */
function placeOfTerms(lowerText: string, terms: readonly string[], characters: number): number {
  const places: { readonly at: number; readonly term: string }[] = [];
  for (const term of terms)
    for (
      let at = lowerText.indexOf(term), count = 0;
      at !== -1 && count < PLACES;
      at = lowerText.indexOf(term, at + term.length), count++
    )
      places.push({ at, term });
  places.sort((a, b) => a.at - b.at);
  let best = 0;
  let bestCount = 0;
  for (let index = 0; index < places.length; index++) {
    const near = new Set<string>();
    for (
      let next = index;
      next < places.length && places[next]!.at - places[index]!.at < characters * 0.6;
      next++
    )
      near.add(places[next]!.term);
    if (near.size > bestCount) {
      bestCount = near.size;
      best = places[index]!.at;
    }
  }
  return best;
}
