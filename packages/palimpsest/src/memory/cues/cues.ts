/**
 * The table of cues: phrases by which people ask that something be remembered, in ten languages.
 *
 * It is used if no model extracts, so it is exact rather than clever. A cue begins a sentence; only introductory
 * words such as "please" may come before it. A sentence without a cue is not kept: a user can say it again, and a
 * memory kept by mistake is believed for a long time.
 *
 * A cue is a phrase with alternatives in brackets. `…` matches up to a hundred characters, `~` any one word. The part
 * before `»` is not kept.
 */
import type { MemoryType } from "../files/memory.ts";

/**
 * `remember`: the user asks for it by that word. `rule`: what to do always or never. `correction`: not this, but that.
 * `preference`: what the user likes. `practice`: how the project does things. `person`: who the user is.
 */
export type CueKind = "remember" | "rule" | "correction" | "preference" | "practice" | "person";

/** The type of memory that each kind becomes; where there are too many, earlier kinds are kept first. */
export const TYPE_OF_KIND: Readonly<Record<CueKind, MemoryType>> = {
  remember: "project",
  rule: "feedback",
  correction: "feedback",
  preference: "user",
  practice: "project",
  person: "user",
};

export type CueLanguage = "en" | "de" | "fr" | "es" | "pt" | "it" | "zh" | "ja" | "ko" | "ru";

interface LanguageCues extends Readonly<Record<CueKind, readonly string[]>> {
  /** Introductory words without meaning. */
  readonly lead: string;
  /** Words that object to something; a comma or the like follows. */
  readonly objection: string;
  /** Further corrections, recognized only after an objection. */
  readonly afterObjection: readonly string[];
}

/** Followed by an action, not by a past state. */
const EVER =
  "(always|never)(?! (mind|been|had|has|was|were|is|are|said|the|a)\\b| have (i|we|you|they|~(ed|en))\\b| ~(ed|[^s]s)\\b) ~";
/** Spanish and Portuguese share "nunca". */
const NO_PAST =
  "(?! (se (me|te|le|nos)|se (olvida|cae|rompe)|me (acuerdo|olvido))(?!\\p{L})| ((me|te|se|nos|lo|la|le) )?(he|has|ha|hemos|han|había\\p{L}*|dije|disse|hice|fiz|fue|foi|fui|era|~(é|ó|ou|ei|aba|ava|ía|aron|ieron|aram|ábamos|íamos))(?!\\p{L}))";
/** A German verb that begins a sentence: before “immer”, other first words tell how it is. */
const IMPERATIVE =
  "(?!(ich|du|er|sie|es|wir|ihr|man|das|der|die|schon|noch|wie|fast|nicht|warum|wer|so|auch|und|was|wo|wann|wenn|doch|leider|sonst|klar|ja|ist|sind|hat|habe?|war|wird|kommt|geht|kann)(?!\\p{L}))~";
const OUGHT = "(should|must|need to|has to|have to)";
const WHEN = "(if|when|whenever|before|after|for|in|on|with) …, (please )?";
const DO =
  "(use|run|ask|check|do|don't|start|make|keep|read|write|tell|show|answer|reply|call|put|add|say|test|commit)";
const OUR =
  "our (team|project|repo|repository|codebase|stack|ci|database|api|convention|policy|main branch|deploys?|releases?|tests?|tickets|bugs|staging|production)";

export const CUES: Readonly<Record<CueLanguage, LanguageCues>> = {
  en: {
    lead: "please|pls|ok|okay|yes|yeah|yep|well|also|and|but|so|then|oh|ah|hey|hi|btw|by the way|fyi|just|cool|great|thanks|perfect|right",
    objection:
      "no|nope|nah|wrong|incorrect|not quite|actually|in fact|correction|that's (wrong|not right|incorrect)|(sorry,? )?(i was (wrong|mistaken)( about (that|it))?|my mistake|i misspoke)",
    remember: [
      "(((can|could|would|will) you|i('d like| want| need) you to) )?(please )?(remember|rember|remeber|memori[sz]e|don't forget|do not forget|note to self|make a note|take a note|(write|note|jot) (this|that|it) down)( this)?(,? that|[:,-]) »",
      "(save|store|record|note|remember) the fact that »",
      "(for (future|later) reference|for later|for the record|(fyi|info) for later)[:,] »",
      "you should know( that)? » (i|i'm|my|we|our)",
      "note that » … (always|never|only|must|every|each)",
      "(remember|don't forget) to » ~",
      "(remember|don't forget) » (i|i'm|we|my|our|always|never) ~",
      "remember » the ~ (is|are|has|needs?|must|uses?|runs?|lives?)",
      "(save|add) (this|that|it) to (your )?memory[:,-] »",
      // Without an object, "don't forget" means that something is to be done, and "remember" is a question.
      "…[,;–—] (so |and |but )?(please )?((remember|don't forget|do not forget) (this|that|it)|(keep|bear) (this|that|it) in mind)( (when|whenever|if|for) …)?[.!]*$",
    ],
    rule: [
      EVER,
      `(you|we|agents) ${OUGHT} ${EVER}`,
      `make sure (that )?(you |we )?(to )?${EVER}`,
      `… ${OUGHT} ${EVER}`,
      `${WHEN}${EVER}`,
      `…, (so |and |but )?${EVER}`,
      "(from now on|from here on|from this point on|going forward|henceforth|as a rule)(?!,? (it|things) ?(gets?|('s|is|are|will be) (all )?(downhill|uphill|easy|easier|fine))\\b)",
      "(in (the )?future|for (all |any )?(future|later) (sessions|chats|conversations|tasks|work))[:,]",
      `(whenever|every time|each time) (i|you|we) …, (please )?(always|never|don't|leave|skip|include|give|avoid|omit|remind|wait|${DO})`,
      `(${DO}|… ${OUGHT}) … (from now on|going forward)[.!]*$`,
      `(next time|in the future|in (this|our) (repo|repository|project|codebase)),? (please )?(always|never|only|${DO})`,
      `(${WHEN})?prefer … (over|rather than|instead of)`,
      "(don't|do not|never) … (without|unless|until|ever again)",
      "((don't|do not) ever|under no circumstances)",
      "(i|we) (always|never) (want|use|like|need|deploy|write|run|commit|push|merge|release|test|review|squash)",
    ],
    correction: [
      "(use|prefer|call|write|run|say|name) … (instead of|rather than|, not)",
      "not (?!(sure|only|just|yet|that)\\b)~,? but ~",
      "stop (using|adding|writing|creating|committing|doing|saying|calling|putting|running|mocking)",
    ],
    afterObjection: [
      "use (?!(an?|the|my|your|both|either|any|some|one|more|another)\\b)~",
      "… (instead|rather than|not ~)",
    ],
    preference: [
      "i (really |strongly |generally |usually |always |also )?prefer",
      "(for|in|on|with|as for|regarding|when) …, i prefer",
      "(i'd|i would) (really )?(prefer (if |that )?|rather |like )(you|we)",
      "i (really )?(like|love|hate|dislike|can't stand|don't like|don't want) (it when|when you|you to|my|code|comments|tests|commits|answers|emojis?)",
      "(i want you to (always|never)|my (strong |personal )?preference is)",
    ],
    practice: [
      "(keep in mind|bear in mind|be aware)(,? that|[:,]) »",
      "((here|in (this|our|the) (repo|project|team)),? )?we (only |also |still |no longer |don't )?(use(?! to\\b)|deploy|follow|host|rely on|work with)",
      "we (only|usually|mostly|normally|generally|no longer|don't) (write|release|ship|run|merge|squash|rebase|review|test|commit|push|tag)",
      `${OUR} … (uses?|runs? (on|in|at)|lives?|must|goes?|follows?|happens?)`,
      `${OUR} (is|are) (in|on|at|called)`,
    ],
    person: [
      "my (name|role|title|team|timezone|time zone|email|editor|shell|os|pronouns|native language) is",
      "call me ~",
      "i (work (as|at|for)|live in)",
      "(i am|i'm) (an? |the )?(~ ){0,3}(engineer|developer|designer|manager|scientist|student|researcher|analyst|founder|architect|maintainer|writer|teacher|beginner)",
    ],
  },
  de: {
    lead: "bitte|ja|und|aber|also|ach|übrigens|ok|okay",
    objection: "nein|nee|falsch|nicht ganz|korrektur|ich habe mich geirrt|ich lag falsch|mein fehler",
    remember: [
      "(kannst|könntest) du dir( bitte)? merken,? dass »",
      "(merke? dir|denke? d(a|r)?ran|vergiss nicht|behalte? im (kopf|hinterkopf)|notiere? dir|speichere? dir|schreibe? dir auf|nicht vergessen)( (bitte|mal|doch|einfach|das|noch))*(,? dass|[:,-]) »",
      "(ich (möchte|will)|mir ist wichtig),? dass du dir merkst,? dass »",
      "((zur )?info für später|für später|zum merken)[:,] »",
      "…, (und )?(bitte )?(merke? dir das|(das )?nicht vergessen|vergiss (das|es) nicht|denke? (bitte )?d(a|r)?ran|behalte? das im (kopf|hinterkopf))( bitte)?[.!]*$",
    ],
    rule: [
      "(immer|niemals|nie|keinesfalls|auf keinen fall)(?! (dies|wieder ~,))",
      "(verwende|benutze?|nutze|nimm|schreibe?|antworte|mache?|frage?|lass|committe|push|teste) (~ ){0,2}(immer|niemals|nie)",
      "(ab jetzt|ab sofort|von nun an|in zukunft|künftig|grundsätzlich|standardmäßig)(?! (wird|ist|geht|läuft) (es|das|alles) ((viel|nur|immer|wieder) )?(leicht|einfach|besser|bergab|bergauf)(er)?(?!\\p{L}))",
      "(du sollst|du darfst|wir müssen) (immer|nie|niemals)",
      `${IMPERATIVE} (bitte )?(immer|niemals|nie)( (wieder|mehr))? ~`,
    ],
    correction: ["(verwende|benutze?|nimm|nutze) … (statt|anstatt|anstelle)", "nicht …, sondern ~"],
    afterObjection: ["… (stattdessen|statt|anstatt|sondern)"],
    preference: [
      "ich (bevorzuge|hasse|mag (es|lieber|keine?)|hätte (lieber|gern)|(möchte|will) (lieber|immer|keine|nie))",
      "mir (ist|sind|wäre) … lieber",
    ],
    practice: [
      "((hier|bei uns|in (diesem|unserem) (projekt|repo|team)) )?(wir )?(verwenden|benutzen|nutzen|deployen)( wir)?",
      "unsere? (team|projekt|repo|code|ci|datenbank|api|deployments?|tests?) … (ist|sind|liegt|läuft|heißt|nutzt)",
    ],
    person: [
      "(mein name ist|ich heiße|ich arbeite (als|bei|für)|meine rolle ist)",
      "ich bin (eine? )?(~ )?(entwickler|ingenieur|designer|student|anfänger)(in)?",
    ],
  },
  fr: {
    lead: "s'il te plaît|s'il vous plaît|oui|et|mais|au fait|ok",
    objection: "non|faux|en fait",
    remember: [
      "(souviens-toi|souvenez-vous|rappelle-toi|retiens|retenez|mémorise|n'oublie pas|garde en tête|note)( bien)?(,? que|,? de|[:,-]) »",
      "(souviens-toi|rappelle-toi|retiens|n'oublie pas) qu'»",
      "…, (retiens-le|souviens-t'en|rappelle-t'en|note-le|ne l'oublie pas|(retiens|note|n'oublie pas|garde) (ça|cela)|garde(-le| ça| cela) en tête)[.!]*$",
    ],
    rule: [
      "(utilise|emploie|réponds|écris|fais|lance|demande|mets) toujours",
      "(ne |n')~ jamais",
      "(à partir de maintenant|désormais|dorénavant|à l'avenir|par défaut)",
      "(tu dois|il faut) (toujours|ne jamais)",
    ],
    correction: ["(utilise|emploie|prends) … (au lieu de|plutôt que)"],
    afterObjection: ["… (plutôt|à la place|au lieu|et non|pas)"],
    preference: ["je (préfère|préférerais|déteste)", "j'aime (mieux|que|quand)", "je ne veux (pas|jamais)"],
    practice: ["(nous (utilisons|déployons|travaillons)|on (utilise|déploie))"],
    person: [
      "(je m'appelle|mon nom est|je travaille (comme|chez|pour))",
      "je suis (une? )?(développeur|développeuse|ingénieure?|étudiante?)",
    ],
  },
  es: {
    lead: "por favor|sí|vale|y|pero|ok",
    objection: "no|incorrecto|de hecho|corrección|me equivoqué|perdón",
    remember: [
      "¿?(puedes|podrías) recordar que »",
      "(recuerda|recuerde|acuérdate|ten en cuenta|no olvides|no te olvides|que no se te olvide|memoriza|anota|apunta|toma nota|guarda( en (tu|la) memoria)?)( (esto|eso|bien))?(,? (de )?que|,? de|[:,-]) »",
      "…, (recuérdalo|apúntalo|anótalo|tenlo (en cuenta|presente)|no (lo olvides|te olvides de (eso|esto))|recuerda (eso|esto))[.!]*$",
    ],
    rule: [
      // A past tense tells a story.
      `(siempre|nunca|jamás)${NO_PAST}`,
      "no ~ … sin (preguntar|avisar|consultar|permiso|revis|mi )\\p{L}*",
      "(usa|utiliza|responde|escribe|ejecuta|haz|pregunta) (siempre|nunca)",
      "no (uses|toques|hagas|pongas|escribas|digas|envíes|mandes|borres|cambies|modifiques|añadas|llames|subas) (nunca|jamás)",
      "cada vez que (te|me|yo|alguien) …, ~",
      "(de ahora en adelante|a partir de ahora|en adelante|en el futuro|por defecto)(?!,? (todo )?(es|está|será|va) (todo )?(cuesta|más fácil|fácil)(?!\\p{L}))",
      "(debes|hay que) (siempre|nunca)",
    ],
    correction: ["(usa|utiliza|emplea) … (en vez de|en lugar de)"],
    afterObjection: ["… (en su lugar|sino|mejor)"],
    preference: ["(yo )?(prefiero|preferiría|odio)", "(no )?me gusta (que|cuando|más)", "no quiero que"],
    practice: [
      "((aquí|en (este|nuestro) (proyecto|repositorio|repo|equipo)),? )?(nosotros )?(usamos|utilizamos|desplegamos)",
    ],
    person: [
      "(me llamo|mi nombre es|trabajo (como|en|para))",
      "soy (una? )?(desarrolladora?|ingeniera|ingeniero|estudiante)",
    ],
  },
  pt: {
    lead: "por favor|sim|e|mas|ok",
    objection: "não|errado|na verdade",
    remember: [
      "(lembre-se|lembra-te|lembre|lembra|não (se )?esqueça|tenha em mente|memorize|anote)(,? (de )?que|,? de|[:,-]) »",
      "…, ((lembre-se|lembra-te) (disso|disto)|tenha (isso|isto) em mente|não (se )?esqueça disso|anote (isso|isto))[.!]*$",
    ],
    rule: [
      `(sempre|nunca|jamais)${NO_PAST}`,
      "(use|usa|responda|escreva|execute|faça|pergunte) (sempre|nunca)",
      "(a partir de agora|de agora em diante|daqui em diante|doravante|no futuro|por padrão)",
      "(você )?deve (sempre|nunca)",
    ],
    correction: ["(use|usa|utilize) … (em vez de|ao invés de|no lugar de)"],
    afterObjection: ["… (no lugar|e não|mas sim)"],
    preference: [
      "(eu )?(prefiro|preferia|odeio|detesto)",
      "(eu )?(não )?gosto (que|quando|mais)",
      "não quero que",
    ],
    practice: ["(nós )?(usamos|utilizamos|implantamos)", "a gente usa"],
    person: [
      "((eu )?me chamo|meu nome é|trabalho (como|na|no|para))",
      "(eu )?sou (uma? )?(desenvolvedora?|engenheir[oa]|estudante)",
    ],
  },
  it: {
    lead: "per favore|sì|e|ma|ok",
    objection: "no|sbagliato|in realtà",
    remember: [
      "(ricorda|ricordati|tieni (a mente|presente)|non dimenticare|memorizza|annota)(,? che|,? di|[:,-]) »",
      "…, (ricordalo|ricordatelo|annotalo|tienilo (a mente|presente)|non dimenticarlo)[.!]*$",
    ],
    rule: [
      "(sempre|mai)",
      "(usa|utilizza|rispondi|scrivi|esegui|fai|chiedi) sempre",
      "non ~ mai",
      "(d'ora in (poi|avanti)|da (ora|adesso) in poi|in futuro|di norma)",
      "devi (sempre|non)",
    ],
    correction: ["(usa|utilizza) … (invece di|al posto di|anziché)"],
    afterObjection: ["… (invece|piuttosto|e non)"],
    preference: [
      "(io )?(preferisco|preferirei|odio|detesto)",
      "(non )?mi piac(e|ciono) (che|quando|di più)",
      "non voglio che",
    ],
    practice: ["(noi )?(usiamo|utilizziamo|rilasciamo)"],
    person: [
      "(mi chiamo|il mio nome è|lavoro (come|per|presso))",
      "sono (uno? )?(svilupp(atore|atrice)|ingegnere|student(e|essa))",
    ],
  },
  ru: {
    lead: "пожалуйста|да|и|но|кстати|ок",
    objection: "нет|неверно|неправильно|не так|на самом деле",
    remember: [
      "(запомни|запомните|помни|помните|не забудь|не забудьте|имей в виду|имейте в виду|учти)(,? что|[:,-]) »",
      "…, ((запомни|запомните|учти|имей(те)? (это )?в виду)( это)?|не забудь(те)? (это|этого|об этом))[.!]*$",
    ],
    rule: [
      "(всегда|никогда)",
      "(используй|пиши|отвечай|запускай|делай|спрашивай)(те)? (всегда|никогда)",
      "(с этого момента|отныне|впредь|в дальнейшем|в будущем|по умолчанию|ни в коем случае)",
    ],
    correction: ["используй(те)? … вместо", "не …, а ~"],
    afterObjection: ["… (а не|лучше)"],
    preference: ["я (предпочитаю|люблю|не люблю|терпеть не могу|ненавижу)", "мне (больше )?(не )?нравится"],
    practice: ["(здесь )?мы (используем|пользуемся|деплоим|выкатываем)"],
    person: ["(меня зовут|я работаю)", "я (разработчи(к|ца)|инженер|студент|дизайнер)"],
  },
  zh: {
    lead: "请|請|好的|另外|对了",
    objection: "不对|错了|我错了|我说错了|更正|不是|不|其实",
    remember: [
      "(请|請|你要|帮我|你?(能|可以)(帮我)?)?(记住|記住|记得|記得|牢记|别忘了|不要忘记|记一下|记下来?|存一下|备注一下)[：:，,]? »",
      "…[，,](请|請|麻烦你?|要)?((记住|記住|记得|記得|牢记|记一下)(这一?点|这个|这件事|哦|啊)?|(别忘了|不要忘记)(这一?点|这个|这件事))[。.！!]*$",
      "注意[：:，,] » …(一律|总是|必须|只能|都要)",
    ],
    rule: [
      "(从现在开始|從現在開始|从今以后|以后|今后)",
      "(请|我们|代码|提交信息|提交|回答)?(总是|總是|始终|一律|永远不要|绝不|千万不要|务必|一定要)",
      "(?!以前|之前)(在…(里|中|上)|…(之?前|之?后|的?时候?)，?)(都|请|我们)?(总是|始终|一律|务必|一定要|必须|不要|永远不要)",
      "每次…(都|就|请)(不要|要|先|用|别|加|写|给)",
    ],
    correction: ["(应该|改)?用…(而不是|代替)", "不是…而是"],
    afterObjection: ["…(改用|不要)"],
    preference: ["我(更|最|比较)?(喜欢|喜歡|偏好|倾向于|不喜欢|讨厌|希望你)"],
    practice: ["我们(都|只|一般|通常)?(在…)?(使用|用|采用|部署)"],
    person: ["我(叫|的名字(是|叫)|是一名|是一位)"],
  },
  ja: {
    lead: "それと|あと|あの",
    objection: "いいえ|いや|違います|違う|実は",
    remember: [
      "…(覚えて|記憶して|メモして)(おいて|ください|ね)",
      "…忘れないで",
      "((メモ|記録|記憶)して|覚えて)(おいて)?(ください|下さい|ね|よ)*[、,：:] »",
    ],
    rule: [
      "(今後|これから|以後|次回から)(は|も|、)",
      "(…)?(常に|必ず|いつも)…(して|こと|使って|書いて|[てで](ください|下さい))",
      "(…)?(絶対に|決して)…(ないで|しない|禁止)",
    ],
    correction: ["…(ではなく|じゃなくて|の代わりに)…(を使って|にして|でお願い)"],
    afterObjection: [],
    preference: ["…(方|ほう)が(好き|いい|良い)", "…が(好き|嫌い|苦手)(です|だ)"],
    practice: ["(私たち|うち|弊社|当社|このプロジェクト|このリポジトリ)…(使って|使用|採用|利用|デプロイ)"],
    person: ["(私|僕|俺)の?(名前)?は…(です|と申します|といいます)"],
  },
  ko: {
    lead: "그리고|참고로|네",
    objection: "아니요|아니|아뇨|틀렸어|사실",
    remember: [
      "((기억|메모)해 ?(줘|주세요|둬|두세요)|잊지 ?(마|말아|마세요))[:：,] »",
      "…기억해(?!요) ?(줘|주세요|둬|두세요)?",
      "…잊지 ?(마|말아|마세요)",
      "…메모해 ?(줘|둬|주세요)",
    ],
    rule: [
      "(앞으로는?|이제부터는?|지금부터는?) ",
      "(…)?(항상|언제나|반드시) …(해|하세요|주세요|사용)",
      "(…)?절대로? …(마|말아|않)",
    ],
    correction: ["…(대신|말고) …(써|사용|쓰세요|해)"],
    afterObjection: [],
    preference: ["…(을|를) 선호(해|합니다)", "…더 (좋아|낫)", "…싫어(해|합니다)"],
    practice: ["(우리|저희)(는|은|가)? …(사용|써|씁니다|배포)"],
    person: ["(제|내) 이름은", "(저는|나는) …(개발자|엔지니어|디자이너|학생)"],
  },
};

/** English phrases that show that a sentence is about the present task, not about how things are done. */
export const OF_THE_MOMENT: readonly string[] = [
  "(today|tonight|tomorrow|yesterday|right now|at the moment|later|soon|(next|last) (week|sprint|time))",
  "this (one|file|function|line|value|branch|pr|time|way|bug|error)",
  "(use|using|deploy|follow) (it|this|that|these|those|them|there)",
  "(there|then|other|same)[.!]*$",
];

/** Phrases of irony: the sentence means the opposite of what it says, or nothing. */
export const OF_IRONY: readonly string[] = [
  "(yeah,? right|oh sure|sure thing|as if[.!]*$|shall we|lol|haha|(brilliant|great|genius|lovely|wonderful) idea|what (could|can)( possibly)? go wrong)",
  "((tolle|super|klasse|geniale) idee|was (soll|kann)( schon)? schiefgehen|oder was|haha)",
  "(qué (gran|buena) idea|qué (puede|podría) salir mal|a propósito, ¿no|jaja)",
];
/** The same, in scripts without blanks. */
export const IRONY_PIECES = "真是好主意|好主意啊|能出什么事|故意.*好了|哈哈|呵呵|🙄|😏";

/** Beginnings of what is not told as a fact: what is made up, not to be kept, code, logs and texts of programs. */
export const OF_NO_FACT: readonly string[] = [
  "(suppose|imagine|assume|pretend|let's say|say i|what if|if (i|we|you) (were|had|moved|could) … (would|could|might))\\b",
  "(angenommen|stell dir vor|nehmen wir an|was wäre|mal angenommen)(?!\\p{L})",
  "(imagina|imagínate|supongamos|supón|y si|si (yo )?(me )?\\p{L}+(ara|iera|ase|iese))(?!\\p{L})",
  "(imagine|suppose|supposons|admettons|et si|si (je|j'|on|tu) ?\\p{L}+ais)(?!\\p{L})",
  "(write|tell|compose|make up|invent|draft)( me)? an? (~ ){0,2}(story|poem|song|tale|novel|scene|dialogue|joke|haiku)\\b",
  "(schreibe?|erzähle?|dichte)( mir)? eine? (~ ){0,2}(geschichte|gedicht|lied|märchen|szene|witz)(?!\\p{L})",
  "(escribe|cuenta|inventa|cuéntame)( me)? una? (~ ){0,2}(historia|poema|cuento|canción|escena|chiste)(?!\\p{L})",
  "(translate|übersetze?|traduce|traduis|翻译|翻譯)(?!\\p{Ll})",
  "(don't|do not|never) (remember|save|store|memori[sz]e|note|keep) (this|that|it)(?=[.,;:!]|$| (please|i|i'm|my|we|our)\\b)",
  "(merke?|speichere?|notiere?) dir das (bitte )?nicht|no (guardes|recuerdes|anotes|memorices|apuntes) (esto|eso)|ne (retiens|note|garde) pas|(这个|這個)?(别|不要|不用)记",
  "(#|//|/\\*|--|;) ?(note|todo|fixme|xxx|hack)\\b|//|/\\*|(const|let|var) ~ =",
  "(\\d{4}-\\d\\d-\\d\\d[ t])?\\d{1,2}:\\d\\d:\\d\\d|\\[(error|warn|warning|info|debug)\\]|(npm|yarn|pip) (warn|err)|(warn|warning|error|info|debug|fatal)(:|\\[)",
  "<\\/?\\w+_|\\[(system|tool|assistant)|(tool|command|terminal|program) output:|(assistant|system|tool):",
  "(ausgabe|antwort) des (werkzeugs|programms):|salida de la herramienta:|sortie de l'outil :|工具输出|ツールの出力",
];

/** Words that report what another says. */
export const OF_OTHERS: readonly string[] = [
  "((i|we) (read|heard|saw|was told|were told)( somewhere| online| on ~| in ~)?( that)?(?!( that)? your?\\b)|(people|they|some|everyone|everybody) (say|says|claim|think|thinks))",
  "(ich habe? (gelesen|gehört)|man sagt|es heißt,|die leute sagen|viele (sagen|meinen))",
  "((he|hemos) (leído|oído|visto)( que)?|dicen que|se dice|la gente (dice|cree)|on dit que|j'ai (lu|entendu))",
  "(?!(i|we)\\b)~ (said|told (me|us)|tells (me|us)|claims|thinks|suggested|insists)",
  "(?!(ich|wir)(?!\\p{L}))~ (sagt|sagte|meint|meinte|behauptet|behauptete)",
  "(?!yo\\b)~ (dice|dijo|cree|opina)",
  "(according to|apparently|allegedly|supposedly|(he|she|they|it|the (?!user )~|my ~) (says?|said|claims?|thinks?|wrote (that|in)|tells?|told|reckons?|believes?|recommends?|insists?|advises?))",
  "(laut|angeblich|(er|sie|der ~|die ~|das ~|mein ~|meine ~) (sagt|sagte|meint|meinte|schrieb|schreibt|findet|glaubt|rät|empfiehlt))",
  "(según|al parecer|supuestamente|(él|ella|el ~|la ~|mi ~) (dice|dijo|escribió|cree|opina|recomienda|aconseja))",
];

/** Words with which people ask for something to be remembered, anywhere in a line. */
export const ASKS_TO_REMEMBER =
  /remember|memori[sz]e|keep in mind|(?:do not|don['’]t) forget|merk|retiens|souviens|recuerda|acuérdate|lembr|ricorda|запомни|记住|記住|覚えて|기억/iu;

/** Words that announce a list of what the user wants kept. */
export const ANNOUNCES_RULES =
  /from now on|going forward|always|never|rules?\b|preferences?|conventions?|ab jetzt|immer|toujours|siempre|sempre|всегда|以后|今後|앞으로/iu;
