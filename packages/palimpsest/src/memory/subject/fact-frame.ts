/**
 * The form that two facts share, in any language, and the places in which they differ.
 *
 * Two facts of one form that differ in their subject and in their value are about two instances: `the staging
 * server is in Oslo`, `the production server is in Turin`. Neither corrects the other, whatever a model claims.
 * Words that cannot tell instances apart, as articles, pronouns and verbs of being, count as form, never as a
 * difference. Scripts without blanks are compared by characters.
 */
import {
  COMPARED_CHARACTERS,
  isLabel,
  memoizeCompared,
  memoizeComparedPair,
  termsOfWord,
  VALUE_WORDS_COUNT,
} from "./subject-words.ts";

/** `form`: an article, a pronoun, a preposition. `relation`: a verb of being or having. `turn`: it says that something changed. */
type FactRole = "form" | "relation" | "turn" | "denial" | "content";

export interface FactToken {
  /** Its form for comparison. */
  readonly term: string;
  /** As it is written, in small letters. */
  readonly word: string;
  readonly role: FactRole;
}

const ROLES: Readonly<Record<Exclude<FactRole, "content">, string>> = {
  form:
    "a an the of to in on at for from by with and or but if as so i you he she it we they me him her us them my your his " +
    "its our their this that these those last next week year month yesterday ago s t there here since until into over per one's " +
    "der die das den dem des ein eine einen einem einer ich du er sie es wir ihr mich mir dir uns mein meine meinem meinen " +
    "meiner unser unsere unserem unseren dein deine sein seine im am um auf an aus bei von vom zu zum zur nach mit für und " +
    "oder als dass seit bis pro letzte letzten letztes nächste woche jahr monat gestern " +
    "el la los las lo un una unos unas de del al y o que se me mi mis tu tus su sus nos nuestro nuestra nuestros nuestras " +
    "yo nosotros en con para por sobre desde hasta pasado pasada semana año mes ayer " +
    "à au aux ce cette ces chez dans du elle elles et il ils j je la le les leur leurs ma mon nos notre nous on ou par pour que qui " +
    "sa ses sur une vos votre vous " +
    "我 你 他 她 它 们 的 地 得 把 被 从 由 到 给 和 与 于 这 那 个 年 月 日 号 就 都 也 很 上 下 周 请 中 里",
  relation:
    "is are was were be been am has have had live lives lived living stay stays work works use uses used run runs own owns " +
    "call called name named locate located store stored keep kept plan planned base based prefer prefers like likes lead leads " +
    "ist sind war bin hat habe haben wohne wohnt wohnen lebe lebt arbeite arbeitet arbeiten heißt heiße heißen liegt liegen " +
    "läuft nutze nutzt nutzen verwenden verwende verwendet wird werden wurde wurden mag macht steht stehen gehört leitet " +
    "es son está están soy somos tiene tengo vivo vive viven vivimos llama llaman llamo trabajo trabaja usa usamos uso utiliza " +
    "lleva prefiero prefiere guardan guarda dirige " +
    "ai as avons ont est sont suis habite habitons travaille utilise utilisons appelle écoute " +
    "在 是 叫 用 有 住 为 装 归 管 要 放 存",
  turn:
    "now currently today instead rather moved move moving renamed rename changed change switched switch replaced replace " +
    "migrated upgraded downgraded postponed slipped raised lowered extended cancelled canceled longer anymore any more mind actually " +
    "jetzt nun inzwischen mittlerweile sofort ab stattdessen statt anstatt anstelle umgezogen gezogen verlegt verschoben " +
    "umbenannt gewechselt umgestiegen umgestellt ersetzt übergeben mehr sondern erhöht gesenkt verlängert anders überlegt " +
    "ahora ya actualmente lugar vez mudado mudé mudamos mudaron trasladó trasladamos movimos pasó aplazó renombró renombramos " +
    "cambió cambié cambiamos cambiado sustituyó reemplazó llamarse nombre sino canceló subió bajó prorrogó idea " +
    "现 已 改 换 成 搬 迁 移 再 代 替 而 了 名 字 变",
  denial:
    "not no never without nicht kein keine keinen keinem nie niemals nunca jamás tampoco ne pas jamais 不 没 別 别",
};

let roles: ReadonlyMap<string, FactRole> | undefined;

function roleOf(word: string): FactRole {
  // The first role counts: languages share words, as "es".
  roles ??= new Map(
    (Object.entries(ROLES) as readonly (readonly [FactRole, string])[])
      .toReversed()
      .flatMap(([role, words]) => words.split(" ").map((one) => [one, role] as const)),
  );
  return roles.get(word) ?? (/^\p{Script=Hiragana}$/u.test(word) ? "form" : "content");
}

const UNSPACED = "[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}]";
/** Words of Katakana and addresses of hosts are whole; `C#` is not `C++`. */
const TOKEN = new RegExp(
  `\\p{N}+(?:\\.\\p{N}+){2,}|\\p{Script=Katakana}[\\p{Script=Katakana}ー]*|${UNSPACED}|(?:(?!${UNSPACED})[\\p{L}\\p{N}\\p{M}])+(?:\\+\\+|#(?![\\p{L}\\p{N}]))?`,
  "gu",
);

/** The words of a text in their order. */
export const factTokens = memoizeCompared((text): readonly FactToken[] =>
  [...text.matchAll(TOKEN)].map(([written], at, all) => {
    const token = tokenOf(written.toLowerCase());
    const { index = 0 } = all[at]!;
    const isContent =
      isLabel(written, at, text) ||
      isInPath(text, index, index + written.length) ||
      // “The live key”: a noun or an adjective, no verb.
      (token.role === "relation" && all[at - 1]?.[0].toLowerCase() === "the");
    return isContent ? { ...token, role: "content" } : token;
  }),
);

/** True for a part of a name with signs, as `a` in `src/a.ts`. */
const isInPath = (text: string, from: number, to: number): boolean =>
  /[\p{L}\p{N}][/_.]$/u.test(text.slice(Math.max(0, from - 2), from)) ||
  /^[/_.][\p{L}\p{N}]/u.test(text.slice(to, to + 2));

function tokenOf(word: string): FactToken {
  const term = /[+#]$/.test(word) ? word : termsOfWord(word).join(" ") || word;
  return { word, term, role: roleOf(word) };
}

/** The tokens that tell facts apart. */
export const meaningfulOf = (tokens: readonly FactToken[]): readonly FactToken[] =>
  tokens.filter(({ role }) => role === "content");

/** A place in which two facts differ; one side may be empty. */
interface FactPlace {
  /** Content only. */
  readonly ours: readonly FactToken[];
  readonly theirs: readonly FactToken[];
  /** The shared tokens before it. */
  readonly head: readonly FactToken[];
  /** The shared tokens behind it. */
  readonly tail: readonly FactToken[];
}

/** The places in which two facts have other words; those of form and turns alone are left out. */
export function differingPlaces(
  one: readonly FactToken[],
  other: readonly FactToken[],
): { readonly places: readonly FactPlace[]; readonly shared: readonly FactToken[] } {
  const lengths = commonLengths(one, other);
  const shared: FactToken[] = [];
  const found: { ours: FactToken[]; theirs: FactToken[]; at: number }[] = [];
  let place = { ours: [] as FactToken[], theirs: [] as FactToken[], at: 0 };
  const close = () => {
    if (place.ours.length + place.theirs.length > 0) found.push(place);
    place = { ours: [], theirs: [], at: shared.length };
  };
  let [i, j] = [0, 0];
  while (i < one.length || j < other.length) {
    if (i < one.length && j < other.length && one[i]!.term === other[j]!.term) {
      close();
      shared.push(one[i]!);
      place.at = shared.length;
      i++;
      j++;
    } else if (j >= other.length || (i < one.length && lengths[i + 1]![j]! >= lengths[i]![j + 1]!))
      place.ours.push(one[i++]!);
    else place.theirs.push(other[j++]!);
  }
  close();
  const places = joinNames(found, shared).map(({ ours, theirs, at, to = at }) => ({
    ...contentOfPlace(ours, theirs),
    ...{ head: shared.slice(0, at), tail: shared.slice(to) },
  }));
  return { places: places.filter(({ ours, theirs }) => ours.length + theirs.length > 0), shared };
}

interface RawPlace {
  readonly ours: readonly FactToken[];
  readonly theirs: readonly FactToken[];
  /** The number of shared tokens before it, and before what follows it. */
  readonly at: number;
  readonly to?: number;
}

/** A single character that two Chinese names share, as 计 of 审计 and 计费, does not divide them. */
function joinNames(found: readonly RawPlace[], shared: readonly FactToken[]): readonly RawPlace[] {
  const joined: RawPlace[] = [];
  for (const place of found) {
    const before = joined.at(-1);
    const between = shared.slice(0, place.at).slice(-1);
    const isNext = before !== undefined && (before.to ?? before.at) === place.at - 1;
    if (!isNext || !between.every((token) => isHan(token) && token.role === "content")) joined.push(place);
    else
      joined.splice(-1, 1, {
        ours: [...before.ours, ...between, ...place.ours],
        theirs: [...before.theirs, ...between, ...place.theirs],
        ...{ at: before.at, to: place.at },
      });
  }
  return joined;
}

/** A character of a Chinese name may be a word of form by itself: 成都, 上海. */
function contentOfPlace(
  ours: readonly FactToken[],
  theirs: readonly FactToken[],
): Pick<FactPlace, "ours" | "theirs"> {
  const isName = [ours, theirs].every((side) => side.length > 1 && side.every(isHan));
  const hasContent = [...ours, ...theirs].some(({ role }) => role === "content");
  return isName && hasContent ? { ours, theirs } : { ours: meaningfulOf(ours), theirs: meaningfulOf(theirs) };
}

const isHan = ({ word }: FactToken): boolean => /^\p{Script=Han}$/u.test(word);

/** `[i][j]`: how many tokens the rests from `i` and from `j` have in common, in their order. */
function commonLengths(one: readonly FactToken[], other: readonly FactToken[]): readonly Uint16Array[] {
  const numbers = new Map<string, number>();
  const numberOf = ({ term }: FactToken): number => {
    const number = numbers.get(term) ?? numbers.size;
    numbers.set(term, number);
    return number;
  };
  const [ours, theirs] = [one.map(numberOf), other.map(numberOf)];
  const rows = Array.from({ length: one.length + 1 }, () => new Uint16Array(other.length + 1));
  for (let i = one.length - 1; i >= 0; i--) {
    const [row, next, term] = [rows[i]!, rows[i + 1]!, ours[i]];
    for (let j = other.length - 1; j >= 0; j--)
      row[j] = term === theirs[j] ? next[j + 1]! + 1 : Math.max(next[j]!, row[j + 1]!);
  }
  return rows;
}

/** Behind these words a case or a purpose is named, never a value. */
const CASES = new Set("for per during when where für pro bei para en por".split(" "));
/** A number behind these is a value: `on port 8080`. */
const ATTRIBUTES = new Set(
  "port puerto version versión limit limite límite grenze timeout room seite page line".split(" "),
);
const DATE_WORDS = [
  "\\d+(?:\\.\\d+)*|am|pm|uhr|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|spring|summer|autumn|winter|fall",
  "januar\\w*|februar\\w*|march|märz|april|ma[iy]|jun[ei]|jul[iy]|august|septem\\w+|o[ck]to\\w+|novem\\w+|de[cz]em\\w+",
  "(?:mon|diens|donners|frei|sams|sonn)tags?|mittwochs?|lunes|martes|miércoles|jueves|viernes|sábado|domingo",
  "enero|febrero|marzo|abril|mayo|junio|julio|agosto|[一二三四五六七八九十天末星期点]",
];
const DATE = new RegExp(`^(?:${DATE_WORDS.join("|")})$`, "u");

export const isDated = (tokens: readonly FactToken[]): boolean => tokens.every(({ word }) => DATE.test(word));
const isNumber = (tokens: readonly FactToken[]): boolean =>
  tokens.length === 1 && /^\p{N}+$/u.test(tokens[0]!.word);
const hasRelation = (tokens: readonly FactToken[]): boolean => tokens.some(({ role }) => role === "relation");

/** True if two facts of one form are about different instances, so that neither corrects the other. */
export const areParallel = memoizeComparedPair((one, other): boolean => {
  if (one.length > COMPARED_CHARACTERS || other.length > COMPARED_CHARACTERS) return false;
  const [ours, theirs] = [factTokens(one), factTokens(other)];
  const { places, shared } = differingPlaces(ours, theirs);
  const replaced = places.filter((place) => place.ours.length > 0 && place.theirs.length > 0);
  if (replaced.some((place) => Math.max(wordsIn(place.ours), wordsIn(place.theirs)) > VALUE_WORDS_COUNT))
    return false;
  const [first] = replaced;
  // What only one of them says makes it another form, and so do words in another order.
  if (first === undefined || replaced.length < places.length || hasMoved(replaced)) return false;
  if (shared.every(({ role }) => role === "form")) return false;
  if (replaced.length === 1) return isNumberOfInstance(first);
  // “On Monday at 9” is one value with two parts.
  const isOneValue =
    (hasRelation(before(ours, first.ours)) || hasRelation(before(theirs, first.theirs))) &&
    replaced.every((place) => isDated(place.ours) && isDated(place.theirs));
  return !isOneValue && shared.length >= replaced.length;
});

const before = (fact: readonly FactToken[], place: readonly FactToken[]): readonly FactToken[] =>
  fact.slice(0, fact.indexOf(place[0]!));

/** Words of content that the other fact has nowhere. */
export function wordsMissing(one: readonly FactToken[], other: readonly FactToken[]): number {
  const terms = new Set(other.map(({ term }) => term));
  return wordsIn(meaningfulOf(one).filter(({ term }) => !terms.has(term)));
}

/** True if `wordsMissing` of a text is more than `most`; reads no more of the text than it takes to tell. */
export function lacksMoreWords(text: string, other: readonly FactToken[], most: number): boolean {
  const terms = new Set(other.map(({ term }) => term));
  let missingCount = 0;
  for (const [word] of text.toLowerCase().matchAll(TOKEN)) {
    const token = tokenOf(word);
    if (token.role === "content" && !terms.has(token.term)) missingCount += wordsIn([token]);
    if (missingCount > most) return true;
  }
  return false;
}

function hasMoved(places: readonly FactPlace[]): boolean {
  const words = places.flatMap(({ theirs }) => theirs.filter((token) => !isHan(token)));
  const terms = new Set(words.map(({ term }) => term));
  if (places.some(({ ours }) => ours.some((token) => !isHan(token) && terms.has(token.term)))) return true;
  const [ours, theirs] = [
    places.map((place) => hanOf(place.ours)),
    places.map((place) => hanOf(place.theirs)),
  ];
  return ours.some((one) => theirs.some((other) => areOneName(one, other)));
}

const hanOf = (tokens: readonly FactToken[]): string =>
  tokens.map((token) => (isHan(token) ? token.word : "")).join("");
const areOneName = (one: string, other: string): boolean =>
  Math.min(one.length, other.length) > 1 && (one.includes(other) || other.includes(one));

/** Characters of scripts without blanks count as half a word. */
export function wordsIn(tokens: readonly FactToken[]): number {
  return tokens.reduce((sum, token) => sum + (isHan(token) ? 0.5 : 1), 0);
}

/** “pnpm for workspace 0”, “server 2 runs …”: the number tells which one is meant. */
function isNumberOfInstance({ ours, theirs, head, tail }: FactPlace): boolean {
  if (!isNumber(ours) || !isNumber(theirs)) return false;
  if (!hasRelation(head) && hasRelation(tail)) return true;
  const noun = head.at(-1);
  if (noun === undefined || noun.role !== "content" || ATTRIBUTES.has(noun.word)) return false;
  const before = head.slice(0, -1).toReversed();
  const lead = before.slice(
    0,
    before.findIndex(({ role }) => role !== "form"),
  );
  return lead.some(({ word }) => CASES.has(word));
}
