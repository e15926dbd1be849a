/**
 * Whose a fact is: `my husband's number` is not `my number`, and `her manager` not `mine`. Facts of two persons neither
 * correct each other nor are shown for each other.
 */
import { anyOf } from "./change-signs.ts";
import { memoizeCompared } from "./subject-words.ts";

/** Words for one person, and those that count as the same one. */
const PERSONS: readonly string[] = [
  "i my me mine we our us ours ich mein meine meinem meinen meiner mir mich wir unser unsere yo mi mis mí nuestro nuestra je j mon ma moi notre 我 私 僕 俺",
  "your yours dein deine tu ton ta votre 你",
  "he his him er sein seine seinem il 他 彼",
  "she her hers ihr ihre ihrem ihren ihrer elle 她 彼女",
  "they their them leur ils 他们",
];

const SELF = PERSONS[0];

const RELATIVES: readonly string[] = [
  "wife frau mujer esposa femme 妻 妻子 老婆 太太",
  "husband mann marido esposo mari 夫 丈夫 老公",
  "partner ex girlfriend boyfriend freund freundin partnerin novia novio pareja copain copine 女朋友 男朋友 彼氏",
  "brother bruder hermano frère 哥哥 弟弟 兄 弟",
  "sister schwester hermana sœur soeur 姐姐 妹妹 姉 妹",
  "mother mum mom mutter mama madre mamá mère maman 妈妈 母亲 母",
  "father dad vater papa padre papá père 爸爸 父亲 父",
  "son sohn hijo fils 儿子 息子",
  "daughter tochter hija fille 女儿 娘",
  "child kid kind niño niña enfant 孩子 子供",
  "grandmother grandma oma abuela 奶奶 祖母",
  "grandfather grandpa opa abuelo 爷爷 祖父",
  "uncle onkel tío oncle 叔叔",
  "aunt tante tía 阿姨",
  "cousin cousine primo prima",
  "friend amigo amiga ami amie 朋友 友達",
  "neighbour neighbor nachbar nachbarin vecino vecina voisin voisine 邻居",
  "colleague coworker kollege kollegin colega compañero compañera collègue 同事 同僚",
  "roommate flatmate mitbewohner mitbewohnerin 室友",
  "boss manager chef chefin jefe jefa cheffe 老板 经理 上司",
];

const groupsOf = (groups: readonly string[]): ReadonlyMap<string, string> =>
  new Map(groups.flatMap((words) => words.split(" ").map((word) => [word, words] as const)));
const byWord = groupsOf(PERSONS);
const relativeBy = groupsOf(RELATIVES);
const HAN_WORDS = [...byWord.keys(), ...relativeBy.keys()]
  .filter((word) => /\p{Script=Han}/u.test(word))
  .toSorted((one, other) => other.length - one.length);
const TOKEN = new RegExp(`${HAN_WORDS.join("|")}|[\\p{Script=Latin}\\p{M}]+`, "gu");

/** Words of a fact that say whose it is, at the most: “as of today, my …”. Our choice. */
const OWNER_WORDS_COUNT = 6;
/** The same for “his” and “her”, which further behind may be of anyone. Our choice: “now her manager”. */
const OTHERS_WORDS_COUNT = 2;

interface Owners {
  readonly person: string | undefined;
  readonly relatives: ReadonlySet<string>;
  /** Names in the genitive: `Emily's`, `von Emily`. */
  readonly names: ReadonlySet<string>;
}

const GENITIVE = /(?<!\p{L})(?:(?<name>\p{Lu}\p{Ll}+)['’]s|(?:de|von|of) (?<of>\p{Lu}\p{Ll}+))(?!\p{L})/gu;
const NOT_NAMES = new Set("it that what who he she here there let".split(" "));

const ownersOf = memoizeCompared((text): Owners => {
  const words = [...text.toLowerCase().matchAll(TOKEN)].map(([word]) => word);
  const beginning = BEGINNING.exec(text)![0];
  const names = [...beginning.matchAll(GENITIVE)].map(({ groups }) =>
    (groups!["name"] ?? groups!["of"]!).toLowerCase(),
  );
  return {
    person: words
      .slice(0, OWNER_WORDS_COUNT)
      .map((word, at) => ({ person: byWord.get(word), at }))
      .find(({ person, at }) => person !== undefined && (person === SELF || at < OTHERS_WORDS_COUNT))?.person,
    relatives: new Set(words.flatMap((word) => relativeBy.get(word) ?? [])),
    names: new Set(names.filter((name) => !NOT_NAMES.has(name))),
  };
});

/** The beginning of a fact; a genitive further behind belongs to the value. */
const BEGINNING = /^(?:\S+\s+){0,3}\S*/u;

/** True if two facts belong to two persons. */
export function areOfOtherOwners(one: string, other: string): boolean {
  const [ours, theirs] = [ownersOf(one), ownersOf(other)];
  const [hasOurs, hasTheirs] = [owns(ours, theirs, other), owns(theirs, ours, one)];
  if (hasOurs && hasTheirs) return true;
  // “She” may be the wife of before; “I” am not.
  if (hasOurs || hasTheirs) return (hasOurs ? theirs : ours).person === SELF;
  return ours.person !== undefined && theirs.person !== undefined && ours.person !== theirs.person;
}

/** True if it names a relative, or an owner by name, that the other fact lacks. */
function owns({ relatives, names }: Owners, other: Owners, text: string): boolean {
  const lower = text.toLowerCase();
  return (
    [...relatives].some((one) => !other.relatives.has(one)) ||
    [...names].some((name) => !lower.includes(name))
  );
}

const SPEAKER = anyOf(
  [
    "i|im|my|me|we|our|us|ich|mein\\p{L}{0,2}|mir|mich|wir|unser\\p{L}{0,2}|bin|hab|habe|j|je|mon|ma|moi|nous|on",
    "yo|me|mi|mis|soy|estoy|tengo|vivo|trabajo|somos|estamos|tenemos|vivimos|peso|fumo|uso|conduzco|he \\p{L}+[aidetch]o|dejé|mudé|bajé|subí|cambié",
  ],
  "我|私|僕|俺",
);

/** True if the speaker speaks of themselves. Japanese leaves the speaker out. */
export const isOfSpeaker = memoizeCompared(
  (text): boolean => SPEAKER.test(text) || (/\p{Script=Hiragana}/u.test(text) && !/[はが]/u.test(text)),
);

/** True if it says where something of the speaker is: who leaves the place may leave the thing. */
export const isOfPlace = (text: string): boolean => PLACE.test(text);

const PLACE = anyOf(
  [
    "^(?:my|our|mein\\p{L}{0,2}|unser\\p{L}{0,2}|mis?|nuestr[oa]s?|mon|ma|mes|notre|nos) [^.;]{1,80} (?:is|are|ist|sind|está|están|est|sont) (?:in|at|on|auf|bei|en|à|dans)",
  ],
  "(?!)",
);
