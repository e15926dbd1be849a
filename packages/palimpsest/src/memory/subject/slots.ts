/**
 * What a person has one of at a time, in words of the state and of its change: who `moved to Leeds` does not `live in
 * Porto`, though the two share no word. Used only to show both, the newer one first.
 */
import { anyOf } from "./change-signs.ts";
import { COMPARED_CHARACTERS, memoizeCompared } from "./subject-words.ts";

interface Slot {
  readonly pattern: RegExp;
  /** Words by which facts of it are found. */
  readonly query: string;
}

const SLOTS: readonly Slot[] = [
  {
    query: "live lives living based home wohne wohnen lebe vivo vivimos habite 住在 住んで",
    pattern: anyOf(
      [
        "live|living|reside|based in|(?:i|we|i've|we've|have|just) moved?|moving to|relocated",
        "wohnen?|leben?|ziehen?|gezogen|umgezogen|hingezogen|vivo|vivimos|mud(?:é|ado|amos)|resido|habit(?:e|ons)|vis|déménagé|emménagé|installé",
      ],
      "住在|我住|搬到|搬去|搬家|住んで|住み|引っ越",
    ),
  },
  {
    query: "work works job employed arbeite job trabajo empleo travaille 上班 工作 働いて 勤め",
    pattern: anyOf(
      [
        "work(?:ing)? (?:at|for|as|in)|jobs?|employ(?:ed|er)|hired|quit|resigned|laid off|fired|retired",
        "arbeite|gekündigt|angestellt|stelle|rente|trabajo|empleo|contratad[oa]|contrataron|despid\\p{L}+|renuncié|jubil\\p{L}+|travaille|boulot|embauchée?|démissionné|retraite",
      ],
      "上班|工作|离职|辞职|入职|跳槽|退休|働|勤め|転職|退職|就職|入社",
    ),
  },
  {
    query:
      "married single divorced engaged wife husband verheiratet ledig casado casada soltero soltera marié mariée 结婚 单身 結婚 独身",
    pattern: anyOf(
      [
        "married|single|divorced?|engaged|widow(?:ed|er)?|broke up|split up|verheiratet|ledig|geschieden|scheiden|geheiratet|verlobt|getrennt",
        "casad[oa]|solter[oa]|divorci\\p{L}+|casé|casamos|comprometid[oa]|separ\\p{L}+|mariée?|célibataire|divorcée?|fiancée?|séparés?",
      ],
      "结婚|离婚|单身|订婚|分手|夫妻|結婚|離婚|独身|婚約",
    ),
  },
  {
    query: "weigh kilos kg pounds wiege peso pèse 体重 公斤 キロ",
    pattern: anyOf(
      [
        "weigh|weight|kilos?|kg|lbs|pounds|wiege|abgenommen|zugenommen|peso|adelgac\\p{L}+|engord\\p{L}+|pèse|maigri|grossi",
      ],
      "体重|斤|瘦|キロ|痩せ|太っ",
    ),
  },
  {
    query: "smoke smoking rauche fumo fume 抽烟 吸烟 タバコ",
    pattern: anyOf(
      ["smok(?:e|er|ing)|cigarettes?|rauchen?|raucher(?:in)?|fum(?:o|ar|ador|e|er|eur)"],
      "烟|タバコ|煙草|禁煙",
    ),
  },
  {
    query:
      "vegetarian vegan meat vegetarier vegetarierin vegetariano vegetariana vegana vegano végétarien végétarienne 吃素 素食 菜食",
    pattern: anyOf(
      ["pescatarian|meat|vegetari\\p{L}+|vegan\\p{L}*|fleisch|carne|végétari\\p{L}+|végan\\p{L}*|viande"],
      "吃素|素食|吃肉|荤|菜食|ベジタリアン|ビーガン|肉を",
    ),
  },
  {
    query: "drive car bike fahre auto wagen coche carro conduzco roule voiture 开车 车 乗って",
    pattern: anyOf(
      ["drive|driving|car|fahre|auto|wagen|coche|carro|conduzco|voiture|roule"],
      "开车|我开|买.{0,4}车|换.{0,4}车|乗って|車を",
    ),
  },
];

const slotsOf = memoizeCompared((text): readonly Slot[] =>
  text.length > COMPARED_CHARACTERS ? [] : SLOTS.filter(({ pattern }) => pattern.test(text)),
);

/** True if two facts of one person say something of the same of them. */
export function areOfOneSlot(one: string, other: string): boolean {
  const slots = slotsOf(other);
  return slotsOf(one).some((slot) => slots.includes(slot));
}

/** Words by which older facts of the same slots are found; empty where it says nothing of any. */
export const slotQueryOf = (text: string): string =>
  slotsOf(text)
    .map(({ query }) => query)
    .join(" ");
