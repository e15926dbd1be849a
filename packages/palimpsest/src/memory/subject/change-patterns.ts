/**
 * Forms of sentences that name an old value and a new one: `from x to y`, `replaced x with y`, `y instead of x`.
 */
import { COMPARED_CHARACTERS, memoizeCompared } from "./subject-words.ts";

const CHANGED =
  "moved?|moving|renamed?|changed?|switch(?:ed)?|migrated?|upgraded?|downgraded?|postponed|slipped|went|raised|lowered|transferred|" +
  "umgezogen|gezogen|verlegt|verschoben|umbenannt|gewechselt|umgestiegen|umgestellt|erhöht|gesenkt|geändert|" +
  "mud[aéóo]\\p{L}*|traslad\\p{L}+|mov(?:í|ió|imos|ido)|pas[óé]|pasamos|aplaz\\p{L}+|renombr\\p{L}+|cambi\\p{L}+|subió|bajó";
const CHANGE = new RegExp(`(?<!\\p{L})(?:${CHANGED})(?!\\p{L})`, "iu");

/** `x`: the old value. `y`: the new one. `s`: what both are about. */
interface ChangePattern {
  readonly pattern: RegExp;
  /** It says so only together with a verb of change. */
  readonly needsVerb?: boolean;
  /** The old value is a name; it corrects facts that say “is called x”. */
  readonly isName?: boolean;
}

const bounded = (source: string): RegExp => new RegExp(source, "iu");

const PATTERNS: readonly ChangePattern[] = [
  // Names first: “was renamed from a to b” is read by the next one.
  {
    isName: true,
    pattern: bounded(
      "^(?<x>.+?) (?:(?:was|were|has been|got|is) renamed (?:to|as)|changed its name to|wurde in|pasó a llamarse|cambió su nombre a|se renombró a) (?<y>.+?)(?: umbenannt)?$",
    ),
  },
  { isName: true, pattern: bounded("^(?<x>.+?) heißt (?:jetzt|nun|ab sofort|inzwischen) (?<y>.+)$") },
  { needsVerb: true, pattern: bounded("^(?<s>.*)(?<!\\p{L})from (?<x>.+?) to (?<y>.+)$") },
  {
    needsVerb: true,
    pattern: bounded("^(?<s>.*)(?<!\\p{L})vo[nm] (?<x>.+?) (?:nach|auf|zu|zum|in|an) (?<y>.+)$"),
  },
  {
    needsVerb: true,
    pattern: bounded(
      "^(?<s>.*)(?<!\\p{L})(?:de|del|desde) (?<x>(?:(?! a(?:l)? ).)+?) (?:a|al|hasta) (?<y>.+)$",
    ),
  },
  {
    pattern: bounded(
      "^(?<s>.*?)[从由](?<x>.+?)(?:搬到|搬去|迁到|移到|推迟到|提前到|改到|改为|改成|改名为|换成|换到|提高到|降到|变成|推迟至)了?(?<y>.+)$",
    ),
  },
  {
    pattern: bounded(
      "^(?<y>.+?) (?:(?:has )?replaced|(?:sustituyó|reemplazó|ha sustituido) a) (?<x>.+?)(?: (?:as|para|como|al frente del?) (?<s>.+))?$",
    ),
  },
  { pattern: bounded("^(?<y>.+?) (?:hat|haben) (?<x>.+?) (?:als (?<s>.+) )?ersetzt$") },
  // The old value by name, and that it has gone, for another one or for none.
  {
    pattern: bounded("^(?<s>.*?)(?<!\\p{L})(?:replaced|swapped) (?<x>.+?) (?:with|by|for) (?<y>.+)$"),
  },
  {
    pattern: bounded(
      "^(?<s>.*?)(?<!\\p{L})(?:dropped|ditched|abandoned|retired|phased out|got rid of|stopped using) (?<x>.+?)(?: (?:in favou?r of|for) (?<y>.+))?$",
    ),
  },
  {
    pattern: bounded(
      "^(?<x>.+?) (?:(?:was|were|got|is|has been) replaced (?:by|with)|(?:fue|ha sido) (?:sustituid|reemplazad)[oa] por) (?<y>.+)$",
    ),
  },
  { pattern: bounded("^(?<s>.*?)(?<!\\p{L})(?:habe|hat|haben) (?<x>.+?) durch (?<y>.+?) ersetzt$") },
  { pattern: bounded("^(?<x>.+?) (?:wurden?|ist|sind) durch (?<y>.+?) ersetzt(?: worden)?$") },
  { pattern: bounded("^(?<s>.*?)(?<!\\p{L})(?:sustitu|reemplaz)\\p{L}+ (?<x>.+?) por (?<y>.+)$") },
  {
    pattern: bounded(
      "^(?<y>.+?) (?:(?:has |have )?(?:took|taken) over (?<s>.+?) from (?<x>.+)|(?:hat|haben) (?<t>.+?) von (?<z>.+?) übernommen)$",
    ),
  },
  {
    pattern: bounded(
      "^(?<x>.+?) (?:handed (?<s>.+?) over to|hat (?<t>.+?) an(?= .+ übergeben)|le pasó (?<u>.+?) a) (?<y>.+?)(?: übergeben)?$",
    ),
  },
];
/** Each pattern that needs no verb of change has one of these. */
const MARKS = bounded(
  "renamed|changed its name|wurde in|llamarse|cambió|renombró|heißt|[从由]|replaced|swapped|sustitu|reemplaz|ersetzt|" +
    "handed|hat |pasó|dropped|ditched|abandoned|retired|phased|got rid|stopped|over |übernommen",
);

/** `… instead of x`, and `…, not x`: the new value stands somewhere before it. */
const INSTEAD = bounded(
  "^(?<s>.+?)(?:,? (?:instead of|rather than|statt|anstatt|anstelle von|en lugar de|en vez de) |, (?:not|nicht|no|ya no) |，?(?:而不是|而非|代替|，不用))(?<x>.+)$",
);
/** `not x but y`. */
const NOT_BUT = bounded(
  "^(?<s>.*?)(?:(?<!\\p{L})(?:not (?!only|just|yet)|nicht (?!nur)|no (?!s[óo]lo|solamente))(?<x>.+?),? (?:but|sondern|sino) |不是(?<z>.+?)[，,]?而是)(?<y>.+)$",
);

/** Changes that a clause states, by the patterns. A longer one is not searched: their time grows with the square. */
export const changesIn = memoizeCompared((clause) => {
  if (clause.length > COMPARED_CHARACTERS) return [];
  const hasVerb = CHANGE.test(clause);
  if (!hasVerb && !MARKS.test(clause)) return [];
  return PATTERNS.flatMap(({ pattern, needsVerb, isName }) => {
    const groups = needsVerb === true && !hasVerb ? undefined : pattern.exec(clause)?.groups;
    return groups === undefined ? [] : [{ groups, isName }];
  });
});

/** The old value of what a pattern found. */
export const oldValueOf = ({ x, z }: Readonly<Record<string, string | undefined>>): string => x ?? z ?? "";

/** The old value, and what is said beside it with the new one. */
export const insteadIn = memoizeCompared(
  (clause): { readonly s: string; readonly x: string; readonly isNotBut?: boolean } | undefined => {
    if (clause.length > COMPARED_CHARACTERS) return undefined;
    const instead = INSTEAD.exec(clause)?.groups;
    if (instead !== undefined) return { s: instead["s"]!, x: instead["x"]! };
    const notBut = NOT_BUT.exec(clause)?.groups;
    return notBut && { s: `${notBut["s"]} ${notBut["y"]}`, x: oldValueOf(notBut), isNotBut: true };
  },
);
