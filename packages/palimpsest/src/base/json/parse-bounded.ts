/**
 * JSON from a file, with a limit on its nesting.
 *
 * Parsing deep nesting works, but everything that later walks or serialises the value recurses, so
 * one hostile line would stop the program long after it was read. It is refused at the door.
 */
import { parseJson } from "./json.ts";

/** Deepest nesting of JSON that is accepted. Our choice; serialising recurses, and Node's default stack holds several thousand levels. */
const MAX_JSON_DEPTH = 1_000;

/** @internal */
type BoundedJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly kind: "bad-json" | "too-deep"; readonly reason: string };

/** Parses `text`, which may be anything. @internal */
export function parseBounded(text: string): BoundedJson {
  if (isDeeperThan(text, MAX_JSON_DEPTH)) {
    return {
      ok: false,
      kind: "too-deep",
      reason: `nested deeper than ${MAX_JSON_DEPTH} levels`,
    };
  }
  const parsed = parseJson(text);
  return parsed.ok ? parsed : { ok: false, kind: "bad-json", reason: parsed.reason };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** True if brackets outside of strings nest deeper than `limit`. Exact for JSON, harmless for anything else. */
function isDeeperThan(text: string, limit: number): boolean {
  if (text.length <= limit) return false;
  let depth = 0;
  let index = 0;
  while (index < text.length) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      index = endOfString(text, index);
      continue;
    }
    if (code === 0x5b || code === 0x7b) {
      if (++depth > limit) return true;
    } else if (code === 0x5d || code === 0x7d) depth--;
    index++;
  }
  return false;
}

/** Index after the closing quote of the string that opens at `start`. */
function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote !== -1) {
    let backslashes = 0;
    while (quote - 1 - backslashes > start && text.charCodeAt(quote - 1 - backslashes) === BACKSLASH)
      backslashes++;
    if (backslashes % 2 === 0) return quote + 1;
    quote = text.indexOf('"', quote + 1);
  }
  return text.length;
}
