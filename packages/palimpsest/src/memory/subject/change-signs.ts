/**
 * Signs that a statement reports a change: words such as `now`, `no longer`, `new`, and verbs of change (`was promoted`,
 * `ha dejado`, `搬到`). A past tense alone is none: every story has it. They never say what has changed: that takes a
 * shared subject.
 */
import { COMPARED_CHARACTERS, memoizeCompared } from "./subject-words.ts";

/** Matches any of the words, or any of `pieces` of scripts without blanks. */
export const anyOf = (words: readonly string[], pieces: string): RegExp =>
  new RegExp(`(?<![\\p{L}_])(?:${words.join("|")})(?![\\p{L}_])|${pieces}`, "iu");

const CHANGE_WORDS = anyOf(
  [
    "now|nowadays|these days|currently|since|as of|starting|no longer|any ?more|any longer|(?<!(?:not|n['’]t|never) [^.;]{0,60})(?:instead|rather)|actually|in fact",
    "correction|scratch that|turns out|^new|(?:an?|my|our|the|his|her|their) new|new [\\p{L} ]{1,30}(?=:)|gone|down to|up to|not (?!only)[^.;,]{1,60}? but|(?<=,) not",
    "(?:^no|^nope|^nein|^non)(?=[,:])|(?<=,) (?:nicht|no|pas)",
    "jetzt|nun|inzwischen|mittlerweile|neuerdings|seit|seitdem|ab sofort|mehr|statt|stattdessen|anstelle|sondern|doch|eigentlich|korrektur|neue?[rsnm]?|weg|keine?[nrms]? [^.;,]{1,60} mehr",
    "ahora|actualmente|ya|desde|a partir de|en realidad|corrección|finalmente|nuev[oa]s?|en vez de|en lugar de|sino",
    "maintenant|désormais|dorénavant|actuellement|plus|depuis|à partir de|en fait|rectification|correction|nouve(?:au|l|lle)s?|à la place",
  ],
  "现在|如今|目前|已经|不再|新|其实|^不(?:是|对)?[，,]|更|改|换|搬|迁|转|升|调|辞|离|戒|提高|提前|降|增|减|扩|缩|推迟|延|以后|从.{1,8}起|卖|了(?=[。，,！!；;]|$)|了，|接任|今は|もう|今週から|今日から|訂正|実は|ではなく|じゃなく|変わ|移行|移り|交代|引っ越|やめ|離婚|退職|転職|売|替え|なりました|になった|増え|減|上が|下が|亡くな|別れ",
);

const CHANGE_VERBS = anyOf(
  [
    "moved|relocated|changed|switched|swapped|replaced|renamed|rebranded|migrated|transferred|converted|upgraded|downgraded|bumped",
    "raised|lowered|increased|decreased|reduced|doubled|halved|extended|shortened|postponed|delayed|pushed|rescheduled|slipped|brought forward",
    "promoted|demoted|retired|resigned|quit|left|fired|took over|taken over|handed|stopped|gave up|given up|(?:i|we|have|'ve) (?:dropped|ditched|abandoned)|cancell?ed",
    "sold|divorced|separated|broke up|split up|turned|became|become|grew|grown|shrunk|learned|learnt|had (?:a|her|his|their)|died|passed away",
    "\\p{L}*(?:gezogen|gestiegen|gestellt|benannt|schoben|längert|kürzt|wechselt|getauscht|gesetzt|ersetzt|gegeben|schafft|schaltet)",
    "geändert|verlegt|erhöht|gesenkt|reduziert|verdoppelt|halbiert|übernommen|abgelöst|gekündigt|befördert|entlassen|verkauft|aufgehört|gestorben|scheiden lassen|getrennt|geheiratet|geworden|abgenommen|zugenommen|gelernt|migriert|verlassen",
    "(?:mud|traslad|cambi|migr|reemplaz|renombr|aplaz|adelant|aument|divorci|separ|jubil|renunci|cancel|ampli)(?:é|ó|ado|ada|amos|aron)|pas(?:é|ó|amos|aron)|(?:he|ha|hemos|han) pasado",
    "(?:sub|vend|sustitu|cumpl|aprend|convirt|ascend|reduj|despid|muri|falleci)(?:í|ió|ido|imos|ieron|eron|o)|baj(?:é|ó|ado|amos)|dej(?:é|ó|ado|amos|aron)|cas(?:é|ó|aron|amos)|murió|se fue",
    "(?:déménag|emménag|chang|pass|migr|remplac|renomm|rebaptis|repouss|report|avanc|augment|baiss|quitt|arrêt|abandonn|divorc|sépar|démissionn|licenci|annul)ée?s?|vendue?s?|réduite?s?|promue?s?|repris|devenue?s?|appris",
  ],
  "(?!)",
);
const REDACTED = /\[redacted: [^\]]{0,60}\]/g;

/** True if a statement says that something is not as it was. */
export const saysChange = memoizeCompared((written): boolean => {
  if (written.length > COMPARED_CHARACTERS) return false;
  const text = written.replace(REDACTED, " ");
  return CHANGE_WORDS.test(text) || text.replace(NOT_CHANGED, " ").search(CHANGE_VERBS) !== -1;
});

/** “I have not moved”, “ist nicht umgezogen”. */
const NOT_CHANGED =
  /(?<!\p{L})(?:not|never|nicht|nie|no|nunca|pas)(?: (?:yet|se|me|been))? \p{L}+|n['’]t (?:yet )?\p{L}+/giu;

/** It is about what was before, and changes nothing: `I used to live in Bruges`. */
const PAST_STATE = anyOf(
  [
    "used to|former(?:ly)?|previous(?:ly)?|back then|born|before that|(?:was|were) (?!\\p{L}+(?:ed|en|wn)(?!\\p{L}))",
    "früher|damals|ehemalige?[rsnm]?|geboren|war|waren|hatten?|vorher",
    "antes|anterior|antaño|nac[ií]\\p{L}*|era|eran|\\p{L}+aba[ns]?|(?:viv|ten|hac)ía[ns]?",
    "avant|autrefois|ancien(?:ne)?s?|né|née|étai[ts]|(?![fl]ait)\\p{L}+ait",
  ],
  "以前|曾经|曾在|之前|出生|かつて|ていました|生まれ",
);
/** With these, the past is only where it begins. */
const PRESENT = anyOf(
  ["now|instead|no longer|jetzt|nun|inzwischen|ahora|ya no|maintenant|désormais"],
  "现在|如今|不再|今は",
);

/** True if a statement is about the past alone. */
export const isOfThePast = memoizeCompared((text): boolean => PAST_STATE.test(text) && !PRESENT.test(text));

const UNSETTLED = anyOf(
  [
    "if|might|could|would|should|plan(?:s|ned|ning)? to|wants?|hopes?|wish|consider(?:s|ing)?|maybe|perhaps|almost|nearly|some day|one day",
    "werden?(?!\\p{L})[^.;]{0,200}\\p{L}e[lr]?n(?=[.!]{0,3}$)|wenn|falls|vielleicht|könnten?|würden?|möchten?|wollen|sollten?|fast|beinahe",
    "si|quizás?|tal vez|podr\\p{L}+|quier\\p{L}+|querr\\p{L}+|casi|algún día|\\p{L}{2,}[aei]ré",
    "peut-être|un jour|voudrais|pourrais|presque|\\p{L}{2,}[aei]rai",
  ],
  "如果|假如|也许|可能|或许|想要|打算|计划|差点|たい(?:です|と|。|$)|いつか|かもしれ|もし",
);
/** In small letters: May is a month, and Will a name. “Er will” is German. */
const MODAL =
  /(?<!\p{L}|ich |er |sie |es )(?:may|will)(?!\p{L}| (?:eine?n?|keine?n?|nicht|da[ss]|de[rn]|die|ich|er|sie|wir)(?!\p{L}))/u;

/** True if a statement is about what may be: “I may move to Oslo” changes nothing yet. */
export const isUnsettled = memoizeCompared((text): boolean => UNSETTLED.test(text) || MODAL.test(text));
