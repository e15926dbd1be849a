/**
 * By what a sentence shows that its author wants it kept, in ten languages: a table, and nothing else.
 *
 * A cue stands where such a sentence begins, behind words that only lead to it ("ok", "please"); "always" in the
 * middle of a story is no wish. What a row does not say it does not find: in doubt a sentence is left where it
 * is, because what was not kept can be said again, and what was kept wrongly is believed for a long time.
 */
import type { MemoryType } from "../files/memory.ts";

/**
 * `remember`: it is asked for by that word. `rule`: what is always or never to be done. `correction`: not so, but
 * so. `preference`: what somebody likes. `practice`: how things are done here. `person`: who somebody is.
 */
export type CueKind = "remember" | "rule" | "correction" | "preference" | "practice" | "person";

/** In this order they are kept where there are too many. */
export const CUE_KINDS: readonly CueKind[] = [
  "remember",
  "rule",
  "correction",
  "preference",
  "practice",
  "person",
];

export const TYPE_OF_KIND: Readonly<Record<CueKind, MemoryType>> = {
  remember: "project",
  rule: "feedback",
  correction: "feedback",
  preference: "user",
  practice: "project",
  person: "user",
};

export interface Cue {
  /** Of the row that found it; neighbours share words, as "sempre". */
  readonly language: "en" | "de" | "fr" | "es" | "pt" | "it" | "zh" | "ja" | "ko" | "ru";
  readonly kind: CueKind;
  /** From the sentence's beginning, behind {@link LEAD}. What a group `cue` holds is not part of what is kept. */
  readonly pattern: RegExp;
}

/** Words that lead to a sentence and say nothing: they are taken off, one by one. */
export const LEAD =
  /^(?:[-*+•]|\d{1,2}[.)]|#|(?:please|pls|ok|okay|yes|yeah|yep|well|also|and|but|so|then|oh|ah|hey|hi|btw|by the way|fyi|just|cool|great|thanks|perfect|right|bitte|ja|und|aber|also|ach|übrigens|s['’]il te plaît|s['’]il vous plaît|oui|et|mais|au fait|por favor|sí|vale|y|pero|sim|e|mas|por favor|per favore|sì|ok|ma|пожалуйста|да|и|но|кстати|请|請|好的|另外|对了|それと|あと|あの|그리고|참고로|네))(?![\p{L}\p{N}'’])[\s,.:;!，、。-]{0,4}/iu;

/**
 * Words by which somebody says that it is not so. With "instead" or "not" behind them they are a correction; else
 * what they lead to is a wish where it is one by itself: "No, I prefer tabs".
 */
export const OBJECTION =
  /^(?:(?:no|nope|nah|wrong|incorrect|not quite|actually|in fact|correction|that['’]s (?:wrong|not right|incorrect)|nein|nee|falsch|non|faux|en fait|de hecho|não|na verdade|in realtà|нет|на самом деле|不对|不是|不|其实|いいえ|いや|実は|아니요|아니|사실)\s?[,:;!，、–—-]\s{0,3}|actually (?=\p{L})|no (?=(?:we|i|my|our) ))/iu;

const start = (source: string): RegExp => new RegExp(`^(?:${source})`, "iu");
/** No letter follows: `\b` knows Latin letters only. */
const W = "(?![\\p{L}\\p{N}])";

/** Behind "always" and "never" stands what is to be done, not what is or was. */
const EVER = `(?:always|never)${W}(?! (?:mind|been|had|has|was|were|is|are|said|saw|thought|got|the|a|be able|knew|heard)${W})(?! \\p{L}+(?:ed|[^s\\P{L}]s)${W})(?= \\p{L})`;
const OUGHT = "(?:should|must|need to|needs to|have to|has to)";
const RULES = [
  `(?:(?:you|we|one|agents?|claude) ${OUGHT} |make sure (?:that )?(?:you |to |we )?|try to )?${EVER}`,
  `(?!(?:this|that|it|the|i|he|she|there)${W})[^,;:?]{3,80} ${OUGHT} ${EVER}`,
  `(?:if|when|whenever|before|after|for|in|on|with)${W}[^,;?]{2,80}, (?:please )?(?:(?:you|we) ${OUGHT} )?${EVER}`,
  `[^,;?]{3,120}[,;–] (?:so |and |but )?(?:please )?(?:(?:you|we) ${OUGHT} )?${EVER}`,
  `(?:(?:if|when|whenever|before|after|for|in|on|with)${W}[^,;?]{2,80}, )?prefer [^,;?]{2,100} (?:over|rather than|instead of)${W}`,
  `(?:from now on|from here on(?: out)?|going forward|henceforth|as a (?:general )?rule)${W}`,
  `next time,? (?:please )?(?:you${W}|(?:use|run|ask|check|do|don['’]?t|start|make|keep|read|write|tell|show)${W})`,
  `(?!(?:i|i['’]ll|he|she|they|the user|it|this|that)${W})(?!.*(?<![\\p{L}])(?:might|may|could|would|will|maybe|perhaps|think|hope)${W})[^?]{5,200} (?:from now on|going forward|from here on(?: out)?)[.!]*$`,
  `in (?:the )?future,? (?:please )?(?:always|never|use|run|ask|check|do not|don['’]?t|start|make|keep|read|write|tell|show|only)${W}`,
  `(?:whenever|every time|each time) (?:you|we|a|an|the)${W}`,
  `(?:in|for) (?:this|the|our) (?:repo|repository|project|codebase|code base|team)(?: here)?,? (?:please )?(?:use|do not|don['’]?t|only)${W}`,
  `(?:do not|don['’]?t|never) \\p{L}+ [^?]{0,120}(?:without|unless|until i|before i|ever again|any ?more)${W}`,
  `(?:do not|don['’]?t) ever${W}|under no circumstances${W}|(?:i|we) (?:always|never) (?:want|use|like|need|deploy|write|run|commit|push|work|merge|release|test|review|squash|rebase)${W}`,
];

/** What is so today is no practice. */
const AT_PRESENT = `(?![^?]*(?<!\\p{L})(?:today|tonight|tomorrow|yesterday|right now|at the moment|later|soon|next (?:week|sprint|time)|last (?:week|sprint|time)|this (?:one|file|function|line|value|branch|pr|time|way|bug|error))${W})`;
const PLACE =
  "(?:(?:here|(?:in|for|on) (?:this|our|the) (?:repo|repository|project|codebase|code base|team|company)),? )?";
const OFTEN = "(?:only|always|usually|mostly|normally|generally|no longer|do not|don['’]?t|never)";
const PRACTICES = [
  `${AT_PRESENT}${PLACE}we(?:['’]re| are)?(?: (?:${OFTEN}|also|still))? (?:use|using|deploy|follow|host|rely on|work with|standardi[sz]ed? on|have a (?:rule|policy|convention|freeze)|keep (?:our|all))${W}(?! (?:to${W}|it|this|that|these|those|them)${W})`,
  `${AT_PRESENT}${PLACE}we ${OFTEN} (?:write|release|ship|run|merge|squash|rebase|review|test|commit|push|freeze|tag)${W}(?! (?:it|this|that|these|those|them)${W})`,
  `${AT_PRESENT}our (?:team|project|repo|repository|codebase|company|stack|ci|database|db|api|style guide|convention|policy|default|main branch|deploy(?:ment)?s?|releases?|tests?|tickets?|bugs?|staging|production)${W}[^?]{0,60} (?:uses?|runs? (?:on|in|at|with|every)|lives?|must|goes|go|follows?|happens?|(?:is|are)(?! (?:(?:now|still|currently|not|all|too|so|very) )?(?:\\p{L}+ing|broken|down|slow|red|green|done|ready|good|fine|missing|wrong|stuck|flaky|late|back|up)${W}))${W}`,
];

export const CUES: readonly Cue[] = [
  // English
  {
    language: "en",
    kind: "remember",
    pattern: start(
      `(?<cue>(?:(?:can|could|would) you )?(?:please )?(?:remember|memori[sz]e|make a note|take note|(?:do not|don['’]?t) forget|note to self|save (?:this|that|it)? ?(?:to|in) (?:your )?memory|add (?:this|that|it)? ?to (?:your )?memory)(?: this| it| the following)?(?: for (?:later|next time|the future))?(?:,? that${W}|[:,-]| to(?= )|(?= (?:i|i['’]m|we|we['’]re|my|our|you|it['’]s|there|always|never|all|the \\S+ (?:is|are|was|has|have|needs?|must|should|uses?|runs?|lives?|lies|can)|\\S+ (?:is|are|needs?|must|uses?|runs?))${W})))\\s*`,
    ),
  },
  {
    language: "en",
    kind: "rule",
    pattern: start(RULES.join("|")),
  },
  {
    language: "en",
    kind: "preference",
    pattern: start(
      `(?:(?:for|in|on|with|as for|regarding|when)${W}[^,;?]{2,60}, )?i (?:do |really |strongly |generally |usually |much |always |also |personally )?prefer${W}|i(?:['’]d| would) (?:really |much )?(?:prefer (?:if |that )?(?:you|we)|rather (?:you|we))${W}|i (?:really |always )?(?:like|love|hate|dislike|can['’]t stand|(?:do not|don['’]?t) like|(?:do not|don['’]?t) want) (?:it when|when you|when the|you to|my|code|comments|tests|commits|answers|emojis?)${W}|i(?:['’]d| would) like you to${W}|i want you to (?:always|never)${W}|my (?:strong |personal )?preference is${W}|(?:i am|i['’]m) (?:not )?a fan of${W}`,
    ),
  },
  {
    language: "en",
    kind: "correction",
    pattern: start(
      `(?:no|nope|nah|wrong|incorrect|not quite|actually|that['’]s (?:wrong|not right|incorrect))[\\s,.:;!-]{1,4}(?=[^?]{0,200}(?:instead|rather than|${"(?<!is|are|does|do)"} not [\\p{L}\`"']))|(?:use|prefer|call|write|run|say|name) [^,.;]{2,60} (?:instead of|rather than|, not)${W}|stop (?:using|adding|writing|creating|committing|doing|saying|calling|putting|running|mocking)${W}`,
    ),
  },
  {
    // A thing that is called by its name: "the other one", and what is at hand today, is of the moment.
    language: "en",
    kind: "correction",
    pattern: start(
      `(?<cue>(?:no|nope|nah|wrong)\\s?[,:;!–—-]\\s{0,3}(?:please )?)(?=use${W})${AT_PRESENT}(?!use (?:an?|the|my|your|both|either|any|some|one|more|less|another)${W}|[^?]*(?<!\\p{L})(?:this|that|these|those|it|them|here|there|now|then|other|same|first)${W})`,
    ),
  },
  {
    language: "en",
    kind: "practice",
    pattern: start(PRACTICES.join("|")),
  },
  {
    // Mostly of the task at hand: kept as what is known, and not as what was asked to be remembered.
    language: "en",
    kind: "practice",
    pattern: start(`(?<cue>(?:please )?(?:keep in mind|bear in mind|be aware)(?:,? that${W}|[:,]))\\s*`),
  },
  {
    language: "en",
    kind: "person",
    pattern: start(
      `my (?:name|role|title|team|timezone|time zone|email|editor|shell|os|operating system|pronouns|native language) (?:is|are)${W}|call me (?=\\p{L})|(?:i am|i['’]m) (?:an? |the )?(?:\\S+ ){0,3}(?:engineer|developer|designer|manager|scientist|student|researcher|analyst|founder|lead|architect|administrator|maintainer|writer|teacher|beginner|new to)${W}|i work (?:as|at|for)${W}|i live in${W}|i(?:['’]ve| have) (?:been (?:using|writing|working (?:as|with|in|on))|worked (?:as|with))${W}[^?]{0,80} for [^?]{0,20}(?:years?|months?|decades?)${W}`,
    ),
  },
  // German
  {
    language: "de",
    kind: "remember",
    pattern: start(
      `(?<cue>(?:kannst du (?:dir )?)?(?:merke? dir|merk es dir|denke? (?:bitte )?daran|vergiss (?:bitte )?nicht|behalte? (?:bitte )?im (?:kopf|hinterkopf)|notiere? dir|(?:bitte )?(?:merken|nicht vergessen|beachten?))(?: bitte)?(?: für (?:später|die zukunft))?(?:,? dass${W}|[:,-]|,? (?:immer|nie)${W})?)\\s*`,
    ),
  },
  {
    language: "de",
    kind: "rule",
    pattern: start(
      `(?!(?:wie|schon|nicht|fast|ist|sind|war|das|es|er|sie|ich|dies|was|noch|auch|leider|hier|jetzt|so|oder)${W})(?:\\p{L}+ (?:bitte )?)?(?:immer|niemals|nie|keinesfalls|auf keinen fall)${W}(?! (?:noch|wieder|mehr))|(?:ab (?:jetzt|sofort|nun)|von nun an|in zukunft|künftig|zukünftig|grundsätzlich|standardmäßig)${W}|(?:du sollst|du sollst|du darfst|wir müssen) (?:immer|nie|niemals)${W}`,
    ),
  },
  {
    language: "de",
    kind: "preference",
    pattern: start(
      `ich (?:bevorzuge|ziehe [^,.]{2,60} vor|mag (?:es|lieber|keine|kein)|hasse|hätte (?:lieber|gern)|möchte (?:lieber|immer|keine|nie)|will (?:lieber|immer|keine|nie))${W}|mir (?:ist|sind|wäre) [^,.]{2,60} lieber|am liebsten${W}`,
    ),
  },
  {
    language: "de",
    kind: "correction",
    pattern: start(
      `(?:nein|nee|falsch|nicht ganz)[\\s,.:;!-]{1,4}(?=[^?]{0,200}(?:stattdessen|statt|anstatt|anstelle|sondern|nicht))|(?:verwende|benutze?|nimm|nutze) [^,.;]{2,60} (?:statt|anstatt|anstelle)${W}`,
    ),
  },
  {
    language: "de",
    kind: "practice",
    pattern: start(
      `(?:(?:hier|in diesem projekt|bei uns) )?(?:wir )?(?:verwenden|benutzen|nutzen|deployen|arbeiten|setzen|schreiben|veröffentlichen)(?: wir)?${W}(?=[^?]{0,200}$)|unser[e]? (?:team|projekt|repo|repository|code|ci|datenbank|api|hauptbranch|deployments?|tests?)${W}[^?]{0,80}(?:ist|sind|liegt|läuft|heißt|nutzt|verwendet)${W}`,
    ),
  },
  {
    language: "de",
    kind: "person",
    pattern: start(
      `(?:mein name ist|ich heiße|ich arbeite (?:als|bei|an|für)|meine rolle ist|ich bin (?:ein |eine |der |die )?(?:\\S+ ){0,2}(?:entwickler|entwicklerin|ingenieur|ingenieurin|designer|designerin|student|studentin|leiter|leiterin|anfänger|anfängerin|neu in))${W}`,
    ),
  },
  // French
  {
    language: "fr",
    kind: "remember",
    pattern: start(
      `(?<cue>(?:(?:peux-tu|tu peux) )?(?:souviens-toi|souvenez-vous|rappelle-toi|rappelez-vous|retiens|retenez|mémorise|n['’]oublie pas|n['’]oubliez pas|garde en tête|garde à l['’]esprit|note)(?: bien)?(?:,? qu(?:e${W}|['’])|,? de${W}|[:,-]))\\s*`,
    ),
  },
  {
    language: "fr",
    kind: "rule",
    pattern: start(
      `(?!(?:pas|presque|il|elle|on|est|comme)${W})(?:\\p{L}+ )?toujours${W}(?! (?:pas|rien|en|le même|la même)${W})|(?:ne |n['’])\\p{L}+ (?:plus )?jamais${W}|jamais de${W}|(?:à partir de maintenant|désormais|dorénavant|à l['’]avenir|par défaut)${W}|(?:tu dois|il faut) (?:toujours|ne jamais)${W}`,
    ),
  },
  {
    language: "fr",
    kind: "preference",
    pattern: start(
      `je (?:préfère|préférerais|déteste)${W}|j['’]aime (?:mieux|que|quand)${W}|je n['’]aime pas (?:que|quand|les|le|la)${W}|je ne veux (?:pas|jamais)${W}`,
    ),
  },
  {
    language: "fr",
    kind: "correction",
    pattern: start(
      `(?:non|faux|pas tout à fait)[\\s,.:;!-]{1,4}(?=[^?]{0,200}(?:plutôt|à la place|au lieu|et non|pas))|(?:utilise|emploie|prends) [^,.;]{2,60} (?:au lieu de|plutôt que)${W}`,
    ),
  },
  {
    language: "fr",
    kind: "practice",
    pattern: start(
      `(?:ici,? )?(?:nous (?:utilisons|déployons|travaillons|écrivons)|on (?:utilise|déploie|travaille))${W}|notre (?:équipe|projet|dépôt|base|api|ci|code)${W}[^?]{0,80}(?:est|utilise|se trouve|tourne)${W}`,
    ),
  },
  {
    language: "fr",
    kind: "person",
    pattern: start(
      `(?:je m['’]appelle|mon nom est|je travaille (?:comme|chez|pour|dans|sur)|je suis (?:un |une )?(?:\\S+ ){0,2}(?:développeur|développeuse|ingénieure?|étudiante?|designer|chercheur|chercheuse|débutante?))${W}`,
    ),
  },
  // Spanish
  {
    language: "es",
    kind: "remember",
    pattern: start(
      `(?<cue>(?:(?:puedes|podrías) )?(?:recuerda|recordar|recuerde|acuérdate|ten en cuenta|tenga en cuenta|no olvides|no te olvides|memoriza|anota|apunta)(?:,? (?:de )?que${W}|,? de${W}|[:,-]))\\s*`,
    ),
  },
  {
    language: "es",
    kind: "rule",
    pattern: start(
      `(?:(?!(?:ella|esta|esa|que|porque|casi|la|se|y)${W})\\p{L}*[aezn] )?(?:siempre|nunca|jamás)${W}(?! (?:mejor|más)${W})|(?:de ahora en adelante|a partir de ahora|en adelante|en el futuro|por defecto)${W}|(?:debes|hay que) (?:siempre|nunca)${W}`,
    ),
  },
  {
    language: "es",
    kind: "preference",
    pattern: start(
      `(?:yo )?(?:prefiero|preferiría|odio)${W}|(?:no )?me gusta (?:que|cuando|más|el|la|los|las)${W}|no quiero que${W}`,
    ),
  },
  {
    language: "es",
    kind: "correction",
    pattern: start(
      `(?:no|incorrecto)[,.:;!-]\\s{0,2}(?=[^?]{0,200}(?:en su lugar|en vez|en lugar|sino|mejor))|(?:usa|utiliza|emplea) [^,.;]{2,60} (?:en vez de|en lugar de)${W}`,
    ),
  },
  {
    language: "es",
    kind: "practice",
    pattern: start(
      `(?:aquí )?(?:nosotros )?(?:usamos|utilizamos|desplegamos|trabajamos con)${W}|nuestr[oa] (?:equipo|proyecto|repositorio|base|api|código)${W}[^?]{0,80}(?:es|está|usa|utiliza|se encuentra)${W}`,
    ),
  },
  {
    language: "es",
    kind: "person",
    pattern: start(
      `(?:me llamo|mi nombre es|trabajo (?:como|en|para)|soy (?:un |una )?(?:\\S+ ){0,2}(?:desarrollador|desarrolladora|ingeniero|ingeniera|estudiante|diseñador|diseñadora|principiante))${W}`,
    ),
  },
  // Portuguese
  {
    language: "pt",
    kind: "remember",
    pattern: start(
      `(?<cue>(?:(?:pode|poderia) )?(?:lembre-se|lembra-te|lembre|lembra|não (?:se )?esqueça|não te esqueças|tenha em mente|memorize|anote)(?:,? (?:de )?que${W}|,? de${W}|[:,-]))\\s*`,
    ),
  },
  {
    language: "pt",
    kind: "rule",
    pattern: start(
      `(?:(?!(?:ela|ele|esse|essa|este|esta|que|porque|quase|a|se|e)${W})\\p{L}*[aei] )?(?:sempre|nunca|jamais)${W}|(?:a partir de agora|de agora em diante|daqui (?:em|para|por) (?:diante|frente)|doravante|no futuro|por padrão)${W}|(?:você deve|deve) (?:sempre|nunca)${W}`,
    ),
  },
  {
    language: "pt",
    kind: "preference",
    pattern: start(
      `(?:eu )?(?:prefiro|preferia|odeio|detesto)${W}|(?:eu )?(?:não )?gosto (?:que|quando|mais|de)${W}|(?:eu )?não quero que${W}`,
    ),
  },
  {
    language: "pt",
    kind: "correction",
    pattern: start(
      `(?:não|errado)[,.:;!-]\\s{0,2}(?=[^?]{0,200}(?:em vez|ao invés|em lugar|no lugar|e não|mas sim))|(?:use|usa|utilize) [^,.;]{2,60} (?:em vez de|ao invés de|no lugar de)${W}`,
    ),
  },
  {
    language: "pt",
    kind: "practice",
    pattern: start(
      `(?:aqui )?(?:(?:nós )?(?:usamos|utilizamos|implantamos|trabalhamos com)|a gente usa)${W}|noss[oa] (?:equipe|time|projeto|repositório|banco|api|código)${W}[^?]{0,80}(?:é|está|usa|utiliza|fica)${W}`,
    ),
  },
  {
    language: "pt",
    kind: "person",
    pattern: start(
      `(?:(?:eu )?me chamo|meu nome é|(?:eu )?trabalho (?:como|na|no|em|para)|(?:eu )?sou (?:um |uma )?(?:\\S+ ){0,2}(?:desenvolvedor|desenvolvedora|engenheiro|engenheira|estudante|designer|iniciante))${W}`,
    ),
  },
];
