/**
 * Recognizes facts that the code or its version control says by itself: where something is defined, the version that
 * a manifest names, the last commit. A memory of them is out of date with the next change, and is not kept.
 *
 * Rules, reasons and plans about the same files are no such facts: "never edit src/generated.ts" is in no file.
 */
import { anyWord } from "../trust/sentences.ts";

/** A fact to be looked up in the working copy. */
export interface DerivableFact {
  readonly kind: "file" | "history";
  /** Paths of the files that it names, as it writes them. */
  readonly paths: readonly string[];
  /** Names, versions and hashes that it gives; all of them are in the file if that says so. */
  readonly details: readonly string[];
}

const CODE_ENDINGS =
  "tsx?|mts|cts|jsx?|mjs|cjs|py|go|rs|java|kts?|c|h|cc|cpp|hpp|cs|rb|php|swift|scala|sh|sql|s?css|html|vue|svelte|json|ya?ml|toml|lock|gradle|xml|tf|proto";
const CODE_PATH = new RegExp(
  `(?<![\\w/.-])(?:[\\w@.-]{1,60}/){0,12}(?:[\\w.-]{1,80}\\.(?:${CODE_ENDINGS})|Dockerfile|Makefile|go\\.mod)(?![\\w/])`,
  "g",
);
/** They say what is in a file. */
const CONTENT = anyWord(
  "defin(?:ed|es)|declar(?:ed|es)|implement(?:ed|s)|export(?:ed|s)|import(?:ed|s)|contains?|holds|lives|located|pins?|pinned|" +
    "depends|lists|sets|calls|is|are|has|takes|returns|definiert|deklariert|enthält|exportiert|importiert|steht|liegt|(?:fest)?legt|" +
    "ist|hat|define|definid[oa]|declarad[oa]|contiene|exporta|importa|está|fija|tiene|es",
  "在|定义|包含|导出|导入|固定|位于|是|有",
);
const COMMIT = anyWord(
  "(?:last|latest|previous|newest) commits?|commit [0-9a-f]{7,40}|(?:letzte|vorige|neueste)[rnms]? commits?|" +
    "(?:últim[oa]|anterior) commits?|commit anterior",
  "(?:上一次|上次|最近一次|最新)(?:的)?提交",
);
/** A wish, a rule or a reason: no file says it. */
const BEYOND_CODE = anyWord(
  "always|never|must|should|shall|don't|do not|please|because|since|until|prefer|want|plan|will|todo|" +
    "immer|nie|niemals|muss|soll(?:en|te)?|bitte|weil|bis|will|wollen|wird|" +
    "siempre|nunca|debe|hay que|por favor|porque|hasta|quier[oe]|prefier[oe]",
  "总是|始终|一律|永远|绝不|不要|必须|应该|因为|直到|想要|以后",
);
const DETAIL = new RegExp(
  [
    '`([^`]{1,80})`|"([^"]{1,80})"',
    "(?<![\\w.])(v?\\d+(?:\\.\\d+){1,3})(?!\\w|\\.\\d)|(?<!\\w)([0-9a-f]{7,40})(?!\\w)",
    "(?<![\\w./-])([a-z]+(?:[A-Z][a-z0-9]*)+|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|\\w+_\\w+|@[\\w-]+\\/[\\w.-]+)(?![\\w/])",
  ].join("|"),
  "g",
);

/** The fact, if a text is one that code or version control says. */
export function derivableFact(text: string): DerivableFact | undefined {
  if (BEYOND_CODE.test(text)) return undefined;
  const paths = [...new Set(text.match(CODE_PATH) ?? [])];
  const without = text.replace(CODE_PATH, " ");
  const details = [...without.matchAll(DETAIL)].map(
    (found) => found.slice(1).find((one) => one !== undefined)!,
  );
  if (COMMIT.test(text)) return { kind: "history", paths: [], details };
  // Without a detail there is nothing to look for: “deploy.sh is run by Maria” is in no file.
  const isOfFile = paths.length > 0 && details.length > 0 && CONTENT.test(without);
  return isOfFile ? { kind: "file", paths, details } : undefined;
}
