/**
 * The other languages of the table in `cues.ts`.
 */
import type { Cue } from "./cues.ts";

const start = (source: string): RegExp => new RegExp(`^(?:${source})`, "iu");
/** Scripts without blanks: the cue may stand behind what it is about. */
const inside = (source: string): RegExp => new RegExp(source, "iu");
const W = "(?![\\p{L}\\p{N}])";

export const MORE_CUES: readonly Cue[] = [
  // Italian
  {
    language: "it",
    kind: "remember",
    pattern: start(
      `(?<cue>(?:(?:puoi|potresti) )?(?:ricorda(?:ti)?|ricordare|tieni (?:a mente|presente)|non dimenticare|memorizza|annota)(?:,? che${W}|,? di${W}|[:,-]))\\s*`,
    ),
  },
  {
    language: "it",
    kind: "rule",
    pattern: start(
      `(?:(?!(?:che|ma|se|e|la|quasi|questa|quella|lei|lui)${W})\\p{L}*[aei] )?sempre${W}|non \\p{L}+ mai${W}|mai \\p{L}+re${W}|(?:d['’]ora in (?:poi|avanti)|da ora in (?:poi|avanti)|da adesso in poi|in futuro|di norma)${W}|devi (?:sempre|non)${W}`,
    ),
  },
  {
    language: "it",
    kind: "preference",
    pattern: start(
      `(?:io )?(?:preferisco|preferirei|odio|detesto)${W}|(?:non )?mi piac(?:e|ciono) (?:che|quando|di più|il|lo|la|i|gli|le)${W}|non voglio che${W}`,
    ),
  },
  {
    language: "it",
    kind: "correction",
    pattern: start(
      `(?:no|sbagliato)[,.:;!-]\\s{0,2}(?=[^?]{0,200}(?:invece|al posto|anziché|piuttosto|e non|ma ))|(?:usa|utilizza) [^,.;]{2,60} (?:invece di|al posto di|anziché)${W}`,
    ),
  },
  {
    language: "it",
    kind: "practice",
    pattern: start(
      `(?:qui )?(?:noi )?(?:usiamo|utilizziamo|rilasciamo|lavoriamo con)${W}|(?:il nostro|la nostra) (?:team|progetto|repository|base|api|codice)${W}[^?]{0,80}(?:è|usa|utilizza|si trova)${W}`,
    ),
  },
  {
    language: "it",
    kind: "person",
    pattern: start(
      `(?:mi chiamo|il mio nome è|lavoro (?:come|per|in|a|presso)|sono (?:un |uno |una )?(?:\\S+ ){0,2}(?:sviluppatore|sviluppatrice|ingegnere|studente|studentessa|designer|principiante))${W}`,
    ),
  },
  // Russian
  {
    language: "ru",
    kind: "remember",
    pattern: start(
      `(?<cue>(?:запомни|запомните|помни|помните|не забудь|не забудьте|не забывай|не забывайте|имей в виду|имейте в виду|учти|учтите)(?:,? что${W}|[:,-]| про${W})?)\\s*`,
    ),
  },
  {
    language: "ru",
    kind: "rule",
    pattern: start(
      `(?:\\p{L}*[йиье]те? )?(?:всегда|никогда)${W}(?! \\p{L}*(?:ает|ает|яет|ит|ют|ут|ал|ал[аио])${W})|(?:с этого момента|отныне|впредь|в дальнейшем|в будущем|по умолчанию)${W}|ни в коем случае${W}`,
    ),
  },
  {
    language: "ru",
    kind: "preference",
    pattern: start(
      `я (?:предпочитаю|предпочёл бы|люблю|не люблю|терпеть не могу|ненавижу)${W}|мне (?:больше )?(?:не )?нравится${W}`,
    ),
  },
  {
    language: "ru",
    kind: "correction",
    pattern: start(
      `(?:нет|неверно|неправильно|не так)[\\s,.:;!-]{1,4}(?=[^?]{0,200}(?:вместо|а не|лучше))|(?:используй|используйте) [^,.;]{2,60} вместо${W}`,
    ),
  },
  {
    language: "ru",
    kind: "practice",
    pattern: start(
      `(?:здесь )?мы (?:используем|пользуемся|работаем|пишем|деплоим|выкатываем)${W}|наш(?:а|е|и)? (?:команда|проект|репозиторий|база|код|тесты)${W}`,
    ),
  },
  {
    language: "ru",
    kind: "person",
    pattern: start(
      `(?:меня зовут|моя роль|я работаю${W}|я (?:\\S+ ){0,2}(?:разработчик|разработчица|инженер|дизайнер|студент|студентка|аналитик|новичок))${W}`,
    ),
  },
  // Chinese
  {
    language: "zh",
    kind: "remember",
    pattern: start(
      "(?<cue>(?:请|請|你要|帮我)?(?:一定要?)?(?:记住|記住|记得|記得|牢记|别忘了|不要忘记|別忘了)[：:，,]?)\\s*",
    ),
  },
  {
    language: "zh",
    kind: "rule",
    pattern: start(
      "(?:从现在开始|從現在開始|从今以后|以后|今后|(?:以後|今後)(?![はも、]))|(?:请|請|你|我们|代码|提交|回答)?.{0,8}?(?:总是|總是|始终|始終|一律|必须始终|永远不要|永遠不要|绝不|絕不|千万不要|千萬不要|务必|務必)",
    ),
  },
  {
    language: "zh",
    kind: "preference",
    pattern: start(
      "我(?:个人)?(?:比较|更|最)?(?:喜欢|喜歡|偏好|倾向于|傾向於|希望你)|我(?:不喜欢|不喜歡|讨厌|討厭)",
    ),
  },
  {
    language: "zh",
    kind: "correction",
    pattern: start(
      "(?:不|不对|不對|错了|錯了)[，,。!！]\\s*(?=.{0,100}(?:而不是|而是|应该|應該|改用|不是|不要))|(?:使用|用|请用).{1,30}(?:而不是|代替)",
    ),
  },
  {
    language: "zh",
    kind: "practice",
    pattern: start(
      "(?:这里|在这个项目(?:里|中)?)?我们(?:团队|项目|公司)?(?:都|只|一般|通常)?(?:使用|用|采用|部署|遵循)|我們(?:團隊)?(?:使用|用|採用)",
    ),
  },
  {
    language: "zh",
    kind: "person",
    pattern: start("我(?:叫|的名字(?:是|叫)|是一名|是一个|是一位|在.{1,20}工作)"),
  },
  // Japanese
  {
    language: "ja",
    kind: "remember",
    pattern: inside("(?:覚えて|記憶して|メモして)(?:おいて|ください|くれ|ね|いて|$)|忘れないで"),
  },
  {
    language: "ja",
    kind: "rule",
    pattern: inside(
      "^(?:今後|これから|以後|次回から|次から)(?:は|も|、)|(?:常に|必ず|いつも).{2,80}(?:して|てください|こと|する|使う|使って|書く|書いて)|(?:絶対に|決して).{2,80}(?:ないで|しない|禁止|ないこと)",
    ),
  },
  {
    language: "ja",
    kind: "preference",
    pattern: inside(
      "(?:の|な|い)?(?:方|ほう)が(?:好き|いい|良い|よい)です?|を好みます|が(?:好き|嫌い|苦手)(?:です|だ)",
    ),
  },
  {
    language: "ja",
    kind: "correction",
    pattern: start(
      "(?:いいえ|いや|違います|違う|そうではなく)[、。,\\s](?=.{0,100}(?:ではなく|じゃなくて|代わりに|の方を|を使って))|.{1,30}(?:ではなく|じゃなくて|の代わりに).{1,40}(?:を使って|にして|でお願い)",
    ),
  },
  {
    language: "ja",
    kind: "practice",
    pattern: start(
      "(?:私たち|我々|うち|弊社|当社|チーム|このプロジェクト|このリポジトリ)(?:の.{1,20})?(?:は|では|で|には).{2,80}(?:使って|使用|採用|利用|デプロイ|です|ます)",
    ),
  },
  {
    language: "ja",
    kind: "person",
    pattern: start("(?:私|僕|俺)(?:の名前)?は.{1,40}(?:です|と申します|といいます|エンジニア|開発者)"),
  },
  // Korean
  {
    language: "ko",
    kind: "remember",
    pattern: inside(
      "기억해(?: ?(?:줘|주세요|둬|두세요|라))?|잊지 ?(?:마|말아|마세요)|명심해|메모해 ?(?:줘|둬|주세요)",
    ),
  },
  {
    language: "ko",
    kind: "rule",
    pattern: start(
      "(?:앞으로(?:는)?|이제부터(?:는)?|지금부터(?:는)?) |.{0,20}?(?:항상|언제나|반드시) .{2,100}(?:해|하세요|해줘|해 줘|주세요|합니다|한다|할 것|써|쓰세요|사용)|.{0,20}?절대(?:로)? .{2,100}(?:마|마세요|말 것|말아|않)",
    ),
  },
  {
    language: "ko",
    kind: "preference",
    pattern: inside(
      "(?:을|를) 선호(?:해|합니다|해요)|(?:이|가|을|를|는 게|는 것을?) 더 (?:좋아|낫)|싫어(?:해|합니다|해요)",
    ),
  },
  {
    language: "ko",
    kind: "correction",
    pattern: start(
      "(?:아니|아니요|아뇨|틀렸어)[,. ](?=.{0,100}(?:대신|말고|아니라))|.{1,30}(?:대신|말고) .{1,40}(?:써|사용|쓰세요|해)",
    ),
  },
  {
    language: "ko",
    kind: "practice",
    pattern: start(
      "(?:우리|저희)(?: ?팀)?(?:는|은|가|에서는)? .{2,80}(?:사용|써|씁니다|쓰고|배포|합니다|해요)",
    ),
  },
  {
    language: "ko",
    kind: "person",
    pattern: start("(?:제 이름은|내 이름은)|(?:저는|나는) .{1,40}(?:개발자|엔지니어|디자이너|학생)"),
  },
];
