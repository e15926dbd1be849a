/**
 * Reads from a new fact what it says to have changed: `I moved from Lisbon to Oslo`, `Pino replaced Winston`,
 * `statt mit Jenkins`, `ya no`, `改名为`.
 *
 * It corrects a fact only if it names the old value and all that the old fact says beside it, and differs from it in
 * nothing else. Where it is only likely, both facts are shown, the newer one first: it *revises* the old one. English,
 * German, Spanish and Chinese.
 */

import { changesIn, insteadIn, oldValueOf } from "./change-patterns.ts";
import { anyOf, isUnsettled } from "./change-signs.ts";
import {
  differingPlaces,
  type FactToken,
  factTokens,
  isDated,
  meaningfulOf,
  wordsIn,
  wordsMissing,
} from "./fact-frame.ts";
import { COMPARED_CHARACTERS, memoizeCompared, VALUE_WORDS_COUNT } from "./subject-words.ts";

type StatedChange = "corrects" | "revises" | undefined;

const NO_LONGER =
  /\bno longer\b|\b(?:any ?more|any longer)\b|(?<!\p{L})mehr(?!\p{L})|\bya no\b|不再|不.+了$/iu;
const NOW = anyOf(
  [
    "now|instead|since|mind|moved|(?:migrated|upgraded|downgraded|raised|lowered|extended|postponed|slipped|went (?:up|down))(?= .*(?<!\\p{L})to )",
    "umgestiegen|gewechselt|umgestellt|verschoben|erhöht|gesenkt|jetzt|nun|inzwischen|mittlerweile|ab sofort|stattdessen|seit|überlegt|umgezogen|gezogen|verlegt",
    "ahora|en su lugar|desde|idea|mud\\p{L}+|traslad\\p{L}+|pasó",
  ],
  "现在|改|换成|搬到|以后是|起是|推迟|主意",
);
const PAST_WORDS = new Set("was were born geboren war waren nació nací fue".split(" "));
const PAST_PAIRS: ReadonlyMap<string, string> = new Map([
  ["used", "to"],
  ["出", "生"],
]);
const NAMING = /(?<!\p{L})(?:called|named?|heißt|heißen|heiße|llama|llaman|llamo)(?!\p{L})|叫|名字是/iu;

/** What a new fact says of an older one. A question says nothing. */
export function statedChange(fresh: string, known: string): StatedChange {
  if (Math.max(fresh.length, known.length) > COMPARED_CHARACTERS) return undefined;
  if ([fresh, known].some((text) => /[?？]\s*$/.test(text))) return undefined;
  // “I may move from Lisbon to Oslo” changes nothing yet.
  if (isUnsettled(fresh)) return undefined;
  const { tokens: old, isChange, isStripped } = currentOf(known);
  // “It was renamed to Octopus” says what it is called now.
  if (meaningfulOf(old).length === 0 || (!isChange && isPast(old))) return undefined;
  const clauses = clausesOf(fresh);
  const found = [
    ...clauses.flatMap((clause) => [byPattern(clause, old, known), byInstead(clause, old)]),
    byDenial(clauses, old),
    byCancelling(clauses, old),
    byFrame(clauses, old, fresh),
  ];
  const change = found.find((one) => one === "corrects") ?? found.find((one) => one !== undefined);
  // The change of before stays true: only its result does not.
  return isStripped && change === "corrects" ? "revises" : change;
}

/** The words of a fact that hold now: “we switched from npm to pnpm” says of pnpm alone that it is used. */
function currentOf(known: string): {
  readonly tokens: readonly FactToken[];
  readonly isChange: boolean;
  readonly isStripped: boolean;
} {
  const tokens = factTokens(known);
  const clauses = clausesOf(known);
  const changes = clauses.flatMap(changesIn);
  const instead = clauses.flatMap((clause) => insteadIn(clause) ?? []);
  const past = new Set(
    [
      // “Unser Team heißt jetzt Falke” has no old name.
      ...changes.flatMap(({ groups, isName }) =>
        isName === true ? [] : { x: oldValueOf(groups), s: groups["y"] ?? "" },
      ),
      ...instead,
    ].flatMap(({ x, s }) => {
      const gone = without(termsOf(factTokens(x)), termsOf(factTokens(s)));
      return gone.size > VALUE_WORDS_COUNT ? [] : [...gone];
    }),
  );
  return {
    tokens: tokens.filter(({ term }) => !past.has(term)),
    isChange: changes.length + instead.length > 0,
    isStripped: past.size > 0,
  };
}

const isPast = (tokens: readonly FactToken[]): boolean =>
  tokens.some(
    ({ word }, at) => PAST_WORDS.has(word) || (at > 0 && PAST_PAIRS.get(tokens[at - 1]!.word) === word),
  );

/** Its clauses, and the whole: a correction may follow “No, …” or precede “; Jonas does”. */
const clausesOf = memoizeCompared((text): readonly string[] => {
  const plain = (part: string) => part.replace(/(?<![.。!！\s])[.。!！\s]+$/u, "").trim();
  const parts = text.split(/[;:；：]\s*|。|\.\s+/u).map(plain);
  return [...new Set([plain(text), ...parts])].filter((part) => part !== "");
});

const termsOf = (tokens: readonly FactToken[]): ReadonlySet<string> =>
  new Set(meaningfulOf(tokens).map(({ term }) => term));
const isWithin = (one: ReadonlySet<string>, other: ReadonlySet<string>): boolean =>
  [...one].every((term) => other.has(term));
const without = (one: ReadonlySet<string>, ...others: readonly ReadonlySet<string>[]): ReadonlySet<string> =>
  new Set([...one].filter((term) => !others.some((other) => other.has(term))));

/** Who speaks of themselves: `I` is not `we`. */
function speakerOf(tokens: readonly FactToken[]): string {
  const [first] = tokens.filter(({ word }) => SPEAKERS.has(word));
  return first === undefined ? "" : SPEAKERS.get(first.word)!;
}
const SPEAKERS: ReadonlyMap<string, string> = new Map([
  ...["i", "my", "me", "ich", "mein", "meine", "vivo", "trabajo", "soy", "mi", "我"].map(
    (word) => [word, "i"] as const,
  ),
  ...["we", "our", "wir", "unser", "unsere", "nuestro", "nuestra", "usamos", "们"].map(
    (word) => [word, "we"] as const,
  ),
]);

function byPattern(clause: string, old: readonly FactToken[], known: string): StatedChange {
  for (const { groups, isName } of changesIn(clause)) {
    // “We have not moved from …”
    if (deniesIn(factTokens(clause)) > 0) return undefined;
    const { s = "", t = "", u = "" } = groups;
    const all = termsOf(old);
    const value = termsOf(factTokens(oldValueOf(groups)));
    if (value.size === 0 || value.size > VALUE_WORDS_COUNT || !isWithin(value, all)) continue;
    if (isName === true) {
      const last = meaningfulOf(old).slice(-value.size);
      return NAMING.test(known) && isWithin(termsOf(last), value) ? "corrects" : "revises";
    }
    const subject = termsOf(factTokens(`${s} ${t} ${u}`));
    // Another subject: “the backups moved from Oslo to Rome” says nothing of what else is in Oslo.
    if (!isWithin(subject, all)) continue;
    const rest = without(all, value, subject, termsOf(factTokens(groups["y"] ?? "")));
    // Who moves away from a place may still like it.
    const staysTrue = old.some(({ word }) => LASTING.has(word));
    if (rest.size === 0 && (subject.size > 0 || isSameSpeaker(clause, old)))
      return staysTrue ? "revises" : "corrects";
    if (subject.size === 0 || rest.size < all.size - value.size) return "revises";
  }
  return undefined;
}

const LASTING = new Set("like likes own owns mag".split(" "));

function isSameSpeaker(clause: string, old: readonly FactToken[]): boolean {
  const speaker = speakerOf(old);
  const ours = speakerOf(factTokens(clause));
  // Spanish verbs name the speaker by their ending.
  return (
    speaker !== "" && (ours === speaker || (ours === "" && /(?<!\p{L})(?:me he|me)(?!\p{L})/iu.test(clause)))
  );
}

/** “Buildkite for builds instead of Jenkins”: the old value by name, the rest of the old fact, and one new value. */
function byInstead(clause: string, old: readonly FactToken[]): StatedChange {
  const groups = insteadIn(clause);
  if (groups === undefined) return undefined;
  const [stated, named] = [factTokens(groups.s), factTokens(groups.x.replace(/了$/u, ""))];
  if (deniesIn(stated) > 0) return undefined;
  const all = termsOf(old);
  // What follows the old value repeats the rest: “instead of the train to work”.
  const value = termsOf(meaningfulOf(named).slice(0, VALUE_WORDS_COUNT));
  const rest = without(all, value);
  if (rest.size === all.size || (groups.isNotBut === true && !isWithin(value, all))) return undefined;
  const now = new Set([...termsOf(stated), ...termsOf(named)]);
  const fresh = meaningfulOf(stated).map(({ term }) => !all.has(term));
  const [from, to] = [fresh.indexOf(true), fresh.lastIndexOf(true)];
  const isOneValue =
    from !== -1 && to - from < VALUE_WORDS_COUNT && fresh.slice(from, to + 1).every((isNew) => isNew);
  if (!isOneValue) return undefined;
  const isWhole = isWithin(value, all) && isWithin(rest, now);
  if (isWhole && rest.size > 0) return "corrects";
  const isOfThis = [...termsOf(stated)].some((term) => rest.has(term)) || rest.size === 0;
  return isOfThis ? "revises" : undefined;
}

/** “We no longer support Node 18”: the same fact, denied. */
function byDenial(clauses: readonly string[], old: readonly FactToken[]): StatedChange {
  const all = termsOf(old);
  for (const clause of clauses.flatMap((one) => [one, ...partsOf(one)])) {
    const tokens = factTokens(clause);
    const isOpposite = deniesIn(tokens) % 2 !== deniesIn(old) % 2;
    if (!isOpposite || speakerOf(tokens) !== speakerOf(old)) continue;
    // “Ben no longer manages Anna” says nothing of what Anna does.
    if ([...termsOf(tokens)].join("\n") !== [...all].join("\n")) continue;
    const relations = (one: readonly FactToken[]) =>
      one.flatMap(({ role, term }) => (role === "relation" ? [term] : [])).join(" ");
    if (NO_LONGER.test(clause) || relations(tokens) === relations(old)) return "corrects";
  }
  return undefined;
}

const CANCELLED = anyOf(
  [
    "cancell?ed|called off|no longer happening|abgesagt|gestrichen|entfällt|fällt aus|findet nicht statt",
    "cancelad[oa]|canceló|cancelaron|suspendid[oa]|suspendió",
  ],
  "取消|作废|不办了",
);

/** “The offsite in September is cancelled”: all that the old fact says, and that it does not happen. */
function byCancelling(clauses: readonly string[], old: readonly FactToken[]): StatedChange {
  const all = termsOf(old);
  const isOfThis = (clause: string): boolean =>
    CANCELLED.test(clause) && deniesIn(old) === 0 && isWithin(all, termsOf(factTokens(clause)));
  return clauses.some(isOfThis) ? "revises" : undefined;
}

/** Its parts between commas, as far as nothing before them says where or when: “on Fridays, we do not …”. */
function partsOf(clause: string): readonly string[] {
  const parts = clause.split(/[,，]\s*/u);
  return parts.slice(0, parts.findIndex((part) => meaningfulOf(factTokens(part)).length > 0) + 1);
}

const deniesIn = (tokens: readonly FactToken[]): number =>
  tokens.filter(({ role }) => role === "denial").length;

/** Relations that have one value at a time, and attributes that have. */
const SINGLE = anyOf(
  [
    "(?:wohne|wohnt|wohnen|lebe|heißt|heiße|heißen|kostet|dauert|endet|beginnt|lauscht|beträgt|vivo|vive|viven|llamo|llama|" +
      "llaman|cuesta|dura|termina|empieza|escucha)(?: (?:in|auf|port|am|im|um|en|el|puerto|a|las|de))*$",
  ],
  "(?:住在|叫|监听|(?:名字|价格|日期|上限|超时|尾号|端口|版本)是)$",
);
const ATTRIBUTE = anyOf(
  [
    "(?:lieblings\\p{L}+|liebste[srn]? \\p{L}+|standard\\p{L}*|chef(?:in)?|leitung|port|adresse|frist|limit|version|name|" +
      "favorit[oa]|jef[ea]|puerto|versión|límite|dirección|plazo|nombre)(?: (?:ist|sind|es|son))$",
  ],
  "(?:喜欢的\\p{L}+|经理|负责人|地址)是$",
);

/** Behind these words stands the one day, hour or number of what comes before. */
const DATED =
  /(?<!\p{L})(?:ist|liegt bei|läuft|startet|es|está|tiene|sale)(?: (?:am|um|im|bei|der|el|la|las|a|de|en))*$|(?:在|是|为期|今年)(?:星期)?$/iu;

/** The same form with another value behind a relation. English is left to `same-subject.ts`. */
function byFrame(clauses: readonly string[], old: readonly FactToken[], fresh: string): StatedChange {
  for (const clause of clauses) {
    const tokens = factTokens(clause);
    if (deniesIn(tokens) !== deniesIn(old)) continue;
    // One place has no more words than a value.
    if (Math.max(wordsMissing(tokens, old), wordsMissing(old, tokens)) > VALUE_WORDS_COUNT) continue;
    const { places } = differingPlaces(tokens, old);
    const [place] = places;
    if (place === undefined || places.length > 1) continue;
    const { ours, theirs, head } = place;
    const longest = Math.max(wordsIn(ours), wordsIn(theirs));
    if (ours.length === 0 || theirs.length === 0 || longest > VALUE_WORDS_COUNT) continue;
    const [speaker, oldSpeaker] = [speakerOf(tokens), speakerOf(old)];
    const isSame = speaker === oldSpeaker;
    if (!isSame && speaker !== "" && oldSpeaker !== "") continue;
    if (meaningfulOf(head).length === 0 && (speaker === "" || !isSame)) continue;
    const before = head.map(({ word }) => word).join(" ");
    const lead = /\p{Script=Han}/u.test(before) ? before.replaceAll(" ", "") : before;
    const isOfKind = isDated(ours) && isDated(theirs) && meaningfulOf(head).length > 0;
    if (isSame && isOfKind && DATED.test(lead)) return "corrects";
    if (isSame && (SINGLE.test(lead) || ATTRIBUTE.test(lead))) return "corrects";
    if (NOW.test(fresh)) return "revises";
  }
  return undefined;
}
