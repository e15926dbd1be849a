/**
 * English stop words, irregular forms, and stems, and whether a text is English.
 */

/** Words that nearly every text has. What is left of `don't` and `we'll` belongs to them. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a an the of to in on at for from by with and or but if is are was were be been being am do does did done doing " +
    "have has had having i you he she it we they me him her us them my your his its our their mine yours hers ours " +
    "theirs this that these those what which who whom whose when where why how not no nor so as than then there here " +
    "can could will would shall should may might must about into over after before too very just any some many much " +
    "such both each few also s t ll ve re d m don didn doesn isn wasn aren weren won wouldn couldn shouldn hasn " +
    "haven hadn ain"
  ).split(" "),
);

/** Words that nearly all texts in German, Spanish, French, Italian, Portuguese or Dutch have, and that are not English. */
export const FOREIGN_WORDS: ReadonlySet<string> = new Set(
  (
    "der das dem des ein eine einen einem einer ich wir ist sind nicht kein keine und oder für auf von zu " +
    "zum zur im bei wie wann wo wer warum welche kann mein meine unser unsere wird habe haben auch el los " +
    "las un una unos es está que por con para del en mi mis su nuestro nuestra y pero más cómo cuándo qué " +
    "puedo tengo le les une est sont et dans avec sur je nous mes qui il lo gli è sono che di della não " +
    "uma com os het een niet ik wij van voor"
  ).split(" "),
);

/** Ends of requests and questions in Japanese and Korean, and their question words. These scripts have no blanks to find them by. */
export const DENSE_PHRASES =
  "てください でください てほしい てもらえますか たいです たいと ています ていました ですか でしたか でしょうか ますか ました " +
  "ませんか できますか ありますか あります という について ことが のことを どのくらい どうやって えてください いてください " +
  "ってください してください ありがとうございます いします ございました 주세요 주십시오 줄래 습니다 습니까 합니다 합니까 입니다 " +
  "입니까 인가요 일까요 할까요 하나요 되나요 이에요 예요 어요 있나요 있습니까 있습니다 없습니다 무엇 어떻게 얼마나 " +
  "はどこ はいつ はだれ はなに はどう はどの はどれ どんな なぜ いくら いくつ この その あの 어디 언제 누구 무슨 어느";

/** Words of a text from which on it has an English one that nearly all texts have, if it is English. */
const SENTENCE_WORDS_COUNT = 4;

/** Words of a text: all, those with other letters than English ones, and those that nearly all English or other texts have. */
function countWords(text: string) {
  const words = text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [];
  const count = (isCounted: (word: string) => boolean) => words.filter(isCounted).length;
  return {
    all: words.length,
    lettered: count((word) => /[^a-z]/.test(word)),
    english: count((word) => STOP_WORDS.has(word)),
    foreign: count((word) => FOREIGN_WORDS.has(word)),
  };
}

/** True unless a text is in another language, or has none of the words that nearly all English texts have. */
export function isEnglish(text: string): boolean {
  const { all, lettered, english, foreign } = countWords(text);
  if (lettered > all / 5) return false;
  return english > foreign || (foreign === 0 && all < SENTENCE_WORDS_COUNT);
}

/** Addresses and paths, whose parts are of no language: the `com` of `example.com` is not Portuguese. */
const ADDRESSES = /(?<!\S)\S*?[./@]\p{L}\S*/gu;

/** True if a text is not English and has a word or a letter that says so. */
export function isForeign(text: string): boolean {
  const words = text.replace(ADDRESSES, " ");
  const { lettered, foreign } = countWords(words);
  return lettered + foreign > 0 && !isEnglish(words);
}

/** A form and the word that it is a form of: verbs and nouns that bend within, and numbers as words. */
export const OTHER_FORMS: ReadonlyMap<string, string> = new Map(
  (
    "went:go gone:go goes:go came:come became:become bought:buy brought:bring thought:think taught:teach " +
    "caught:catch fought:fight sought:seek made:make took:take taken:take gave:give given:give got:get gotten:get " +
    "saw:see seen:see knew:know known:know grew:grow grown:grow drew:draw drawn:draw flew:fly flown:fly threw:throw " +
    "thrown:throw blew:blow blown:blow shown:show wrote:write written:write drove:drive driven:drive rode:ride " +
    "ridden:ride rose:rise risen:rise spoke:speak spoken:speak broke:break broken:break chose:choose chosen:choose " +
    "froze:freeze frozen:freeze stole:steal stolen:steal woke:wake woken:wake wore:wear worn:wear tore:tear " +
    "torn:tear bore:bear born:bear swore:swear sworn:swear forgot:forget forgotten:forget began:begin begun:begin " +
    "drank:drink drunk:drink rang:ring rung:ring sang:sing sung:sing swam:swim swum:swim ran:run sat:sit " +
    "stood:stand understood:understand lost:lose found:find felt:feel kept:keep slept:sleep left:leave met:meet " +
    "led:lead paid:pay said:say told:tell sold:sell sent:send spent:spend built:build lent:lend bent:bend held:hold " +
    "heard:hear ate:eat eaten:eat fell:fall fallen:fall hid:hide hidden:hide bit:bite bitten:bite shot:shoot " +
    "stuck:stick struck:strike hung:hang dug:dig meant:mean dealt:deal dreamt:dream learnt:learn burnt:burn " +
    "spelt:spell shook:shake shaken:shake laid:lay lit:light fed:feed fled:flee bled:bleed bred:breed sped:speed " +
    "slid:slide spun:spin swept:sweep wept:weep children:child men:man women:woman people:person feet:foot " +
    "teeth:tooth mice:mouse geese:goose wives:wife knives:knife better:good best:good " +
    "worse:bad worst:bad one:1 two:2 three:3 four:4 five:5 six:6 seven:7 eight:8 nine:9 ten:10 eleven:11 twelve:12"
  )
    .split(" ")
    .map((pair) => pair.split(":") as [string, string]),
);

/** A suffix, what it becomes, and how many times a consonant must follow a vowel in what stays in front of it. */
type SuffixRule = readonly [suffix: string, replacement: string];

const NOUN_SUFFIXES = rules(
  "ational ate, tional tion, enci ence, anci ance, izer ize, abli able, alli al, entli ent, eli e, ousli ous, " +
    "ization ize, ation ate, ator ate, alism al, iveness ive, fulness ful, ousness ous, aliti al, iviti ive, biliti ble",
);
const ADJECTIVE_SUFFIXES = rules("icate ic, ative -, alize al, iciti ic, ical ic, ful -, ness -");
const LAST_SUFFIXES = rules(
  "al -, ance -, ence -, er -, ic -, able -, ible -, ant -, ement -, ment -, ent -, ion -, ou -, ism -, ate -, " +
    "iti -, ous -, ive -, ize -",
);

function rules(text: string): readonly SuffixRule[] {
  const pairs = text.split(", ").map((rule) => rule.split(" "));
  const read = pairs.map(
    ([suffix, replacement]) => [suffix!, replacement === "-" ? "" : replacement!] as const,
  );
  // The longest suffix that a word ends in is the one that counts.
  return read.sort(([left], [right]) => right.length - left.length);
}

/** The stem of a word in small Latin letters; other words stay as they are. */
export function stemEnglish(word: string): string {
  if (word.length < 3 || !isPlain(word)) return word;
  const singular = withoutPlural(word);
  const present = finalYAsI(withoutTense(singular));
  const noun = replaceSuffix(present, NOUN_SUFFIXES, 0);
  const adjective = replaceSuffix(noun, ADJECTIVE_SUFFIXES, 0);
  return withoutFinalE(replaceSuffix(adjective, LAST_SUFFIXES, 1));
}

function isPlain(word: string): boolean {
  for (let index = 0; index < word.length; index++) {
    const code = word.charCodeAt(index);
    if (code < 97 || code > 122) return false;
  }
  return true;
}

function withoutPlural(word: string): string {
  if (word.endsWith("sses") || (word.endsWith("ies") && word.length > 4)) return word.slice(0, -2);
  return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}

function withoutTense(word: string): string {
  if (word.endsWith("eed")) return countTurns(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  for (const suffix of ["ed", "ing"]) {
    if (!word.endsWith(suffix)) continue;
    const stem = word.slice(0, -suffix.length);
    return hasVowel(stem) ? repairedEnd(stem) : word;
  }
  return word;
}

/** Restores the end of a verb's stem: `hop(p)ed`, `hop(e)d`, `conflat(e)d`. */
function repairedEnd(stem: string): string {
  if (stem.endsWith("at") || stem.endsWith("bl") || stem.endsWith("iz")) return `${stem}e`;
  if (endsInTwin(stem)) return "lsz".includes(stem.at(-1)!) ? stem : stem.slice(0, -1);
  return countTurns(stem) === 1 && endsShort(stem) ? `${stem}e` : stem;
}

/** As in `pony` and `ponies`; behind a vowel it stays, or `deployment` would not be of `deploy`. */
function finalYAsI(word: string): string {
  const isTurning = word.length > 2 && word.endsWith("y") && !"aeiou".includes(word.at(-2)!);
  return isTurning ? `${word.slice(0, -1)}i` : word;
}

function replaceSuffix(word: string, suffixes: readonly SuffixRule[], turnsAbove: number): string {
  const rule = suffixes.find(([suffix]) => word.endsWith(suffix));
  if (rule === undefined) return word;
  const stem = word.slice(0, -rule[0].length);
  if (countTurns(stem) <= turnsAbove) return word;
  if (rule[0] === "ion" && !stem.endsWith("s") && !stem.endsWith("t")) return word;
  return stem + rule[1];
}

function withoutFinalE(word: string): string {
  let stem = word;
  if (word.endsWith("e")) {
    const shorter = word.slice(0, -1);
    const turns = countTurns(shorter);
    if (turns > 1 || (turns === 1 && !endsShort(shorter))) stem = shorter;
  }
  return stem.endsWith("ll") && countTurns(stem.slice(0, -1)) > 1 ? stem.slice(0, -1) : stem;
}

/** The number of consonants that follow a vowel: about the number of syllables. */
function countTurns(word: string): number {
  let turns = 0;
  let wasVowel = false;
  for (let index = 0; index < word.length; index++) {
    const isVowel = isVowelAt(word, index, wasVowel);
    if (wasVowel && !isVowel) turns++;
    wasVowel = isVowel;
  }
  return turns;
}

function hasVowel(word: string): boolean {
  let wasVowel = false;
  for (let index = 0; index < word.length && !wasVowel; index++) wasVowel = isVowelAt(word, index, wasVowel);
  return wasVowel;
}

/** `y` is a vowel behind a consonant. */
function isVowelAt(word: string, index: number, wasVowel: boolean): boolean {
  const letter = word[index]!;
  return letter === "y" ? index > 0 && !wasVowel : "aeiou".includes(letter);
}

function endsInTwin(word: string): boolean {
  return word.length >= 2 && word.at(-1) === word.at(-2) && !"aeiou".includes(word.at(-1)!);
}

/** Consonant, vowel, consonant at the end, as in `hop`; there an `e` made a difference. */
function endsShort(word: string): boolean {
  if (word.length < 3 || "wxy".includes(word.at(-1)!)) return false;
  const [first, middle, last] = [...word.slice(-3)] as [string, string, string];
  return !"aeiou".includes(first) && "aeiouy".includes(middle) && !"aeiou".includes(last);
}
